#include "castor/gpu/sm/sm_memory_statistics.h"

namespace castor::gpu {

SmMemoryStatistics::SmMemoryStatistics(base::StatisticGroup& group)
    : lsu_passes(group, {"lsu_passes", "passes", "passes of the load/store unit"}),
      replays(group, {"replays", "passes", "passes beyond the first of each memory instruction"}),
      smem_rounds(group, {"smem_rounds", "rounds", "bank-conflict rounds of shared memory"}),
      coalesced_lines(group, {"coalesced_lines", "transactions", "line accesses of global and local instructions"}),
      sectors(group,
              {"sectors", "sectors", "32-byte sectors touched by the line accesses of global and local instructions"}),
      l1_read_hit(group, {"l1_read_hit", "accesses", "line accesses of cached loads that found all bytes"}),
      l1_read_miss(group, {"l1_read_miss", "accesses", "line accesses of cached loads that missed at least one byte"}),
      l1_write_hit(group, {"l1_write_hit", "accesses",
                           "line accesses of cached stores that found their bytes or, with write-back, their line"}),
      l1_write_miss(group, {"l1_write_miss", "accesses", "line accesses of cached stores that missed"}),
      primary_misses(group, {"primary_misses", "accesses", "read misses that sent a request"}),
      merged(group, {"merged", "accesses", "read misses that merged into a request in flight"}),
      stale_refetch(group, {"stale_refetch", "accesses",
                            "loads that found their line older than the acquire cycle of their thread block"}),
      stale_hit(group, {"stale_hit", "accesses", "hits whose bytes differed from memory"}),
      reservation_fail(group, {"reservation_fail", "ticks", "ticks in which the head of the L1 pipe was stalled"}),
      l1_bypassed(group, {"l1_bypassed", "accesses", "line accesses that bypassed L1: volatile, atomic, uncached"}),
      l1_write_backs(group, {"l1_write_backs", "accesses", "dirty local lines written to memory"}),
      load_latency_shared(
          group, {"load_latency_shared", "ticks", "time from issue to data of shared-memory loads and atomics"}),
      load_latency_l1(group,
                      {"load_latency_l1", "ticks", "time from issue to data of loads that L1 served without L2"}),
      load_latency_l2(group,
                      {"load_latency_l2", "ticks", "time from issue to data of loads and atomics that hit in L2"}),
      load_latency_dram(
          group, {"load_latency_dram", "ticks", "time from issue to data of loads and atomics that missed in L2"}) {}

}  // namespace castor::gpu
