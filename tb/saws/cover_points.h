#pragma once

#include <array>

#include "tb/saws/cover/cta_points.h"
#include "tb/saws/cover/event_points.h"
#include "tb/saws/cover/facts.h"
#include "tb/saws/cover/kernel_points.h"
#include "tb/saws/cover/meeting_points.h"
#include "tb/saws/cover/message_points.h"
#include "tb/saws/cover/pick_points.h"

namespace castor::saws::tb {

/// What a run must have reached: each way in which a kernel starts, a message comes about, is taken and acts, a list
/// changes, a pick is made, an error is raised, and the collisions of a cycle (docs/blocks/saws.md, "Verification").
/// Points that a parameter set cannot have are not in its list. Idle cycles in which no message waits may be missing.
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
  MeetingPoints meetings_;
  Points<unsigned> errors_;  // of a cycle
  std::array<U64, 4> on_{};  // warps of each scheduler
  Queues queues_;
  bool started_ = false;  // a kernel_start was seen
  unsigned freed_ = ~0U;  // in the cycle before
};

}  // namespace castor::saws::tb
