#include "workloads/host/schedulers.h"

#include <algorithm>

namespace castor::workloads {

std::uint64_t share(const Host& host, const KernelCall& call) {
  const std::uint64_t slots = host.slots(call.type);
  if (slots == 0) return 0;
  return std::min(kWholeDevice, (call.tbs * kWholeDevice + slots - 1) / slots);
}

std::uint64_t widest_share(const Host& host, JobIndex job) {
  const std::vector<KernelCall>& kernels = host.stream().jobs[job].kernels;
  std::uint64_t widest = 0;
  for (std::size_t i = host.kernels_done(job); i < kernels.size(); ++i) {
    widest = std::max(widest, share(host, kernels[i]));
  }
  return widest;
}

std::uint64_t mean_share(const Host& host, JobIndex job) {
  std::uint64_t weighted = 0, time = 0;
  for (const KernelCall& call : host.stream().jobs[job].kernels) {
    const std::uint64_t service = host.stream().types[call.type].service;
    weighted += share(host, call) * service;
    time += service;
  }
  return weighted / time;
}

const std::vector<SchedulerInfo>& schedulers() {
  static const std::vector<SchedulerInfo> all = {
      {"RR", Place::kCommandProcessor, "rr", "round robin over queues"},
      {"MLFQ", Place::kCommandProcessor, "mlfq", "two levels by elapsed share of the deadline"},
      {"BAT", Place::kHost, "", "BatchMaker: equal kernels of jobs in one grid"},
      {"BAY", Place::kHost, "", "Baymax: predicted headroom"},
      {"PRO", Place::kHost, "", "Prophet: predicted interference"},
      {"LJF", Place::kCommandProcessor, "ljf", "longest job first"},
      {"SJF", Place::kCommandProcessor, "sjf", "shortest job first"},
      {"SRF", Place::kCommandProcessor, "srf", "shortest remaining time first"},
      {"PREMA", Place::kCommandProcessor, "prema", "tokens, preemption"},
      {"EDF", Place::kCommandProcessor, "edf", "earliest deadline first"},
      {"LAX-SW", Place::kHost, "", "LAX on the host"},
      {"LAX-CPU", Place::kShared, "ext", "LAX on the host, priorities in registers"},
      {"LAX", Place::kCommandProcessor, "lax", "least laxity first, with admission"},
  };
  return all;
}

const SchedulerInfo* find_scheduler(std::string_view name) {
  for (const SchedulerInfo& info : schedulers()) {
    if (name == info.name) return &info;
  }
  return nullptr;
}

std::unique_ptr<Scheduler> make_scheduler(const SchedulerInfo& info, const HostLatencies& latencies,
                                          std::uint64_t seed) {
  const std::string_view name = info.name;
  if (name == "BAT") return std::make_unique<BatchMaker>(latencies);
  if (name == "BAY") return std::make_unique<Baymax>(latencies, seed);
  if (name == "PRO") return std::make_unique<Prophet>(latencies);
  if (name == "LAX-SW") return std::make_unique<LaxSoftware>(latencies);
  if (name == "LAX-CPU") return std::make_unique<LaxCpu>(latencies);
  return std::make_unique<SubmitAll>();
}

}  // namespace castor::workloads
