#include "platforms/experiments/children/child_run.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>

#include "castor/base/error.h"
#include "platforms/experiments/children/placement.h"

namespace castor::platforms::experiments {
namespace {

using Names = std::vector<std::string>;

/// A count of the report's `statistics`: its name in the result, and the JSON pointer to it.
struct Count {
  const char *name, *pointer;
};
constexpr Count kCounts[] = {
    {"launches", "/front_end/device_launches/launches"},
    {"granted", "/front_end/device_launches/granted"},
    {"dropped", "/front_end/device_launches/dropped"},
    {"pending_peak", "/front_end/device_launches/pending_peak"},
    {"groups", "/front_end/device_launches/groups"},
    {"attached", "/front_end/device_launches/attached"},
    {"fallbacks", "/front_end/device_launches/fallbacks"},
    {"wait_sum", "/front_end/device_launch_wait/sum"},
    {"wait_largest", "/front_end/device_launch_wait/largest"},
    {"kernels_parsed", "/front_end/kernels_parsed"},
    {"kernels_completed", "/front_end/kernels_completed"},
    {"tb_placed", "/front_end/tb_placed"},
    {"tb_retired", "/front_end/tb_retired"},
    {"entries_valid_max", "/front_end/entries_valid_max"},
    {"entries_valid_sum", "/front_end/entries_valid_sum"},
    {"tb_started", "/total/tb_started"},
    {"tb_left", "/total/tb_retired"},
    {"occupancy_warps_sum", "/total/occupancy_warps_sum"},
    {"occupancy_device_warps_sum", "/total/occupancy_device_warps_sum"},
    {"replays", "/total/replays"},
    {"coalesced_lines", "/total/coalesced_lines"},
    {"l1_read_hit", "/total/l1_read_hit"},
    {"l1_read_miss", "/total/l1_read_miss"},
    {"l2_read_hit", "/total/l2_read_hit"},
    {"l2_read_miss", "/total/l2_read_miss"},
    {"dram_n_activity", "/total/dram_n_activity"},
    {"dram_bytes", "/total/dram_bytes"},
};
/// Counts of the block DTBL that the result keeps.
constexpr const char* kGroups[] = {"commands",      "kde_hits",     "kde_misses",   "agt_hits",     "agt_misses",
                                   "offchip_loads", "offchip_wait", "agt_used_sum", "agt_used_peak"};
/// Ticks that warps waited in runtime calls, summed over SMs.
constexpr Count kCalls[] = {{"call_stream", "/device_runtime/stream_wait"},
                            {"call_buffer", "/device_runtime/buffer_wait"},
                            {"call_launch", "/device_runtime/launch_wait"}};
constexpr const char* kOffChip[] = {"load_global", "load_local",    "load_generic", "store_global",
                                    "store_local", "store_generic", "atomic"};
/// A timeline also samples counters of SMs in windows. The samples are not used here, so the window is set to a large
/// value.
constexpr const char* kFewSamples = "run.window=1000000000";
/// A thread whose launch is refused does the work itself, as in the programs of the sources. With a pool that spills to
/// memory, the machine would be another one than theirs.
constexpr const char* kFullPool = "pool.full=refuse";
constexpr const char* kShared[] = {"load_shared", "store_shared"};

std::uint64_t number(const Json& group, const std::string& pointer) {
  return group.at(Json::json_pointer(pointer)).get<std::uint64_t>();
}

std::uint64_t product(const Json& dimensions) {
  std::uint64_t out = 1;
  for (const Json& one : dimensions) out *= one.get<std::uint64_t>();
  return out;
}

double key(const Json& report, const char* name) {
  return report.at("configuration").at("keys").at(name).at("value").get<double>();
}

void add(Json& out, const std::string& name, std::uint64_t value) {
  out[name] = out.value(name, std::uint64_t{0}) + value;
}

/// Adds the threads (and for children the warps) of `blocks` thread blocks of a row of the report.
void add_work(const Json& kernel, std::uint64_t blocks, const std::string& whose, Json& out) {
  const std::uint64_t threads = product(kernel.at("block"));
  add(out, whose + "threads", blocks * threads);
  if (whose == "child_") add(out, "child_warps", blocks * ((threads + 31) / 32));
}

/// Adds a row of the report: a kernel of the host, or all launches of one kernel at one level of its launch tree.
/// Groups that joined the kernel count as launches. `warm`: the kernel exists only to keep its function resident.
void add_kernel(const Json& kernel, bool warm, Json& out) {
  const Json counts = kernel.value("counts", Json::object());
  const bool child = counts.value("level", 0U) != 0;
  const std::uint64_t blocks = number(kernel, "/thread_blocks"),
                      of_groups = counts.value("group_thread_blocks", std::uint64_t{0});
  add(out, "thread_blocks", blocks + of_groups);
  if (!warm) add_work(kernel, blocks, child ? "child_" : "parent_", out);
  add_work(kernel, of_groups, "child_", out);
  const std::string whose = child || warm ? "child_" : "parent_";
  for (const char* const name : {"warp_instructions", "thread_instructions"}) {
    add(out, name, number(kernel, std::string("/") + name));
    add(out, whose + name, number(kernel, std::string("/") + name));
  }
  add(out, "ended", counts.value("groups", std::uint64_t{0}));
  if (child) {
    add(out, "ended", counts.at("device_launches").get<std::uint64_t>());
  } else if (warm) {
    add(out, "warm_kernels", 1);
  } else {
    add(out, "host_kernels", 1);
    add(out, "cycles", number(kernel, "/cycles"));
  }
}

/// Returns the kernel that was launched to stay resident, which ends after all others. nullptr if there are no kernels.
const Json* find_warm(const Json& kernels) {
  const Json* last = nullptr;
  for (const Json& kernel : kernels) {
    if (last == nullptr || number(kernel, "/end_ps") > number(*last, "/end_ps")) last = &kernel;
  }
  if (last == nullptr) return nullptr;
  for (const Json& kernel : kernels) {
    if (number(kernel, "/end_ps") > number(*last, "/start_ps")) continue;
    throw base::Error("the kernel that ends last did not run beside all others");
  }
  if (number(*last, "/thread_blocks") != 1) throw base::Error("the kernel that ends last has more than one block");
  return last;
}

void add_totals(const Json& report, Json& out) {
  const Json& statistics = report.at("statistics");
  for (const Count& one : kCounts) out[one.name] = number(statistics, one.pointer);
  out["launches"] = number(out, "/launches") + number(out, "/groups");
  const Json none = Json::object();
  const Json& units =
      statistics.at("front_end").contains("launch_unit") ? statistics.at("front_end").at("launch_unit") : none;
  if (units.contains("dtbl")) {
    for (const char* const name : kGroups) out[name] = number(units.at("dtbl"), std::string("/") + name);
  }
  std::uint64_t sms = 0;
  for (const auto& [unit, group] : statistics.items()) {
    if (unit.rfind("sm", 0) != 0) continue;
    ++sms;
    for (const Count& one : kCalls) add(out, one.name, number(group, one.pointer));
  }
  const Json& classes = statistics.at("total").at("warp_instructions_by_class");
  for (const char* const name : kOffChip) add(out, "global_instructions", classes.at(name).get<std::uint64_t>());
  out["memory_instructions"] = out.at("global_instructions");
  for (const char* const name : kShared) add(out, "memory_instructions", classes.at(name).get<std::uint64_t>());
  const auto whole = [](double value) { return static_cast<std::uint64_t>(std::llround(value)); };
  out["lane_slots"] = out.at("warp_instructions").get<std::uint64_t>() * whole(key(report, "sm.lanes"));
  out["warp_room"] = out.at("cycles").get<std::uint64_t>() * sms * whole(key(report, "sm.warps"));
  out["dram_busy"] = report.at("ratios").at("dram_efficiency").at("numerator");
}

/// Returns the cycles from the first entry in the kernel table to the end of the last kernel, for kernels that run
/// concurrently.
std::uint64_t span(const Json& report) {
  std::uint64_t first = UINT64_MAX, last = 0;
  for (const Json& kernel : report.at("kernels")) {
    first = std::min(first, number(kernel, "/start_ps"));
    last = std::max(last, number(kernel, "/end_ps"));
  }
  return static_cast<std::uint64_t>(
      std::llround(static_cast<double>(last - first) * key(report, "clock.core_mhz") / 1e6));
}

/// Adds the figures of the launch path under new names: "calls.stream" becomes "clock_stream", but "calls.refused"
/// becomes "refused" and "placement.in_turn" becomes "in_turn".
void add_path(const Json& figures, Json& out) {
  for (const auto& [name, value] : figures.items()) {
    const std::size_t dot = name.find('.');
    const std::string last = name.substr(dot + 1);
    out[(name.rfind("calls.", 0) == 0 || name.rfind("groups.", 0) == 0) && last != "refused" ? "clock_" + last : last] =
        static_cast<std::uint64_t>(value.get<double>());
  }
}

}  // namespace

// Parses a line of the program such as "dynamic_bfs form=cdp input=citation: ...: launches 807, refused 0, failed 0".
void add_counted(const std::string& said, Json& out) {
  unsigned long long counted = 0, refused = 0, failed = 0;
  const std::size_t at = said.find(": launches ");
  if (at == std::string::npos ||
      std::sscanf(said.c_str() + at, ": launches %llu, refused %llu, failed %llu", &counted, &refused, &failed) != 3) {
    throw base::Error("the program does not say how much it launched: " + said);
  }
  out["counted"] = counted;
  out["refused"] = refused;
  out["failed"] = failed;
  // Keeps only the bits of the 64-bit hash that every reader of a table can represent.
  const std::size_t end = said.find("; hash ");
  unsigned long long hash = 0;
  if (end == std::string::npos || std::sscanf(said.c_str() + end, "; hash %llx", &hash) != 1) {
    throw base::Error("the program does not say what its results are: " + said);
  }
  out["hash"] = hash % (1ULL << 48U);
}

const ChildSystem* find_system(const ChildSystems& systems, const std::string& name) {
  for (const ChildSystem& system : systems) {
    if (name == system.name) return &system;
  }
  return nullptr;
}

Names no_launch_latency() {
  return {"launch.stream_warp=0", "launch.buffer_warp=0", "launch.buffer_lane=0",
          "launch.launch_warp=0", "launch.launch_lane=0", "parse.latency=0"};
}

ChildPathRun path_calls(const char* part, const char* axis, unsigned value, unsigned blocks, unsigned warps,
                        unsigned lanes, Names keys) {
  return {
      axis,
      value,
      std::move(keys),
      {part, "--blocks", std::to_string(blocks), "--warps", std::to_string(warps), "--lanes", std::to_string(lanes)},
      part == std::string("groups")};
}

Json ChildPrograms::run(const Json& parameters) const {
  const bool path = parameters.contains("axis");
  const CudaProgram& program = programs_.at(parameters.at("of").get<std::string>());
  Names keys = parameters.at("keys").get<Names>();
  keys.emplace_back(kFullPool);
  const Names user = parameters.value("set", Names());
  keys.insert(keys.end(), user.begin(), user.end());
  const bool traced = parameters.value("traced", false);
  const Scratch scratch;
  const std::string timeline = traced ? scratch.file("timeline.json") : "";
  CudaProgram::Variables variables;
  if (traced) {
    keys.emplace_back(kFewSamples);
    variables.emplace_back("CASTOR_TIMELINE", timeline);
  }
  const CudaProgram::Finished finished = program.finish(parameters.at("machine").get<std::string>(), keys,
                                                        parameters.at("arguments").get<Names>(), variables);
  Json out = Json::object();
  for (const char* const name : {"cycles", "host_kernels", "warm_kernels", "ended", "parent_threads", "child_threads",
                                 "child_warps", "child_warp_instructions", "child_thread_instructions"}) {
    out[name] = 0U;
  }
  const Json& kernels = finished.report.at("kernels");
  const Json* const warm = parameters.value("warm", false) ? find_warm(kernels) : nullptr;
  for (const Json& kernel : kernels) add_kernel(kernel, &kernel == warm, out);
  add_totals(finished.report, out);
  if (traced) add_placement(finished.report, timeline, out);
  if (path) {
    add_path(program.result_in(finished.said), out);
    if (parameters.at("axis") == "queues") out["cycles"] = span(finished.report);
  } else {
    add_counted(finished.said, out);
  }
  const Names wrong = workloads::children::unbalanced(child_sample(out));
  if (!wrong.empty()) throw base::Error("something was lost: " + wrong.front() + "\n" + finished.said);
  return out;
}

const std::string& ChildPrograms::fingerprint(const std::string& name) const {
  return programs_.at(name).fingerprint();
}

std::string child_figures() {
  std::string all =
      "groups warm hash cycles host_kernels ended counted refused failed lane_slots warp_room dram_busy threads clock";
  for (const Count& one : kCounts) all += std::string(" ") + one.pointer;
  for (const Count& one : kCalls) all += std::string(" ") + one.pointer;
  for (const char* const name : kGroups) all += std::string(" ") + name;
  for (const char* const name : kOffChip) all += std::string(" ") + name;
  for (const char* const name : kShared) all += std::string(" ") + name;
  return all;
}

workloads::Sample child_sample(const Json& result) {
  workloads::Sample out;
  for (const auto& [name, value] : result.items()) out[name] = value.get<double>();
  return out;
}

}  // namespace castor::platforms::experiments
