#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <unordered_map>
#include <vector>

#include "castor/gpu/device.h"
#include "runtime/job_driver.h"

namespace castor::runtime {

using JobId = std::uint32_t;
using base::Picoseconds;

/// A job as a simulated host knows it: kernels that run one after the other.
struct HostJob {
  Picoseconds arrival = 0;
  std::uint64_t deadline_ns = JobDriver::kNoDeadline;  ///< from its arrival
  std::vector<gpu::KernelPacket> kernels;
  std::uint32_t tag = 0;  ///< the caller's
};

/// How a job went.
struct HostJobResult {
  enum class End : std::uint8_t { kOpen, kRejected, kDone };
  End end = End::kOpen;
  bool met = false;            ///< done, by its deadline
  unsigned reason = 0;         ///< of a rejection by the device
  Picoseconds submitted = 0;   ///< first doorbell; 0 = never
  Picoseconds judged = 0;      ///< the host knows the verdict
  Picoseconds finished = 0;    ///< last kernel complete, on the device; or rejected
  std::uint32_t estimate = 0;  ///< of the verdict, cycles
  std::size_t kernels_done = 0;
};

class SimulatedHost;

/// A scheduler on the host: told what happens in simulated time, acts through the host. All callbacks run in the host's
/// only thread, one after the other, in the order of time; of one time in the order timers, arrivals, news
/// of the device.
class HostScheduler {
 public:
  virtual ~HostScheduler() = default;
  virtual void on_arrival(SimulatedHost& host, JobId job) = 0;
  /// The device has judged a job that was submitted as a whole.
  virtual void on_verdict(SimulatedHost& /*host*/, JobId /*job*/, bool /*accepted*/) {}
  /// The host knows that a kernel of a job is complete; `kernel` is its number in the job.
  virtual void on_kernel_done(SimulatedHost& /*host*/, JobId /*job*/, std::size_t /*kernel*/) {}
  /// The last kernel is complete (comes after its on_kernel_done), or the job was rejected by the device.
  virtual void on_job_end(SimulatedHost& /*host*/, JobId /*job*/) {}
  virtual void on_timer(SimulatedHost& /*host*/, std::uint64_t /*tag*/) {}
};

/// A host in simulated time beside a device (docs/gpu/jobs.md, "Simulated host"): an event loop that lets the device
/// run up to the next arrival, timer or piece of news. Code of the scheduler takes no time; whoever wants its latency
/// charged acts through `after`.
///
/// Times are device time; what is done at time t is seen by the device in the first core cycle behind t. The host
/// learns of a completion or a verdict when the store of its word is acknowledged. Equal inputs give equal runs.
/// Errors: InputError as JobDriver's. Limits: needs a device with timing; one at a time per device.
class SimulatedHost {
 public:
  SimulatedHost(gpu::Device& device, JobDriver& driver, HostScheduler& scheduler);
  ~SimulatedHost();

  /// Before `run`. Jobs may be added in any order.
  JobId add(HostJob job);
  /// Until every job is over and no timer or action is pending. Errors of the device end it early.
  gpu::Outcome run();

  [[nodiscard]] Picoseconds now() const { return device_.now(); }
  [[nodiscard]] std::size_t jobs() const { return jobs_.size(); }
  [[nodiscard]] const HostJob& job(JobId job) const { return jobs_[job].job; }
  [[nodiscard]] const HostJobResult& result(JobId job) const { return jobs_[job].result; }
  [[nodiscard]] JobDriver& driver() { return driver_; }
  /// The queue that the job has now, if any.
  [[nodiscard]] std::optional<unsigned> queue_of(JobId job) const {
    const auto& stream = jobs_[job].stream;
    return stream ? std::optional<unsigned>(driver_.queue(*stream)) : std::nullopt;
  }

  // --- Actions, at the present time ----------------------------------------------------------------------------------

  /// Gives the whole job to the device, with its deadline: kernels and JOB packet. It starts at its arrival. Waits in
  /// the host, in the order of the calls, while no queue is free.
  void submit_job(JobId job);
  /// Gives one kernel of the job to the device, without a JOB packet. A job's kernels run in the order of the calls, in
  /// a queue of its own; the host sees to it that each kernel is launched once.
  void launch_kernel(JobId job, std::size_t kernel);
  /// One grid made of the thread blocks of equal kernels of several jobs, in the order given.
  void launch_merged(const std::vector<std::pair<JobId, std::size_t>>& kernels);
  /// The host keeps the job for itself; nothing of it was given to the device.
  void reject(JobId job);
  /// External priority of a job that was submitted as a whole.
  void set_priority(JobId job, std::uint32_t value);
  /// on_timer(tag) at a time that is not before now.
  void set_timer(Picoseconds at, std::uint64_t tag);
  /// Runs an action later: how host latencies are charged.
  void after(Picoseconds delay, std::function<void()> action);

 private:
  struct Entry {
    HostJob job;
    HostJobResult result;
    bool whole = false;                         ///< given to the device with a JOB packet
    std::optional<JobDriver::StreamId> stream;  ///< its queue, while it needs one
  };
  struct Later {
    Picoseconds at = 0;
    unsigned rank = 0;  ///< of equal times: timers and actions, arrivals
    std::uint64_t order = 0;
    std::function<void()> action;
    [[nodiscard]] bool operator>(const Later& other) const {
      if (at != other.at) return at > other.at;
      return rank != other.rank ? rank > other.rank : order > other.order;
    }
  };
  struct Member {
    JobId job = 0;
    std::size_t kernel = 0;
  };

  void schedule(Picoseconds at, unsigned rank, std::function<void()> action);
  void take_notices();
  void kernel_done(const gpu::Notice& notice);
  void signal(const gpu::Notice& notice);
  void end_job(JobId job, HostJobResult::End end, Picoseconds at);
  [[nodiscard]] bool take_queue(JobId job);
  void give_back(JobId job);
  void serve_waiting();

  gpu::Device& device_;
  JobDriver& driver_;
  HostScheduler& scheduler_;
  std::vector<Entry> jobs_;
  std::priority_queue<Later, std::vector<Later>, std::greater<>> later_;
  std::uint64_t order_ = 0;
  std::size_t open_ = 0;  ///< jobs that are not over
  std::unordered_map<gpu::Ticket, std::vector<Member>> tickets_;
  std::unordered_map<unsigned, JobId> queues_;  ///< queue -> job
  std::vector<std::function<void()>> waiting_;  ///< actions for which no queue was free
};

}  // namespace castor::runtime
