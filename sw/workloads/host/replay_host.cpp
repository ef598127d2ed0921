#include "workloads/host/replay_host.h"

#include <algorithm>
#include <utility>

#include "castor/base/error.h"
#include "castor/gpu/occupancy.h"

namespace castor::workloads {

ReplayHost::ReplayHost(const gpu::Machine& machine, const JobStream& stream, Scheduler& scheduler)
    : machine_(machine),
      stream_(stream),
      scheduler_(scheduler),
      file_(gpu::ReplayFile::parse(stream.replay_text(), stream.name)),
      jobs_(stream.jobs.size()) {
  gpu::TimingDevice::Options options;
  options.gpu.replay = &file_;
  options.gpu.observer = this;
  device_ = std::make_unique<gpu::TimingDevice>(machine, std::move(options));
  for (const gpu::ReplayType& type : file_.types()) {
    programs_.push_back(device_->load(type.program));
    const gpu::Occupancy fit = gpu::occupancy(machine, {type.threads, type.registers, type.shared});
    slots_.push_back(std::uint64_t{fit.tbs_per_sm} * machine.chip.sms);
    if (fit.tbs_per_sm == 0) throw base::InputError("kernel " + type.name + " fits on no SM of " + machine.name);
  }
  for (unsigned queue = machine.queue.count; queue > 0; --queue) free_queues_.push_back(queue - 1);
  for (std::size_t i = 0; i < stream.jobs.size(); ++i) {
    events_.push({stream.jobs[i].arrival, false, order_++, i});
  }
}

ReplayHost::~ReplayHost() = default;

RunOutcome ReplayHost::run() {
  gpu::Gpu& gpu = device_->gpu();
  for (;;) {
    const Cycle device = gpu.next_cycle();
    const Cycle host = events_.empty() ? base::kForever : events_.top().at;
    if (device == base::kForever && host == base::kForever) break;
    if (device < host) {
      gpu.run_cycle(device);
      if (!completed_.empty()) {
        now_ = device + 1;
        deliver_completions();
      }
      continue;
    }
    now_ = host;
    const Event event = events_.top();
    events_.pop();
    if (event.timer) {
      scheduler_.on_timer(*this, event.tag);
    } else {
      scheduler_.on_arrival(*this, static_cast<JobIndex>(event.tag));
    }
  }
  if (const auto fault = gpu.front_end().faults().take()) throw base::Error("fault: " + fault->message);
  RunOutcome out;
  out.cycles = gpu.now();
  for (const State& job : jobs_) out.jobs.push_back(job.outcome);
  return out;
}

// --- The device -----------------------------------------------------------------------------------------------------

void ReplayHost::tb_placed(const Tb& event) {
  if (event.gid != 0) return;
  for (const JobIndex job : tickets_.at(event.kernel->ticket)) {
    State& state = jobs_[job];
    if (state.outcome.tbs == 0 && state.outcome.started == 0) state.outcome.started = event.cycle;
  }
}

void ReplayHost::kernel_completed(const Kernel& event) { completed_.emplace_back(event.ticket, event.cycle); }

void ReplayHost::deliver_completions() {
  const auto completed = std::exchange(completed_, {});
  for (const auto& [ticket, cycle] : completed) {
    const auto node = tickets_.extract(ticket);
    const std::vector<JobIndex>& members = node.mapped();
    for (const JobIndex job : members) {
      State& state = jobs_[job];
      const Job& j = stream_.jobs[job];
      state.outcome.tbs += j.kernels[state.done].tbs;
      ++state.done;
      if (state.done == j.kernels.size()) {
        state.outcome.end = JobOutcome::End::kDone;
        state.outcome.finished = cycle;
      }
    }
    for (const JobIndex job : members) {
      State& state = jobs_[job];
      const bool over = state.outcome.ran();
      if (over && state.queue != kNoQueue) {
        free_queues_.insert(std::upper_bound(free_queues_.begin(), free_queues_.end(), state.queue, std::greater<>()),
                            state.queue);
        state.queue = kNoQueue;
      }
      scheduler_.on_kernel_done(*this, job);
      if (over) scheduler_.on_job_end(*this, job);
    }
  }
  std::vector<Pending> waiting = std::exchange(waiting_, {});
  for (Pending& pending : waiting) {
    if (take_queue(pending.jobs)) {
      pending.visible = std::max(pending.visible, now_);
      send(pending);
    } else {
      waiting_.push_back(std::move(pending));
    }
  }
}

// Returns 0 (not measured): the device of this host has no profiling table.
std::uint32_t ReplayHost::measured_tpw(unsigned /*type*/) const { return 0; }

// --- Actions --------------------------------------------------------------------------------------------------------

void ReplayHost::submit(JobIndex job) { give({job}, true, now_); }

void ReplayHost::launch(JobIndex job, Cycle delay) { give({job}, false, now_ + delay); }

void ReplayHost::launch_merged(const std::vector<JobIndex>& jobs, Cycle delay) { give(jobs, false, now_ + delay); }

void ReplayHost::give(const std::vector<JobIndex>& jobs, bool whole, Cycle visible) {
  Pending pending{jobs, whole, visible};
  if (take_queue(jobs)) {
    send(pending);
  } else {
    waiting_.push_back(std::move(pending));
  }
}

// Allocates a queue for the first job, unless it has one. A merged grid uses the queue of its first job. Returns false
// if no queue is free.
bool ReplayHost::take_queue(const std::vector<JobIndex>& jobs) {
  State& first = jobs_[jobs.front()];
  if (first.queue != kNoQueue) return true;
  if (free_queues_.empty()) return false;
  first.queue = free_queues_.back();
  free_queues_.pop_back();
  return true;
}

void ReplayHost::send(const Pending& pending) {
  const JobIndex first = pending.jobs.front();
  const State& state = jobs_[first];
  const Job& job = stream_.jobs[first];
  const std::size_t end = pending.whole ? job.kernels.size() : state.done + 1;
  for (std::size_t i = state.done; i < end; ++i) {
    const unsigned type = job.kernels[i].type;
    std::uint64_t tbs = job.kernels[i].tbs;
    for (std::size_t member = 1; member < pending.jobs.size(); ++member) {
      const KernelCall& call = next_kernel(*this, pending.jobs[member]);
      CASTOR_ASSERT(call.type == type, "kernels of one grid are of one type");
      tbs += call.tbs;
    }
    gpu::KernelPacket packet = gpu::ReplayFile::packet(file_.types()[type], programs_[type]);
    packet.grid = {static_cast<std::uint32_t>(tbs), 1, 1};
    if (device_->gpu().front_end().queue_full(state.queue)) {
      throw base::InputError("a job of " + std::to_string(job.kernels.size()) + " kernels does not fit into a queue",
                             "queue.depth is " + std::to_string(machine_.queue.depth));
    }
    const gpu::Ticket ticket = device_->gpu().front_end().submit(state.queue, std::move(packet), pending.visible);
    tickets_.emplace(ticket, pending.jobs);
  }
}

void ReplayHost::reject(JobIndex job) {
  CASTOR_ASSERT(jobs_[job].done == 0 && jobs_[job].queue == kNoQueue, "a job that runs is refused");
  jobs_[job].outcome.end = JobOutcome::End::kRejected;
}

void ReplayHost::set_timer(Cycle at, std::uint64_t tag) {
  CASTOR_ASSERT(at >= now_);
  events_.push({at, true, order_++, tag});
}

}  // namespace castor::workloads
