#include "castor/gpu/sm/tick_accounting.h"

namespace castor::gpu {

void TickAccounting::flush() {
  const Tick ticks = std::exchange(same_ticks_, 0);
  if (ticks == 0) return;
  const auto sum = [ticks](std::uint64_t mask) { return ticks * static_cast<unsigned>(__builtin_popcountll(mask)); };
  counters_.ticks += ticks;
  for (unsigned s = 0; s < schedulers_; ++s) {
    counters_.stall[s][static_cast<std::size_t>(class_.stalls[s])] += ticks;
  }
  std::uint64_t lacks = 0;
  static_assert(sizeof class_.lacks == sizeof lacks);
  std::memcpy(&lacks, class_.lacks.data(), sizeof lacks);
  // a set bit means that a scheduler lacked a resource: bit 0 of the scheduler's byte a collector, bit 1 a unit
  for (; lacks != 0; lacks &= lacks - 1) {
    (lacks & 0x0101010101010101 & (~lacks + 1)) != 0 ? counters_.collector_full += ticks : counters_.unit_busy += ticks;
  }
  if (class_.memory_stalled) counters_.memory_stall_cycles += ticks;
  counters_.occupancy_warps_sum += ticks * class_.live_count;
  if (class_.device != 0) counters_.occupancy_device_warps_sum += sum(class_.device);
  if (class_.fence != 0) counters_.fence_wait += sum(class_.fence);
  if (class_.finished != 0) counters_.store_drain_at_exit += sum(class_.finished);
}

}  // namespace castor::gpu
