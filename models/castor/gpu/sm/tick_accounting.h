#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <utility>

#include "castor/gpu/machine.h"
#include "castor/gpu/sm/sm_statistics.h"
#include "castor/gpu/sm/warp_mask.h"

namespace castor::gpu {

/// Counts the ticks of an SM by the stall reasons of its schedulers and other conditions. Runs of equal ticks are added
/// to the counters in one step.
///
/// Steps: `sleep_to` at the start of a tick, if ticks were slept; `count` in S10, end; `flush` before counters are
/// read.
class TickAccounting {
 public:
  TickAccounting(const Machine& machine, TickCounters& counters)
      : schedulers_(machine.schedulers), counters_(counters) {}

  /// Returns the number of ticks counted so far; without slept ticks, the number of the next tick.
  [[nodiscard]] Tick counted() const { return counted_; }
  /// Returns whether in the last tick no scheduler issued and at least one was stalled on memory.
  [[nodiscard]] bool memory_stalled() const { return class_.memory_stalled; }

  /// Conditions of a tick that determine its contribution to the counters.
  struct Facts {
    const SchedulerStalls& stalls;  ///< stall reason per scheduler; kIssued for schedulers that issued
    const SchedulerLacks& lacks;
    unsigned issued;               ///< bit per scheduler that issued
    WarpMask live, device, fence;  ///< live warps; live warps of device launches; warps in a fence
    /// TB contexts whose warps have all exited
    TbMask finished;
    unsigned outstanding;  ///< outstanding reads of the memory side
  };
  void count(const Facts& facts);
  /// Counts the slept ticks up to `end` - 1 like the last tick. An SM never sleeps after a tick that issued.
  void sleep_to(Tick end, unsigned outstanding) {
    const Tick slept = end - counted_;
    same_ticks_ += slept;
    counted_ = end;
    if (class_.memory_stalled) counters_.outstanding_sum_while_stalled += slept * outstanding;
  }
  /// Adds the run of equal ticks to the counters.
  void flush();
  /// Sets the number of core cycles without a tick.
  void set_clock_off(Cycle cycles) { counters_.clock_off_ticks = cycles; }

 private:
  // Conditions that the ticks of the current run share.
  struct TickClass {
    SchedulerStalls stalls{};
    SchedulerLacks lacks{};
    unsigned issued = 0;
    bool memory_stalled = false;
    WarpMask live = 0, device = 0, fence = 0;
    TbMask finished = 0;
    std::uint64_t live_count = 0;
  };

  // Returns whether this tick contributes to the counters exactly as the last tick did.
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

  Tick counted_ = 0;     // number of ticks counted
  Tick same_ticks_ = 0;  // ticks of the current class that are not in the counters yet
  TickClass class_;
  const unsigned schedulers_;
  TickCounters& counters_;
};

// Inline, so that the compiler can keep the facts of a tick in registers.
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
