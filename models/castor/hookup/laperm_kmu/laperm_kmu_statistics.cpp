#include "castor/hookup/laperm_kmu/laperm_kmu_statistics.h"

namespace castor::hookup {

void LapermKmuStatistics::cycle(const laperm_kmu::Inputs& in, const laperm_kmu::Outputs& out,
                                const laperm_kmu::Params& params) {
  using laperm_kmu::Block;
  if (out.pick_valid == 0) {
    if (Block::any_ready(in, params)) ++search;
    return;
  }
  if (in.pick_grant == 0) {
    if (!Block::ready(in, out, params)) ++withdrawn;
    return;
  }
  if (out.pick_kind == laperm_kmu::kSuspended) ++suspended;
  if (out.pick_kind == laperm_kmu::kHost) ++queues;
  if (out.pick_kind != laperm_kmu::kList) return;
  const unsigned bit = out.pick_idx % params.LvlMax;
  ++launches;
  if (bit > 0) ++above;
  if ((in.list_rdy[out.pick_idx / params.LvlMax] & ((1U << bit) - 1)) != 0) ++overtaking;
}

}  // namespace castor::hookup
