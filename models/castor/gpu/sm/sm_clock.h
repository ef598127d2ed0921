#pragma once

#include <algorithm>

#include "castor/gpu/unit.h"

namespace castor::gpu {

/// Clock of an SM: core cycles, and ticks, which are its enabled clock edges (docs/gpu/timing.md, "Time, clocks,
/// sleeping").
///
/// `begin` opens a tick, before S0. The clock enable changes between ticks. A part that needs the next tick calls
/// `stir`; all other parts only read the clock.
class SmClock {
 public:
  /// Opens the tick of cycle `now`. Cycles ascend, possibly with gaps.
  void begin(Cycle now) {
    now_ = now;
    tick_ = now - disabled_;
    stirred_ = false;
  }
  /// Keeps the SM awake in the next tick, because the state has changed in this one.
  void stir() { stirred_ = true; }
  /// Enables or disables the clock from cycle `from` on. Returns false if the clock is in that state already.
  bool enable(bool enable, Cycle from) {
    if (enable == enabled_) return false;
    if (enable) {
      disabled_ += from - disabled_since_;
    } else {
      disabled_since_ = from;
    }
    enabled_ = enable;
    return true;
  }

  /// Returns the core cycle of the tick in progress, or of the last tick.
  [[nodiscard]] Cycle now() const { return now_; }
  /// Returns the number of the tick in progress, or of the last tick, counted from 0.
  [[nodiscard]] Tick tick() const { return tick_; }
  [[nodiscard]] bool enabled() const { return enabled_; }
  [[nodiscard]] bool stirred() const { return stirred_; }
  /// Returns the core cycle of a future tick, if the clock stays enabled; kForever for kForever.
  [[nodiscard]] Cycle cycle_of(Tick tick) const { return tick == kForever ? kForever : now_ + (tick - tick_); }

  /// Returns the number of ticks before cycle `now`.
  [[nodiscard]] Tick ticks_before(Cycle now) const {
    return (enabled_ ? now : std::min(now, disabled_since_)) - disabled_;
  }
  /// Returns the number of cycles before `now` without a tick.
  [[nodiscard]] Cycle cycles_off(Cycle now) const {
    return enabled_ ? disabled_ : disabled_ + (now - std::min(now, disabled_since_));
  }

 private:
  Cycle now_ = 0;         // core cycle of the tick in progress or the last tick
  Tick tick_ = 0;         // number of the tick in progress or the last tick
  bool stirred_ = false;  // the next tick is needed; cleared by `begin`
  bool enabled_ = true;
  Cycle disabled_since_ = 0;  // cycle from which on the clock is disabled; valid while not enabled
  Cycle disabled_ = 0;        // cycles without a tick, up to the last time the clock was enabled
};

}  // namespace castor::gpu
