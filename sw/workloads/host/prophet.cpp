#include <algorithm>

#include "workloads/host/schedulers.h"

namespace castor::workloads {
namespace {

// Returns the time that the job still needs when it runs alone, including host messages and parsing.
Cycle alone(const Host& host, JobIndex job, const HostLatencies& latencies) {
  std::vector<std::uint64_t> slots;
  for (unsigned type = 0; type < host.stream().types.size(); ++type) slots.push_back(host.slots(type));
  const Job& j = host.stream().jobs[job];
  const std::size_t done = host.kernels_done(job);
  return host.stream().isolated(j, slots, done) +
         (j.kernels.size() - done) * (latencies.communication + latencies.parse);
}

// Returns the largest bandwidth share of the job's remaining kernels, x 2^20. The unit is the load w0 from which on TBs
// slow down, in warps of 64 lanes.
std::uint64_t bandwidth_share(const Host& host, JobIndex job) {
  const JobStream& stream = host.stream();
  if (stream.w0 == 0) return 0;
  std::uint64_t widest = 0;
  const std::vector<KernelCall>& kernels = stream.jobs[job].kernels;
  for (std::size_t i = host.kernels_done(job); i < kernels.size(); ++i) {
    const std::uint64_t tbs =
        std::min<std::uint64_t>(kernels[i].tbs, std::max<std::uint64_t>(host.slots(kernels[i].type), 1));
    const std::uint64_t warps = tbs * ((stream.types[kernels[i].type].threads + 63) / 64);
    widest = std::max(widest, warps * kWholeDevice / stream.w0);
  }
  return widest;
}

}  // namespace

void Prophet::on_arrival(Host& host, JobIndex job) {
  waiting_.push_back(job);
  launch(host);
}

void Prophet::on_kernel_done(Host& host, JobIndex job) {
  if (!complete(host, job)) {
    host.launch(job, latencies_.communication);
    return;
  }
  running_.erase(std::find(running_.begin(), running_.end(), job));
  launch(host);
}

bool Prophet::all_in_time(const Host& host, JobIndex candidate) const {
  std::vector<JobIndex> set = running_;
  set.push_back(candidate);
  std::uint64_t slots = 0, bandwidth = 0;
  for (const JobIndex job : set) {
    slots += widest_share(host, job);
    if (knows_w0_) bandwidth += bandwidth_share(host, job);
  }
  const std::uint64_t factor = std::max({kWholeDevice, slots, bandwidth});
  return std::all_of(set.begin(), set.end(), [&](JobIndex job) {
    const Job& j = host.stream().jobs[job];
    if (j.deadline == Job::kNoDeadline) return true;
    const Cycle left = alone(host, job, latencies_) * factor / kWholeDevice;
    return host.now() - j.arrival + left <= j.deadline;
  });
}

void Prophet::launch(Host& host) {
  while (!waiting_.empty()) {
    const JobIndex job = waiting_.front();
    const Job& j = host.stream().jobs[job];
    const bool hopeless =
        j.deadline != Job::kNoDeadline && host.now() - j.arrival + alone(host, job, latencies_) > j.deadline;
    if (hopeless) {
      waiting_.pop_front();
      host.reject(job);
      continue;
    }
    if (!running_.empty() && !all_in_time(host, job)) return;
    waiting_.pop_front();
    running_.push_back(job);
    host.launch(job, latencies_.communication);
  }
}

}  // namespace castor::workloads
