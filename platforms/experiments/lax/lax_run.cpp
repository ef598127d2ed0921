#include "platforms/experiments/lax/lax_run.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "castor/base/error.h"
#include "castor/gpu/timing_device.h"
#include "platforms/blocks.h"
#include "platforms/machines.h"
#include "workloads/host/device_host.h"
#include "workloads/host/replay_host.h"
#include "workloads/host/schedulers.h"
#include "workloads/lax/evaluation.h"

namespace castor::platforms::experiments::lax {

namespace lax = workloads::lax;

const std::vector<LaxEntry>& lax_entries() {
  static const std::vector<LaxEntry> all = [] {
    std::vector<LaxEntry> list;
    for (const workloads::SchedulerInfo& info : workloads::schedulers()) {
      LaxEntry entry{info.name, &info, {}, false};
      if (info.place != workloads::Place::kHost) {
        entry.overrides = {"blocks.lax.enable=1", std::string("blocks.lax.policy=") + info.policy};
      }
      // The host decides admission, not the engine.
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
    LaxEntry observed = lax;
    observed.name += "/observed";
    observed.variant = observed.observed = true;
    list.push_back(std::move(observed));
    LaxEntry blind = *std::find_if(list.begin(), list.end(), [](const LaxEntry& entry) { return entry.name == "PRO"; });
    blind.name += "/no-w0";
    blind.variant = true;
    blind.knows_w0 = false;
    list.push_back(std::move(blind));
    for (const unsigned size : {1U, 8U, 32U, 128U}) {
      LaxEntry batch;
      batch.name = "BATCH/" + std::to_string(size);
      batch.variant = true;
      batch.batch = size;
      list.push_back(std::move(batch));
    }
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

// Every eighth job is observed every 100 us, so that each observation reads few registers.
constexpr base::Cycle kLookEvery = 150'000;
constexpr unsigned kLookStride = 8;

void add_observed(const workloads::DeviceHost& host, const workloads::JobStream& stream,
                  const workloads::RunOutcome& outcome, Json& result) {
  unsigned predicted = 0;
  double error = 0;
  Json trace = Json::array();
  for (std::size_t i = 0; i < stream.jobs.size(); ++i) {
    const workloads::DeviceHost::Observed& job = host.observed()[i];
    const workloads::JobOutcome& end = outcome.jobs[i];
    if (!end.ran()) continue;
    if (job.predicted != 0 && job.running != 0) {
      ++predicted;
      error += std::abs(static_cast<double>(job.predicted) - static_cast<double>(job.running)) /
               static_cast<double>(job.running);
    }
    if (job.views.empty()) continue;
    Json at = Json::array(), cls = Json::array(), laxity = Json::array();
    for (const workloads::DeviceHost::View& view : job.views) {
      at.push_back(view.at - std::min<base::Cycle>(view.at, stream.jobs[i].arrival));
      cls.push_back(view.cls);
      laxity.push_back(view.laxity);
    }
    trace.push_back({{"job", i},
                     {"variant", stream.jobs[i].variant},
                     {"latency", end.finished - stream.jobs[i].arrival},
                     {"met", end.met(stream.jobs[i])},
                     {"at", std::move(at)},
                     {"class", std::move(cls)},
                     {"laxity", std::move(laxity)}});
  }
  result["predicted"] = predicted;
  if (predicted != 0) result["prediction_error"] = error / predicted;
  result["trace"] = std::move(trace);
}

workloads::RunOutcome run(const LoadedMachine& loaded, const workloads::JobStream& stream,
                          workloads::Scheduler& scheduler, bool observed, Json& result) {
  if (loaded.blocks.empty()) {
    workloads::ReplayHost host(loaded.machine, stream, scheduler);
    return host.run();
  }
  const gpu::ReplayFile file = gpu::ReplayFile::parse(stream.replay_text(), stream.name);
  gpu::TimingDevice::Options options;
  options.gpu.replay = &file;
  plug_blocks(loaded, options);
  gpu::TimingDevice device(loaded.machine, std::move(options));
  workloads::DeviceHost host(device, file, stream, scheduler);
  if (observed) host.observe(kLookEvery, kLookStride);
  workloads::RunOutcome outcome = host.run();
  if (observed) add_observed(host, stream, outcome, result);
  return outcome;
}

// Returns the jobs per second at which batches are compared: 10 000 for few-kernel workloads except GMM, 1 000 for all
// others.
std::uint64_t batch_rate(const lax::Workload& workload) {
  return workload.single && workload.name != "GMM" ? 10'000 : 1'000;
}

// Returns the mean response time in us. Every job of a batch has its response when the last job of the batch has
// finished.
double mean_response_us(const workloads::JobStream& stream, const workloads::RunOutcome& outcome,
                        const workloads::FixedBatches& batches) {
  double sum = 0;
  for (const auto& [job, members] : batches.batches()) {
    base::Cycle end = 0;
    for (const workloads::JobIndex member : members) end = std::max(end, outcome.jobs[member].finished);
    sum += static_cast<double>(end - stream.jobs[job].arrival);
  }
  return sum / static_cast<double>(stream.jobs.size()) * 1e6 / static_cast<double>(lax::kCyclesPerSecond);
}

Json run_batches(const lax::Workload& workload, const LaxEntry& entry, const Json& parameters) {
  lax::Arrivals arrivals;
  arrivals.per_second = batch_rate(workload);
  arrivals.jobs = parameters.at("jobs").get<unsigned>();
  arrivals.seed = parameters.at("seed").get<std::uint64_t>();
  const workloads::JobStream stream = lax::generate(workload, arrivals);
  const LoadedMachine loaded = lax_machine(entry, parameters.value("set", std::vector<std::string>()));
  workloads::FixedBatches scheduler(entry.batch, {});
  workloads::ReplayHost host(loaded.machine, stream, scheduler);
  const workloads::RunOutcome outcome = host.run();
  return {{"cycles", outcome.cycles}, {"response_us", mean_response_us(stream, outcome, scheduler)}};
}

}  // namespace

Json lax_figures(const workloads::JobStream& stream, const workloads::RunOutcome& outcome) {
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

Json run_lax(const Json& parameters) {
  const lax::Workload* const workload = lax::find_workload(parameters.at("workload").get<std::string>());
  const auto rate = lax::find_rate(parameters.at("rate").get<std::string>());
  const LaxEntry* const entry = find_lax_entry(parameters.at("scheduler").get<std::string>());
  CASTOR_ASSERT(workload != nullptr && entry != nullptr);
  if (entry->batch != 0) return run_batches(*workload, *entry, parameters);
  CASTOR_ASSERT(rate.has_value());
  lax::Arrivals arrivals;
  arrivals.per_second = workload->rates[static_cast<std::size_t>(*rate)];
  arrivals.jobs = parameters.at("jobs").get<unsigned>();
  arrivals.seed = parameters.at("seed").get<std::uint64_t>();
  workloads::JobStream stream = lax::generate(*workload, arrivals);
  stream.w0 = parameters.value("w0", stream.w0);
  for (workloads::Job& job : stream.jobs) job.deadline = job.deadline * parameters.value("deadline", 100U) / 100;

  const LoadedMachine loaded = lax_machine(*entry, parameters.value("set", std::vector<std::string>()));
  const auto scheduler = entry->knows_w0 ? workloads::make_scheduler(*entry->scheduler, {}, arrivals.seed)
                                         : std::make_unique<workloads::Prophet>(workloads::HostLatencies{}, false);
  Json result;
  const workloads::RunOutcome outcome = run(loaded, stream, *scheduler, entry->observed, result);
  Json out = lax_figures(stream, outcome);
  out.update(result.is_null() ? Json::object() : result);
  return out;
}

}  // namespace castor::platforms::experiments::lax
