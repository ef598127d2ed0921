#pragma once

#include "castor/gpu/hooks/hook.h"
#include "castor/gpu/unit.h"

namespace castor::gpu {

/// Built-in choice of the queue whose kernel enters the table next: round robin from the one behind the last that was
/// granted (docs/gpu/front-end.md, "Parsing").
///
/// With `width` 0 the choice is made in the cycle itself. With a width w a scan looks at w queues per cycle, in passes
/// of NG = count / w cycles that begin where cycle mod NG is 0: a pass works on the ready queues of its first cycle,
/// its result stands during the next pass, is not offered while that queue is not ready, and is void if a grant falls
/// into the pass or came since. So an offer is at most 2 NG cycles old and after a grant nothing is offered for NG to
/// 2 NG - 1 cycles. All of it follows from the ready queues at the starts of the last two passes and from the last
/// grant, so skipped cycles cost nothing.
class SourceSelect {
 public:
  SourceSelect(unsigned count, unsigned width)
      : pass_(width == 0 ? 0 : (count + width - 1) / width), last_(count - 1) {}

  /// Once per cycle that is not skipped, with the ready queues of its start. In the skipped cycles before it the ready
  /// queues were `resting`, those of the end of the last cycle that was not skipped.
  void advance(const QueueMask& ready, const QueueMask& resting, Cycle now) {
    if (pass_ == 0) return;
    const Cycle start = now - now % pass_;
    if (start == frozen_at_ || (frozen_at_ == kForever && resting.none() && ready.none())) return;
    before_ = start - pass_ == frozen_at_ ? frozen_ : resting;
    frozen_ = start == now ? ready : resting;
    frozen_at_ = start;
  }

  /// The queue offered in the cycle of the last `advance`, -1 = none.
  [[nodiscard]] int offer(const QueueMask& ready) const {
    if (pass_ == 0) return first(ready);
    if (frozen_at_ < pass_ || (granted_ && last_grant_ + pass_ >= frozen_at_)) return -1;
    const int queue = first(before_);
    return queue >= 0 && ready[static_cast<std::size_t>(queue)] ? queue : -1;
  }
  void granted(unsigned queue, Cycle now) {
    last_ = queue;
    last_grant_ = now;
    granted_ = true;
  }
  /// First cycle after `now` in which there may be an offer while the ready queues do not change.
  [[nodiscard]] Cycle next(const QueueMask& ready, Cycle now) const {
    return pass_ == 0 || offer(ready) >= 0 ? now + 1 : now - now % pass_ + pass_;
  }

 private:
  // In the order last + 1, last + 2, ... in a circle.
  [[nodiscard]] int first(const QueueMask& set) const {
    std::size_t found = set._Find_next(last_);
    if (found == set.size()) found = set._Find_first();
    return found == set.size() ? -1 : static_cast<int>(found);
  }

  Cycle pass_;  // cycles; 0 = no scan
  std::size_t last_;
  Cycle last_grant_ = 0;
  bool granted_ = false;
  QueueMask before_, frozen_;   // ready queues at the starts of the pass before this one and of this one
  Cycle frozen_at_ = kForever;  // start of the pass that frozen_ belongs to
};

}  // namespace castor::gpu
