#pragma once

#include "castor/base/time.h"
#include "castor/darsie/counters.h"
#include "castor/darsie/cycle.h"
#include "castor/darsie/elections.h"
#include "castor/darsie/groups.h"
#include "castor/darsie/majority.h"
#include "castor/darsie/operands.h"
#include "castor/darsie/params.h"
#include "castor/darsie/ports.h"
#include "castor/darsie/rows.h"
#include "castor/darsie/skip_tables.h"
#include "castor/darsie/state.h"
#include "castor/darsie/waits.h"

namespace castor::darsie {

/// Skip table, majority masks, branch meetings and renaming rows of an SM as a cycle model. When warps of a thread
/// block (TB) reach the same redundant instruction, one warp executes it. The other warps skip it and read its result
/// (docs/blocks/darsie.md, "Theory of operation"; Yeh 2020, chapter 7).
///
/// Each cycle is one call of `settle`, which returns the outputs, and one call of `clock`, the rising edge. Outputs are
/// functions of registers only, except f_skip (of f_*), d_act and d_tag (of d_*), i_sren and i_srow (of i_*). `clock`
/// may receive inputs that `settle` did not.
///
/// Timing (docs/blocks/darsie.md, "Cycle"): a leader elected in cycle c holds the other warps from c + 1. A row written
/// in c lets them skip from c + 1. A skip takes effect at the edge of its cycle. A meeting whose last warp arrives in c
/// completes at the edge of c + 1.
///
/// Cost: if nothing is eligible, decoded, issued or reported in a cycle, settle and clock cost a few comparisons.
///
/// Deterministic; no allocation after construction. The caller must keep fields within the width of their port. Limits:
/// the SM holds the values, the block only knows which warp uses which version; one election per cycle.
class Engine {
 public:
  using Params = darsie::Params;
  using Inputs = darsie::Inputs;
  using Outputs = darsie::Outputs;
  using Probes = darsie::Probes;
  using State = darsie::State;

  /// Starts in reset. Throws InputError for parameters that are out of range.
  explicit Engine(const Params& params);

  [[nodiscard]] const Params& params() const { return params_; }

  /// Returns the outputs of this cycle; valid until the next call. Changes no register.
  const Outputs& settle(const Inputs& in) {
    if (((in.f_elig & groups_.candidates()) | in.d_valid | in.i_valid) != 0 || shown_) find_outputs(in);
    return out_;
  }
  /// Applies the rising edge at the end of this cycle.
  void clock(const Inputs& in);
  /// Sets the state after reset: no TB, no warp. Counters are not cleared.
  void reset();

  /// Returns a number of idle edges (events 0, levels as last clocked) that change no output and no register. The
  /// result is 0 if an idle edge may change state, if a warp could skip, is copying registers or has missed, or if a
  /// row lingers; otherwise kForever.
  [[nodiscard]] base::Cycle quiet() const {
    const bool serves = groups_.ready() != 0 || (groups_.candidates() & eligible_) != 0;
    return moves_ || state_.miss != 0 || serves ? 0 : base::kForever;
  }
  /// Applies `n` idle edges, n <= quiet(): they only advance the counters of waiting warps.
  void idle(base::Cycle n) { waiting_.count(counters_, n); }

  [[nodiscard]] const State& state() const { return state_; }
  [[nodiscard]] Probes probes() const;
  [[nodiscard]] const Counters& counters() const { return counters_; }

 private:
  void find_outputs(const Inputs& in);

  // The rising edge (docs/blocks/darsie.md, "Cycle").
  void step(const Edge& edge, U8 errors);
  void step_exits(const Edge& edge);
  void step_retire(const Inputs& in);
  void step_launch(const Inputs& in);
  void end_edge(const Edge& edge);

  Params params_;
  State state_;
  Outputs out_;  // outputs of the last settle
  Counters counters_;
  TbWarps warps_{};  // live warps of each TB slot

  Rows rows_;
  SkipTables tables_;
  Majority majority_;
  Groups groups_;
  Elections elections_;
  Operands operands_;
  WaitingWarps waiting_;

  WarpMask eligible_ = 0;  // f_elig at the last edge
  bool moves_ = false;     // the next edge may change the state even without inputs
  bool shown_ = false;     // out_ holds outputs that depend on inputs
};

}  // namespace castor::darsie
