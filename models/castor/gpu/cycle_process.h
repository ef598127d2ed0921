#pragma once

#include <exception>
#include <functional>
#include <systemc>
#include <utility>

#include "castor/base/time.h"
#include "castor/gpu/system_time.h"
#include "castor/gpu/unit.h"

namespace castor::gpu {

/// What runs in cycles: all that the process has to know of a device.
class CycleRunner {
 public:
  CycleRunner() = default;
  CycleRunner(const CycleRunner&) = delete;
  CycleRunner& operator=(const CycleRunner&) = delete;
  virtual ~CycleRunner() = default;

  /// Cycle that runs next; all before it are over.
  [[nodiscard]] virtual Cycle now() const = 0;
  /// First cycle in which there is something to do; kForever if none.
  [[nodiscard]] virtual Cycle next_cycle() const = 0;
  virtual void run_cycle(Cycle cycle) = 0;
};

/// The SystemC process that runs cycles: the side of a device that knows time (docs/gpu/timing.md, "Time, clocks,
/// sleeping"). Cycle k runs at clock.time_of(k), or ahead of it while nothing else is to happen; what the host does at
/// exactly that time is seen by cycle k + 1.
class CycleProcess {
 public:
  /// Both must live as long as this. Throws base::InputError if SystemC's time resolution is coarser than 1 ps.
  CycleProcess(const base::Clock& clock, CycleRunner& device) : clock_(clock), device_(device) {}

  /// The body of the SystemC process, which arms itself for the next cycle.
  void activate();
  /// First cycle that sees what the host does at the current SystemC time.
  [[nodiscard]] Cycle host_cycle() const;
  /// The host gave work or changed something: the process looks again.
  void changed();

  /// Called after every cycle that ran, with the next one that will (kForever: none); true pauses the simulation
  /// (sc_pause) at the time of the cycle that ran. Null = nobody.
  void after_cycle(std::function<bool(Cycle cycle, Cycle next)> told) { after_cycle_ = std::move(told); }
  /// Lets cycle after cycle run while SystemC's time stands, as long as nothing else is to happen in the simulation
  /// before them; time catches up before a pause.
  void run_ahead(bool allowed) { run_ahead_ = allowed; }
  /// What a cycle threw; null if nothing. The simulation was paused, and the process is over.
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
  sc_core::sc_time farthest_{1, sc_core::SC_MS};  ///< that a device runs ahead
  const base::Clock& clock_;
  CycleRunner& device_;
  std::function<bool(Cycle cycle, Cycle next)> after_cycle_;
  std::exception_ptr failure_;
  Cycle armed_ = 0;  ///< cycle that the process waits for
  sc_core::sc_time armed_time_ = sc_core::sc_max_time();
  bool run_ahead_ = false;
  bool pause_pending_ = false;  ///< when time has come to `armed_`, which has run
  sc_core::sc_event changed_;
};

}  // namespace castor::gpu
