#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "castor/gpu/replay/replay_file.h"
#include "castor/gpu/timing_device.h"
#include "runtime/job_driver.h"
#include "runtime/simulated_host.h"
#include "workloads/host/host.h"
#include "workloads/host/outcome.h"

namespace castor::workloads {

/// A simulated host that submits jobs to the device as jobs: with JOB packets, through the driver, to a laxity engine
/// if the machine has one (docs/gpu/jobs.md, "Jobs"). Its time is SystemC time. The device sees an action of the host
/// one cycle later.
///
/// Before the first job the driver writes the isolated time per TB of every kernel type into the engine. Some policies
/// need this time to predict job times.
///
/// Limits: one per process, and nothing else may have used the device.
class DeviceHost final : public Host, private runtime::HostScheduler {
 public:
  /// `device` replays `file`, which was made from the stream's replay_text(). All references must outlive the host.
  DeviceHost(gpu::TimingDevice& device, const gpu::ReplayFile& file, const JobStream& stream, Scheduler& scheduler);
  ~DeviceHost() override;

  /// The engine's view of a job at one time.
  struct View {
    Cycle at = 0;             ///< cycle of the stream
    unsigned cls = 0;         ///< priority class
    std::int32_t laxity = 0;  ///< laxity in cycles, as of the engine's last update
  };
  /// Data that `observe` collects about a job.
  struct Observed {
    /// time in the job's kernels, predicted at arrival from the time of one instance per type; 0 if the time of a type
    /// is not known yet
    Cycle predicted = 0;
    /// Cycles from the placement of a kernel's last TB to the kernel's completion, summed over kernels
    Cycle running = 0;
    std::vector<View> views;  ///< samples taken while the job was admitted and not finished
  };
  /// Enables observation; call it before `run`, on machines with an engine. At each arrival it predicts the job's time
  /// from the table of kernel types. Every `period` cycles it samples every `stride`-th job. Register reads take time
  /// in the engine, so a run with observation differs by some cycles from a run without.
  void observe(Cycle period, unsigned stride);
  /// Returns the observations by job; valid after `run`.
  [[nodiscard]] const std::vector<Observed>& observed() const { return observed_; }

  /// Runs until every job has finished. Throws base::Error if the device stops earlier.
  RunOutcome run();

  [[nodiscard]] Cycle now() const override;
  [[nodiscard]] const JobStream& stream() const override { return stream_; }
  [[nodiscard]] std::size_t kernels_done(JobIndex job) const override;
  [[nodiscard]] std::uint64_t slots(unsigned type) const override { return slots_[type]; }
  [[nodiscard]] std::uint32_t measured_tpw(unsigned type) const override;
  void submit(JobIndex job) override;
  void launch(JobIndex job, Cycle delay) override;
  void launch_merged(const std::vector<JobIndex>& jobs, Cycle delay) override;
  void reject(JobIndex job) override;
  void set_priority(JobIndex job, std::uint32_t value, Cycle delay) override;
  void set_timer(Cycle at, std::uint64_t tag) override;

 private:
  void on_arrival(runtime::SimulatedHost& host, runtime::JobId job) override;
  void on_kernel_done(runtime::SimulatedHost& host, runtime::JobId job, std::size_t kernel) override;
  void on_job_end(runtime::SimulatedHost& host, runtime::JobId job) override;
  void on_timer(runtime::SimulatedHost& host, std::uint64_t tag) override;
  [[nodiscard]] Cycle predict(JobIndex job);
  /// Samples the registers of the observed jobs, and sets the timer of the next sample.
  void look();
  void take_running_times();

  gpu::TimingDevice& device_;
  const JobStream& stream_;
  Scheduler& scheduler_;
  base::Clock clock_;
  std::unique_ptr<runtime::JobDriver> driver_;
  std::unique_ptr<runtime::SimulatedHost> host_;
  Cycle origin_ = 0;                ///< device cycle that corresponds to cycle 0 of the stream
  std::vector<std::uint8_t> kids_;  ///< kernel ids in the engine, by kernel type
  std::vector<std::uint64_t> slots_;
  Cycle look_every_ = 0;  ///< sampling period in cycles; 0: observation is off
  unsigned stride_ = 1;
  std::vector<Observed> observed_;
};

}  // namespace castor::workloads
