#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "castor/base/statistics.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/sm/counter_view.h"
#include "castor/gpu/sm/decoded.h"
#include "castor/gpu/sm/pipelines.h"
#include "castor/gpu/sm_time.h"

namespace castor::gpu {

/// [scheduler] that did not issue: why, and what its oldest clear warp lacked, 1 collector, 2 unit.
using SchedulerStalls = std::array<StallClass, Pipelines::kMaxSchedulers>;
using SchedulerLacks = std::array<std::uint8_t, Pipelines::kMaxSchedulers>;

/// Instructions by class.
struct InstructionCounts {
  std::array<std::uint64_t, kInstructionClasses> warps{};  ///< instructions issued
  std::array<std::uint64_t, kInstructionClasses> lanes{};  ///< the same times active lanes
};

/// What is counted for the kernels in one entry of the kernel table. Registers are those of a warp, a row of lanes
/// each.
struct EntryCounts : InstructionCounts {
  std::uint64_t register_reads = 0;   ///< that the instructions issued read, each once per instruction
  std::uint64_t register_writes = 0;  ///< that they write
};

/// What TickAccounting counts.
struct TickCounters {
  std::uint64_t ticks = 0, clock_off_ticks = 0;
  std::array<std::array<std::uint64_t, kStallClasses>, Pipelines::kMaxSchedulers> stall{};
  std::uint64_t memory_stall_cycles = 0, outstanding_sum_while_stalled = 0;
  std::uint64_t occupancy_warps_sum = 0, occupancy_device_warps_sum = 0;
  std::uint64_t collector_full = 0, unit_busy = 0;
  std::uint64_t fence_wait = 0, store_drain_at_exit = 0;
};
/// What IssueCounter counts.
struct IssueCounters {
  InstructionCounts instructions;
};
/// What FetchStage counts.
struct FetchCounters {
  std::uint64_t fetches = 0, icache_misses = 0, wasted_fetches = 0, squashes = 0;
};
/// What Barriers counts.
struct BarrierCounters {
  std::uint64_t barrier_instances = 0, barrier_wait = 0, barrier_wait_p1 = 0, barrier_wait_p2 = 0;
  std::uint64_t barriers_per_tb_spread = 0, barriers_ahead_sum = 0;
};
/// What ThreadBlocks counts.
struct TbCounters {
  std::uint64_t tb_started = 0, tb_retired = 0, tb_resident = 0, tb_suspended = 0;
};
/// What RuntimeUnit counts: calls of the device runtime, and ticks that warps waited in them.
struct RuntimeCounters {
  std::uint64_t runtime_calls = 0;
  std::uint64_t stream_wait = 0, buffer_wait = 0, launch_wait = 0, synchronize_wait = 0, other_wait = 0;
};
/// Counters of an SM core, in one block; each part writes its own piece, the report sees them through SmStatistics.
struct SmCounters : TickCounters,
                    IssueCounters,
                    PipelineCounters,
                    FetchCounters,
                    BarrierCounters,
                    TbCounters,
                    RuntimeCounters {};

/// Keeps the counters of an SM core and registers them with the SM's group.
class SmStatistics {
 public:
  /// The group is "sm<index>" of `parent`.
  SmStatistics(base::StatisticGroup& parent, unsigned index, const Machine& machine);
  SmStatistics(const SmStatistics&) = delete;
  SmStatistics& operator=(const SmStatistics&) = delete;

  [[nodiscard]] base::StatisticGroup& group() { return group_; }
  [[nodiscard]] SmCounters& counters() { return counters_; }
  [[nodiscard]] const SmCounters& counters() const { return counters_; }
  /// First arrival to completion of each barrier.
  [[nodiscard]] base::Histogram& barrier_waits() { return *barrier_waits_; }
  [[nodiscard]] const base::Histogram& barrier_waits() const { return *barrier_waits_; }

 private:
  base::StatisticGroup group_;
  SmCounters counters_;
  std::deque<base::StatisticGroup> groups_;  ///< in it
  std::deque<CounterView> views_;
  std::optional<base::Histogram> barrier_waits_;  ///< from the constructor on, in its place among the others
};

}  // namespace castor::gpu
