#pragma once

#include <optional>
#include <string>

#include "castor/gpu/front_end/hook_events.h"
#include "castor/gpu/front_end/mounted_hook.h"
#include "castor/gpu/hooks/launch_unit.h"

namespace castor::gpu {

/// The place of a launch unit: what it is shown, and what it said last (docs/gpu/hooks.md, "Hooks"). Without one it
/// holds nothing, and must not be asked to settle.
///
/// In a cycle: `settle` in F6; `clock` in F10.
class LaunchPort {
 public:
  /// `unit`: null = none.
  LaunchPort(LaunchUnit* unit, const HookPlace& place, const HookEvents& events);

  [[nodiscard]] bool on() const { return unit_ != nullptr; }
  [[nodiscard]] const char* block() const { return unit_->block(); }
  const LaunchOut& settle(const Maybe<GroupBeat>& beat, const KernelKeys& keys, bool attach_ready, Cycle now);
  void clock(Cycle now);
  void idle(Cycle cycles) { unit_->idle(cycles); }
  /// The block forgets everything; the device is idle.
  void reset() { unit_->reset(); }

  /// Entries that must not be released in this cycle.
  [[nodiscard]] const KdMask& hold() const { return hold_; }
  /// It was shown something in this cycle that it may not see in the next, or shows something itself.
  [[nodiscard]] bool stirred() const { return stirred_; }
  [[nodiscard]] bool inert() const { return unit_ == nullptr || unit_->inert(); }
  /// First cycle after `now` in which the unit has to be clocked.
  [[nodiscard]] Cycle next(Cycle now) const { return unit_ == nullptr ? kForever : next_edge_of(*unit_, now); }
  void add_waves(Waves& waves, const std::string& scope) const {
    if (unit_ != nullptr) unit_->add_waves(waves, scope);
  }

 private:
  LaunchUnit* unit_;
  const HookEvents& events_;
  LaunchIn in_;
  KdMask hold_;
  bool stirred_ = false;
  std::optional<MountedHook> mounted_;
};

}  // namespace castor::gpu
