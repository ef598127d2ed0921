#pragma once

#include "castor/tb_swap/position.h"
#include "castor/tb_swap/state.h"

namespace castor::tb_swap {

/// Machine that gives a context its next homes, moves a parked TB in, and says when the context holds it
/// (docs/blocks/tb_swap.md, "Moving in"). A job without a TB to move in passes through it, too.
class InMachine {
 public:
  [[nodiscard]] bool busy() const { return state_ != InState::kIdle; }
  /// Returns the access that the machine wants to make in this cycle.
  [[nodiscard]] Want want(const State& s) const;
  /// Applies the rising edge. `loads`: loads that have not been performed. Returns whether a context's homes changed.
  bool clock(const Inputs& in, const Turn& turn, unsigned loads, State& s);
  void probes(Probes& probes) const;

 private:
  // A step per state.
  bool step_idle(const Turn& turn, State& s);
  void step_simt(State& s);
  void step_mask(State& s);
  void step_registers(State& s);
  void step_shared(const Turn& turn, State& s);
  void step_done(const Inputs& in, State& s);

  void end_registers();
  void show_enter(State& s);
  [[nodiscard]] Access load(AccessType type, bool local) const;

  InState state_ = InState::kIdle;
  HandOver job_;  // the current job; reset while the machine is idle, as all that follows
  Position at_;
};

}  // namespace castor::tb_swap
