#pragma once

#include "castor/base/statistics.h"

namespace castor::gpu {

/// Counters of the memory side of an SM (docs/gpu/counting.md, "Statistics").
struct SmMemoryStatistics {
  explicit SmMemoryStatistics(base::StatisticGroup& group);

  base::Counter lsu_passes, replays, smem_rounds, coalesced_lines, sectors;
  base::Counter l1_read_hit, l1_read_miss, l1_write_hit, l1_write_miss;
  base::Counter primary_misses, merged, stale_refetch, stale_hit, reservation_fail;
  base::Counter l1_bypassed, l1_write_backs;
  base::Histogram load_latency_shared, load_latency_l1, load_latency_l2, load_latency_dram;
};

}  // namespace castor::gpu
