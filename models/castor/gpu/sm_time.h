#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "castor/base/statistics.h"

namespace castor::gpu {

/// What a scheduler did in a tick.
enum class StallClass : std::uint8_t {
  kIssued,
  kIdle,         ///< no warp with a decoded instruction that is not blocked
  kRaw,          ///< their instructions all wait for registers of arithmetic
  kRawMemory,    ///< the same, at least one waits for a load
  kMemoryPipe,   ///< the oldest whose registers are there waits for the load/store unit
  kComputePipe,  ///< ... for another unit
  kCount
};
inline constexpr std::size_t kStallClasses = static_cast<std::size_t>(StallClass::kCount);
/// Their statistics, in this order.
[[nodiscard]] const std::array<base::StatisticInfo, kStallClasses>& stall_infos();

/// Ticks of SMs, and what went on in them.
struct SmTime {
  std::uint64_t ticks = 0;
  std::uint64_t warps = 0;                            ///< resident warps that have not exited, summed over the ticks
  std::array<std::uint64_t, kStallClasses> stalls{};  ///< what the schedulers did, all schedulers together

  void add(const SmTime& other) {
    ticks += other.ticks;
    warps += other.warps;
    for (std::size_t i = 0; i < kStallClasses; ++i) stalls[i] += other.stalls[i];
  }
};

}  // namespace castor::gpu
