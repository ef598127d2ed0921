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

/// A host whose jobs reach the device as jobs: with JOB packets, through the driver, to a laxity engine if the machine
/// has one (docs/gpu/jobs.md, "Jobs"). Time is SystemC time; what it does at the time of a cycle, the device sees in
/// the next.
///
/// Before the first job the driver writes the isolated time per TB of every kernel type into the engine, for policies
/// that know jobs' times beforehand.
///
/// Limits: one per process, and nothing else may have used the device.
class DeviceHost final : public Host, private runtime::HostScheduler {
 public:
  /// `device` replays `file`, made from the stream's replay_text(). All must outlive the host.
  DeviceHost(gpu::TimingDevice& device, const gpu::ReplayFile& file, const JobStream& stream, Scheduler& scheduler);
  ~DeviceHost() override;

  /// What the engine thought of a job at one time.
  struct View {
    Cycle at = 0;             ///< cycle of the stream
    unsigned cls = 0;         ///< class of its priority
    std::int32_t laxity = 0;  ///< cycles, as of the last update
  };
  /// What `observe` collects of a job.
  struct Observed {
    Cycle predicted = 0;  ///< at its arrival: time in its kernels at the pace of one instance; 0 = a type has none yet
    Cycle running = 0;    ///< from the last TB of a kernel placed to its completion, all kernels
    std::vector<View> views;  ///< while it was admitted and not over
  };
  /// For machines with an engine, before `run`: predicts every job's time from the table of kernel types, and looks at
  /// every `stride`-th job every `period` cycles. Reading registers takes the engine's time, so runs with and without
  /// differ by some cycles.
  void observe(Cycle period, unsigned stride);
  /// By job, after `run`.
  [[nodiscard]] const std::vector<Observed>& observed() const { return observed_; }

  /// Runs until every job is over. Errors: base::Error if the device stops before.
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
  void look();
  void take_running_times();

  gpu::TimingDevice& device_;
  const JobStream& stream_;
  Scheduler& scheduler_;
  base::Clock clock_;
  std::unique_ptr<runtime::JobDriver> driver_;
  std::unique_ptr<runtime::SimulatedHost> host_;
  Cycle origin_ = 0;                ///< device cycle that is the stream's cycle 0
  std::vector<std::uint8_t> kids_;  ///< by kernel type
  std::vector<std::uint64_t> slots_;
  Cycle look_every_ = 0;  ///< 0: nothing is observed
  unsigned stride_ = 1;
  std::vector<Observed> observed_;
};

}  // namespace castor::workloads
