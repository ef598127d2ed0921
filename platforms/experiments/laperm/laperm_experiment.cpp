// castor experiment laperm: programs with child kernels and with groups under locality-aware scheduling, compared with
// round robin.

#include "platforms/experiments/children/child_experiment.h"
#include "platforms/experiments/children/placement.h"
#include "platforms/experiments/laperm/footprint_run.h"
#include "platforms/experiments/laperm/laperm_report.h"
#include "platforms/machines.h"
#include "workloads/laperm/evaluation.h"

namespace castor::platforms::experiments::laperm {
namespace {

namespace laperm = workloads::laperm;
using Names = std::vector<std::string>;

/// L1 settings of the source's simulator. Without them a child finds none of its parent's data in L1.
const Names kL1 = {"l1.caches_global=1", "acquire.child=inherit"};
const Names kGroups = {"blocks.dtbl.enable=1"};
/// The block LaPerm places the groups, instead of DTBL.
const Names kPushed = {"blocks.dtbl.enable=1", "blocks.dtbl.dispatch=0"};
/// Number of entries in the kernel table and in the block's queue 0.
const Names kEntries = {"table.entries=256"};

Names policy(const char* name) { return {"blocks.laperm.enable=1", std::string("blocks.laperm.policy=") + name}; }
/// Returns the keys with which the launch unit also selects child kernels by level, from lists per SM or from one list
/// for all SMs.
Names launcher(const char* lists) {
  return {"blocks.laperm_kmu.enable=1", std::string("blocks.laperm_kmu.lists=") + lists};
}

/// Returns the keys that set the latencies of launches and of parsing to `percent` % of the latencies of `whole`.
Names latency(const gpu::Machine& whole, unsigned percent) {
  Names out;
  const gpu::Machine::Launch& launch = whole.launch;
  for (const auto& [key, value] : {std::pair<const char*, std::uint64_t>{"launch.stream_warp", launch.stream_warp},
                                   {"launch.buffer_warp", launch.buffer_warp},
                                   {"launch.buffer_lane", launch.buffer_lane},
                                   {"launch.launch_warp", launch.launch_warp},
                                   {"launch.launch_lane", launch.launch_lane},
                                   {"parse.latency", whole.parse.latency}}) {
    out.push_back(std::string(key) + "=" + std::to_string((value * percent + 50) / 100));
  }
  return out;
}

Names all(const std::vector<Names>& lists) {
  Names out;
  for (const Names& list : lists) out.insert(out.end(), list.begin(), list.end());
  return out;
}

ChildSystem traced(std::string name, const char* description, const char* form, const std::vector<Names>& keys,
                   bool variant = false) {
  const bool groups = form == std::string("dtbl");
  return {std::move(name), description, form, all(keys), variant, groups, {}, true};
}

ChildSystems laperm_systems(const gpu::Machine& machine) {
  const Names pri = policy("tb_pri"), bind = policy("smx_bind"), adaptive = policy("adaptive_bind");
  const Names all_sms = launcher("by_level"), by_sm = launcher("by_sm");
  ChildSystems out = {
      traced(laperm::kCdp.rr, "child kernels, as the machine places them", "cdp", {kL1}),
      traced(laperm::kCdp.tb_pri, "child kernels, children first", "cdp", {kL1, pri, all_sms}),
      traced(laperm::kCdp.smx_bind, "and on the SM of their parent", "cdp", {kL1, bind, by_sm}),
      traced(laperm::kCdp.adaptive_bind, "and on others that have nothing to do", "cdp", {kL1, adaptive, by_sm}),
      traced(laperm::kDtbl.rr, "groups, as the block DTBL places them", "dtbl", {kL1, kGroups}),
      traced(laperm::kDtbl.tb_pri, "groups, children first", "dtbl", {kL1, kPushed, pri}),
      traced(laperm::kDtbl.smx_bind, "and on the SM of their parent", "dtbl", {kL1, kPushed, bind}),
      traced(laperm::kDtbl.adaptive_bind, "and on others that have nothing to do", "dtbl", {kL1, kPushed, adaptive}),
      {laperm::kFootprint, "what thread blocks touch, on the functional machine", "cdp", {"run.functional=1"}},
  };
  // Variants that differ from these systems in something other than the policy: the dispatcher's search, DTBL's table,
  // launch latencies, size of the kernel table.
  out.push_back(
      traced("cdp_rr_one", "cdp_rr, one SM looked at per cycle", "cdp", {kL1, {"dispatch.search=rr_one"}}, true));
  out.push_back(traced("dtbl_rr_hash", "dtbl_rr, more groups get an entry of DTBL's table", "dtbl",
                       {kL1, kGroups, {"blocks.dtbl.hash_mode=1", "blocks.dtbl.agt_size=2048"}}, true));
  for (const laperm::Latency& one : laperm::latencies()) {
    if (one.percent == 100) continue;
    out.push_back(
        traced(one.cdp.rr, "cdp_rr with part of the latencies", "cdp", {kL1, latency(machine, one.percent)}, true));
    out.push_back(traced(one.cdp.adaptive_bind, "cdp_adaptive_bind with part of the latencies", "cdp",
                         {kL1, adaptive, by_sm, latency(machine, one.percent)}, true));
  }
  out.push_back(
      traced(laperm::kManyKernels.rr, "cdp_rr, 256 entries of the kernel table", "cdp", {kL1, kEntries}, true));
  out.push_back(traced(laperm::kManyKernels.adaptive_bind, "cdp_adaptive_bind, 256 entries", "cdp",
                       {kL1, kEntries, adaptive, by_sm}, true));
  out.push_back(traced("cdp_adaptive_bind_table", "cdp_adaptive_bind, of kernels in the table alone", "cdp",
                       {kL1, adaptive}, true));
  const auto other = [&](const char* name, const char* description, const char* key) {
    out.push_back(traced(name, description, "dtbl", {kL1, kPushed, adaptive, {key}}, true));
  };
  other("dtbl_levels_1", "dtbl_adaptive_bind, one level", "blocks.laperm.levels=1");
  other("dtbl_levels_8", "dtbl_adaptive_bind, eight levels", "blocks.laperm.levels=8");
  other("dtbl_bank_16", "dtbl_adaptive_bind, 16 items of a set on the chip", "blocks.laperm.bank_depth=16");
  other("dtbl_cluster_4", "dtbl_adaptive_bind, four SMs share a set", "blocks.laperm.cluster_size=4");
  return out;
}

class LapermExperiment final : public ChildExperiment {
 public:
  LapermExperiment() : ChildExperiment(laperm_systems(load_machine(kMachine).machine)) {}

  [[nodiscard]] const char* name() const override { return "laperm"; }
  [[nodiscard]] const char* example() const override {
    return "castor experiment laperm --program bht --program join_gaussian --seeds 2";
  }
  [[nodiscard]] std::vector<Run> runs(unsigned workers) override {
    footprints_ = std::make_unique<FootprintRuns>();
    return ChildExperiment::runs(workers);
  }
  [[nodiscard]] std::string build() const override {
    return child_figures() + placement_figures() + footprint_figures();
  }
  [[nodiscard]] Json execute(const Json& parameters) const override {
    if (parameters.at("system") == laperm::kFootprint) return footprints_->run(parameters);
    return ChildExperiment::execute(parameters);
  }
  [[nodiscard]] Names sources() const override {
    Names out = ChildExperiment::sources();
    out.emplace_back("sw/workloads/laperm");
    return out;
  }

  bool report(const std::vector<Run>& runs, Output& output) override { return report_laperm(runs, systems(), output); }

 protected:
  [[nodiscard]] bool has_path() const override { return false; }
  [[nodiscard]] Names of_variants() const override { return laperm::of_studies(); }

 private:
  std::unique_ptr<FootprintRuns> footprints_;
};

const Registration registration([]() -> std::unique_ptr<Experiment> { return std::make_unique<LapermExperiment>(); });

}  // namespace
}  // namespace castor::platforms::experiments::laperm
