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
#include "castor/gpu/lookout.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/memory/memory_system.h"
#include "castor/gpu/observer.h"
#include "castor/gpu/replay/replay_sm.h"
#include "castor/gpu/report.h"
#include "castor/gpu/sm/sm.h"
#include "castor/gpu/sm_unit.h"
#include "castor/gpu/statistics_totals.h"

namespace castor::gpu {

class TraceRecorder;
class Waves;

/// A whole GPU: front end, SMs, crossbars, L2 slices, DRAM channels and copy engines, wired as a machine file says
/// (docs/gpu/timing.md, "Structure of the timing GPU"). One SystemC process runs all of it, and sleeps while nothing
/// has work: when cycles run is CycleProcess's to know, who looks at them from outside the Lookout's; this class has
/// the units, the wires between them, and the order of a cycle.
///
/// Work is given through `front_end()`; `changed()` must follow whatever the host did. Timing: cycle k runs at SystemC
/// time clock().time_of(k); what the host does at exactly that time is seen by cycle k + 1.
/// Limits: one core clock domain; DRAM edges are computed from it.
class Gpu final : public sc_core::sc_module, private CycleRunner {
 public:
  /// With run.max_instructions every cycle that is a multiple of this runs, so that the limit is looked at in it.
  static constexpr Cycle kLimitPeriod = 1024;

  struct Options {
    Hooks hooks;                   ///< not owned
    Observer* observer = nullptr;  ///< not owned
    /// SMs replay service times of these kernels instead of executing instructions; not owned.
    const ReplayFile* replay = nullptr;
  };

  /// `machine`, `store` and `programs` must live as long as the GPU. Errors: InputError for hooks that exclude each
  /// other.
  Gpu(const sc_core::sc_module_name& name, const Machine& machine, Store& store, const ProgramTable& programs,
      const Options& options);
  ~Gpu() override;

  [[nodiscard]] const Machine& machine() const { return machine_; }
  [[nodiscard]] FrontEnd& front_end() { return *front_end_; }
  [[nodiscard]] MemorySystem& memory() { return *memory_; }
  [[nodiscard]] unsigned sms() const { return static_cast<unsigned>(sms_.size()); }
  [[nodiscard]] SmUnit& sm(unsigned index) { return *sms_[index]; }
  /// The same if it executes instructions; null if it replays.
  [[nodiscard]] const Sm* core(unsigned index) const { return index < cores_.size() ? cores_[index] : nullptr; }
  [[nodiscard]] const base::Clock& clock() const { return clock_; }

  /// Brings the counters of sleeping units up to date and returns all statistics.
  [[nodiscard]] base::StatisticGroup& statistics();
  /// Brings the counters of all units to the end of cycle `cycle` - 1; none has anything to do before `cycle`.
  void count_until(Cycle cycle);

  /// What grows with time, summed over units, for statistics over windows.
  [[nodiscard]] const StatisticsTotals::Series& window_series() const { return totals_->series(); }
  /// JSON object of the statistics over time up to now (Windows); empty without machine key run.windows.
  [[nodiscard]] std::string windows_json() { return lookout_->windows_json(now_); }

  /// Instructions that warps have issued.
  [[nodiscard]] std::uint64_t warp_instructions() const;

  /// Cycle that runs next; all before it are over.
  [[nodiscard]] Cycle now() const override { return now_; }
  /// First cycle that sees what the host does at the current SystemC time.
  [[nodiscard]] Cycle host_cycle() const { return process_.host_cycle(); }
  /// The host gave work or changed something: the process looks again.
  void changed() { process_.changed(); }

  /// First cycle in which any unit has something to do; kForever if none.
  [[nodiscard]] Cycle next_cycle() const override;
  /// Without the host nothing will proceed any more: every unit sleeps for ever, but for the periodic work of hooks.
  [[nodiscard]] bool at_rest() const;
  /// Runs one cycle, for programs that do not start the SystemC kernel. Cycles ascend, gaps up to `next_cycle`.
  void run_cycle(Cycle cycle) override;

  /// The host begins to wait for the device and does nothing before something completes, or ends to do so: what the
  /// fixed-point watchdog has to know.
  void host_waits(bool waits) { lookout_->host_waits(waits); }
  /// The last window of the watchdog proved that the warps spin for ever.
  [[nodiscard]] bool spinning() const { return lookout_->spinning(); }
  /// Which loops they repeat and what they read.
  [[nodiscard]] std::string spin_report() const { return lookout_->spin_report(); }

  /// What is counted for no kernel that is complete, up to the last cycle that ran.
  [[nodiscard]] BesideKernels beside_kernels();

  /// Nothing is queued, resident, in flight or unanswered.
  [[nodiscard]] bool idle() const;
  /// A report of who waits for whom, line by line (docs/gpu/faults.md, "Watchdogs").
  [[nodiscard]] std::string waiting() const;
  /// The same for a host that waits for a ticket.
  [[nodiscard]] std::string waiting(Ticket ticket) const;

  /// Declares the signals of all units, in scopes gpu.sm0, gpu.sm0.l1, gpu.slice0 and so on.
  void add_waves(Waves& waves) const;
  /// Is told before and behind every cycle that runs; null = nobody. Not owned.
  void set_recorder(TraceRecorder* recorder) { recorder_ = recorder; }
  /// Asserts what holds between any two cycles: room in the ledger is what SMs count themselves, links lose nothing,
  /// blocked warps have a reason; for tests.
  void check_invariants() const;

  /// Called by the process after every cycle that ran, with the next one that will (kForever: none); true pauses the
  /// simulation (sc_pause) at the time of the cycle that ran.
  void after_cycle(std::function<bool(Cycle cycle, Cycle next)> told) { process_.after_cycle(std::move(told)); }

  /// What a block threw in a cycle that ran, such as a mismatch of model and RTL in lockstep; null if nothing. The
  /// process caught it (no exception leaves a SystemC process), paused the simulation and is over: the GPU is in the
  /// middle of a cycle and can only be read.
  [[nodiscard]] const std::exception_ptr& failure() const { return process_.failure(); }

  /// Lets the process run cycle after cycle while SystemC's time stands, as long as nothing else is to happen in the
  /// simulation before them; time catches up before a pause. For whoever knows that no module looks at SystemC's time
  /// in calls that the device makes, and that no time is given at which the simulation has to stop.
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
  std::deque<base::StatisticGroup> groups_;  ///< of units that do not make their own
  std::unique_ptr<MemorySystem> memory_;
  std::unique_ptr<VirtualClocks> virtual_clocks_;
  std::vector<std::unique_ptr<SmUnit>> sms_;
  std::vector<Sm*> cores_;  ///< SMs that execute instructions
  static constexpr std::size_t kFlagsPerWord = sizeof(std::uint64_t) / sizeof(bool);
  std::unique_ptr<bool[]> handing_over_;  ///< whether they have something to hand over in this cycle; whole words
  std::array<std::unique_ptr<CopyEngine>, FrontEnd::kCopyEngines> copies_;
  std::unique_ptr<FrontEnd> front_end_;
  TraceRecorder* recorder_ = nullptr;
  std::vector<Unit*> units_;
  std::vector<Cycle> wakes_;     ///< of units_
  std::vector<unsigned> order_;  ///< of units_ in a cycle, permuted before each cycle with run.shuffle
  std::unique_ptr<StatisticsTotals> totals_;
  std::unique_ptr<Lookout> lookout_;
  OutsideReadNotice outside_read_notice_;
  bool governed_ = false;
  SmMask enabled_ = kAllSms;
  base::Xoshiro256 shuffle_;
  Cycle now_ = 0;
  CycleProcess process_;
};

}  // namespace castor::gpu
