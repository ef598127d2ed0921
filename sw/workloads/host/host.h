#pragma once

#include <cstddef>
#include <cstdint>

#include "workloads/job_stream.h"

/// Schedulers that run on the host's processor, and the host interface that they use (docs/results/lax.md,
/// "Schedulers").
namespace castor::workloads {

/// Index of a job in its stream.
using JobIndex = std::uint32_t;

/// Interface of a host to its scheduler: queries and actions. The scheduler's own code takes no simulated time; it
/// passes its latencies as `delay`, in core cycles.
class Host {
 public:
  virtual ~Host() = default;

  /// Returns the current time in core cycles of the stream.
  [[nodiscard]] virtual Cycle now() const = 0;
  [[nodiscard]] virtual const JobStream& stream() const = 0;
  /// Returns the number of the job's kernels that the host knows to be complete.
  [[nodiscard]] virtual std::size_t kernels_done(JobIndex job) const = 0;
  /// Returns the number of TBs of a kernel type that fit into the empty device.
  [[nodiscard]] virtual std::uint64_t slots(unsigned type) const = 0;
  /// Returns the core cycles per TB of a kernel type as measured by the device (24.8 bits); 0 if not measured yet.
  [[nodiscard]] virtual std::uint32_t measured_tpw(unsigned type) const = 0;

  /// Submits a whole job to the device: all kernels at once, with the job's deadline.
  virtual void submit(JobIndex job) = 0;
  /// Submits the job's next kernel, which the device sees `delay` cycles later. The job must have no kernel in flight.
  virtual void launch(JobIndex job, Cycle delay) = 0;
  /// Submits the next kernels of several jobs, which must be of one type, as one grid with all their TBs.
  virtual void launch_merged(const std::vector<JobIndex>& jobs, Cycle delay) = 0;
  /// Rejects the job: it is not run on the device.
  virtual void reject(JobIndex job) = 0;
  /// Sets the external priority of a submitted job, effective after `delay`; a smaller value is more urgent.
  virtual void set_priority(JobIndex job, std::uint32_t value, Cycle delay) = 0;
  /// Calls Scheduler::on_timer in cycle `at`, which must not be in the past.
  virtual void set_timer(Cycle at, std::uint64_t tag) = 0;
};

/// A scheduler on the host. The host calls its callbacks one at a time, in order of time.
class Scheduler {
 public:
  virtual ~Scheduler() = default;
  /// Called when a job arrives at the host.
  virtual void on_arrival(Host& host, JobIndex job) = 0;
  /// Called when a kernel of the job has completed; Host::kernels_done already counts it. A merged launch causes one
  /// call per job.
  virtual void on_kernel_done(Host& /*host*/, JobIndex /*job*/) {}
  /// Called when a submitted job has finished or the device has refused it.
  virtual void on_job_end(Host& /*host*/, JobIndex /*job*/) {}
  /// Called in the cycle that Host::set_timer requested, with the timer's `tag`.
  virtual void on_timer(Host& /*host*/, std::uint64_t /*tag*/) {}
};

/// Returns the next kernel of a job that is not complete.
[[nodiscard]] inline const KernelCall& next_kernel(const Host& host, JobIndex job) {
  return host.stream().jobs[job].kernels[host.kernels_done(job)];
}
/// Returns whether all kernels of the job are complete.
[[nodiscard]] inline bool complete(const Host& host, JobIndex job) {
  return host.kernels_done(job) == host.stream().jobs[job].kernels.size();
}

}  // namespace castor::workloads
