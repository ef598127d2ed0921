#include "castor/gpu/cycle_process.h"

#include <algorithm>

#include "castor/base/running_call.h"

namespace castor::gpu {

void CycleProcess::activate() {
  if (failure_) return;
  try {
    at_time();
  } catch (...) {
    failure_ = base::handled_error("a hook");
    sc_core::sc_pause();
  }
}

void CycleProcess::at_time() {
  const sc_core::sc_time& time = sc_core::sc_time_stamp();
  if (pause_pending_ && time == armed_time_) {
    pause_pending_ = false;
    sc_core::sc_pause();
    arm(next_edge());
    return;
  }
  const Cycle cycle = time == armed_time_ ? armed_ : system_.first_edge(clock_, time);
  // This activation may be no clock edge: the host may have woken the process between two edges, or for a cycle that
  // has already run.
  if (pause_pending_) {
    arm(armed_);
  } else if (cycle >= device_.now() && (time == armed_time_ || is_edge(cycle, time))) {
    run_cycles(cycle);
  } else {
    arm(next_edge());
  }
}

// Runs the cycle that is due now, and the following cycles that may run ahead of SystemC time.
void CycleProcess::run_cycles(Cycle cycle) {
  const Cycle first = cycle;
  const Cycle end = run_ahead_ ? foreign_cycle() : 0;
  for (;;) {
    device_.run_cycle(cycle);
    const Cycle next = device_.next_cycle();
    if (after_cycle_ && after_cycle_(cycle, next)) {
      pause_pending_ = cycle != first;
      if (!pause_pending_) sc_core::sc_pause();
      arm(pause_pending_ ? cycle : next);
      return;
    }
    if (next >= end) {
      arm(next);
      return;
    }
    cycle = next;
  }
}

// Returns the first cycle before which another process of the simulation may act. The cycle is at most a millisecond
// ahead, so that SystemC time shows the progress of the device.
Cycle CycleProcess::foreign_cycle() const {
  const sc_core::sc_time free = std::min(sc_core::sc_time_to_pending_activity(), farthest_);
  return system_.first_edge(clock_, sc_core::sc_time_stamp() + free);
}

// Returns the next cycle that can run. The host may have requested work for a cycle that passed while the device slept;
// that cycle does not run any more.
Cycle CycleProcess::next_edge() const {
  const Cycle next = device_.next_cycle();
  return next == kForever ? next : std::max(next, system_.first_edge(clock_, sc_core::sc_time_stamp()));
}

void CycleProcess::arm(Cycle next) {
  if (next == kForever) {
    sc_core::next_trigger(changed_);
    return;
  }
  armed_ = next;
  const base::Picoseconds time = clock_.time_of(next);
  armed_time_ = system_.of(time);
  sc_core::next_trigger(system_.until(time), changed_);
}

Cycle CycleProcess::host_cycle() const {
  const sc_core::sc_time& time = sc_core::sc_time_stamp();
  const Cycle at_or_after = system_.first_edge(clock_, time);
  return std::max(device_.now(), is_edge(at_or_after, time) ? at_or_after + 1 : at_or_after);
}

void CycleProcess::changed() {
  const Cycle next = next_edge();
  if (next != kForever) changed_.notify(system_.until(clock_.time_of(next)));
}

}  // namespace castor::gpu
