#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <utility>

#include "castor/gpu/machine.h"
#include "castor/gpu/sm/sm_statistics.h"
#include "castor/gpu/sm/warp_mask.h"

namespace castor::gpu {

/// Counts ticks of an SM: what schedulers did, and what goes on over time. Equal ticks are counted in one go.
///
/// At the start of a tick `sleep_to`, if ticks were slept; S10 `count`; `flush` before counters are read.
class TickAccounting {
 public:
  TickAccounting(const Machine& machine, TickCounters& counters)
      : schedulers_(machine.schedulers), counters_(counters) {}

  /// Ticks that were counted: the next tick, if none were slept.
  [[nodiscard]] Tick counted() const { return counted_; }
  /// No scheduler issued in the last tick, and one of them waited for memory.
  [[nodiscard]] bool memory_stalled() const { return class_.memory_stalled; }

  /// What a tick adds to the counters besides its instructions.
  struct Facts {
    const SchedulerStalls& stalls;  ///< kIssued for those that issued
    const SchedulerLacks& lacks;
    unsigned issued;  ///< bit per scheduler
    WarpMask live, device, fence;
    TbMask finished;
    unsigned outstanding;  ///< reads
  };
  void count(const Facts& facts);
  /// Ticks up to `end` - 1 were slept. A tick that issued is followed by another one, so they are like the last one.
  void sleep_to(Tick end, unsigned outstanding) {
    const Tick slept = end - counted_;
    same_ticks_ += slept;
    counted_ = end;
    if (class_.memory_stalled) counters_.outstanding_sum_while_stalled += slept * outstanding;
  }
  /// Adds what was counted to the counters.
  void flush();
  /// Core cycles without a tick so far.
  void set_clock_off(Cycle cycles) { counters_.clock_off_ticks = cycles; }

 private:
  struct TickClass {
    SchedulerStalls stalls{};
    SchedulerLacks lacks{};
    unsigned issued = 0;
    bool memory_stalled = false;
    WarpMask live = 0, device = 0, fence = 0;
    TbMask finished = 0;
    std::uint64_t live_count = 0;
  };

  // Whether this tick adds to the counters what the last one did.
  [[nodiscard]] bool same(const Facts& facts) const {
    const auto differs = [](const auto& a, const auto& b) {
      static_assert(sizeof a == 8 && sizeof b == 8);
      std::uint64_t x, y;
      std::memcpy(&x, &a, 8);
      std::memcpy(&y, &b, 8);
      return x ^ y;
    };
    return (facts.issued ^ class_.issued) == 0 &&
           (differs(facts.stalls, class_.stalls) | differs(facts.lacks, class_.lacks) | (facts.live ^ class_.live) |
            (facts.device ^ class_.device) | (facts.fence ^ class_.fence) | (facts.finished ^ class_.finished)) == 0;
  }
  void begin_class(const Facts& facts);

  Tick counted_ = 0;
  Tick same_ticks_ = 0;  // of this class, not yet in the counters
  TickClass class_;
  const unsigned schedulers_;
  TickCounters& counters_;
};

// In line, so that the facts of a tick need not lie in memory.
[[gnu::always_inline]] inline void TickAccounting::begin_class(const Facts& facts) {
  flush();
  class_.stalls = facts.stalls;
  class_.lacks = facts.lacks;
  class_.issued = facts.issued;
  class_.memory_stalled = false;
  if (facts.issued == 0) {
    for (unsigned s = 0; s < schedulers_; ++s) {
      const StallClass stall = facts.stalls[s];
      class_.memory_stalled |= stall == StallClass::kRawMemory || stall == StallClass::kMemoryPipe;
    }
  }
  if (class_.live != facts.live) class_.live_count = static_cast<unsigned>(__builtin_popcountll(facts.live));
  class_.live = facts.live;
  class_.device = facts.device;
  class_.fence = facts.fence;
  class_.finished = facts.finished;
}

inline void TickAccounting::count(const Facts& facts) {
  if (!same(facts)) begin_class(facts);
  ++same_ticks_;
  ++counted_;
  if (class_.memory_stalled) counters_.outstanding_sum_while_stalled += facts.outstanding;
}

}  // namespace castor::gpu
