#pragma once

#include <array>
#include <cstddef>

#include "castor/base/statistics.h"
#include "castor/base/time.h"

namespace castor::gpu {

/// Latencies of loads and atomics with result in powers of two.
class LatencyHistogram {
 public:
  static constexpr std::size_t kBins = 8;
  using Infos = std::array<base::StatisticInfo, kBins + 1>;

  LatencyHistogram(base::StatisticGroup& group, const Infos& infos)
      : bins_{{{group, infos[0]},
               {group, infos[1]},
               {group, infos[2]},
               {group, infos[3]},
               {group, infos[4]},
               {group, infos[5]},
               {group, infos[6]},
               {group, infos[7]}}},
        sum_(group, infos[8]) {}

  void add(base::Tick latency) {
    std::size_t bin = 0;
    while (bin + 1 < kBins && latency >= base::Tick{32} << bin) ++bin;
    ++bins_[bin];
    sum_ += latency;
  }

 private:
  std::array<base::Counter, kBins> bins_;
  base::Counter sum_;
};

/// What the memory side of an SM counts (docs/gpu.md, "Statistics").
struct SmMemoryStatistics {
  explicit SmMemoryStatistics(base::StatisticGroup& group);

  base::Counter lsu_passes, replays, smem_rounds, coalesced_lines, sectors;
  base::Counter l1_read_hit, l1_read_miss, l1_write_hit, l1_write_miss;
  base::Counter primary_misses, merged, stale_refetch, stale_hit, reservation_fail;
  base::Counter l1_bypassed, l1_write_backs;
  LatencyHistogram shared_latency, l1_latency, memory_latency;
};

}  // namespace castor::gpu
