#include "runtime/simulated_host.h"

#include <algorithm>
#include <utility>

#include "castor/base/error.h"
#include "castor/base/time.h"
#include "castor/gpu/machine.h"

namespace castor::runtime {
namespace {

constexpr unsigned kTimer = 0, kArrival = 1;

bool over(gpu::JobStatus status) {
  using gpu::JobStatus;
  return status == JobStatus::kRejected || status == JobStatus::kDone || status == JobStatus::kDoneLate ||
         status == JobStatus::kError;
}

}  // namespace

SimulatedHost::SimulatedHost(gpu::Device& device, JobDriver& driver, HostScheduler& scheduler)
    : device_(device), driver_(driver), scheduler_(scheduler) {
  if (!device.has_timing()) {
    throw base::InputError("a simulated host needs a device with timing", "leave out run.functional");
  }
  device_.collect_notices(true);
}

SimulatedHost::~SimulatedHost() { device_.collect_notices(false); }

JobId SimulatedHost::add(HostJob job) {
  if (job.kernels.empty()) throw base::InputError("a job without kernels");
  const auto id = static_cast<JobId>(jobs_.size());
  const Picoseconds arrival = job.arrival;
  jobs_.emplace_back();
  jobs_.back().job = std::move(job);
  ++open_;
  schedule(arrival, kArrival, [this, id] { scheduler_.on_arrival(*this, id); });
  return id;
}

void SimulatedHost::schedule(Picoseconds at, unsigned rank, std::function<void()> action) {
  later_.push({std::max(at, now()), rank, order_++, std::move(action)});
}

void SimulatedHost::set_timer(Picoseconds at, std::uint64_t tag) {
  schedule(at, kTimer, [this, tag] { scheduler_.on_timer(*this, tag); });
}

void SimulatedHost::after(Picoseconds delay, std::function<void()> action) {
  schedule(now() + delay, kTimer, std::move(action));
}

gpu::Outcome SimulatedHost::run() {
  while (open_ > 0 || !later_.empty()) {
    while (!later_.empty() && later_.top().at <= now()) {
      const std::function<void()> action = later_.top().action;
      later_.pop();
      action();
    }
    take_notices();
    if (open_ == 0 && later_.empty()) break;
    if (!later_.empty() && later_.top().at <= now()) continue;
    const Picoseconds until = later_.empty() ? gpu::Device::kNoTime : later_.top().at;
    const gpu::Outcome outcome = device_.advance_to_notice(until);
    if (outcome != gpu::Outcome::kDone) return outcome;
  }
  return gpu::Outcome::kDone;
}

// --- Notifications of the device -------------------------------------------------------------------------------------

void SimulatedHost::take_notices() {
  for (const gpu::Notice& notice : device_.take_notices()) {
    if (notice.what == gpu::Notice::What::kPacketDone) {
      kernel_done(notice);
    } else {
      signal(notice);
    }
  }
}

void SimulatedHost::kernel_done(const gpu::Notice& notice) {
  const auto found = tickets_.find(notice.ticket);
  if (found == tickets_.end()) return;  // a JOB packet, or a packet of another user
  const std::vector<Member> members = std::move(found->second);
  tickets_.erase(found);
  if (notice.discarded) return;
  const Picoseconds at = base::Clock(base::kilohertz(device_.machine().clock.core_mhz)).time_of(notice.cycle);
  for (const Member& member : members) {
    Entry& entry = jobs_[member.job];
    ++entry.result.kernels_done;
    entry.result.finished = at;
    scheduler_.on_kernel_done(*this, member.job, member.kernel);
  }
  for (const Member& member : members) {
    const Entry& entry = jobs_[member.job];
    if (!entry.whole && entry.result.kernels_done == entry.job.kernels.size()) {
      end_job(member.job, HostJobResult::End::kDone, at);
    }
  }
}

void SimulatedHost::signal(const gpu::Notice& notice) {
  const auto found = queues_.find(notice.queue);
  if (found == queues_.end() || !jobs_[found->second].whole) return;
  const JobId id = found->second;
  Entry& entry = jobs_[id];
  if (entry.result.judged == 0 && notice.signal.status != gpu::JobStatus::kDone &&
      notice.signal.status != gpu::JobStatus::kDoneLate) {
    entry.result.judged = now();
    entry.result.estimate = notice.signal.value;
    entry.result.reason = notice.signal.reason;
    scheduler_.on_verdict(*this, id, notice.signal.status == gpu::JobStatus::kAccepted);
  }
  const gpu::JobSignal state = driver_.poll(*entry.stream);
  if (!over(state.status)) return;
  const Picoseconds at = base::Clock(base::kilohertz(device_.machine().clock.core_mhz)).time_of(notice.cycle);
  if (state.status == gpu::JobStatus::kDone || state.status == gpu::JobStatus::kDoneLate) {
    end_job(id, HostJobResult::End::kDone, entry.result.finished);
  } else {
    entry.result.reason = state.reason;
    end_job(id, HostJobResult::End::kRejected, at);
  }
}

void SimulatedHost::end_job(JobId id, HostJobResult::End end, Picoseconds at) {
  Entry& entry = jobs_[id];
  CASTOR_ASSERT(entry.result.end == HostJobResult::End::kOpen, "job %u ends twice", id);
  entry.result.end = end;
  entry.result.finished = at;
  const std::uint64_t deadline = entry.job.deadline_ns;
  entry.result.met =
      end == HostJobResult::End::kDone &&
      (deadline == JobDriver::kNoDeadline || at - entry.job.arrival <= deadline * base::kPicosecondsPerNanosecond);
  --open_;
  give_back(id);
  scheduler_.on_job_end(*this, id);
  serve_waiting();
}

// --- Queues ---------------------------------------------------------------------------------------------------------

bool SimulatedHost::take_queue(JobId id) {
  Entry& entry = jobs_[id];
  if (entry.stream) return true;
  if (driver_.available() == 0) return false;
  entry.stream = driver_.create(entry.job.deadline_ns);
  queues_[driver_.queue(*entry.stream)] = id;
  return true;
}

void SimulatedHost::give_back(JobId id) {
  Entry& entry = jobs_[id];
  if (!entry.stream) return;
  queues_.erase(driver_.queue(*entry.stream));
  driver_.destroy(*entry.stream);
  entry.stream.reset();
}

// Retries the actions that wait for a queue, in the order of the calls.
void SimulatedHost::serve_waiting() {
  while (!waiting_.empty() && driver_.available() != 0) {
    std::vector<std::function<void()>> actions = std::exchange(waiting_, {});
    for (auto& action : actions) action();
  }
}

// --- Actions --------------------------------------------------------------------------------------------------------

void SimulatedHost::submit_job(JobId id) {
  if (!take_queue(id)) {
    waiting_.emplace_back([this, id] { submit_job(id); });
    return;
  }
  Entry& entry = jobs_[id];
  entry.whole = true;
  entry.result.submitted = now();
  for (const gpu::KernelPacket& kernel : entry.job.kernels) driver_.enqueue(*entry.stream, kernel);
  const base::Clock clock(base::kilohertz(device_.machine().clock.core_mhz));
  const std::vector<gpu::Ticket> tickets = driver_.submit(*entry.stream, clock.first_at_or_after(entry.job.arrival));
  for (std::size_t i = 0; i < tickets.size(); ++i) tickets_[tickets[i]] = {{id, i}};
}

void SimulatedHost::launch_kernel(JobId id, std::size_t kernel) {
  if (!take_queue(id)) {
    waiting_.emplace_back([this, id, kernel] { launch_kernel(id, kernel); });
    return;
  }
  Entry& entry = jobs_[id];
  if (entry.result.submitted == 0) entry.result.submitted = now();
  const gpu::Ticket ticket = device_.submit(driver_.queue(*entry.stream), entry.job.kernels[kernel]);
  tickets_[ticket] = {{id, kernel}};
}

void SimulatedHost::launch_merged(const std::vector<std::pair<JobId, std::size_t>>& kernels) {
  CASTOR_ASSERT(!kernels.empty());
  const JobId first = kernels.front().first;
  if (!take_queue(first)) {
    waiting_.emplace_back([this, kernels] { launch_merged(kernels); });
    return;
  }
  gpu::KernelPacket packet = jobs_[first].job.kernels[kernels.front().second];
  std::uint64_t tbs = 0;
  std::vector<Member> members;
  for (const auto& [id, kernel] : kernels) {
    Entry& entry = jobs_[id];
    if (entry.result.submitted == 0) entry.result.submitted = now();
    tbs += entry.job.kernels[kernel].grid.count();
    members.push_back({id, kernel});
  }
  packet.grid = {static_cast<std::uint32_t>(tbs), 1, 1};
  tickets_[device_.submit(driver_.queue(*jobs_[first].stream), packet)] = std::move(members);
}

void SimulatedHost::reject(JobId id) { end_job(id, HostJobResult::End::kRejected, now()); }

void SimulatedHost::set_priority(JobId id, std::uint32_t value) {
  if (jobs_[id].stream) driver_.set_priority(*jobs_[id].stream, value);
}

}  // namespace castor::runtime
