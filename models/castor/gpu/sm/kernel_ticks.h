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

/// Ticks of an SM as they are counted, and divided among kernels: a tick belongs to the kernel whose thread blocks the
/// SM held, if it held no other's; what it did without any, or with those of several, is kept apart. So every tick is
/// counted once, and nothing is done in it: sums are looked at when the SM passes from one to the other.
///
/// S0 `started` behind every start of a thread block, S8 `changed` behind every retirement; `settle` before times are
/// read. The tick in which the last thread block of a kernel retires is no longer the kernel's.
class KernelTicks {
 public:
  /// `tbs` need not be there yet.
  KernelTicks(const Machine& machine, TickCounters& counters, const ThreadBlocks& tbs)
      : accounting_(machine, counters),
        counters_(counters),
        tbs_(tbs),
        none_(machine.table.entries),
        several_(machine.table.entries + 1),
        owner_(none_),
        times_(machine.table.entries + 2) {}

  [[nodiscard]] TickAccounting& accounting() { return accounting_; }
  /// A thread block of the kernel in a table entry has started.
  void started(unsigned entry) {
    held_.set(entry);
    changed();
  }
  /// A thread block has started or retired.
  void changed() {
    const unsigned owner = find_owner();
    if (owner == owner_) return;
    settle();
    owner_ = owner;
  }
  /// Brings the times up to the last tick that was counted.
  void settle();

  /// Whether the SM held a thread block of the kernels in a table entry since `clear`. If not, it did nothing for them.
  [[nodiscard]] bool held(unsigned entry) const { return held_[entry]; }
  /// With thread blocks of the kernels in a table entry alone, since `clear`.
  [[nodiscard]] const SmTime& of_entry(unsigned entry) const { return times_[entry]; }
  void clear(unsigned entry) {
    times_[entry] = {};
    held_.reset(entry);
  }
  /// Without a thread block; with those of several kernels.
  [[nodiscard]] const SmTime& of_none() const { return times_[none_]; }
  [[nodiscard]] const SmTime& of_several() const { return times_[several_]; }

 private:
  [[nodiscard]] unsigned find_owner() const;

  TickAccounting accounting_;
  const TickCounters& counters_;
  const ThreadBlocks& tbs_;
  const unsigned none_, several_;  // places behind those of the entries
  unsigned owner_;
  std::vector<SmTime> times_;
  KdMask held_;
  SmTime settled_;  // of the SM, as far as it has been divided
};

}  // namespace castor::gpu
