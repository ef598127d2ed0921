#pragma once

#include <algorithm>

#include "castor/gpu/unit.h"

namespace castor::gpu {

/// Time inside an SM: core cycles, and ticks, its enabled clock edges (docs/gpu/timing.md, "Time, clocks, sleeping").
///
/// `begin` opens a tick, before S0; the clock enable changes between ticks. Whoever keeps the SM awake says so in the
/// tick by `stir`; for the rest parts only read.
class SmClock {
 public:
  /// Cycle `now` has an edge. Cycles ascend, possibly with gaps.
  void begin(Cycle now) {
    now_ = now;
    tick_ = now - disabled_;
    stirred_ = false;
  }
  /// Something happens in this tick that the next one may build on.
  void stir() { stirred_ = true; }
  /// From cycle `from` on there are edges, or none. False if that was so before.
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

  /// Core cycle of the tick under way, else of the last one.
  [[nodiscard]] Cycle now() const { return now_; }
  /// Number of that tick, counted from 0.
  [[nodiscard]] Tick tick() const { return tick_; }
  [[nodiscard]] bool enabled() const { return enabled_; }
  [[nodiscard]] bool stirred() const { return stirred_; }
  /// Core cycle of a tick to come, if the clock stays enabled.
  [[nodiscard]] Cycle cycle_of(Tick tick) const { return tick == kForever ? kForever : now_ + (tick - tick_); }

  /// Ticks before cycle `now`.
  [[nodiscard]] Tick ticks_before(Cycle now) const {
    return (enabled_ ? now : std::min(now, disabled_since_)) - disabled_;
  }
  /// Cycles before `now` without an edge.
  [[nodiscard]] Cycle cycles_off(Cycle now) const {
    return enabled_ ? disabled_ : disabled_ + (now - std::min(now, disabled_since_));
  }

 private:
  Cycle now_ = 0;
  Tick tick_ = 0;
  bool stirred_ = false;
  bool enabled_ = true;
  Cycle disabled_since_ = 0;  // while not enabled
  Cycle disabled_ = 0;        // cycles without an edge up to the last time it was enabled
};

}  // namespace castor::gpu
