#include "castor/gpu/sm/sm_memory_statistics.h"

namespace castor::gpu {

SmMemoryStatistics::SmMemoryStatistics(base::StatisticGroup& group)
    : lsu_passes(group, {"lsu_passes", "passes", "passes of the load/store unit"}),
      replays(group, {"replays", "passes", "passes beyond the first of each memory instruction"}),
      smem_rounds(group, {"smem_rounds", "rounds", "bank-conflict rounds of shared memory"}),
      coalesced_lines(group, {"coalesced_lines", "transactions", "line accesses of global and local instructions"}),
      sectors(group, {"sectors", "sectors", "32-byte sectors that those touch"}),
      l1_read_hit(group, {"l1_read_hit", "accesses", "line accesses of cached loads that found all bytes"}),
      l1_read_miss(group, {"l1_read_miss", "accesses", "line accesses of cached loads that did not"}),
      l1_write_hit(group, {"l1_write_hit", "accesses",
                           "line accesses of cached stores that found their bytes or, written back, their line"}),
      l1_write_miss(group, {"l1_write_miss", "accesses", "line accesses of cached stores that did not"}),
      primary_misses(group, {"primary_misses", "accesses", "read misses that created a request"}),
      merged(group, {"merged", "accesses", "read misses that joined a request under way"}),
      stale_refetch(group, {"stale_refetch", "accesses",
                            "loads that found their line older than the acquire cycle of their thread block"}),
      stale_hit(group, {"stale_hit", "accesses", "hits whose bytes differed from memory"}),
      reservation_fail(group, {"reservation_fail", "ticks", "the head of the L1 pipe stood still"}),
      l1_bypassed(group, {"l1_bypassed", "accesses", "line accesses that passed L1 by: volatile, atomic, uncached"}),
      l1_write_backs(group, {"l1_write_backs", "accesses", "dirty local lines written to memory"}),
      load_latency_shared(group, {"load_latency_shared", "ticks", "issue to data of shared-memory loads and atomics"}),
      load_latency_l1(group, {"load_latency_l1", "ticks", "issue to data of loads that L1 served alone"}),
      load_latency_l2(group, {"load_latency_l2", "ticks", "issue to data of loads and atomics that L2 had"}),
      load_latency_dram(group,
                        {"load_latency_dram", "ticks", "issue to data of loads and atomics that L2 fetched for"}) {}

}  // namespace castor::gpu
