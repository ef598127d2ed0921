#pragma once

#include <cstddef>
#include <cstdint>

#include "workloads/job_stream.h"

/// Schedulers that run on the host's processor, and what they see of the world (docs/results/lax.md, "Schedulers").
namespace castor::workloads {

/// Index of a job in its stream.
using JobIndex = std::uint32_t;

/// What a scheduler on the host can ask and do. Its own code takes no simulated time; latencies are the `delay`s that
/// it hands in, in core cycles.
class Host {
 public:
  virtual ~Host() = default;

  [[nodiscard]] virtual Cycle now() const = 0;
  [[nodiscard]] virtual const JobStream& stream() const = 0;
  /// Kernels of a job that the host knows to be complete.
  [[nodiscard]] virtual std::size_t kernels_done(JobIndex job) const = 0;
  /// TBs of a kernel type that the empty device holds at once.
  [[nodiscard]] virtual std::uint64_t slots(unsigned type) const = 0;
  /// Core cycles per TB of a kernel type as the device measures them (24.8 bits), 0 if it has not yet.
  [[nodiscard]] virtual std::uint32_t measured_tpw(unsigned type) const = 0;

  /// Gives a whole job to the device: all kernels at once, with its deadline.
  virtual void submit(JobIndex job) = 0;
  /// Gives the job's next kernel to the device, which sees it `delay` cycles later. The job has none under way.
  virtual void launch(JobIndex job, Cycle delay) = 0;
  /// One grid with the TBs of the next kernels of several jobs, which are all of one type.
  virtual void launch_merged(const std::vector<JobIndex>& jobs, Cycle delay) = 0;
  /// The job is not run on the device.
  virtual void reject(JobIndex job) = 0;
  /// External priority of a submitted job; smaller is more urgent.
  virtual void set_priority(JobIndex job, std::uint32_t value, Cycle delay) = 0;
  /// Calls Scheduler::on_timer in cycle `at`, which is not before now.
  virtual void set_timer(Cycle at, std::uint64_t tag) = 0;
};

/// A scheduler on the host. Callbacks come one after the other in the order of time.
class Scheduler {
 public:
  virtual ~Scheduler() = default;
  virtual void on_arrival(Host& host, JobIndex job) = 0;
  /// A kernel of the job is complete and counted in Host::kernels_done; of a merged launch one call per job.
  virtual void on_kernel_done(Host& /*host*/, JobIndex /*job*/) {}
  /// A submitted job is over, or was refused by the device.
  virtual void on_job_end(Host& /*host*/, JobIndex /*job*/) {}
  virtual void on_timer(Host& /*host*/, std::uint64_t /*tag*/) {}
};

/// Next kernel of a job; it has one.
[[nodiscard]] inline const KernelCall& next_kernel(const Host& host, JobIndex job) {
  return host.stream().jobs[job].kernels[host.kernels_done(job)];
}
[[nodiscard]] inline bool complete(const Host& host, JobIndex job) {
  return host.kernels_done(job) == host.stream().jobs[job].kernels.size();
}

}  // namespace castor::workloads
