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

/// [scheduler] stall reason of a scheduler that did not issue, and the resource that its oldest clear warp lacked: 0
/// none, 1 collector, 2 unit.
using SchedulerStalls = std::array<StallClass, Pipelines::kMaxSchedulers>;
using SchedulerLacks = std::array<std::uint8_t, Pipelines::kMaxSchedulers>;

/// Instruction counts by class.
struct InstructionCounts {
  std::array<std::uint64_t, kInstructionClasses> warps{};  ///< number of instructions issued
  std::array<std::uint64_t, kInstructionClasses> lanes{};  ///< sum of the active lanes of these instructions
};

/// Counts for the kernels in one kernel table entry. A register is that of a warp, i.e. a row of lanes.
struct EntryCounts : InstructionCounts {
  std::uint64_t register_reads = 0;   ///< registers read by issued instructions, each once per instruction
  std::uint64_t register_writes = 0;  ///< registers written by issued instructions
};

/// Counters of TickAccounting.
struct TickCounters {
  std::uint64_t ticks = 0, clock_off_ticks = 0;
  std::array<std::array<std::uint64_t, kStallClasses>, Pipelines::kMaxSchedulers> stall{};
  std::uint64_t memory_stall_cycles = 0, outstanding_sum_while_stalled = 0;
  std::uint64_t occupancy_warps_sum = 0, occupancy_device_warps_sum = 0;
  std::uint64_t collector_full = 0, unit_busy = 0;
  std::uint64_t fence_wait = 0, store_drain_at_exit = 0;
};
/// Counters of IssueCounter.
struct IssueCounters {
  InstructionCounts instructions;
};
/// Counters of FetchStage.
struct FetchCounters {
  std::uint64_t fetches = 0, icache_misses = 0, wasted_fetches = 0, squashes = 0;
};
/// Counters of Barriers.
struct BarrierCounters {
  std::uint64_t barrier_instances = 0, barrier_wait = 0, barrier_wait_p1 = 0, barrier_wait_p2 = 0;
  std::uint64_t barriers_per_tb_spread = 0, barriers_ahead_sum = 0;
};
/// Counters of ThreadBlocks.
struct TbCounters {
  std::uint64_t tb_started = 0, tb_retired = 0, tb_resident = 0, tb_suspended = 0;
};
/// Counters of RuntimeUnit: calls of the device runtime, and ticks that warps waited in them, by type of call.
struct RuntimeCounters {
  std::uint64_t runtime_calls = 0;
  std::uint64_t stream_wait = 0, buffer_wait = 0, launch_wait = 0, synchronize_wait = 0, other_wait = 0;
};
/// Counters of an SM core. Each part writes its own base struct; reports read the counters through SmStatistics.
struct SmCounters : TickCounters,
                    IssueCounters,
                    PipelineCounters,
                    FetchCounters,
                    BarrierCounters,
                    TbCounters,
                    RuntimeCounters {};

/// Owner of the counters of an SM core; registers them in the SM's statistics group.
class SmStatistics {
 public:
  /// Makes the group "sm<index>" of `parent`.
  SmStatistics(base::StatisticGroup& parent, unsigned index, const Machine& machine);
  SmStatistics(const SmStatistics&) = delete;
  SmStatistics& operator=(const SmStatistics&) = delete;

  [[nodiscard]] base::StatisticGroup& group() { return group_; }
  [[nodiscard]] SmCounters& counters() { return counters_; }
  [[nodiscard]] const SmCounters& counters() const { return counters_; }
  /// Returns the histogram of ticks from first arrival to completion of each barrier.
  [[nodiscard]] base::Histogram& barrier_waits() { return *barrier_waits_; }
  [[nodiscard]] const base::Histogram& barrier_waits() const { return *barrier_waits_; }

 private:
  base::StatisticGroup group_;
  SmCounters counters_;
  std::deque<base::StatisticGroup> groups_;  ///< subgroups of `group_`
  std::deque<CounterView> views_;
  /// constructed by the constructor's body, so that it is listed between the other statistics
  std::optional<base::Histogram> barrier_waits_;
};

}  // namespace castor::gpu
