#pragma once

#include <systemc>

#include "castor/base/time.h"

namespace castor::gpu {

/// SystemC's time beside the device's, which counts picoseconds: 1 ps, or a time resolution finer than that, in which a
/// picosecond is a whole number of steps (100 fs, 10 fs, 1 fs).
class SystemTime {
 public:
  /// Throws base::InputError if the time resolution is coarser than 1 ps. Fixes the resolution for the process, as the
  /// first sc_time of any kind does.
  SystemTime();

  /// Of a time on SystemC's clock; the latest that there is for one beyond its range.
  [[nodiscard]] sc_core::sc_time of(base::Picoseconds time) const {
    return sc_core::sc_time::from_value(time > most_ ? kLatest : time * steps_);
  }
  /// Whole picoseconds of `time`, what is left of it cut off.
  [[nodiscard]] base::Picoseconds begun(const sc_core::sc_time& time) const {
    return steps_ == 1 ? time.value() : time.value() / steps_;
  }
  /// The first picosecond at or after `time`.
  [[nodiscard]] base::Picoseconds complete(const sc_core::sc_time& time) const {
    return steps_ == 1 ? time.value() : time.value() / steps_ + (time.value() % steps_ != 0 ? 1 : 0);
  }
  [[nodiscard]] base::Picoseconds now() const { return begun(sc_core::sc_time_stamp()); }
  /// From now until `time`; nothing if that has passed.
  [[nodiscard]] sc_core::sc_time until(base::Picoseconds time) const {
    const Steps then = of(time).value();
    const Steps now = sc_core::sc_time_stamp().value();
    return sc_core::sc_time::from_value(then > now ? then - now : 0);
  }

  /// First edge of `clock` at or after `time`.
  [[nodiscard]] base::Cycle first_edge(const base::Clock& clock, const sc_core::sc_time& time) const {
    return clock.first_at_or_after(complete(time));
  }

 private:
  using Steps = sc_core::sc_time::value_type;
  static constexpr Steps kLatest = ~Steps{0};

  Steps steps_;  ///< of the resolution in a picosecond
  Steps most_;   ///< picoseconds that SystemC's time has room for
};

}  // namespace castor::gpu
