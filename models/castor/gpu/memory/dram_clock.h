#pragma once

#include <cstdint>

#include "castor/gpu/machine.h"
#include "castor/gpu/unit.h"

namespace castor::gpu {

/// Converts between DRAM clocks and core cycles with the exact ratio of the two frequencies in kHz (docs/gpu/timing.md,
/// "Time, clocks, sleeping"). Core cycle c contains the DRAM clocks first(c) .. first(c + 1) - 1.
class DramClock {
 public:
  explicit DramClock(const Machine& machine);

  /// Returns the first DRAM clock in a core cycle: floor(c x f_dram / f_core).
  [[nodiscard]] std::uint64_t first(Cycle cycle) const { return scale(cycle, dram_, core_); }
  /// Returns the core cycle that contains a DRAM clock.
  [[nodiscard]] Cycle cycle_of(std::uint64_t clock) const {
    // The cycle sought is the first c whose successor begins after the clock: (c + 1) f_dram >= (clock + 1) f_core.
    return scale(clock + 1, core_, dram_, dram_ - 1) - 1;
  }

 private:
  __extension__ using Wide = unsigned __int128;
  [[nodiscard]] std::uint64_t scale(std::uint64_t value, std::uint64_t by, std::uint64_t divisor,
                                    std::uint64_t plus = 0) const {
    if (value < narrow_) return (value * by + plus) / divisor;
    return static_cast<std::uint64_t>((static_cast<Wide>(value) * by + plus) / divisor);
  }

  std::uint64_t core_, dram_;  ///< frequencies in kHz, divided by their greatest common divisor
  std::uint64_t narrow_;       ///< values below this bound are scaled in 64 bits
};

}  // namespace castor::gpu
