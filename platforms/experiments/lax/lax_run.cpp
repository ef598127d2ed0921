#include "platforms/experiments/lax/lax_run.h"

#include "castor/base/error.h"
#include "platforms/machines.h"
#include "workloads/host/replay_host.h"
#include "workloads/host/schedulers.h"
#include "workloads/lax/evaluation.h"

namespace castor::platforms::experiments {

namespace lax = workloads::lax;

LoadedMachine lax_machine(const std::vector<std::string>& overrides) {
  std::vector<std::string> all = {"replay.rate=gpu"};
  all.insert(all.end(), overrides.begin(), overrides.end());
  return load_machine("gcn_apu_replay", all);
}

bool lax_runs(const workloads::SchedulerInfo& info) {
  return info.place == workloads::Place::kHost || std::string_view(info.policy) == "rr";
}

Json run_lax(const Json& parameters) {
  const lax::Workload* const workload = lax::find_workload(parameters.at("workload").get<std::string>());
  const auto rate = lax::find_rate(parameters.at("rate").get<std::string>());
  const workloads::SchedulerInfo* const info = workloads::find_scheduler(parameters.at("scheduler").get<std::string>());
  CASTOR_ASSERT(workload != nullptr && rate.has_value() && info != nullptr);
  lax::Arrivals arrivals;
  arrivals.per_second = workload->rates[static_cast<std::size_t>(*rate)];
  arrivals.jobs = parameters.at("jobs").get<unsigned>();
  arrivals.seed = parameters.at("seed").get<std::uint64_t>();
  workloads::JobStream stream = lax::generate(*workload, arrivals);
  stream.w0 = parameters.value("w0", stream.w0);

  const LoadedMachine loaded = lax_machine(parameters.value("set", std::vector<std::string>()));
  const auto scheduler = workloads::make_scheduler(*info, {}, arrivals.seed);
  workloads::ReplayHost host(loaded.machine, stream, *scheduler);
  const workloads::RunOutcome outcome = host.run();
  const workloads::Metrics m = workloads::metrics(stream, outcome);
  const lax::Sample s = lax::sample(stream, m);
  return {{"met", m.met},
          {"late", m.late},
          {"rejected", m.rejected},
          {"open", m.open},
          {"all_tbs", m.all_tbs},
          {"useful_tbs", m.useful_tbs},
          {"p99", m.p99},
          {"longest", m.longest},
          {"makespan", m.makespan},
          {"cycles", outcome.cycles},
          {"lane_cycles", m.lane_cycles},
          {"met_of_128", s.met},
          {"p99_ms", s.p99_ms},
          {"wasted", s.wasted},
          {"energy_mj", s.energy_mj},
          {"met_per_second", s.per_second}};
}

}  // namespace castor::platforms::experiments
