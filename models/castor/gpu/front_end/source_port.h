#pragma once

#include <optional>
#include <string>
#include <vector>

#include "castor/gpu/front_end/mounted_hook.h"
#include "castor/gpu/hooks/source_order.h"
#include "castor/gpu/hooks/waves.h"

namespace castor::gpu {

/// Sources that may be granted a lane, as presented to a source order.
struct Sources {
  std::vector<std::uint16_t> lists;  ///< lists of launches by device code, per SM; bit = level - 1
  bool returns = false;
  QueueMask queues;
  [[nodiscard]] friend bool operator!=(const Sources& a, const Sources& b) {
    return a.returns != b.returns || a.queues != b.queues || a.lists != b.lists;
  }
};

/// Port for a source order (a hook) in the front end: presents its inputs and keeps its last pick (docs/gpu/hooks.md,
/// "Hooks"). The launch side owns it. `settle` must not be called without a source order.
///
/// In a cycle: `begin` before all steps; `settle` in F8 (parse); `grant` after it if a lane is granted to the pick;
/// `clock` in F10.
class SourcePort {
 public:
  /// `order`: null if the machine has no source order.
  SourcePort(SourceOrder* order, unsigned sms, const HookMount& place);

  [[nodiscard]] bool on() const { return order_ != nullptr; }
  void begin() { in_.granted = false; }
  /// Presents the sources that may be granted in this cycle, and returns the pick if it is one of them.
  Maybe<SourcePick> settle(const Sources& sources, Cycle now);
  void grant() { in_.granted = true; }
  void clock(Cycle now);
  void idle(Cycle cycles) { order_->idle(cycles); }
  /// Resets the source order to its initial state. The device is idle.
  void reset() { order_->reset(); }

  /// Returns the sources presented by the last `settle`.
  [[nodiscard]] const Sources& shown() const { return shown_; }
  /// Returns whether a grant was reported to the source order in this cycle.
  [[nodiscard]] bool granted() const { return in_.granted; }
  /// Returns whether an access to the source order's registers is presented in this cycle.
  [[nodiscard]] bool accessed() const { return mounted_ && mounted_->access(); }
  [[nodiscard]] bool inert() const { return order_ == nullptr || order_->inert(); }
  /// Returns the first cycle after `now` in which the source order must be clocked.
  [[nodiscard]] Cycle next(Cycle now) const { return order_ == nullptr ? kForever : next_edge_of(*order_, now); }
  void waits(WaitGraph& graph) const {
    if (mounted_) mounted_->waits(graph);
  }
  void add_waves(Waves& waves, const std::string& scope) const {
    if (order_ != nullptr) order_->add_waves(waves, scope);
  }

 private:
  [[nodiscard]] bool ready(const SourcePick& pick) const;

  SourceOrder* order_;
  Sources shown_;
  SourceIn in_;
  std::optional<MountedHook> mounted_;
};

}  // namespace castor::gpu
