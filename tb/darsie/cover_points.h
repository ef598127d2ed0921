#pragma once

#include "tb/darsie/cover/meeting_points.h"
#include "tb/darsie/cover/rule_points.h"

namespace castor::darsie::tb {

/// What a run must have reached: each way in which a rule acts, each verdict, each error, full tables, the ways of a
/// warp from state to state, and events that meet in one cycle on one register (docs/blocks/darsie.md, "Verification").
/// Points that a parameter set cannot have are not in its list. Idle cycles may be missing.
class CoverPoints final : public castor::tb::BlockPoints<Block> {
 public:
  CoverPoints(castor::tb::Cover& cover, const Params& params, const castor::tb::Peek& peek = {});

 private:
  void see(const castor::tb::Cycle<Block>& cycle) override;

  RulePoints rules_;
  MeetingPoints meetings_;
  castor::tb::Cover& cover_;
  Hidden hidden_;
};

}  // namespace castor::darsie::tb
