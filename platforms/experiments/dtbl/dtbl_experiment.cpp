// castor experiment dtbl: programs that launch groups of thread blocks, compared with child kernels and with no
// launches.

#include "platforms/experiments/children/child_experiment.h"
#include "platforms/experiments/dtbl/dtbl_report.h"
#include "workloads/dtbl/evaluation.h"

namespace castor::platforms::experiments::dtbl {
namespace {

namespace children = workloads::children;
namespace dtbl = workloads::dtbl;
using Names = std::vector<std::string>;

constexpr const char* kEnable = "blocks.dtbl.enable=1";

Names with(Names keys, const std::string& key) {
  keys.push_back(key);
  return keys;
}

ChildSystems dtbl_systems() {
  ChildSystems out = {
      {children::kFlat, "no launches by device code", "flat", {}},
      {children::kCdp, "child kernels, latencies as measured", "cdp", {}},
      {children::kIdeal, "child kernels, no latency of calls and of the parse", "cdp", no_launch_latency()},
      {children::kDtbl, "groups that run with a kernel kept resident", "dtbl", {kEnable}, false, true},
      {children::kDtblIdeal, "the same, no latency of calls and of the parse", "dtbl",
       with(no_launch_latency(), kEnable), false, true},
  };
  for (const dtbl::TableSize& size : dtbl::table_sizes()) {
    if (size.system == std::string(children::kDtbl)) continue;
    out.push_back({size.system,
                   "dtbl with another table of groups",
                   "dtbl",
                   {kEnable, "blocks.dtbl.agt_size=" + std::to_string(size.entries)},
                   true,
                   true});
  }
  out.push_back(
      {dtbl::kHash, "dtbl, the SM's number in the hash", "dtbl", {kEnable, "blocks.dtbl.hash_mode=1"}, true, true});
  out.push_back({dtbl::kCold, "dtbl, no kernel kept resident", "dtbl", {kEnable}, true, false, {"--warm", "0"}});
  return out;
}

class DtblExperiment final : public ChildExperiment {
 public:
  DtblExperiment() : ChildExperiment(dtbl_systems()) {}

  [[nodiscard]] const char* name() const override { return "dtbl"; }
  [[nodiscard]] const char* example() const override {
    return "castor experiment dtbl --program bht --program join_gaussian --seeds 2";
  }

  bool report(const std::vector<Run>& runs, Output& output) override { return report_dtbl(runs, systems(), output); }

 protected:
  [[nodiscard]] std::vector<ChildPathRun> path_runs(bool quick) const override {
    std::vector<ChildPathRun> out;
    for (const unsigned lanes : {1U, 2U, 4U, 8U, 16U, 32U}) {
      if (quick && lanes != 1 && lanes != 32) continue;
      out.push_back(path_calls("calls", "lanes", lanes, 1, 1, lanes));
      out.push_back(path_calls("groups", "groups", lanes, 1, 1, lanes, {kEnable}));
    }
    return out;
  }
  [[nodiscard]] Names of_variants() const override { return dtbl::launch_dense(); }
};

const Registration registration([]() -> std::unique_ptr<Experiment> { return std::make_unique<DtblExperiment>(); });

}  // namespace
}  // namespace castor::platforms::experiments::dtbl
