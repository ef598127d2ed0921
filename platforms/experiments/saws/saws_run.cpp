#include "platforms/experiments/saws/saws_run.h"

#include <array>
#include <cstdint>

#include "castor/base/error.h"

namespace castor::platforms::experiments::saws {
namespace {

/// Totals over SMs and slices that a run's result keeps, by their names in the report.
constexpr std::array<const char*, 15> kTotals = {
    "warp_instructions",  "barrier_instances", "barrier_wait", "barrier_wait_p1",     "barrier_wait_p2",
    "barriers_ahead_sum", "tb_retired",        "tb_resident",  "occupancy_warps_sum", "ticks",
    "l1_read_hit",        "l1_read_miss",      "l2_read_hit",  "l2_read_miss",        "dram_bytes"};
constexpr std::array<const char*, 6> kStalls = {"issued", "idle", "raw", "raw_memory", "memory_pipe", "compute_pipe"};
/// Counts of the block, summed over SMs; 0 without the block.
constexpr std::array<const char*, 2> kOrder = {"order_pairs", "order_disagreements"};

std::uint64_t of_block(const Json& statistics, const char* name) {
  std::uint64_t sum = 0;
  for (const auto& [unit, group] : statistics.items()) {
    if (unit.rfind("sm", 0) == 0) sum += group.value(Json::json_pointer("/issue_policy/saws/" + std::string(name)), 0U);
  }
  return sum;
}

}  // namespace

const std::vector<SawsPolicy>& saws_policies() {
  static const std::vector<SawsPolicy> kPolicies = {
      {"LRR", {"issue.policy=lrr"}},
      {"GTO", {"issue.policy=gto"}},
      {"OLDEST", {"issue.policy=oldest"}},
      {"TL", {"issue.policy=tl"}},
      {"CATLS", {"issue.policy=catls", "issue.catls_group=8"}},
      {"CATLS/4", {"issue.policy=catls", "issue.catls_group=4"}},
      {"CATLS/16", {"issue.policy=catls", "issue.catls_group=16"}},
      {"SAWS/no-toggle", {"blocks.saws.enable=1", "blocks.saws.toggle=0"}, false, true},
      {"SAWS", {"blocks.saws.enable=1"}, false, true},
      {"SAWS/always", {"blocks.saws.enable=1", "blocks.saws.mode=always"}, true, true},
      {"SAWS/by-age", {"blocks.saws.enable=1", "blocks.saws.init_order=age"}, true, true},
      {"SAWS/first-hit", {"blocks.saws.enable=1", "blocks.saws.demote_at=first_hit"}, true, true},
      {"SAWS/floor-0", {"blocks.saws.enable=1", "blocks.saws.p_floor=0"}, true, true},
      {"SAWS/queue-16", {"blocks.saws.enable=1", "blocks.saws.evq_depth=16"}, true, true},
  };
  return kPolicies;
}

const SawsPolicy* find_saws_policy(const std::string& name) {
  for (const SawsPolicy& policy : saws_policies()) {
    if (name == policy.name) return &policy;
  }
  return nullptr;
}

const std::vector<SawsMachine>& saws_machines() {
  // The issue widths of machines that are compared are equal: 1 is compared with 2, and 1w4 and 2w4 with 4.
  static const std::vector<SawsMachine> kMachines = {
      {"4", "maxwell_liu13", {}, true, {}},
      {"2", "maxwell_liu13_s2", {}, true, {"LRR", "GTO", "CATLS", "CATLS/4", "CATLS/16", "SAWS/no-toggle", "SAWS"}},
      {"1", "maxwell_liu13_s1", {}, false, {"LRR", "GTO", "CATLS", "CATLS/4", "CATLS/16"}},
      {"2w4", "maxwell_liu13", {"schedulers=2", "issue.warps=2"}, false, {"GTO"}},
      {"1w4", "maxwell_liu13", {"schedulers=1", "issue.warps=4"}, false, {"GTO"}},
  };
  return kMachines;
}

const SawsMachine* find_saws_machine(const std::string& name) {
  for (const SawsMachine& machine : saws_machines()) {
    if (name == machine.name) return &machine;
  }
  return nullptr;
}

std::vector<std::string> saws_overrides(const SawsMachine& machine, const SawsPolicy& policy,
                                        const std::vector<std::string>& user) {
  std::vector<std::string> all = machine.overrides;
  all.insert(all.end(), policy.overrides.begin(), policy.overrides.end());
  all.insert(all.end(), user.begin(), user.end());
  return all;
}

Json SawsPrograms::run(const Json& parameters) const {
  const SawsMachine* const machine = find_saws_machine(parameters.at("schedulers").get<std::string>());
  const SawsPolicy* const policy = find_saws_policy(parameters.at("policy").get<std::string>());
  CASTOR_ASSERT(machine != nullptr && policy != nullptr);
  const Json report =
      programs_.at(parameters.at("program").get<std::string>())
          .run(machine->shipped, saws_overrides(*machine, *policy, parameters.value("set", std::vector<std::string>())),
               parameters.at("arguments").get<std::vector<std::string>>());
  // Cycles of kernels only; copies and host time are not part of the comparison.
  std::uint64_t cycles = 0;
  for (const Json& kernel : report.at("kernels")) cycles += kernel.at("cycles").get<std::uint64_t>();
  const Json& total = report.at("statistics").at("total");
  Json out;
  out["cycles"] = cycles;
  out["launches"] = report.at("kernels").size();
  for (const char* const name : kTotals) out[name] = total.at(name);
  for (const char* const name : kStalls) out[std::string("stall_") + name] = total.at("stall").at(name);
  for (const char* const name : kOrder) out[name] = of_block(report.at("statistics"), name);
  const Json& waits = total.at("barrier_waits");
  out["barrier_waits"] = waits;
  return out;
}

const std::string& SawsPrograms::fingerprint(const std::string& name) const { return programs_.at(name).fingerprint(); }

std::string saws_figures() {
  std::string all = "cycles launches barrier_waits";
  for (const char* const name : kTotals) all += std::string(" ") + name;
  for (const char* const name : kStalls) all += std::string(" ") + name;
  for (const char* const name : kOrder) all += std::string(" ") + name;
  return all;
}

workloads::saws::Sample sample_of(const Json& result) {
  const auto figure = [&](const char* name) { return result.at(name).get<double>(); };
  workloads::saws::Sample out;
  out.cycles = figure("cycles");
  out.instructions = figure("warp_instructions");
  out.barriers = figure("barrier_instances");
  out.wait_p1 = figure("barrier_wait_p1");
  out.wait_p2 = figure("barrier_wait_p2");
  out.ahead = figure("barriers_ahead_sum");
  out.resident = figure("tb_resident");
  out.l2_misses = figure("l2_read_miss");
  out.order_pairs = figure("order_pairs");
  out.disagreements = figure("order_disagreements");
  Json others = result;
  for (const char* const name : kOrder) others.erase(name);
  out.others = others.dump();
  return out;
}

}  // namespace castor::platforms::experiments::saws
