#pragma once

#include <optional>
#include <string>

#include "castor/gpu/front_end/hook_events.h"
#include "castor/gpu/front_end/mounted_hook.h"
#include "castor/gpu/hooks/launch_unit.h"

namespace castor::gpu {

/// Port for a launch unit (a hook) in the front end: presents its inputs and keeps its last outputs (docs/gpu/hooks.md,
/// "Hooks"). The launch side owns it. Without a launch unit it holds no entry, and `settle` must not be called.
///
/// In a cycle: `settle` in F6 (groups); `clock` in F10.
class LaunchPort {
 public:
  /// `unit`: null if the machine has no launch unit.
  LaunchPort(LaunchUnit* unit, const HookMount& place, const HookEvents& events);

  [[nodiscard]] bool on() const { return unit_ != nullptr; }
  [[nodiscard]] const char* block() const { return unit_->block(); }
  /// Presents the inputs of the cycle and returns the launch unit's outputs. `beat`: presented group; `keys`: kernels
  /// in the table; `attach_ready`: a group may attach in this cycle.
  const LaunchOut& settle(const Maybe<GroupBeat>& beat, const KernelKeys& keys, bool attach_ready, Cycle now);
  void clock(Cycle now);
  void idle(Cycle cycles) { unit_->idle(cycles); }
  /// Resets the launch unit to its initial state. The device is idle.
  void reset() { unit_->reset(); }

  /// Returns the entries that must not be released in this cycle.
  [[nodiscard]] const KdMask& hold() const { return hold_; }
  /// Returns whether the unit had an input or output in this cycle that may be absent in the next.
  [[nodiscard]] bool stirred() const { return stirred_; }
  [[nodiscard]] bool inert() const { return unit_ == nullptr || unit_->inert(); }
  /// Returns the first cycle after `now` in which the launch unit must be clocked.
  [[nodiscard]] Cycle next(Cycle now) const { return unit_ == nullptr ? kForever : next_edge_of(*unit_, now); }
  void waits(WaitGraph& graph) const {
    if (mounted_) mounted_->waits(graph);
  }
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
