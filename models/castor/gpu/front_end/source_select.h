#pragma once

#include "castor/gpu/hooks/hook.h"
#include "castor/gpu/unit.h"

namespace castor::gpu {

/// Built-in choice of the queue whose kernel enters the table next: round robin, from the queue after the last granted
/// one (docs/gpu/front-end.md, "Parsing"). The parse stage owns it.
///
/// With `width` 0 the choice is made in the cycle of the grant. With a width w a scan examines w queues per cycle. The
/// scan runs in passes of NG = count / w cycles; a pass begins where cycle mod NG is 0. A pass considers the queues
/// that were ready in its first cycle, and its result is offered during the next pass. The result is not offered in
/// cycles in which its queue is not ready. It is void if a grant was made in the pass or later. So an offer is at most
/// 2 NG cycles old, and after a grant no queue is offered for NG to 2 NG - 1 cycles. The offer follows from the ready
/// queues at the starts of the last two passes and from the last grant, so skipped cycles cost nothing.
class SourceSelect {
 public:
  SourceSelect(unsigned count, unsigned width)
      : pass_(width == 0 ? 0 : (count + width - 1) / width), last_(count - 1) {}

  /// Advances the scan; called once per cycle that is not skipped. `ready`: the ready queues at the start of the cycle.
  /// `resting`: the ready queues during the skipped cycles before it, as of the end of the last tick.
  void advance(const QueueMask& ready, const QueueMask& resting, Cycle now) {
    if (pass_ == 0) return;
    const Cycle start = now - now % pass_;
    if (start == frozen_at_ || (frozen_at_ == kForever && resting.none() && ready.none())) return;
    before_ = start - pass_ == frozen_at_ ? frozen_ : resting;
    frozen_ = start == now ? ready : resting;
    frozen_at_ = start;
  }

  /// Returns the queue offered in the cycle of the last `advance`, -1 = none.
  [[nodiscard]] int offer(const QueueMask& ready) const {
    if (pass_ == 0) return first(ready);
    if (frozen_at_ < pass_ || (granted_ && last_grant_ + pass_ >= frozen_at_)) return -1;
    const int queue = first(before_);
    return queue >= 0 && ready[static_cast<std::size_t>(queue)] ? queue : -1;
  }
  /// Records that a queue was granted a lane.
  void granted(unsigned queue, Cycle now) {
    last_ = queue;
    last_grant_ = now;
    granted_ = true;
  }
  /// Returns the first cycle after `now` in which a queue may be offered while the ready queues do not change.
  [[nodiscard]] Cycle next(const QueueMask& ready, Cycle now) const {
    return pass_ == 0 || offer(ready) >= 0 ? now + 1 : now - now % pass_ + pass_;
  }

 private:
  // Returns the first queue of the set in the order last + 1, last + 2, ... in a circle; -1 = none.
  [[nodiscard]] int first(const QueueMask& set) const {
    std::size_t found = set._Find_next(last_);
    if (found == set.size()) found = set._Find_first();
    return found == set.size() ? -1 : static_cast<int>(found);
  }

  Cycle pass_;  // length of a pass in cycles; 0 = no scan
  std::size_t last_;
  Cycle last_grant_ = 0;
  bool granted_ = false;
  QueueMask before_, frozen_;   // ready queues at the start of the previous pass, and at the start of the current pass
  Cycle frozen_at_ = kForever;  // first cycle of the pass to which frozen_ belongs
};

}  // namespace castor::gpu
