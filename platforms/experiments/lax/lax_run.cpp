#include "platforms/experiments/lax/lax_run.h"

#include <utility>

#include "castor/base/error.h"
#include "castor/gpu/timing_device.h"
#include "platforms/blocks.h"
#include "platforms/machines.h"
#include "workloads/host/device_host.h"
#include "workloads/host/replay_host.h"
#include "workloads/host/schedulers.h"
#include "workloads/lax/evaluation.h"

namespace castor::platforms::experiments {

namespace lax = workloads::lax;

const std::vector<LaxEntry>& lax_entries() {
  static const std::vector<LaxEntry> all = [] {
    std::vector<LaxEntry> list;
    for (const workloads::SchedulerInfo& info : workloads::schedulers()) {
      LaxEntry entry{info.name, &info, {}, false};
      if (info.place != workloads::Place::kHost) {
        entry.overrides = {"blocks.lax.enable=1", std::string("blocks.lax.policy=") + info.policy};
      }
      // Jobs are judged on the host.
      if (info.place == workloads::Place::kShared) entry.overrides.emplace_back("blocks.lax.admit=0");
      list.push_back(std::move(entry));
    }
    const LaxEntry lax = list.back();
    const auto variant = [&](const char* name, const char* setting) {
      LaxEntry entry = lax;
      entry.name += std::string("/") + name;
      entry.overrides.push_back(std::string("blocks.lax.") + setting);
      entry.variant = true;
      list.push_back(std::move(entry));
    };
    variant("init-lowest", "init_prio=lowest");
    variant("init-computed", "init_prio=computed");
    variant("update-10us", "update_period=15000");
    variant("update-25us", "update_period=37500");
    variant("update-50us", "update_period=75000");
    variant("update-200us", "update_period=300000");
    variant("update-400us", "update_period=600000");
    variant("rate-wall", "rate_mode=wall");
    variant("rate-instance", "rate_mode=instance");
    variant("rate-peakhold", "rate_mode=peakhold");
    variant("warm-optimistic", "warm_policy=optimistic");
    variant("bypass", "bypass=1");
    return list;
  }();
  return all;
}

const LaxEntry* find_lax_entry(const std::string& name) {
  for (const LaxEntry& entry : lax_entries()) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

LoadedMachine lax_machine(const LaxEntry& entry, const std::vector<std::string>& overrides) {
  std::vector<std::string> all = {"replay.rate=gpu"};
  all.insert(all.end(), entry.overrides.begin(), entry.overrides.end());
  all.insert(all.end(), overrides.begin(), overrides.end());
  return load_machine("gcn_apu_replay", all);
}

namespace {

workloads::RunOutcome run(const LoadedMachine& loaded, const workloads::JobStream& stream,
                          workloads::Scheduler& scheduler) {
  if (!loaded.machine.block(gpu::Block::kLax).enable) {
    workloads::ReplayHost host(loaded.machine, stream, scheduler);
    return host.run();
  }
  const gpu::ReplayFile file = gpu::ReplayFile::parse(stream.replay_text(), stream.name);
  gpu::TimingDevice::Options options;
  options.gpu.replay = &file;
  plug_blocks(loaded.machine, options);
  gpu::TimingDevice device(loaded.machine, std::move(options));
  workloads::DeviceHost host(device, file, stream, scheduler);
  return host.run();
}

}  // namespace

Json run_lax(const Json& parameters) {
  const lax::Workload* const workload = lax::find_workload(parameters.at("workload").get<std::string>());
  const auto rate = lax::find_rate(parameters.at("rate").get<std::string>());
  const LaxEntry* const entry = find_lax_entry(parameters.at("scheduler").get<std::string>());
  CASTOR_ASSERT(workload != nullptr && rate.has_value() && entry != nullptr);
  lax::Arrivals arrivals;
  arrivals.per_second = workload->rates[static_cast<std::size_t>(*rate)];
  arrivals.jobs = parameters.at("jobs").get<unsigned>();
  arrivals.seed = parameters.at("seed").get<std::uint64_t>();
  workloads::JobStream stream = lax::generate(*workload, arrivals);
  stream.w0 = parameters.value("w0", stream.w0);

  const LoadedMachine loaded = lax_machine(*entry, parameters.value("set", std::vector<std::string>()));
  const auto scheduler = workloads::make_scheduler(*entry->scheduler, {}, arrivals.seed);
  const workloads::RunOutcome outcome = run(loaded, stream, *scheduler);
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
