#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "castor/gpu/device.h"
#include "castor/gpu/gpu.h"
#include "castor/gpu/host_limit.h"
#include "castor/gpu/loaded_program.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/observer.h"
#include "castor/gpu/system_time.h"
#include "castor/gpu/trace/recorder.h"

namespace castor::gpu {

/// The timing GPU as a Device, for the host runtime. Advancing time runs the SystemC kernel until the event for which
/// the host waits. The simulation runs in the calling thread.
///
/// An advance also ends early with a fault of device code. The first fault is kept; other kernels continue with the
/// next advance. Further early ends: a deadlock (no unit will ever act and work remains, or all warps spin for ever),
/// `run.max_cycles`, `run.max_instructions`, `run.max_seconds`, `run.stop_after`, `run.stop_at`, and `interrupt`.
///
/// Limits: a SystemC time resolution of 1 ps or finer, else the constructor throws base::InputError. One device per
/// process, since SystemC elaborates once. Copies and `set_print_sink` must be used by one host thread.
class TimingDevice final : public Device {
 public:
  struct Options {
    std::string configuration_json;  ///< effective configuration for the report; may be empty
    bool poison = false;             ///< fresh memory reads 0xcd instead of 0
    Gpu::Options gpu;
    std::shared_ptr<void> blocks;  ///< owner of the hooks in `gpu`; kept alive as long as the device
    /// Returns the name of the installed block that serves a window of registers; empty if none does.
    std::function<std::string(unsigned window)> register_owner;
    Recording recording;
    std::shared_ptr<const ReplayFile> replay;  ///< SMs replay the kernels of this file; null = SMs execute instructions
  };
  TimingDevice(const Machine& machine, Options options);
  ~TimingDevice() override;

  [[nodiscard]] const Machine& machine() const override { return machine_; }
  [[nodiscard]] bool has_timing() const override { return true; }
  [[nodiscard]] Store& store() override { return store_; }
  [[nodiscard]] Gpu& gpu() { return *gpu_; }
  ProgramHandle load(std::shared_ptr<const isa::Program> program) override;
  [[nodiscard]] const isa::Program& program(ProgramHandle handle) const override;
  Ticket submit(unsigned queue, Packet packet) override;
  [[nodiscard]] bool complete(Ticket ticket) const override;
  [[nodiscard]] Picoseconds completion_time(Ticket ticket) const override;
  Outcome advance_until(Ticket ticket) override;
  Outcome advance_until_enough(const std::function<bool()>& enough, Picoseconds time) override;
  void count_host_call(HostCall call, Picoseconds span) override;
  [[nodiscard]] std::uint64_t cycles() const override { return gpu_->now(); }
  [[nodiscard]] Picoseconds now() const override;
  void collect_notices(bool on) override { gpu_->front_end().host().collect_notices(on); }
  [[nodiscard]] std::vector<Notice> take_notices() override { return gpu_->front_end().host().take_notices(); }
  Outcome advance_to_notice(Picoseconds time) override;
  RegisterReply access_register(const RegisterAccess& access) override;
  void post_register(const RegisterAccess& access) override;
  [[nodiscard]] std::string refuses_registers(unsigned window) const override;
  [[nodiscard]] const JobControl* job_control() const override;
  [[nodiscard]] const std::optional<Fault>& fault() const override { return fault_; }
  void reset() override;
  void set_print_sink(std::function<void(std::string_view)> sink) override;
  void interrupt() noexcept override { interrupted_ = true; }
  void name_kernel(std::uint64_t value, std::optional<ProgramHandle> program) override {
    programs_.name(value, program);
  }
  void hold_kernel(ProgramHandle handle, bool on) override;
  void set_heap_limit(std::uint64_t bytes) override { services_.heap_bytes = bytes; }
  [[nodiscard]] Launcher& launcher() override {
    return gpu_->front_end().mechanism<LaunchSide>().launcher().launcher();
  }
  [[nodiscard]] const std::vector<KernelStatistics>& kernels() const override;
  [[nodiscard]] std::string report_json() const override;
  [[nodiscard]] std::vector<std::string> end_recording() override;

 private:
  struct HostCallStatistics;
  enum class Stop : std::uint8_t { kNone, kReached, kFault, kIdle, kSpin, kLimit, kInterrupted, kStopped };

  /// Runs until `reached` returns true, a stop, or time `until` if given. Returns kNone when the time is reached.
  Stop run(const std::function<bool()>& reached, std::optional<Picoseconds> until);
  [[nodiscard]] static Outcome outcome_at_time(Stop stop);
  [[nodiscard]] Stop after_cycle(Cycle cycle, Cycle next, const std::function<bool()>& reached);
  [[nodiscard]] bool limit_reached(Cycle cycle);
  void record_deadlock(FaultKind kind, const std::string& message);
  void record_fault(Fault fault);

  SystemTime system_time_;
  Machine machine_;
  Options options_;
  Store store_;
  ProgramTable programs_;
  DeviceServices services_;
  std::unique_ptr<TraceRecorder> recorder_;
  Observers observers_;
  std::unique_ptr<Gpu> gpu_;
  std::unique_ptr<HostCallStatistics> host_calls_;  ///< statistics group of host calls, part of the GPU's statistics
  std::optional<Fault> fault_;
  Stop stop_ = Stop::kNone;
  HostLimit host_limit_;
  bool resetting_ = false;  ///< a reset runs: only an empty device ends the advance, not a fault or a limit
  std::atomic<bool> interrupted_{false};
};

}  // namespace castor::gpu
