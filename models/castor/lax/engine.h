#pragma once

#include <optional>

#include "castor/base/time.h"
#include "castor/lax/params.h"
#include "castor/lax/ports.h"
#include "castor/lax/selection.h"
#include "castor/lax/state.h"

namespace castor::lax {

/// The laxity engine as a cycle model. The engine accepts jobs with deadlines and rejects those that would miss them.
/// It measures how fast TBs of each kernel type complete, and ranks the queues for the parse lanes and the TB
/// dispatcher (docs/blocks/lax.md, "Theory of operation").
///
/// Each cycle is one call of `settle`, which returns the outputs, and one call of `clock`, the rising edge. Outputs are
/// functions of registers only, except psel_* and dsel_*, which also depend on pe_vec and de_vec of the same cycle.
/// `clock` may receive grants and events that `settle` did not.
///
/// Timing (docs/blocks/lax.md, "Cycle"): an event changes the state at its edge, and jd follows one cycle later. A
/// register access is answered in the next cycle, an access to tables once the main machine is idle. A new key or
/// eligible queue is offered after at most 2 * NumQueues / SelWidth cycles.
///
/// Deterministic; no allocation after construction. Limits: the parse lanes, the queues' packets and the register bus
/// are not modelled.
class Engine {
 public:
  using Params = lax::Params;
  using Inputs = lax::Inputs;
  using Outputs = lax::Outputs;
  using Probes = lax::Probes;
  using State = lax::State;

  /// Starts in reset. Throws InputError for parameters that are out of range.
  explicit Engine(const Params& params);

  [[nodiscard]] const Params& params() const { return params_; }

  /// Returns the outputs of this cycle; valid until the next call. Changes no register.
  const Outputs& settle(const Inputs& in);
  /// Applies the rising edge at the end of this cycle.
  void clock(const Inputs& in);
  /// Sets the state after reset, tables included. `quiet` and `idle` still use the levels of the last `clock`.
  void reset();

  /// Returns a number of idle edges (events 0, levels as last clocked, time advancing) that change no output. It is 0
  /// while any state changes and for 2 * NumQueues / SelWidth cycles afterwards, kForever if no output will ever
  /// change.
  [[nodiscard]] base::Cycle quiet() const;
  /// Applies `n` idle edges in time that does not depend on n; n <= quiet().
  void idle(base::Cycle n);

  [[nodiscard]] const State& state() const { return state_; }
  [[nodiscard]] Probes probes() const;
  /// Returns a register for a debugger, in any state of the machine and without side effect; empty if the address is
  /// not mapped. NOW is the time of the last cycle.
  [[nodiscard]] std::optional<U32> peek(U16 address) const;

 private:
  // Steps of a cycle that concern several parts (docs/blocks/lax.md, "Cycle").
  void step_timers(Edge& edge);
  void finish(const Inputs& in, Edge& edge);
  void soft_reset(const Edge& edge);

  [[nodiscard]] bool space() const { return state_.verdicts.count + state_.pend.count + 2U <= params_.VqDepth; }

  Params params_;
  State state_;
  Outputs out_;
  Inputs levels_;           // levels and time of the last `clock`, events 0
  base::Cycle steady_ = 0;  // edges since the last change of a value that the selection reads
  Selection selection_;
};

}  // namespace castor::lax
