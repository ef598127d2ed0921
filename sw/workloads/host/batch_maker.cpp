#include <algorithm>
#include <iterator>
#include <utility>

#include "workloads/host/schedulers.h"

namespace castor::workloads {

void BatchMaker::on_arrival(Host& host, JobIndex job) {
  wait(host, job);
  launch(host);
}

void BatchMaker::on_kernel_done(Host& host, JobIndex job) {
  for (auto& [type, kind] : kinds_) {
    if (std::find(kind.batch.begin(), kind.batch.end(), job) == kind.batch.end()) continue;
    if (--kind.running != 0) return;
    const std::vector<JobIndex> members = std::move(kind.batch);
    kind.batch.clear();
    for (const JobIndex member : members) {
      if (!complete(host, member)) wait(host, member);
    }
    launch(host);
    return;
  }
}

void BatchMaker::wait(Host& host, JobIndex job) {
  std::vector<JobIndex>& waiting = kinds_[next_kernel(host, job).type].waiting;
  waiting.insert(std::upper_bound(waiting.begin(), waiting.end(), job), job);
}

void BatchMaker::launch(Host& host) {
  for (;;) {
    Kind* best = nullptr;
    for (auto& [type, kind] : kinds_) {
      if (kind.running != 0 || kind.waiting.empty()) continue;
      const bool better = best == nullptr || kind.waiting.size() > best->waiting.size() ||
                          (kind.waiting.size() == best->waiting.size() && kind.waiting[0] < best->waiting[0]);
      if (better) best = &kind;
    }
    if (best == nullptr) return;
    std::uint64_t filled = 0;
    std::ptrdiff_t size = 0;
    while (static_cast<std::size_t>(size) < std::min(best->waiting.size(), kMaxJobs)) {
      filled += share(host, next_kernel(host, best->waiting[static_cast<std::size_t>(size)]));
      if (size != 0 && filled > kWholeDevice) break;
      ++size;
    }
    best->batch.assign(best->waiting.begin(), best->waiting.begin() + size);
    best->waiting.erase(best->waiting.begin(), best->waiting.begin() + size);
    best->running = best->batch.size();
    host.launch_merged(best->batch, latencies_.communication);
  }
}

// --- Batches of a fixed size ----------------------------------------------------------------------------------------

void FixedBatches::on_arrival(Host& host, JobIndex job) {
  std::vector<JobIndex>& waiting = waiting_[host.stream().jobs[job].variant];
  waiting.push_back(job);
  if (waiting.size() == size_) start(host, std::exchange(waiting, {}));
  if (job + 1 != host.stream().jobs.size()) return;
  for (auto& [variant, rest] : waiting_) {
    if (!rest.empty()) start(host, std::exchange(rest, {}));
  }
}

void FixedBatches::start(Host& host, std::vector<JobIndex> jobs) {
  for (const JobIndex job : jobs) batches_[job] = jobs;
  step(host, jobs);
}

// Launches the next kernel of all jobs that are not complete as one grid. Jobs of one variant have the same kernels in
// the same order; shorter jobs only end earlier.
void FixedBatches::step(Host& host, const std::vector<JobIndex>& jobs) {
  std::vector<JobIndex> left;
  std::copy_if(jobs.begin(), jobs.end(), std::back_inserter(left), [&](JobIndex job) { return !complete(host, job); });
  if (left.empty()) return;
  running_[jobs.front()] = left.size();
  host.launch_merged(left, latencies_.communication);
}

void FixedBatches::on_kernel_done(Host& host, JobIndex job) {
  const std::vector<JobIndex>& jobs = batches_.at(job);
  if (--running_.at(jobs.front()) == 0) step(host, jobs);
}

}  // namespace castor::workloads
