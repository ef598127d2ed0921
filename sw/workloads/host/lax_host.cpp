#include <algorithm>

#include "workloads/host/schedulers.h"

namespace castor::workloads {
namespace {

constexpr std::uint64_t kTick = 0, kSampled = 1;

std::uint32_t cycles_per_tb(Cycle active, std::uint64_t tbs) {
  const std::uint64_t value = (std::min<Cycle>(active, 0xffff'ffff) << 8U) / tbs;
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(value, 1, 0xffff'ffff));
}

// Returns the cycles since `since`; 0 if `since` is in the future.
Cycle elapsed(const Host& host, Cycle since) { return host.now() > since ? host.now() - since : 0; }

}  // namespace

void LaxityTable::set_rate(unsigned type, std::uint32_t tpw) {
  if (tpw_.size() <= type) tpw_.resize(type + 1);
  tpw_[type] = tpw;
}

Cycle LaxityTable::work(const Host& host, JobIndex job, bool* unknown) const {
  std::uint64_t sum = 0;
  const std::vector<KernelCall>& kernels = host.stream().jobs[job].kernels;
  for (std::size_t i = host.kernels_done(job); i < kernels.size(); ++i) {
    const std::uint32_t tpw = kernels[i].type < tpw_.size() ? tpw_[kernels[i].type] : 0;
    if (tpw == 0 && unknown != nullptr) *unknown = true;
    sum += std::uint64_t{kernels[i].tbs} * tpw;
  }
  return sum >> 8U;
}

bool LaxityTable::admits(const Host& host, JobIndex job, const std::vector<JobIndex>& ahead) const {
  const Job& j = host.stream().jobs[job];
  if (j.deadline == Job::kNoDeadline) return true;
  Cycle total = 0;
  for (const JobIndex other : ahead) {
    const Cycle deadline = host.stream().jobs[other].deadline;
    if (deadline == Job::kNoDeadline) continue;
    bool unknown = false;
    const Cycle work_ahead = work(host, other, &unknown);
    total += unknown ? deadline : work_ahead;
  }
  return total + work(host, job) + (host.now() - j.arrival) < j.deadline;
}

LaxityTable::Priority LaxityTable::priority(const Host& host, JobIndex job) const {
  const Job& j = host.stream().jobs[job];
  if (j.deadline == Job::kNoDeadline) return {2, j.arrival};
  const Cycle duration = host.now() - j.arrival;
  if (duration > j.deadline) return {3, 0xffff'ffff};
  const Cycle completion = duration + work(host, job);
  if (completion < j.deadline) return {0, j.deadline - completion};
  return {1, completion};
}

// --- LAX-SW ---------------------------------------------------------------------------------------------------------

std::vector<JobIndex> LaxSoftware::admitted() const {
  std::vector<JobIndex> out;
  out.reserve(live_.size());
  for (const auto& [job, live] : live_) out.push_back(job);
  return out;
}

void LaxSoftware::on_arrival(Host& host, JobIndex job) {
  if (!table_.admits(host, job, admitted())) {
    host.reject(job);
    return;
  }
  live_.emplace(job, Live{});
  if (!ticking_) {
    ticking_ = true;
    host.set_timer(host.now() + latencies_.update, kTick);
  }
  dispatch(host);
}

void LaxSoftware::on_kernel_done(Host& host, JobIndex job) {
  const KernelCall& call = host.stream().jobs[job].kernels[host.kernels_done(job) - 1];
  Window& window = windows_[call.type];
  window.tbs += call.tbs;
  if (--window.running == 0) window.active += elapsed(host, window.since);
  used_ -= share(host, call);
  if (complete(host, job)) {
    live_.erase(job);
  } else {
    live_[job].running = false;
  }
  dispatch(host);
}

// Updates the rates of kernel types, then the priorities of jobs. A rate window without completions is continued.
void LaxSoftware::on_timer(Host& host, std::uint64_t /*tag*/) {
  for (unsigned type = 0; type < windows_.size(); ++type) {
    Window& window = windows_[type];
    if (window.tbs == 0) continue;
    const Cycle active = window.active + (window.running != 0 ? elapsed(host, window.since) : 0);
    table_.set_rate(type, cycles_per_tb(active, window.tbs));
    window.tbs = 0;
    window.active = 0;
    window.since = std::max(window.since, host.now());
  }
  for (auto& [job, live] : live_) live.priority = table_.priority(host, job);
  ticking_ = !live_.empty();
  if (ticking_) host.set_timer(host.now() + latencies_.update, kTick);
  dispatch(host);
}

// Launches the next kernels of the most urgent jobs while their TBs fit into the device. A less urgent job whose kernel
// fits overtakes a job whose kernel does not fit.
void LaxSoftware::dispatch(Host& host) {
  std::vector<JobIndex> order;
  for (const auto& [job, live] : live_) {
    if (!live.running) order.push_back(job);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](JobIndex a, JobIndex b) { return live_[a].priority < live_[b].priority; });
  for (const JobIndex job : order) {
    const KernelCall& call = next_kernel(host, job);
    const std::uint64_t own = share(host, call);
    if (used_ != 0 && used_ + own > kWholeDevice) continue;
    used_ += own;
    live_[job].running = true;
    if (windows_.size() <= call.type) windows_.resize(call.type + 1);
    Window& window = windows_[call.type];
    // The host does not see when the kernel starts. The window counts from the cycle in which the device sees the
    // kernel.
    if (window.running++ == 0) window.since = host.now() + latencies_.communication;
    host.launch(job, latencies_.communication);
  }
}

// --- LAX-CPU --------------------------------------------------------------------------------------------------------

void LaxCpu::on_arrival(Host& host, JobIndex job) {
  if (!table_.admits(host, job, live_)) {
    host.reject(job);
    return;
  }
  live_.push_back(job);
  host.submit(job);
  host.set_priority(job, 0, 0);
  if (!ticking_) {
    ticking_ = true;
    host.set_timer(host.now() + latencies_.update, kTick);
  }
}

void LaxCpu::on_job_end(Host& /*host*/, JobIndex job) {
  const auto found = std::find(live_.begin(), live_.end(), job);
  if (found != live_.end()) live_.erase(found);
}

void LaxCpu::on_timer(Host& host, std::uint64_t tag) {
  const auto types = static_cast<unsigned>(host.stream().types.size());
  if (tag == kTick) {
    sampled_.clear();
    for (unsigned type = 0; type < types; ++type) sampled_.push_back(host.measured_tpw(type));
    host.set_timer(host.now() + latencies_.communication, kSampled);
    ticking_ = !live_.empty();
    if (ticking_) host.set_timer(host.now() + latencies_.update, kTick);
    return;
  }
  for (unsigned type = 0; type < types; ++type) table_.set_rate(type, sampled_[type]);
  for (const JobIndex job : live_) {
    const LaxityTable::Priority priority = table_.priority(host, job);
    const auto value = static_cast<std::uint32_t>(std::min<Cycle>(priority.value, (1U << 30U) - 1));
    host.set_priority(job, std::uint32_t{priority.cls} << 30U | value, latencies_.communication);
  }
}

}  // namespace castor::workloads
