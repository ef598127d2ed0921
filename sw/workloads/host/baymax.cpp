#include <algorithm>
#include <limits>

#include "castor/gpu/replay/service.h"
#include "workloads/host/schedulers.h"

namespace castor::workloads {
namespace {

// Returns the isolated time with a normally distributed error of 5 %. The error is drawn as a factor x 2^20, so that
// long jobs need no wide numbers.
Cycle predict(const Host& host, JobIndex job, Cycle parse, std::uint64_t seed) {
  gpu::ServiceLaw law;
  law.kind = gpu::ServiceLaw::Kind::kNormal;
  law.a = 1U << 20U;
  law.b = law.a / 20;
  std::vector<std::uint64_t> slots;
  for (unsigned type = 0; type < host.stream().types.size(); ++type) slots.push_back(host.slots(type));
  const std::uint64_t factor = law.draw(seed, 0x626179, job);
  return ((host.stream().isolated(host.stream().jobs[job], slots) + parse) * factor) >> 20U;
}

}  // namespace

void Baymax::on_arrival(Host& host, JobIndex job) {
  model_free_ = std::max(model_free_, host.now()) + latencies_.model_call;
  host.set_timer(model_free_, job);
}

// The regression for a job has finished: its prediction is available.
void Baymax::on_timer(Host& host, std::uint64_t tag) {
  const auto job = static_cast<JobIndex>(tag);
  const std::size_t kernels = host.stream().jobs[job].kernels.size();
  waiting_.emplace(job, predict(host, job, kernels * latencies_.parse, seed_) + kernels * latencies_.communication);
  launch(host);
}

void Baymax::on_kernel_done(Host& host, JobIndex job) {
  if (!complete(host, job)) {
    host.launch(job, latencies_.communication);
    return;
  }
  running_.erase(std::find_if(running_.begin(), running_.end(), [&](const Running& r) { return r.job == job; }));
  launch(host);
}

void Baymax::launch(Host& host) {
  for (;;) {
    std::uint64_t used = 0, work = 0;
    for (const Running& r : running_) {
      used += r.share;
      const Cycle left = r.ends > host.now() ? r.ends - host.now() : 0;
      work += left * r.share / kWholeDevice;
    }
    bool found = false;
    JobIndex best = 0;
    auto least = std::numeric_limits<std::int64_t>::max();
    for (const auto& [job, duration] : waiting_) {
      const Job& j = host.stream().jobs[job];
      const bool room = used == 0 || used + mean_share(host, job) <= kWholeDevice;
      const Cycle spent = host.now() - j.arrival + (room ? 0 : work) + duration;
      const std::int64_t headroom = j.deadline == Job::kNoDeadline
                                        ? std::numeric_limits<std::int64_t>::max() - 1
                                        : static_cast<std::int64_t>(j.deadline) - static_cast<std::int64_t>(spent);
      if (headroom < 0 || headroom >= least) continue;
      least = headroom;
      best = job;
      found = true;
    }
    if (!found) return;
    const std::uint64_t own = mean_share(host, best);
    // Running jobs with more shares than the device holds would lose headroom.
    if (used != 0 && used + own > kWholeDevice) return;
    const auto at = waiting_.find(best);
    running_.push_back({best, host.now() + at->second, own});
    waiting_.erase(at);
    host.launch(best, latencies_.communication);
  }
}

}  // namespace castor::workloads
