#include "castor/hookup/dtbl/dtbl_statistics.h"

namespace castor::hookup {

void DtblStatistics::cycle(const dtbl::Inputs& in, const dtbl::Outputs& out) {
  if ((in.agg_valid & out.agg_ready) != 0) {
    ++groups;
    commands += in.agg_last;
  } else {
    beat_wait += in.agg_valid;
  }
  if ((out.att_valid & out.att_ready) != 0) {
    ++kde_hits;
    ++((out.att_agei & dtbl::kOffChip) == 0 ? agt_hits : agt_misses);
    if (places && !out.dispatch_hold.test(out.att_kd)) ++remarks;
  }
  if ((out.fb_valid & in.fb_ready) != 0) ++kde_misses;
  if (places && (out.mem_valid & in.mem_ready) != 0) ++(out.mem_write != 0 ? link_writes : offchip_loads);
  rest(out, 1);
}

void DtblStatistics::rest(const dtbl::Outputs& out, base::Cycle n) {
  if (places && out.cur_valid == 0 && out.dispatch_hold.any()) offchip_wait += n;
  agt_used_sum += out.agt_used * n;
  if (out.agt_used > agt_used_peak.value()) agt_used_peak += out.agt_used - agt_used_peak.value();
}

}  // namespace castor::hookup
