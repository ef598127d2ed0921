#pragma once

#include "castor/base/statistics.h"
#include "castor/base/time.h"

namespace castor::gpu {

/// Statistics of a replayed SM.
struct ReplayCounters {
  /// `group` is that of the SM.
  explicit ReplayCounters(base::StatisticGroup& group)
      : ticks(group, {"ticks", "cycles", "clock edges"}),
        started(group, {"tb_started", "", "thread blocks started"}),
        retired(group, {"tb_retired", "", "thread blocks retired"}),
        occupancy(group, {"occupancy_warps_sum", "cycles", "sum over cycles of resident warps"}),
        busy(group, {"busy", "cycles", "cycles with at least one thread block"}),
        retire_wait(group, {"retire_wait", "cycles", "sum over cycles of thread blocks that wait to retire"}),
        energy(group, {"energy", "nJ", "energy of the thread blocks that retired, as the replay file gives it"}) {}

  /// Counts cycles in which `warps` warps of `tbs` thread blocks are resident.
  void pass(base::Cycle cycles, unsigned warps, unsigned tbs) {
    ticks += cycles;
    occupancy += cycles * warps;
    if (tbs != 0) busy += cycles;
  }

  base::Counter ticks, started, retired, occupancy, busy, retire_wait, energy;
};

}  // namespace castor::gpu
