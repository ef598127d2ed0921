#include "castor/gpu/report.h"

#include <sysc/kernel/sc_ver.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <vector>

#include "castor/gpu/sm/sm_statistics.h"

namespace castor::gpu {
namespace {

using Json = nlohmann::ordered_json;

/// Returns the sum of "<prefix>*.<path>" over the groups.
std::uint64_t sum(const base::StatisticGroup& over, const std::string& prefix, const std::string& path) {
  std::uint64_t total = 0;
  for (const base::StatisticGroup* const group : over.groups()) {
    if (group->name().compare(0, prefix.size(), prefix) != 0) continue;
    if (const base::Statistic* const found = group->find(path)) total += found->integer();
  }
  return total;
}

/// Returns the sum of a statistic over the schedulers of all SMs.
std::uint64_t sum_schedulers(const base::StatisticGroup& gpu, const std::string& path) {
  std::uint64_t total = 0;
  for (const base::StatisticGroup* const group : gpu.groups()) {
    if (group->name().compare(0, 2, "sm") == 0) total += sum(*group, "scheduler", path);
  }
  return total;
}

/// Returns the sum of a statistic over all instruction classes of all SMs.
std::uint64_t sum_classes(const base::StatisticGroup& gpu, const std::string& what) {
  std::uint64_t total = 0;
  for (const base::StatisticGroup* const group : gpu.groups()) {
    if (group->name().compare(0, 2, "sm") != 0) continue;
    for (const base::StatisticGroup* const part : group->groups()) {
      if (part->name() != what) continue;
      for (const base::Statistic* const each : part->statistics()) total += each->integer();
    }
  }
  return total;
}

}  // namespace

void add_provenance(Json& report, const Machine& machine) {
  report["versions"] = {{"castor", CASTOR_VERSION}, {"systemc", SC_VERSION}, {"compiler", __VERSION__}};
  report["seeds"] = {{"run.seed", machine.run.seed}};
}

Json ratios(const base::StatisticGroup& gpu, const Machine& machine, std::uint64_t picoseconds) {
  Json result = Json::object();
  const auto add = [&result](const std::string& name, const char* unit, const char* meaning, std::uint64_t numerator,
                             std::uint64_t denominator, double scale = 1) {
    Json& one = result[name];
    one["value"] =
        denominator == 0 ? Json() : Json(static_cast<double>(numerator) / static_cast<double>(denominator) * scale);
    one["numerator"] = numerator;
    one["denominator"] = denominator;
    one["unit"] = unit;
    one["meaning"] = meaning;
  };
  const auto hits = [&](const std::string& name, const char* meaning, const char* prefix, const std::string& hit,
                        const std::string& miss, const std::string& merged = {}) {
    const std::uint64_t hits = sum(gpu, prefix, hit);
    const std::uint64_t others = merged.empty() ? 0 : sum(gpu, prefix, merged);
    add(name, "", meaning, hits, hits + sum(gpu, prefix, miss) + others);
  };
  const base::Statistic* const cycles = gpu.find("cycles");
  const std::uint64_t warps = sum_classes(gpu, "warp_instructions");
  add("ipc", "instructions/cycle", "warp instructions issued / core cycles of the run", warps,
      cycles == nullptr ? 0 : cycles->integer());
  add("ipc_lanes", "lanes/cycle", "active lanes of issued instructions / core cycles of the run",
      sum_classes(gpu, "lane_instructions"), cycles == nullptr ? 0 : cycles->integer());
  add("active_lanes", "", "active lanes of issued instructions / (instructions x lanes of a warp)",
      sum_classes(gpu, "lane_instructions"), warps * machine.sm.lanes);
  add("occupancy", "", "resident warps summed over ticks / (ticks of all SMs x sm.warps)",
      sum(gpu, "sm", "occupancy_warps_sum"), sum(gpu, "sm", "ticks") * machine.sm.warps);
  std::uint64_t scheduler_ticks = 0;
  for (const base::StatisticInfo& stall : stall_infos()) scheduler_ticks += sum_schedulers(gpu, stall.name);
  for (const base::StatisticInfo& stall : stall_infos()) {
    add(std::string("scheduler_") + stall.name, "", stall.meaning, sum_schedulers(gpu, stall.name), scheduler_ticks);
  }
  hits("l1_read_hits", "line accesses of cached loads: hits / all", "sm", "l1_read_hit", "l1_read_miss");
  hits("l1_write_hits", "line accesses of cached stores: hits / all", "sm", "l1_write_hit", "l1_write_miss");
  hits("l2_read_hits", "loads and instruction fetches: L2 hits / L2 hits + misses that allocated an MSHR", "slice",
       "l2_read_hit", "l2_read_miss");
  hits("l2_write_hits", "stores: L2 hits / L2 hits + misses that allocated an MSHR", "slice", "l2_write_hit",
       "l2_write_miss");
  hits("l2_atomic_hits", "atomics: L2 hits / L2 hits + misses that allocated an MSHR", "slice", "l2_atomic_hit",
       "l2_atomic_miss");
  hits("dram_row_hits", "DRAM requests: row hits / all", "channel", "dram_row_hit", "dram_row_miss");
  const std::uint64_t burst = std::max(1U, machine.dram.atom / machine.dram.bytes_per_clk);
  add("dram_efficiency", "", "DRAM clocks that moved data / DRAM clocks with a pending request",
      (sum(gpu, "channel", "dram_n_read") + sum(gpu, "channel", "dram_n_write")) * burst,
      sum(gpu, "channel", "dram_n_activity"));
  add("dram_bandwidth", "GB/s", "bytes moved / simulated picoseconds of the run", sum(gpu, "channel", "dram_bytes"),
      picoseconds, 1000);
  return result;
}

}  // namespace castor::gpu
