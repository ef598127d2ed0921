#pragma once

#include <cstdint>
#include <vector>

#include "castor/gpu/hooks/hook.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/sm/sm_statistics.h"
#include "castor/gpu/sm/thread_blocks.h"
#include "castor/gpu/sm/tick_accounting.h"
#include "castor/gpu/sm_time.h"

namespace castor::gpu {

/// Divides the ticks of an SM among kernels. A tick belongs to a kernel if the SM holds thread blocks of that kernel
/// alone. Ticks without thread blocks, and ticks with several kernels, are kept apart, so every tick is counted once.
/// Sums are updated only when the owner changes, so no work is done per tick.
///
/// Steps: `started` in S0, start, after every start of a thread block; `changed` in S8, bookkeeping, after every
/// retirement; `settle` before times are read. The tick in which a kernel's last thread block retires no longer belongs
/// to the kernel.
class KernelTicks {
 public:
  /// `tbs` may still be unconstructed; only its reference is kept.
  KernelTicks(const Machine& machine, TickCounters& counters, const ThreadBlocks& tbs)
      : accounting_(machine, counters),
        counters_(counters),
        tbs_(tbs),
        none_(machine.table.entries),
        several_(machine.table.entries + 1),
        owner_(none_),
        times_(machine.table.entries + 2) {}

  [[nodiscard]] TickAccounting& accounting() { return accounting_; }
  /// Records that a thread block of the kernel in a table entry has started.
  void started(unsigned entry) {
    held_.set(entry);
    changed();
  }
  /// Updates the owner of ticks after a thread block has started or retired.
  void changed() {
    const unsigned owner = find_owner();
    if (owner == owner_) return;
    settle();
    owner_ = owner;
  }
  /// Updates the times up to the last counted tick.
  void settle();

  /// Returns whether the SM has held a thread block of the kernels in a table entry since `clear`. If not, their times
  /// are 0.
  [[nodiscard]] bool held(unsigned entry) const { return held_[entry]; }
  /// Returns the time during which the SM held thread blocks of the kernels in a table entry alone, since `clear`.
  [[nodiscard]] const SmTime& of_entry(unsigned entry) const { return times_[entry]; }
  void clear(unsigned entry) {
    times_[entry] = {};
    held_.reset(entry);
  }
  /// Time without a thread block, and time with thread blocks of several kernels.
  [[nodiscard]] const SmTime& of_none() const { return times_[none_]; }
  [[nodiscard]] const SmTime& of_several() const { return times_[several_]; }

 private:
  [[nodiscard]] unsigned find_owner() const;

  TickAccounting accounting_;
  const TickCounters& counters_;
  const ThreadBlocks& tbs_;
  // indices of the times without a kernel and with several kernels; they follow the table entries
  const unsigned none_, several_;
  unsigned owner_;
  std::vector<SmTime> times_;
  KdMask held_;
  SmTime settled_;  // SM time already divided among kernels
};

}  // namespace castor::gpu
