#pragma once

#include "castor/base/time.h"
#include "castor/tb_swap/in_machine.h"
#include "castor/tb_swap/out_machine.h"
#include "castor/tb_swap/params.h"
#include "castor/tb_swap/ports.h"
#include "castor/tb_swap/state.h"

namespace castor::tb_swap {

/// The swap engine as a cycle model. It moves the contexts of thread blocks (TBs) between an SM and memory, one line of
/// 128 bytes per access, in the order of its jobs (docs/blocks/tb_swap.md, "Theory of operation"; Liu 2018, 4.4 and
/// 4.5.3).
///
/// Each cycle is one call of `settle`, which returns the outputs, and one call of `clock`, the rising edge. All outputs
/// are functions of registers.
///
/// Timing (docs/blocks/tb_swap.md, "Timing"): the first access of a TB that is moved out is offered 4 cycles after its
/// job if it stays in the SM, else 5 and the cycles in which the page is waited for. One access per cycle follows.
///
/// Cost: a few comparisons per cycle; independent of the numbers of contexts, homes, places and registers.
/// Deterministic; no allocation. The caller must keep fields within the width of their port. Limits: moves no data, and
/// does not remember parked TBs; who gives the jobs keeps their entries.
class Engine {
 public:
  using Params = tb_swap::Params;
  using Inputs = tb_swap::Inputs;
  using Outputs = tb_swap::Outputs;
  using Probes = tb_swap::Probes;

  /// Starts in reset. Throws InputError for parameters that are out of range.
  explicit Engine(const Params& params);

  [[nodiscard]] const Params& params() const { return params_; }

  /// Returns the outputs of this cycle; valid until the next call. Changes no register.
  const Outputs& settle(const Inputs& /*in*/) { return state_.out; }
  /// Applies the rising edge at the end of this cycle.
  void clock(const Inputs& in);
  /// Sets the state after reset: no kernel, no job, no storage. Counters are cleared.
  void reset();

  /// Returns a number of idle edges (events 0, levels as last clocked) that change no output and no register: 0 while a
  /// job is in the engine, an access is offered or accesses to memory pause, else kForever.
  [[nodiscard]] base::Cycle quiet() const { return busy() || stopped_ ? 0 : base::kForever; }
  /// Applies `n` idle edges, n <= quiet(); they change no state.
  void idle(base::Cycle /*n*/) {}

  [[nodiscard]] Probes probes() const;
  [[nodiscard]] const Counters& counters() const { return state_.counters; }

 private:
  [[nodiscard]] bool busy() const {
    return out_machine_.busy() || in_machine_.busy() || state_.out.access_valid != 0 || !state_.jobs.empty() ||
           state_.hand.valid;
  }
  void clear();
  void configure(const Inputs& in);
  void step(const Inputs& in);
  void count_throttled(const Want& out, const Want& in);
  void throttle(const Inputs& in, bool busy);

  Params params_;
  State state_;
  OutMachine out_machine_;
  InMachine in_machine_;
  U16 loads_ = 0;         // loads that have been offered and not performed, modulo 2^14
  bool stopped_ = false;  // accesses to memory pause; follows the requests of the SM with hysteresis
};

}  // namespace castor::tb_swap
