#pragma once

#include "castor/base/statistics.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/memory/store_access.h"
#include "castor/gpu/memory/transaction.h"
#include "castor/gpu/unit.h"

namespace castor::gpu {

/// Atomic unit of an L2 slice: computes the time of atomics (docs/gpu/memory.md, "L2 slice"). An atomic packet keeps
/// the slice busy for n cycles, depending on its lanes. Its reply is sent n - 1 + atomic.latency cycles later than the
/// reply of a load. The values themselves are computed in the store.
class AtomicUnit {
 public:
  AtomicUnit(const Machine& machine, base::StatisticGroup& slice)
      : latency_(machine.atomic.latency),
        words_per_cycle_(machine.atomic.words_per_cycle),
        word_cycles_(machine.atomic.word_cycles),
        busy_(slice, {"atomic_busy", "cycles", "cycles in which atomics kept the slice busy"}) {}

  /// Returns the first cycle in which the slice may serve another request.
  [[nodiscard]] Cycle free_at() const { return free_at_; }
  /// Starts a packet in cycle `now`; returns the cycle from which its reply is visible.
  [[nodiscard]] Cycle begin(const MemoryRequest& request, Cycle now) {
    const unsigned cycles = atomic_cycles(request, words_per_cycle_, word_cycles_);
    free_at_ = now + cycles;
    busy_ += cycles;
    return free_at_ + latency_;
  }

 private:
  unsigned latency_, words_per_cycle_, word_cycles_;
  Cycle free_at_ = 0;
  base::Counter busy_;
};

}  // namespace castor::gpu
