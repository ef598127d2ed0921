#include "tb/darsie/cover_points.h"

namespace castor::darsie::tb {

CoverPoints::CoverPoints(castor::tb::Cover& cover, const Params& params, const castor::tb::Peek& /*peek*/)
    : BlockPoints(params),
      rules_({cover, features(params)}, params),
      simultaneous_({cover, features(params)}),
      cover_(cover) {}

void CoverPoints::see(const castor::tb::Cycle<Block>& cycle) {
  const Facts now(cycle, hidden_);
  // The cover points compute groups and verdicts independently; the results must agree with the block.
  if (now.skipped != cycle.out.f_skip) cover_.impossible("other warps skip than the points have worked out");
  const bool leads = cycle.in.d_valid != 0 && (cycle.out.d_act[0] == 1 || cycle.out.d_act[1] == 1 ||
                                               cycle.out.d_act[2] == 1 || cycle.out.d_act[3] == 1);
  if (now.leads() != leads) cover_.impossible("another verdict than the points have worked out");
  rules_.see(now);
  simultaneous_.see(now);
  now.move(hidden_);
}

}  // namespace castor::darsie::tb
