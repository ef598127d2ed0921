#include "platforms/experiments/darsie/darsie_run.h"

#include <algorithm>
#include <cstdint>

#include "castor/base/error.h"

namespace castor::platforms::experiments::darsie {
namespace {

namespace darsie = workloads::darsie;
using Names = std::vector<std::string>;

/// A count of a run, and its place in the report's `statistics`.
struct Count {
  const char* name;      ///< name of the count in the run's result
  const char* in_total;  ///< JSON pointer below `total`
};
/// Counts that are sums over SMs, slices and channels. A count that the machine lacks is missing in the result.
constexpr Count kTotals[] = {
    {"fetches", "/fetches"},
    {"wasted_fetches", "/wasted_fetches"},
    {"squashes", "/squashes"},
    {"bank_conflict_delay", "/bank_conflict_delay"},
    {"collector_full", "/collector_full"},
    {"unit_busy", "/unit_busy"},
    {"ticks", "/ticks"},
    {"occupancy_warps_sum", "/occupancy_warps_sum"},
    {"barrier_instances", "/barrier_instances"},
    {"lsu_passes", "/lsu_passes"},
    {"smem_rounds", "/smem_rounds"},
    {"sectors", "/sectors"},
    {"dram_bytes", "/dram_bytes"},
    {"stall_issued", "/stall/issued"},
    {"stall_idle", "/stall/idle"},
    {"stall_raw", "/stall/raw"},
    {"stall_raw_memory", "/stall/raw_memory"},
    {"stall_memory_pipe", "/stall/memory_pipe"},
    {"stall_compute_pipe", "/stall/compute_pipe"},
};
/// Counts of L2 accesses, each of one sector.
constexpr const char* kSlices[] = {"/l2_read_hit",   "/l2_read_miss",  "/l2_write_hit",
                                   "/l2_write_miss", "/l2_atomic_hit", "/l2_atomic_miss"};
constexpr const char* kClasses[] = {
    "int",           "sp",           "dp",           "sfu",          "load_global", "load_shared",   "load_local",
    "load_constant", "load_generic", "store_global", "store_shared", "store_local", "store_generic", "atomic",
    "branch",        "barrier",      "sync",         "launch",       "other"};
constexpr const char* kLimitCounts[] = {
    "instructions", "block",   "uniform",           "affine",          "unstructured",      "removable",
    "grid",         "warp",    "block_load_shared", "all_load_shared", "block_load_global", "all_load_global",
    "block_lane",   "all_lane"};

/// Register accesses of warps, by kernel; missing if the machine does not count them.
constexpr const char* kRegisters[] = {"register_reads", "register_writes"};
/// Counts of the fetch filter, by kernel; 0 without a filter.
constexpr const char* kFilter[] = {"filter.skipped.int",
                                   "filter.skipped.sp",
                                   "filter.skipped.dp",
                                   "filter.skipped.sfu",
                                   "filter.skipped.load_shared",
                                   "filter.skipped.load_global",
                                   "filter.skipped.load_constant",
                                   "filter.reused.int",
                                   "filter.reused.sp",
                                   "filter.reused.dp",
                                   "filter.reused.sfu",
                                   "filter.reused_reads",
                                   "filter.row_reads",
                                   "filter.row_writes",
                                   "filter.copies",
                                   "filter.squashes",
                                   "filter.tbs_with_pool",
                                   "filter.tbs_without_rows",
                                   "filter.tbs_without_run"};

/// Returns the name with '_' for '.': "filter_row_reads" for "filter.row_reads".
std::string flat(std::string name) {
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

std::uint64_t number(const Json& group, const std::string& pointer) {
  return group.value(Json::json_pointer(pointer), std::uint64_t{0});
}

/// Adds the counts of one kernel. The caller does not pass the kernels that the comparison leaves out.
void add_kernel(const Json& kernel, bool functional, Json& out) {
  const auto add = [&](const std::string& name, std::uint64_t value) {
    out[name] = out.value(name, std::uint64_t{0}) + value;
  };
  const Json counts = kernel.value("counts", Json::object());
  add("warp_instructions", number(kernel, "/warp_instructions"));
  add("thread_instructions", number(kernel, "/thread_instructions"));
  add("thread_blocks", number(kernel, "/thread_blocks"));
  if (functional) {
    for (const char* const name : kLimitCounts) {
      add(std::string("limit_") + name, counts.value(std::string("redundancy_") + name, std::uint64_t{0}));
    }
    return;
  }
  add("cycles", number(kernel, "/cycles"));
  for (const char* const name : kRegisters) {
    if (counts.contains(name)) add(name, counts.at(name).get<std::uint64_t>());
  }
  for (const char* const name : kFilter) add(flat(name), counts.value(name, std::uint64_t{0}));
  for (const char* const name : kClasses) {
    add(std::string("class_") + name, counts.value(std::string("warp_instructions.") + name, std::uint64_t{0}));
    add(std::string("lanes_") + name, counts.value(std::string("lane_instructions.") + name, std::uint64_t{0}));
  }
}

/// Subtracts reused instructions from the executed ones. An instruction whose result is in the filter is issued but not
/// executed: it reads no register and uses no execution unit.
void leave_out_reused(Json& out) {
  const auto take = [&out](const std::string& from, std::uint64_t value) {
    if (out.contains(from)) out[from] = out.at(from).get<std::uint64_t>() - value;
  };
  out["issued"] = out.at("warp_instructions");
  for (const char* const name : {"int", "sp", "dp", "sfu"}) {
    const std::uint64_t reused = out.at(std::string("filter_reused_") + name).get<std::uint64_t>();
    take("warp_instructions", reused);
    take(std::string("class_") + name, reused);
    take(std::string("lanes_") + name, 32 * reused);
  }
  take("register_reads", out.at("filter_reused_reads").get<std::uint64_t>());
}

void add_totals(const Json& statistics, Json& out) {
  const Json& total = statistics.at("total");
  for (const Count& count : kTotals) {
    const Json::json_pointer pointer(count.in_total);
    if (total.contains(pointer)) out[count.name] = total.at(pointer);
  }
  std::uint64_t l2 = 0;
  for (const char* const name : kSlices) l2 += number(total, name);
  out["l2_sectors"] = l2;
  out["xbar_bytes"] = number(statistics, "/xbar/bytes_request") + number(statistics, "/xbar/bytes_reply");
}

/// Adds the block's counters, summed over SMs. The events that cost energy are 0 without the block.
void add_block(const Json& statistics, Json& out) {
  for (const char* const name :
       {"probes", "leads", "releads", "skip_groups", "row_lookups", "late_latches", "squash_sync", "squash_second"}) {
    out[std::string("darsie_") + name] = 0;
  }
  for (const auto& [unit, group] : statistics.items()) {
    const Json::json_pointer pointer("/fetch_filter/darsie");
    if (unit.rfind("sm", 0) != 0 || !group.contains(pointer)) continue;
    for (const auto& [name, value] : group.at(pointer).items()) {
      const std::string own = "darsie_" + name;
      out[own] = out.value(own, std::uint64_t{0}) + value.get<std::uint64_t>();
    }
  }
  const auto of = [&](const char* name) { return out.at(std::string("darsie_") + name).get<std::uint64_t>(); };
  out["darsie_elections"] = of("leads") + of("releads");
  out["darsie_squashes"] = of("late_latches") + of("squash_sync") + of("squash_second");
}

}  // namespace

const std::vector<DarsieSystem>& darsie_systems() {
  static const char* const marks = "compile.marks=1";
  static const char* const block = "blocks.darsie.enable=1";
  static const std::vector<DarsieSystem> kSystems = [] {
    std::vector<DarsieSystem> all = {
        {"uncapped", "no marks, registers as the compiler likes", {"compile.marks=0"}, false},
        {"unmarked", "no marks", {"compile.marks=0"}},
        {"baseline", "marks, no block", {marks}},
        {"darsie", "the block", {marks, block}, true, true},
        {"ignore_store", "stores leave the skip table alone", {marks, block, "blocks.darsie.store_inv=0"}, true, true},
        {"silicon_sync", "meetings, nothing skipped", {marks, block, "blocks.darsie.skip=0"}, true, true},
        {"reads_4", "four ports of the skip table", {marks, block, "blocks.darsie.read_ports=4"}, true, true},
        {"uv", "results of uniform instructions are reused", {marks, block, "blocks.darsie.system=uv"}},
        {"dac_ideal", "affine instructions once, at no cost", {marks, block, "blocks.darsie.system=dac_ideal"}},
        {"no_cf_sync", "no meetings, any number of rows", {marks, block, "blocks.darsie.system=no_cf_sync"}},
        {"baseline_ports", "baseline, 8 ports a bank", {marks, "rf.ports=8"}},
        {"darsie_ports", "the block, 8 ports a bank", {marks, block, "rf.ports=8"}, true, true},
        {"limit", "limit study", {"run.functional=1", "check.redundancy=1"}, true, false, false, true},
        {"no_loads", "no load is skipped", {marks, block, "blocks.darsie.load_skip=0"}, true, true, true},
        {"reads_1", "one port of the skip table", {marks, block, "blocks.darsie.read_ports=1"}, true, true, true},
    };
    const auto sweep = [&](const Names& values, const std::string& key, const char* description) {
      for (const std::string& value : values) {
        const std::string name = key + "_" + value;
        all.push_back({name, description, {marks, block, "blocks.darsie." + key + "=" + value}, true, true, true});
      }
    };
    sweep({"1", "2", "4", "16"}, "entries", "entries of the skip table");
    sweep({"4", "8", "16"}, "rows", "rows of a thread block");
    all.push_back({"baseline_lrr", "baseline, loose round robin", {marks, "issue.policy=lrr"}, true, false, true});
    all.push_back({"darsie_lrr", "the block, loose round robin", {marks, block, "issue.policy=lrr"}, true, true, true});
    return all;
  }();
  return kSystems;
}

const DarsieSystem* find_darsie_system(const std::string& name) {
  for (const DarsieSystem& system : darsie_systems()) {
    if (name == system.name) return &system;
  }
  return nullptr;
}

std::vector<std::string> darsie_chip(const std::string& size) {
  if (size == "large") return {};
  return {"chip.sms=7", "l2.slices=6", "l2.bytes=768KiB", "dram.channels=3"};
}

std::vector<std::string> darsie_keys(const darsie::Program& program, const DarsieSystem& system,
                                     const std::string& size, const std::vector<std::string>& user) {
  Names all = darsie_chip(size);
  if (system.program_keys) all.insert(all.end(), program.keys.begin(), program.keys.end());
  all.insert(all.end(), system.keys.begin(), system.keys.end());
  all.insert(all.end(), user.begin(), user.end());
  return all;
}

DarsiePrograms::DarsiePrograms(const std::vector<std::string>& names, const std::string& folder, unsigned workers) {
  Names files;
  for (const std::string& name : names) files.emplace_back(darsie::find_program(name)->program);
  programs_ = find_programs(files, folder, workers);
}

const CudaProgram& DarsiePrograms::program_of(const std::string& name) const {
  return programs_.at(darsie::find_program(name)->program);
}

Json DarsiePrograms::run(const Json& parameters) const {
  const std::string name = parameters.at("program").get<std::string>();
  const darsie::Program* const program = darsie::find_program(name);
  const DarsieSystem* const system = find_darsie_system(parameters.at("system").get<std::string>());
  CASTOR_ASSERT(program != nullptr && system != nullptr);
  const auto arguments = parameters.at("arguments").get<Names>();
  Names keys =
      darsie_keys(*program, *system, parameters.at("size").get<std::string>(), parameters.value("set", Names()));
  const Scratch scratch;
  if (system->name == darsie::kDac) {
    keys.push_back("blocks.darsie.affine=" + scratch.file("affine"));
    Names functional = keys;  // the same code on the functional machine, which writes the file
    functional.emplace_back("run.functional=1");
    (void)program_of(name).run(kDarsieMachine, functional, arguments);
  }
  const Json report = program_of(name).run(kDarsieMachine, keys, arguments);
  Json out = Json::object();
  std::uint64_t sms = 0;
  for (const Json& kernel : report.at("kernels")) {
    const std::string left_out = program->left_out;
    if (!left_out.empty() && kernel.at("name").get<std::string>().find(left_out) != std::string::npos) continue;
    add_kernel(kernel, system->functional, out);
  }
  if (system->functional) return out;
  leave_out_reused(out);
  const Json& statistics = report.at("statistics");
  for (const auto& [unit, group] : statistics.items()) sms += unit.rfind("sm", 0) == 0 ? 1 : 0;
  add_totals(statistics, out);
  add_block(statistics, out);
  out["sm_cycles"] = out.at("cycles").get<std::uint64_t>() * sms;
  return out;
}

const std::string& DarsiePrograms::fingerprint(const std::string& name) const { return program_of(name).fingerprint(); }

std::string darsie_figures() {
  std::string all =
      "cycles sm_cycles issued instructions thread_blocks l2_sectors xbar_bytes darsie elections squashes";
  for (const Count& count : kTotals) all += std::string(" ") + count.name;
  for (const char* const name : kClasses) all += std::string(" ") + name;
  for (const char* const name : kLimitCounts) all += std::string(" ") + name;
  for (const char* const name : kRegisters) all += std::string(" ") + name;
  for (const char* const name : kFilter) all += std::string(" ") + name;
  return all;
}

darsie::Sample darsie_sample(const Json& result) {
  darsie::Sample out;
  for (const auto& [name, value] : result.items()) out[name] = value.get<double>();
  return out;
}

}  // namespace castor::platforms::experiments::darsie
