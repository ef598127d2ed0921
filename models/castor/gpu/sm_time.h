#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "castor/base/statistics.h"

namespace castor::gpu {

/// Activity of a scheduler in a tick: issue, or the stall reason.
enum class StallClass : std::uint8_t {
  kIssued,       ///< a warp instruction was issued
  kIdle,         ///< no warp has a decoded instruction and is not blocked
  kRaw,          ///< all decoded instructions wait for registers written by arithmetic
  kRawMemory,    ///< all decoded instructions wait for registers, at least one of them for a load
  kMemoryPipe,   ///< the oldest instruction with ready registers waits for the load/store unit
  kComputePipe,  ///< the oldest instruction with ready registers waits for another unit
  kCount
};
inline constexpr std::size_t kStallClasses = static_cast<std::size_t>(StallClass::kCount);
/// Returns the statistics of the stall classes, in the order of the enumeration.
[[nodiscard]] const std::array<base::StatisticInfo, kStallClasses>& stall_infos();

/// Ticks of SMs and the activity of their schedulers.
struct SmTime {
  std::uint64_t ticks = 0;
  std::uint64_t warps = 0;                            ///< sum over the ticks of resident warps that have not exited
  std::array<std::uint64_t, kStallClasses> stalls{};  ///< scheduler ticks per class, summed over all schedulers

  void add(const SmTime& other) {
    ticks += other.ticks;
    warps += other.warps;
    for (std::size_t i = 0; i < kStallClasses; ++i) stalls[i] += other.stalls[i];
  }
};

}  // namespace castor::gpu
