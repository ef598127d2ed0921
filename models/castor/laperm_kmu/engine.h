#pragma once

#include "castor/base/time.h"
#include "castor/laperm_kmu/params.h"
#include "castor/laperm_kmu/ports.h"

namespace castor::laperm_kmu {

/// The launcher's kernel choice as a cycle model. It offers suspended thread blocks first, then launches by device
/// code, then host queues. SMs take turns; for the SM in turn, the launch of the highest level is offered
/// (docs/blocks/laperm_kmu.md, "Theory of operation"; Wang 2016, chapter 5, and LaPerm, ISCA 2016).
///
/// Each cycle is one call of `settle`, which returns the outputs, and one call of `clock`, the rising edge. All outputs
/// are functions of registers.
///
/// Timing: a source that is ready in cycle c is offered in c + 1; a list of level l is offered in c + 2 + LvlMax - l.
///
/// Cost: a few comparisons per cycle, and one per SM while the block is idle. Deterministic; no allocation.
class Engine {
 public:
  using Params = laperm_kmu::Params;
  using Inputs = laperm_kmu::Inputs;
  using Outputs = laperm_kmu::Outputs;
  using Probes = laperm_kmu::Probes;

  /// Starts in reset. Throws InputError for parameters that are out of range.
  explicit Engine(const Params& params);

  [[nodiscard]] const Params& params() const { return params_; }

  /// Returns the outputs of this cycle; valid until the next call. Changes no register.
  const Outputs& settle(const Inputs& /*in*/) { return out_; }
  /// Applies the rising edge at the end of this cycle.
  void clock(const Inputs& in);
  /// Sets the state after reset: nothing is offered; the search starts at SM 0 and queue 0.
  void reset();

  /// Returns a number of idle edges (events 0, levels as last clocked) that change no output: kForever while a source
  /// is offered or no source is ready; else 0.
  [[nodiscard]] base::Cycle quiet() const { return rests_ ? base::kForever : 0; }
  /// Applies `n` idle edges, n <= quiet(); they change no state.
  void idle(base::Cycle /*n*/) {}

  [[nodiscard]] Probes probes() const;

 private:
  void visit(const Inputs& in);
  void search(const Inputs& in);
  void stand(const Inputs& in);
  void offer(Kind kind, unsigned index);
  void withdraw();

  Params params_;
  State state_ = State::kIdle;  // idle, searching a list, or offering a source
  U8 next_sm_ = 0;              // first SM of the next search; set behind the SM of a granted list
  U8 next_hq_ = 0;              // first host queue of the next search; set behind a granted queue
  U8 sm_ = 0;                   // SM whose list is searched or offered; else 0
  U8 level_ = 0;                // level that is examined next in a search; else 0
  bool rests_ = true;           // idle edges change nothing
  Outputs out_;
};

}  // namespace castor::laperm_kmu
