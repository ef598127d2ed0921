#pragma once

#include <systemc>

#include "castor/base/time.h"

namespace castor::gpu {

/// Converts between SystemC time and the device's time, which counts picoseconds. SystemC's resolution must be 1 ps or
/// finer, with a whole number of steps per picosecond (100 fs, 10 fs, 1 fs).
class SystemTime {
 public:
  /// Throws base::InputError if the time resolution is coarser than 1 ps. Fixes the resolution for the process, as the
  /// first sc_time of any program does.
  SystemTime();

  /// Returns `time` as SystemC time; the latest representable time if it is out of range.
  [[nodiscard]] sc_core::sc_time of(base::Picoseconds time) const {
    return sc_core::sc_time::from_value(time > most_ ? kLatest : time * steps_);
  }
  /// Returns `time` in whole picoseconds, rounded down.
  [[nodiscard]] base::Picoseconds begun(const sc_core::sc_time& time) const {
    return steps_ == 1 ? time.value() : time.value() / steps_;
  }
  /// Returns `time` in whole picoseconds, rounded up.
  [[nodiscard]] base::Picoseconds complete(const sc_core::sc_time& time) const {
    return steps_ == 1 ? time.value() : time.value() / steps_ + (time.value() % steps_ != 0 ? 1 : 0);
  }
  [[nodiscard]] base::Picoseconds now() const { return begun(sc_core::sc_time_stamp()); }
  /// Returns the span from now until `time`; zero if that has passed.
  [[nodiscard]] sc_core::sc_time until(base::Picoseconds time) const {
    const Steps then = of(time).value();
    const Steps now = sc_core::sc_time_stamp().value();
    return sc_core::sc_time::from_value(then > now ? then - now : 0);
  }

  /// Returns the first edge of `clock` at or after `time`.
  [[nodiscard]] base::Cycle first_edge(const base::Clock& clock, const sc_core::sc_time& time) const {
    return clock.first_at_or_after(complete(time));
  }

 private:
  using Steps = sc_core::sc_time::value_type;
  static constexpr Steps kLatest = ~Steps{0};

  Steps steps_;  ///< resolution steps per picosecond
  Steps most_;   ///< largest number of picoseconds that SystemC time can represent
};

}  // namespace castor::gpu
