#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <utility>
#include <vector>

#include "castor/base/rng.h"
#include "castor/base/statistics.h"
#include "castor/base/time.h"
#include "castor/gpu/cycle_process.h"
#include "castor/gpu/front_end/copy_engine.h"
#include "castor/gpu/front_end/front_end.h"
#include "castor/gpu/hooks/hooks.h"
#include "castor/gpu/loaded_program.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/memory/memory_system.h"
#include "castor/gpu/observer.h"
#include "castor/gpu/replay/replay_sm.h"
#include "castor/gpu/report.h"
#include "castor/gpu/run_monitor.h"
#include "castor/gpu/sm/sm.h"
#include "castor/gpu/sm_unit.h"
#include "castor/gpu/statistics_totals.h"

namespace castor::gpu {

class TraceRecorder;
class Waves;

/// The timing GPU: front end, SMs, crossbars, L2 slices, DRAM channels and copy engines, connected as the machine file
/// describes (docs/gpu/timing.md, "Structure of the timing GPU"). One SystemC process runs all units, and sleeps while
/// no unit has work. This class owns the units and the connections between them, and defines the order of their steps
/// within a cycle. CycleProcess decides when cycles run; RunMonitor runs the watchdog and samples statistics between
/// cycles.
///
/// The host submits work through `front_end()` and must call `changed()` after every change it makes. Timing: cycle k
/// runs at SystemC time clock().time_of(k). A change that the host makes at exactly that time is seen by cycle k + 1.
///
/// Limits: one core clock domain; the DRAM clock edges are computed from the core clock.
class Gpu final : public sc_core::sc_module, private CycleRunner {
 public:
  /// With run.max_instructions, the device runs every cycle whose number is a multiple of this period, so that the
  /// limit is checked there.
  static constexpr Cycle kLimitPeriod = 1024;

  struct Options {
    Hooks hooks;                   ///< not owned
    Observer* observer = nullptr;  ///< not owned
    /// SMs replay the recorded service times of these kernels instead of executing instructions; not owned.
    const ReplayFile* replay = nullptr;
  };

  /// `machine`, `store` and `programs` must outlive the GPU. Errors: InputError for hooks that exclude each other.
  Gpu(const sc_core::sc_module_name& name, const Machine& machine, Store& store, const ProgramTable& programs,
      const Options& options);
  ~Gpu() override;

  [[nodiscard]] const Machine& machine() const { return machine_; }
  [[nodiscard]] FrontEnd& front_end() { return *front_end_; }
  [[nodiscard]] MemorySystem& memory() { return *memory_; }
  [[nodiscard]] unsigned sms() const { return static_cast<unsigned>(sms_.size()); }
  [[nodiscard]] SmUnit& sm(unsigned index) { return *sms_[index]; }
  /// Returns SM `index` if it executes instructions; null if it replays.
  [[nodiscard]] const Sm* core(unsigned index) const { return index < cores_.size() ? cores_[index] : nullptr; }
  [[nodiscard]] const base::Clock& clock() const { return clock_; }

  /// Brings the counters of sleeping units up to date and returns all statistics.
  [[nodiscard]] base::StatisticGroup& statistics();
  /// Brings the counters of all units to the end of cycle `cycle` - 1. No unit may have work before `cycle`.
  void count_until(Cycle cycle);

  /// Returns the statistics that grow with time, summed over the units; the windows sample them.
  [[nodiscard]] const StatisticsTotals::Series& window_series() const { return totals_->series(); }
  /// Returns the windowed statistics up to now (Windows) as a JSON object; empty without machine key run.windows.
  [[nodiscard]] std::string windows_json() { return monitor_->windows_json(now_); }

  /// Returns the number of instructions that warps have issued.
  [[nodiscard]] std::uint64_t warp_instructions() const;

  /// Returns the next cycle to run; all earlier cycles have run.
  [[nodiscard]] Cycle now() const override { return now_; }
  /// Returns the first cycle that sees a change made by the host at the current SystemC time.
  [[nodiscard]] Cycle host_cycle() const { return process_.host_cycle(); }
  /// Notifies the process that the host has submitted work or changed state, so that it recomputes the next cycle.
  void changed() { process_.changed(); }

  /// Returns the first cycle in which some unit has work; kForever if none.
  [[nodiscard]] Cycle next_cycle() const override;
  /// Returns whether nothing can proceed without the host: no unit has a wake-up pending except for periodic work of
  /// hooks.
  [[nodiscard]] bool quiescent() const;
  /// Runs one cycle; for programs that do not start the SystemC kernel. Cycle numbers ascend, with gaps of at most up
  /// to `next_cycle`.
  void run_cycle(Cycle cycle) override;

  /// Sets whether the host is blocked until some work of the device completes. The fixed-point watchdog proves a
  /// deadlock only while the host is blocked.
  void host_waits(bool waits) { monitor_->host_waits(waits); }
  /// Returns whether the last watchdog window proved that the warps spin for ever.
  [[nodiscard]] bool spinning() const { return monitor_->spinning(); }
  /// Returns a report of the loops that the spinning warps repeat and the addresses that they read.
  [[nodiscard]] std::string spin_report() const { return monitor_->spin_report(); }

  /// Returns the counts that belong to no completed kernel, up to the last cycle that ran.
  [[nodiscard]] BesideKernels beside_kernels();

  /// Returns whether nothing is queued, resident, in flight or unanswered.
  [[nodiscard]] bool idle() const;
  /// Returns a report of the waiting units with the reason of each, one per line (docs/gpu/faults.md, "Watchdogs").
  [[nodiscard]] std::string waiting() const;
  /// Returns the report of waiting units for a host that waits for `ticket`.
  [[nodiscard]] std::string waiting(Ticket ticket) const;

  /// Declares the signals of all units, in scopes gpu.sm0, gpu.sm0.l1, gpu.slice0 and so on.
  void add_waves(Waves& waves) const;
  /// Sets the recorder, which is called before and after every cycle that runs; null = none. Not owned.
  void set_recorder(TraceRecorder* recorder) { recorder_ = recorder; }
  /// Asserts the invariants that hold between any two cycles: the front end's ledger agrees with the free resources of
  /// the SMs, links lose no message, blocked warps have a reason. For tests.
  void check_invariants() const;

  /// Sets the function that the process calls after every cycle. Its arguments are that cycle and the next cycle to run
  /// (kForever: none). If it returns true, the simulation is paused (sc_pause) at the time of the cycle that ran.
  void after_cycle(std::function<bool(Cycle cycle, Cycle next)> told) { process_.after_cycle(std::move(told)); }

  /// Returns the exception that a block threw in a cycle, such as a mismatch of model and RTL in lockstep; null if
  /// none. The process catches the exception, since none may leave a SystemC process, then pauses the simulation and
  /// ends. The GPU has then stopped in the middle of a cycle and may only be read.
  [[nodiscard]] const std::exception_ptr& failure() const { return process_.failure(); }

  /// Lets the process run several cycles without advancing SystemC time, as long as no other activity of the simulation
  /// is pending before them. Time catches up before a pause. Allowed only if no module reads SystemC's time in calls
  /// made by the device, and if the simulation has no fixed end time.
  void run_ahead(bool allowed) { process_.run_ahead(allowed); }

 private:
  void process() { process_.activate(); }
  void tick_due(Cycle cycle);
  void hand_over(Cycle cycle);
  void apply_clock_enables(Cycle next);
  void collect(KernelStatistics& kernel);

  const Machine& machine_;
  base::Clock clock_;
  base::StatisticGroup statistics_;
  base::Counter cycles_;
  std::deque<base::StatisticGroup> groups_;  ///< statistic groups of units that do not create their own
  std::unique_ptr<MemorySystem> memory_;
  std::unique_ptr<VirtualClocks> virtual_clocks_;
  std::unique_ptr<AwayTbs> away_;  ///< null without synchronisation agents or without swap engines
  std::vector<std::unique_ptr<SmUnit>> sms_;
  std::vector<Sm*> cores_;  ///< SMs that execute instructions
  static constexpr std::size_t kFlagsPerWord = sizeof(std::uint64_t) / sizeof(bool);
  /// Per SM: its tick has left output to hand over in this cycle. Padded to whole words.
  std::unique_ptr<bool[]> handing_over_;
  std::array<std::unique_ptr<CopyEngine>, FrontEnd::kCopyEngines> copies_;
  std::unique_ptr<FrontEnd> front_end_;
  TraceRecorder* recorder_ = nullptr;
  std::vector<Unit*> units_;
  std::vector<Cycle> wakes_;     ///< per unit: next cycle in which it ticks
  std::vector<unsigned> order_;  ///< order in which units tick; permuted before each cycle with run.shuffle
  std::unique_ptr<StatisticsTotals> totals_;
  std::unique_ptr<RunMonitor> monitor_;
  OutsideReadNotice outside_read_notice_;
  bool governed_ = false;
  SmMask enabled_ = kAllSms;
  base::Xoshiro256 shuffle_;
  Cycle now_ = 0;
  CycleProcess process_;
};

}  // namespace castor::gpu
