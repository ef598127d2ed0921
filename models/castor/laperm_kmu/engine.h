#pragma once

#include "castor/base/time.h"
#include "castor/laperm_kmu/params.h"
#include "castor/laperm_kmu/ports.h"

namespace castor::laperm_kmu {

/// The launcher's choice of the next kernel as a cycle model: suspended thread blocks first, then launches by device
/// code, of one SM after the other the one of the highest level, then queues of the host (docs/blocks/laperm_kmu.md,
/// "Theory of operation"; Wang 2016, chapter 5, and LaPerm, ISCA 2016).
///
/// One cycle is `settle`, which gives its outputs, then `clock`, its rising edge. All outputs are functions of
/// registers.
///
/// Timing: a source that is ready in c is offered in c + 1, a list of level l in c + 2 + LvlMax - l.
///
/// Cost: a few compares in a cycle, and one for each SM where the block is idle. Deterministic; nothing is allocated.
class Engine {
 public:
  using Params = laperm_kmu::Params;
  using Inputs = laperm_kmu::Inputs;
  using Outputs = laperm_kmu::Outputs;
  using Probes = laperm_kmu::Probes;

  /// Starts in reset. Throws InputError on parameters that are out of range.
  explicit Engine(const Params& params);

  [[nodiscard]] const Params& params() const { return params_; }

  /// Outputs of this cycle; valid until the next call. Changes no register.
  const Outputs& settle(const Inputs& /*in*/) { return out_; }
  /// The rising edge at the end of this cycle.
  void clock(const Inputs& in);
  /// The state after reset was held: nothing is offered, SM 0 and queue 0 are first.
  void reset();

  /// Number of idle edges (events 0, levels as last clocked) that surely change no output: kForever while something is
  /// offered, or nothing is ready; else 0.
  [[nodiscard]] base::Cycle quiet() const { return rests_ ? base::kForever : 0; }
  /// Leaves exactly the state of `n` idle edges, n <= quiet(): the one that it is in.
  void idle(base::Cycle /*n*/) {}

  [[nodiscard]] Probes probes() const;

 private:
  void visit(const Inputs& in);
  void search(const Inputs& in);
  void stand(const Inputs& in);
  void offer(Kind kind, unsigned index);
  void withdraw();

  Params params_;
  State state_ = State::kIdle;
  U8 next_sm_ = 0;
  U8 next_hq_ = 0;
  U8 sm_ = 0;     // while a list is searched or offered
  U8 level_ = 0;  // ... that is looked at next
  bool rests_ = true;
  Outputs out_;
};

}  // namespace castor::laperm_kmu
