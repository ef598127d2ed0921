#pragma once

#include "tb/lax/cover/collision_points.h"
#include "tb/lax/cover/facts.h"
#include "tb/lax/cover/job_points.h"
#include "tb/lax/cover/machine_points.h"
#include "tb/lax/cover/rate_points.h"
#include "tb/lax/cover/register_points.h"
#include "tb/lax/cover/selection_points.h"
#include "tb/lax/cover/simultaneous_points.h"
#include "tb/lax/cover/verdict_points.h"

namespace castor::lax::tb {

/// Cover points of the laxity engine: every transition of its state machines, every reason and error, every policy with
/// no, one and many candidates, and error-prone simultaneous events (docs/blocks/lax.md, "Verification"). Points that
/// are impossible at these parameters, or that need a `peek` that is missing, are left out.
class CoverPoints final : public castor::tb::BlockPoints<Block> {
 public:
  CoverPoints(castor::tb::Cover& cover, const Params& params, castor::tb::Peek peek = {});

 private:
  CoverPoints(const CoverList& list, const Params& params, castor::tb::Peek peek);
  void see(const castor::tb::Cycle<Block>& cycle) override;

  const castor::tb::Peek peek_;
  MachinePoints machines_;
  JobPoints jobs_;
  RegisterPoints registers_;
  SelectionPoints selections_;
  VerdictPoints verdicts_;
  CollisionPoints collisions_;
  RatePoints rates_;
  SimultaneousPoints simultaneous_;
  Submitted submitted_;
  U32 control_ = 0x00301582;  ///< control register as last written
  bool was_reset_ = false;    ///< a soft reset was requested in the previous cycle
};

}  // namespace castor::lax::tb
