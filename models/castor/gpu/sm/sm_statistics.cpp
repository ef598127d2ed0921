#include "castor/gpu/sm/sm_statistics.h"

namespace castor::gpu {

const std::array<base::StatisticInfo, kStallClasses>& stall_infos() {
  static constexpr std::array<base::StatisticInfo, kStallClasses> kStalls = {{
      {"issued", "cycles", "ticks in which the scheduler issued"},
      {"idle", "cycles", "ticks in which no unblocked warp had a decoded instruction"},
      {"raw", "cycles", "ticks in which all unblocked warps with an instruction waited for results of arithmetic"},
      {"raw_memory", "cycles",
       "ticks in which all unblocked warps with an instruction waited for registers, at least one of them for a load"},
      {"memory_pipe", "cycles",
       "ticks in which the oldest warp without pending registers waited for the load/store unit"},
      {"compute_pipe", "cycles", "ticks in which the oldest warp without pending registers waited for another unit"},
  }};
  return kStalls;
}

SmStatistics::SmStatistics(base::StatisticGroup& parent, unsigned index, const Machine& machine)
    : group_(parent, "sm" + std::to_string(index)) {
  base::StatisticGroup& group = group_;
  SmCounters& counters = counters_;
  const auto add = [&](base::StatisticGroup& where, const char* name, const char* unit, const char* meaning,
                       std::uint64_t& value) {
    views_.emplace_back(where, base::StatisticInfo{name, unit, meaning}, value);
  };
  add(group, "ticks", "cycles", "enabled clock edges", counters.ticks);
  add(group, "clock_off_ticks", "cycles", "core cycles in which the clock was disabled", counters.clock_off_ticks);
  auto& warps = groups_.emplace_back(group, "warp_instructions");
  auto& lanes = groups_.emplace_back(group, "lane_instructions");
  for (std::size_t i = 0; i < kInstructionClasses; ++i) {
    const char* const label = name(static_cast<InstructionClass>(i)).data();
    add(warps, label, "", "instructions issued", counters.instructions.warps[i]);
    add(lanes, label, "", "active lanes of the instructions issued", counters.instructions.lanes[i]);
  }
  for (unsigned s = 0; s < machine.schedulers; ++s) {
    auto& scheduler = groups_.emplace_back(group, "scheduler" + std::to_string(s));
    for (std::size_t i = 0; i < kStallClasses; ++i) {
      views_.emplace_back(scheduler, stall_infos()[i], counters.stall[s][i]);
    }
  }
  add(group, "memory_stall_cycles", "cycles", "ticks without issue in which a scheduler was stalled on memory",
      counters.memory_stall_cycles);
  add(group, "outstanding_sum_while_stalled", "", "outstanding reads summed over the ticks of memory_stall_cycles",
      counters.outstanding_sum_while_stalled);
  add(group, "occupancy_warps_sum", "", "resident warps that have not exited, summed over ticks",
      counters.occupancy_warps_sum);
  add(group, "occupancy_device_warps_sum", "",
      "resident warps of launches by device code that have not exited, summed over ticks",
      counters.occupancy_device_warps_sum);
  add(group, "fetches", "", "instruction fetches", counters.fetches);
  add(group, "icache_misses", "", "instruction fetches that missed", counters.icache_misses);
  add(group, "wasted_fetches", "", "fetched instructions squashed by a control transfer", counters.wasted_fetches);
  add(group, "squashes", "", "fetched instructions squashed by the fetch filter", counters.squashes);
  add(group, "bank_conflict_delay", "cycles", "ticks by which bank conflicts delayed the last operand",
      counters.bank_conflict_delay);
  add(group, "collector_full", "cycles",
      "scheduler ticks without issue in which no collector was free for the oldest ready warp",
      counters.collector_full);
  add(group, "unit_busy", "cycles", "scheduler ticks without issue in which no unit was free for the oldest ready warp",
      counters.unit_busy);
  add(group, "fence_wait", "cycles", "ticks in which a warp waited in a fence, summed over warps", counters.fence_wait);
  auto& runtime = groups_.emplace_back(group, "device_runtime");
  add(runtime, "calls", "", "calls of the device runtime by warps that had to wait", counters.runtime_calls);
  add(runtime, "stream_wait", "cycles", "ticks that warps waited for device streams", counters.stream_wait);
  add(runtime, "buffer_wait", "cycles", "ticks that warps waited for parameter buffers", counters.buffer_wait);
  add(runtime, "launch_wait", "cycles", "ticks that warps waited in launches", counters.launch_wait);
  add(runtime, "synchronize_wait", "cycles", "ticks that warps waited for launches of their block",
      counters.synchronize_wait);
  add(runtime, "other_wait", "cycles", "ticks that warps waited in other calls", counters.other_wait);
  add(group, "store_drain_at_exit", "cycles",
      "ticks between the last exit of a thread block and its retirement, summed over thread blocks",
      counters.store_drain_at_exit);
  add(group, "barrier_instances", "", "barriers completed", counters.barrier_instances);
  add(group, "barrier_wait", "cycles", "time from first arrival to completion, summed over barriers",
      counters.barrier_wait);
  add(group, "barrier_wait_p1", "cycles",
      "part of barrier_wait before the first arrival on the scheduler that completes the barrier",
      counters.barrier_wait_p1);
  add(group, "barrier_wait_p2", "cycles",
      "part of barrier_wait from the first arrival on the scheduler that completes the barrier",
      counters.barrier_wait_p2);
  barrier_waits_.emplace(group,
                         base::StatisticInfo{"barrier_waits", "cycles",
                                             "distribution of the time from first arrival to completion of a barrier"},
                         20);
  add(group, "barriers_per_tb_spread", "",
      "largest number of barriers by which one resident thread block was ahead of another",
      counters.barriers_per_tb_spread);
  add(group, "barriers_ahead_sum", "",
      "barriers between the first and the last resident thread block, summed over completed barriers",
      counters.barriers_ahead_sum);
  add(group, "tb_started", "", "thread blocks started", counters.tb_started);
  add(group, "tb_retired", "", "thread blocks retired", counters.tb_retired);
  add(group, "tb_suspended", "", "thread blocks swapped out while they waited for their launches",
      counters.tb_suspended);
  add(group, "tb_resident", "cycles", "time from start to retirement, summed over retired thread blocks",
      counters.tb_resident);
}

}  // namespace castor::gpu
