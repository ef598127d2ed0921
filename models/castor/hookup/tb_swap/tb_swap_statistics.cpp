#include "castor/hookup/tb_swap/tb_swap_statistics.h"

namespace castor::hookup {

void TbSwapStatistics::cycle(const tb_swap::Inputs& in, const tb_swap::Outputs& out) {
  if (out.parked_valid != 0 && in.parked_ready != 0) ++(out.parked_local != 0 ? parked_local : parked_memory);
  if (out.access_valid == 0) return;
  if (in.access_ready == 0) {
    ++waits;
    return;
  }
  switch (out.access_type) {
    case tb_swap::AccessType::kSimt:
      ++simt_lines;
      break;
    case tb_swap::AccessType::kRegister:
      ++register_lines;
      break;
    case tb_swap::AccessType::kShared:
      ++shared_lines;
      break;
    case tb_swap::AccessType::kReadOnly:
      ++read_only_lines;
      break;
  }
}

}  // namespace castor::hookup
