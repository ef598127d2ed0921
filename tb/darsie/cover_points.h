#pragma once

#include "tb/darsie/cover/rule_points.h"
#include "tb/darsie/cover/simultaneous_points.h"

namespace castor::darsie::tb {

/// Cover points of the block: each way in which a rule acts, each verdict, each error, full tables, the state
/// transitions of warps, and simultaneous events on one register (docs/blocks/darsie.md, "Verification"). Points that
/// are impossible at these parameters are left out. Idle cycles may be skipped.
class CoverPoints final : public castor::tb::BlockPoints<Block> {
 public:
  CoverPoints(castor::tb::Cover& cover, const Params& params, const castor::tb::Peek& peek = {});

 private:
  void see(const castor::tb::Cycle<Block>& cycle) override;

  RulePoints rules_;
  SimultaneousPoints simultaneous_;
  castor::tb::Cover& cover_;
  Hidden hidden_;
};

}  // namespace castor::darsie::tb
