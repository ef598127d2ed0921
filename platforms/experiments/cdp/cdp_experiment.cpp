// castor experiment cdp: programs that launch child kernels, compared with the same programs without launches.

#include "platforms/experiments/cdp/cdp_report.h"
#include "platforms/experiments/children/child_experiment.h"

namespace castor::platforms::experiments::cdp {
namespace {

namespace children = workloads::children;

ChildSystems cdp_systems() {
  return {
      {children::kFlat, "no launches by device code", "flat", {}},
      {children::kCdp, "child kernels, latencies as measured", "cdp", {}},
      {children::kIdeal, "child kernels, no latency of calls and of the parse", "cdp", no_launch_latency()},
      {"cdp_serial", "child kernels, one grant at a time", "cdp", {"parse.interval=283"}, true},
      {"cdp_inherit", "child kernels may read what their parents had in L1", "cdp", {"acquire.child=inherit"}, true},
  };
}

class CdpExperiment final : public ChildExperiment {
 public:
  CdpExperiment() : ChildExperiment(cdp_systems()) {}

  [[nodiscard]] const char* name() const override { return "cdp"; }
  [[nodiscard]] const char* example() const override {
    return "castor experiment cdp --program bfs_citation --program join_gaussian --seeds 2";
  }

  bool report(const std::vector<Run>& runs, Output& output) override { return report_cdp(runs, systems(), output); }

 protected:
  [[nodiscard]] std::vector<ChildPathRun> path_runs(bool quick) const override {
    std::vector<ChildPathRun> out;
    for (unsigned lanes = 1; lanes <= 32; ++lanes) {
      if (!quick || (lanes & (lanes - 1)) == 0) out.push_back(path_calls("calls", "lanes", lanes, 1, 1, lanes));
    }
    for (const unsigned warps : {1U, 2U, 4U, 8U, 16U}) {
      out.push_back(path_calls("calls", "warps", warps, 1, warps, 1));
    }
    for (unsigned launches = 32; launches <= (quick ? 256U : 262144U); launches *= 2) {
      out.push_back(path_calls("calls", "many", launches, launches / 32, 1, 32));
      out.push_back(path_calls("calls", "many_serial", launches, launches / 32, 1, 32, {"parse.interval=283"}));
    }
    ChildPathRun limited = path_calls("calls", "limit", 5, 1, 1, 32);
    limited.arguments.insert(limited.arguments.end(), {"--pending", "5"});
    out.push_back(std::move(limited));
    for (const unsigned queues : {1U, 8U, 32U}) {
      out.push_back({"queues", queues, {"host.launch_us=0", "queue.count=" + std::to_string(queues)}, {"queues"}});
    }
    out.push_back({"placement", 0, {}, {"placement"}});
    return out;
  }
};

const Registration registration([]() -> std::unique_ptr<Experiment> { return std::make_unique<CdpExperiment>(); });

}  // namespace
}  // namespace castor::platforms::experiments::cdp
