#pragma once

#include <optional>
#include <string>
#include <vector>

#include "castor/gpu/front_end/mounted_hook.h"
#include "castor/gpu/hooks/source_order.h"
#include "castor/gpu/hooks/waves.h"

namespace castor::gpu {

/// What may be granted, as a source order is shown it.
struct Sources {
  std::vector<std::uint16_t> lists;  ///< by SM; bit = level - 1
  bool returns = false;
  QueueMask queues;
  [[nodiscard]] friend bool operator!=(const Sources& a, const Sources& b) {
    return a.returns != b.returns || a.queues != b.queues || a.lists != b.lists;
  }
};

/// The place of a source order: what it is shown, and what it picked (docs/gpu/hooks.md, "Hooks"). Without one it must
/// not be asked to settle.
///
/// In a cycle: `begin` before anything happens; `settle` in F8, `grant` behind it if a lane takes the pick; `clock` in
/// F10.
class SourcePort {
 public:
  /// `order`: null = none.
  SourcePort(SourceOrder* order, unsigned sms, const HookPlace& place);

  [[nodiscard]] bool on() const { return order_ != nullptr; }
  void begin() { in_.granted = false; }
  /// Shows sources that may be granted in this cycle, and returns the pick if it is one of them.
  Maybe<SourcePick> settle(const Sources& sources, Cycle now);
  void grant() { in_.granted = true; }
  void clock(Cycle now);
  void idle(Cycle cycles) { order_->idle(cycles); }
  /// The block forgets everything; the device is idle.
  void reset() { order_->reset(); }

  /// What `settle` saw last.
  [[nodiscard]] const Sources& shown() const { return shown_; }
  /// It was told in this cycle of a grant.
  [[nodiscard]] bool granted() const { return in_.granted; }
  [[nodiscard]] bool inert() const { return order_ == nullptr || order_->inert(); }
  /// First cycle after `now` in which the order has to be clocked.
  [[nodiscard]] Cycle next(Cycle now) const { return order_ == nullptr ? kForever : next_edge_of(*order_, now); }
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
