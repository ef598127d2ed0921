#pragma once

#include "castor/base/statistics.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/memory/store_access.h"
#include "castor/gpu/memory/transaction.h"
#include "castor/gpu/unit.h"

namespace castor::gpu {

/// Time that atomics take at a slice (docs/gpu/memory.md, "L2 slice"): a packet keeps the slice busy for as many cycles
/// as its lanes need, and is answered that minus 1 plus atomic.latency later than a load. Their values are the store's.
class AtomicUnit {
 public:
  AtomicUnit(const Machine& machine, base::StatisticGroup& slice)
      : latency_(machine.atomic.latency),
        words_per_cycle_(machine.atomic.words_per_cycle),
        word_cycles_(machine.atomic.word_cycles),
        busy_(slice, {"atomic_busy", "cycles", "atomics kept the slice busy"}) {}

  /// First cycle in which the slice may serve again.
  [[nodiscard]] Cycle free_at() const { return free_at_; }
  /// A packet is performed in `now`; returns the cycle from which its reply is visible.
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
