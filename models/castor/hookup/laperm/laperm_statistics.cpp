#include "castor/hookup/laperm/laperm_statistics.h"

namespace castor::hookup {

void LapermStatistics::cycle(const laperm::Inputs& in, const laperm::Outputs& out) {
  pushes += in.push_valid & out.push_ready;
  push_wait += out.push_ready == 0 ? 1 : 0;
  if (in.pl_taken != 0) {
    if (out.ev_stage == 1) ++own;
    if (out.ev_stage == 2) ++host;
    if (out.ev_stage == 3) ++stolen;
  }
  backups += out.ev_backup;
  starved += out.ev_starve;
  if (out.ev_stage != 0 && out.pl_valid == 0) ++unfit;
  if ((out.mem_valid & in.mem_ready) != 0) ++(out.mem_we != 0 ? memory_writes : memory_reads);
}

}  // namespace castor::hookup
