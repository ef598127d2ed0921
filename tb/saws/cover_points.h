#pragma once

#include <array>

#include "tb/saws/cover/cta_points.h"
#include "tb/saws/cover/event_points.h"
#include "tb/saws/cover/facts.h"
#include "tb/saws/cover/kernel_points.h"
#include "tb/saws/cover/message_points.h"
#include "tb/saws/cover/pick_points.h"
#include "tb/saws/cover/simultaneous_points.h"

namespace castor::saws::tb {

/// Cover points of the block: each way in which a kernel starts, a message is created, is taken and acts, a list
/// changes, a warp is picked and an error is raised; also simultaneous events (docs/blocks/saws.md, "Verification").
/// Points that are impossible at these parameters are left out. Idle cycles in which no message waits may be skipped.
class CoverPoints final : public castor::tb::BlockPoints<Block> {
 public:
  CoverPoints(castor::tb::Cover& cover, const Params& params, const castor::tb::Peek& peek = {});

 private:
  void see(const castor::tb::Cycle<Block>& cycle) override;

  KernelPoints kernels_;
  PickPoints picks_;
  MessagePoints messages_;
  EventPoints events_;
  CtaPoints ctas_;
  SimultaneousPoints simultaneous_;
  Points<unsigned> errors_;  // errors of one cycle, as a mask
  std::array<U64, 4> on_{};  // mask of the warps of each scheduler
  Queues queues_;
  bool started_ = false;  // a kernel_start has been seen
  unsigned freed_ = ~0U;  // CTA freed in the previous cycle; ~0: none
};

}  // namespace castor::saws::tb
