#include "castor/gpu/sm/sm_memory_statistics.h"

namespace castor::gpu {
namespace {

constexpr LatencyHistogram::Infos kSharedLatency = {{
    {"load_latency_shared_below_32", "instructions", "shared-memory loads and atomics in fewer than 32 ticks"},
    {"load_latency_shared_below_64", "instructions",
     "shared-memory loads and atomics in fewer than 64 ticks and not fewer than 32"},
    {"load_latency_shared_below_128", "instructions",
     "shared-memory loads and atomics in fewer than 128 ticks and not fewer than 64"},
    {"load_latency_shared_below_256", "instructions",
     "shared-memory loads and atomics in fewer than 256 ticks and not fewer than 128"},
    {"load_latency_shared_below_512", "instructions",
     "shared-memory loads and atomics in fewer than 512 ticks and not fewer than 256"},
    {"load_latency_shared_below_1024", "instructions",
     "shared-memory loads and atomics in fewer than 1024 ticks and not fewer than 512"},
    {"load_latency_shared_below_2048", "instructions",
     "shared-memory loads and atomics in fewer than 2048 ticks and not fewer than 1024"},
    {"load_latency_shared_rest", "instructions", "shared-memory loads and atomics in 2048 ticks or more"},
    {"load_latency_shared_sum", "ticks", "issue to data of all shared-memory loads and atomics"},
}};
constexpr LatencyHistogram::Infos kL1Latency = {{
    {"load_latency_l1_below_32", "instructions", "loads served by L1 in fewer than 32 ticks"},
    {"load_latency_l1_below_64", "instructions", "loads served by L1 in fewer than 64 ticks and not fewer than 32"},
    {"load_latency_l1_below_128", "instructions", "loads served by L1 in fewer than 128 ticks and not fewer than 64"},
    {"load_latency_l1_below_256", "instructions", "loads served by L1 in fewer than 256 ticks and not fewer than 128"},
    {"load_latency_l1_below_512", "instructions", "loads served by L1 in fewer than 512 ticks and not fewer than 256"},
    {"load_latency_l1_below_1024", "instructions",
     "loads served by L1 in fewer than 1024 ticks and not fewer than 512"},
    {"load_latency_l1_below_2048", "instructions",
     "loads served by L1 in fewer than 2048 ticks and not fewer than 1024"},
    {"load_latency_l1_rest", "instructions", "loads served by L1 in 2048 ticks or more"},
    {"load_latency_l1_sum", "ticks", "issue to data of all loads served by L1"},
}};
constexpr LatencyHistogram::Infos kMemoryLatency = {{
    {"load_latency_memory_below_32", "instructions", "loads and atomics served beyond L1 in fewer than 32 ticks"},
    {"load_latency_memory_below_64", "instructions",
     "loads and atomics served beyond L1 in fewer than 64 ticks and not fewer than 32"},
    {"load_latency_memory_below_128", "instructions",
     "loads and atomics served beyond L1 in fewer than 128 ticks and not fewer than 64"},
    {"load_latency_memory_below_256", "instructions",
     "loads and atomics served beyond L1 in fewer than 256 ticks and not fewer than 128"},
    {"load_latency_memory_below_512", "instructions",
     "loads and atomics served beyond L1 in fewer than 512 ticks and not fewer than 256"},
    {"load_latency_memory_below_1024", "instructions",
     "loads and atomics served beyond L1 in fewer than 1024 ticks and not fewer than 512"},
    {"load_latency_memory_below_2048", "instructions",
     "loads and atomics served beyond L1 in fewer than 2048 ticks and not fewer than 1024"},
    {"load_latency_memory_rest", "instructions", "loads and atomics served beyond L1 in 2048 ticks or more"},
    {"load_latency_memory_sum", "ticks", "issue to data of all loads and atomics served beyond L1"},
}};

}  // namespace

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
      shared_latency(group, kSharedLatency),
      l1_latency(group, kL1Latency),
      memory_latency(group, kMemoryLatency) {}

}  // namespace castor::gpu
