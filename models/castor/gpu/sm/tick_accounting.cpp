#include "castor/gpu/sm/tick_accounting.h"

namespace castor::gpu {

void TickAccounting::flush() {
  const Tick ticks = std::exchange(same_ticks_, 0);
  if (ticks == 0) return;
  const auto sum = [ticks](std::uint64_t mask) { return ticks * static_cast<unsigned>(__builtin_popcountll(mask)); };
  counters_.ticks += ticks;
  for (unsigned s = 0; s < schedulers_; ++s) {
    counters_.stall[s][static_cast<std::size_t>(class_.stalls[s])] += ticks;
    if (class_.lacks[s] == 1) counters_.collector_full += ticks;
    if (class_.lacks[s] == 2) counters_.unit_busy += ticks;
  }
  if (class_.memory_stalled) counters_.memory_stall_cycles += ticks;
  counters_.occupancy_warps_sum += sum(class_.live);
  if (class_.device != 0) counters_.occupancy_device_warps_sum += sum(class_.device);
  if (class_.fence != 0) counters_.fence_wait += sum(class_.fence);
  if (class_.finished != 0) counters_.store_drain_at_exit += sum(class_.finished);
}

void TickAccounting::begin_class(const Facts& facts) {
  flush();
  class_.stalls = facts.stalls;
  class_.lacks = facts.lacks;
  bool waits_memory = false;
  for (unsigned s = 0; s < schedulers_; ++s) {
    if ((facts.issued >> s & 1) != 0) class_.stalls[s] = StallClass::kIssued;
    const StallClass stall = class_.stalls[s];
    waits_memory |= stall == StallClass::kRawMemory || stall == StallClass::kMemoryPipe;
  }
  class_.issued = facts.issued;
  class_.memory_stalled = facts.issued == 0 && waits_memory;
  class_.live = facts.live;
  class_.device = facts.device;
  class_.fence = facts.fence;
  class_.finished = facts.finished;
}

}  // namespace castor::gpu
