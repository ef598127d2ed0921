#pragma once

#include <cmath>
#include <cstdint>

namespace castor::base {

/// Simulated time in picoseconds; 64 bits hold 213 days.
using Picoseconds = std::uint64_t;
/// Number of a core clock edge, from 0.
using Cycle = std::uint64_t;
/// Number of enabled clock edges of one SM.
using Tick = std::uint64_t;

inline constexpr Picoseconds kPicosecondsPerNanosecond = 1'000;
inline constexpr Picoseconds kPicosecondsPerMicrosecond = 1'000'000;
inline constexpr Picoseconds kPicosecondsPerMillisecond = 1'000'000'000;
inline constexpr Picoseconds kPicosecondsPerSecond = 1'000'000'000'000;

/// A cycle that never comes: the wake-up cycle of a unit that only a message can wake.
inline constexpr Cycle kForever = ~Cycle{0};

/// Converts a frequency of a machine file from MHz to whole kHz, the unit from which all clocks are computed.
[[nodiscard]] inline std::uint64_t kilohertz(double megahertz) {
  return static_cast<std::uint64_t>(std::llround(megahertz * 1000));
}

/// A clock of a fixed frequency whose edge k occurs at round(k x 10^9 / f[kHz]) ps. Each edge is computed from k, so
/// rounding errors do not accumulate. Range: 1 kHz to 1 THz, edges up to a time of 2^64 - 1 ps.
class Clock {
 public:
  /// `kilohertz`: frequency, at least 1.
  explicit constexpr Clock(std::uint64_t kilohertz) : kilohertz_(kilohertz) {}

  [[nodiscard]] constexpr std::uint64_t kilohertz() const { return kilohertz_; }

  /// Returns the time of edge `cycle`, rounded to the nearest picosecond (ties upwards).
  [[nodiscard]] constexpr Picoseconds time_of(Cycle cycle) const {
    const auto scaled = static_cast<Wide>(cycle) * kPicosecondsTimesKilohertz;
    return static_cast<Picoseconds>((scaled + kilohertz_ / 2) / kilohertz_);
  }

  /// Returns the first edge whose time is at or after `time`.
  [[nodiscard]] constexpr Cycle first_at_or_after(Picoseconds time) const {
    const auto product = static_cast<Wide>(time) * kilohertz_;
    auto cycle = static_cast<Cycle>(product / kPicosecondsTimesKilohertz);
    while (cycle > 0 && time_of(cycle - 1) >= time) --cycle;
    while (time_of(cycle) < time) ++cycle;
    return cycle;
  }

 private:
  __extension__ using Wide = unsigned __int128;
  static constexpr std::uint64_t kPicosecondsTimesKilohertz = 1'000'000'000;  // ps x kHz of one period

  std::uint64_t kilohertz_;
};

}  // namespace castor::base
