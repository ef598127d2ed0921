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

/// Job on the simulated host: kernels that run one after the other.
struct HostJob {
  Picoseconds arrival = 0;
  std::uint64_t deadline_ns = JobDriver::kNoDeadline;  ///< relative to the arrival
  std::vector<gpu::KernelPacket> kernels;
  std::uint32_t tag = 0;  ///< free for the caller's use
};

/// Outcome of a job.
struct HostJobResult {
  enum class End : std::uint8_t { kOpen, kRejected, kDone };
  End end = End::kOpen;
  bool met = false;            ///< complete within its deadline
  unsigned reason = 0;         ///< reason code, if the device rejected the job
  Picoseconds submitted = 0;   ///< time of the first doorbell; 0: never submitted
  Picoseconds judged = 0;      ///< time at which the host learned the verdict
  Picoseconds finished = 0;    ///< time at which the last kernel completed on the device, or of the rejection
  std::uint32_t estimate = 0;  ///< estimate of the verdict, in cycles
  std::size_t kernels_done = 0;
};

class SimulatedHost;

/// Scheduler that runs on the simulated host. It is notified of events in simulated time and acts through the
/// SimulatedHost. Callbacks run one after the other in the host's only thread, in the order of time. Simultaneous
/// events come in the order timers, arrivals, notifications of the device.
class HostScheduler {
 public:
  virtual ~HostScheduler() = default;
  virtual void on_arrival(SimulatedHost& host, JobId job) = 0;
  /// The device has judged a job that was submitted with a JOB packet.
  virtual void on_verdict(SimulatedHost& /*host*/, JobId /*job*/, bool /*accepted*/) {}
  /// The host has learned that a kernel of a job is complete; `kernel` is its number in the job.
  virtual void on_kernel_done(SimulatedHost& /*host*/, JobId /*job*/, std::size_t /*kernel*/) {}
  /// The job's last kernel is complete (called after on_kernel_done), or the device rejected the job.
  virtual void on_job_end(SimulatedHost& /*host*/, JobId /*job*/) {}
  virtual void on_timer(SimulatedHost& /*host*/, std::uint64_t /*tag*/) {}
};

/// Host in simulated time next to a device (docs/gpu/jobs.md, "Simulated host"). It is an event loop that lets the
/// device run up to the next arrival, timer or notification. Code of the scheduler takes no simulated time; `after`
/// charges its latency.
///
/// Times are device time. The device sees an action of time t in the first core cycle after t. The host learns of a
/// completion or a verdict when the store of its signal word is acknowledged. Equal inputs give equal runs. Errors: the
/// InputErrors of JobDriver. Limits: needs a device with timing; one simulated host per device.
class SimulatedHost {
 public:
  SimulatedHost(gpu::Device& device, JobDriver& driver, HostScheduler& scheduler);
  ~SimulatedHost();

  /// Adds a job. Must be called before `run`; jobs may be added in any order.
  JobId add(HostJob job);
  /// Runs until every job is over and no timer or action is pending. A device error ends the run early.
  gpu::Outcome run();

  [[nodiscard]] Picoseconds now() const { return device_.now(); }
  [[nodiscard]] std::size_t jobs() const { return jobs_.size(); }
  [[nodiscard]] const HostJob& job(JobId job) const { return jobs_[job].job; }
  [[nodiscard]] const HostJobResult& result(JobId job) const { return jobs_[job].result; }
  [[nodiscard]] JobDriver& driver() { return driver_; }
  /// Returns the queue that the job holds now, if any.
  [[nodiscard]] std::optional<unsigned> queue_of(JobId job) const {
    const auto& stream = jobs_[job].stream;
    return stream ? std::optional<unsigned>(driver_.queue(*stream)) : std::nullopt;
  }

  // //: --- Actions, at the current time
  // ------------------------------------------------------------------------------------

  /// Submits the whole job with its deadline to the device: JOB packet and kernels. The deadline counts from the job's
  /// arrival. While no queue is free, the request waits in the host, in the order of the calls.
  void submit_job(JobId job);
  /// Submits one kernel of the job to the device, without a JOB packet. The kernels of a job run in the order of the
  /// calls, in a queue of its own. The scheduler must launch each kernel once.
  void launch_kernel(JobId job, std::size_t kernel);
  /// Launches one grid made of the thread blocks of equal kernels of several jobs, in the given order.
  void launch_merged(const std::vector<std::pair<JobId, std::size_t>>& kernels);
  /// Rejects a job on the host; no part of the job may have been submitted to the device.
  void reject(JobId job);
  /// Sets the external priority of a job that was submitted with a JOB packet.
  void set_priority(JobId job, std::uint32_t value);
  /// Calls on_timer(tag) at time `at`, which must not be before now.
  void set_timer(Picoseconds at, std::uint64_t tag);
  /// Runs an action after a delay; used to charge host latencies.
  void after(Picoseconds delay, std::function<void()> action);

 private:
  /// Job with its state.
  struct Entry {
    HostJob job;
    HostJobResult result;
    bool whole = false;                         ///< the job was submitted with a JOB packet
    std::optional<JobDriver::StreamId> stream;  ///< stream of the job while it needs a queue
  };
  /// Scheduled action; ordered by time, rank and order of scheduling.
  struct Later {
    Picoseconds at = 0;
    unsigned rank = 0;  ///< order at equal times: timers and actions before arrivals
    std::uint64_t order = 0;
    std::function<void()> action;
    [[nodiscard]] bool operator>(const Later& other) const {
      if (at != other.at) return at > other.at;
      return rank != other.rank ? rank > other.rank : order > other.order;
    }
  };
  /// Kernel of a job, as a part of a packet.
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
  std::size_t open_ = 0;  ///< number of jobs that are not over
  std::unordered_map<gpu::Ticket, std::vector<Member>> tickets_;
  std::unordered_map<unsigned, JobId> queues_;  ///< job that holds each queue
  std::vector<std::function<void()>> waiting_;  ///< actions that wait for a free queue
};

}  // namespace castor::runtime
