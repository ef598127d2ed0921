#pragma once

#include "tb/tb_swap/cover/facts.h"
#include "tb/tb_swap/cover/machine_points.h"
#include "tb/tb_swap/cover/simultaneous_points.h"

namespace castor::tb_swap::tb {

/// Cover points of the block: each arc of both machines, each way in which a thread block leaves and comes back, masks,
/// segments, the priority of stores, pauses, full and empty storage, and simultaneous events (docs/blocks/tb_swap.md,
/// "Verification"). Idle cycles may be skipped.
class CoverPoints final : public castor::tb::BlockPoints<Block> {
 public:
  CoverPoints(castor::tb::Cover& cover, const Params& params, const castor::tb::Peek& peek = {});

 private:
  void see(const castor::tb::Cycle<Block>& cycle) override;

  Jobs jobs_;
  MachinePoints machines_;
  castor::tb::Points<Now> placing_, lines_, port_, kernels_;
  castor::tb::OneOf<Now> moves_;
  SimultaneousPoints simultaneous_;
};

}  // namespace castor::tb_swap::tb
