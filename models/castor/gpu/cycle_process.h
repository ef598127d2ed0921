#pragma once

#include <exception>
#include <functional>
#include <systemc>
#include <utility>

#include "castor/base/time.h"
#include "castor/gpu/system_time.h"
#include "castor/gpu/unit.h"

namespace castor::gpu {

/// Interface of a device towards the process that runs its cycles.
class CycleRunner {
 public:
  CycleRunner() = default;
  CycleRunner(const CycleRunner&) = delete;
  CycleRunner& operator=(const CycleRunner&) = delete;
  virtual ~CycleRunner() = default;

  /// Returns the next cycle to run; all earlier cycles have run.
  [[nodiscard]] virtual Cycle now() const = 0;
  /// Returns the first cycle with work; kForever if none.
  [[nodiscard]] virtual Cycle next_cycle() const = 0;
  virtual void run_cycle(Cycle cycle) = 0;
};

/// The SystemC process that runs the cycles of a device and relates them to SystemC time (docs/gpu/timing.md, "Time,
/// clocks, sleeping"). Cycle k runs at clock.time_of(k), or ahead of that time while no other activity of the
/// simulation is pending. A change that the host makes at exactly that time is seen by cycle k + 1.
class CycleProcess {
 public:
  /// `clock` and `device` must outlive the process. Throws base::InputError if SystemC's time resolution is coarser
  /// than 1 ps.
  CycleProcess(const base::Clock& clock, CycleRunner& device) : clock_(clock), device_(device) {}

  /// Body of the SystemC process: runs due cycles and sets the trigger for the next one.
  void activate();
  /// Returns the first cycle that sees a change made by the host at the current SystemC time.
  [[nodiscard]] Cycle host_cycle() const;
  /// Notifies the process that the host has submitted work or changed state, so that it recomputes the next cycle.
  void changed();

  /// Sets the function that is called after every cycle, with that cycle and the next cycle to run (kForever: none). If
  /// it returns true, the simulation is paused (sc_pause) at the time of the cycle that ran. Null = no call.
  void after_cycle(std::function<bool(Cycle cycle, Cycle next)> told) { after_cycle_ = std::move(told); }
  /// Allows several cycles to run without advancing SystemC time, as long as no other activity of the simulation is
  /// pending before them. Time catches up before a pause.
  void run_ahead(bool allowed) { run_ahead_ = allowed; }
  /// Returns the exception that a cycle threw; null if none. The simulation is then paused, and the process runs no
  /// further cycle.
  [[nodiscard]] const std::exception_ptr& failure() const { return failure_; }

 private:
  void at_time();
  void run_cycles(Cycle cycle);
  [[nodiscard]] bool is_edge(Cycle cycle, const sc_core::sc_time& time) const {
    return system_.of(clock_.time_of(cycle)) == time;
  }
  [[nodiscard]] Cycle foreign_cycle() const;
  [[nodiscard]] Cycle next_edge() const;
  void arm(Cycle next);

  SystemTime system_;
  sc_core::sc_time farthest_{1, sc_core::SC_MS};  ///< largest lead of the device over SystemC time
  const base::Clock& clock_;
  CycleRunner& device_;
  std::function<bool(Cycle cycle, Cycle next)> after_cycle_;
  std::exception_ptr failure_;
  Cycle armed_ = 0;  ///< cycle for which the process is triggered next
  sc_core::sc_time armed_time_ = sc_core::sc_max_time();
  bool run_ahead_ = false;
  bool pause_pending_ = false;  ///< pause when SystemC time reaches cycle `armed_`, which has run already
  sc_core::sc_event changed_;
};

}  // namespace castor::gpu
