#include "tb/lax/cover_points.h"

#include <utility>

namespace castor::lax::tb {

CoverPoints::CoverPoints(castor::tb::Cover& cover, const Params& params, castor::tb::Peek peek)
    : CoverPoints(CoverList{cover, features(params, peek)}, params, peek) {}

CoverPoints::CoverPoints(const CoverList& list, const Params& params, castor::tb::Peek peek)
    : BlockPoints(params),
      peek_(std::move(peek)),
      machines_(list),
      jobs_(list),
      registers_(list),
      selections_(list, params.groups()),
      verdicts_(list),
      collisions_(list, params.MaxKt),
      rates_(list),
      simultaneous_(list) {}

void CoverPoints::see(const castor::tb::Cycle<Block>& cycle) {
  const Now now{cycle, peek_, control_, was_reset_};
  machines_.see(now);
  if (!was_reset_) jobs_.see(now, submitted_);
  registers_.see(now);
  selections_.see(now);
  verdicts_.see(now, submitted_);
  collisions_.see(now);
  rates_.see(now);
  simultaneous_.see(now);
  const bool control = now.writes(reg::kControl) && legal_control(now.in.reg_wdata);
  was_reset_ = control && (now.in.reg_wdata & reg::kSoftReset) != 0;
  if (control) control_ = now.in.reg_wdata;
}

}  // namespace castor::lax::tb
