#pragma once

#include <algorithm>

#include "castor/twin/stimulus.h"
#include "castor/twin/twin.h"

/// Runs a twin with the stimulus of a sequence.
namespace castor::tb {

/// Runs `sequence` against `machine` for `cycles` cycles. Idle cycles before the cycle `skip_before` are skipped where
/// the twin and the sequence allow it. `watch(cycle, in, out, machine)` is called in every simulated cycle before its
/// clock edge. `restart(cycle)` is called after a reset of the twin before cycle `cycle`. `progress(cycle)` is called
/// every few thousand cycles. Returns the number of skipped cycles.
template <class Block, class Watch, class Restart, class Progress>
twin::Cycle run_until(twin::Twin<Block>& machine, twin::Sequence<Block>& sequence, twin::Cycle cycles,
                      twin::Cycle skip_before, Watch watch, Restart restart, Progress progress) {
  constexpr twin::Cycle kTell = 4096;
  const auto& params = machine.params();
  typename Block::Inputs in;
  sequence.begin(in);
  machine.check_assumptions(sequence.keeps_contract());
  twin::Cycle skipped = 0, told = 0;
  bool first = true;
  for (twin::Cycle cycle = 0; cycle < cycles;) {
    if (sequence.over()) {
      machine.reset();
      in = {};
      sequence.begin(in);
      machine.check_assumptions(sequence.keeps_contract());
      restart(cycle);
      first = true;
    }
    // The twin has not yet seen the input levels of the first cycle, so the first cycle is never skipped.
    const twin::Cycle end = std::min(cycles, skip_before);
    const twin::Cycle rest = !first && cycle < end ? std::min(sequence.rest(), end - cycle) : 0;
    first = false;
    const twin::Cycle n = rest > 0 ? std::min(rest, machine.quiet()) : 0;
    twin::make_idle<Block>(in, params);
    if (n > 0) {
      machine.idle(n);
      sequence.skip(n);
      twin::advance_time<Block>(in, params, n);
      skipped += n;
      cycle += n;
    } else {
      twin::advance_time<Block>(in, params, 1);
      sequence.drive(in);
      const auto& out = machine.settle(in);
      sequence.react(in, out);
      watch(cycle, in, out, machine);
      machine.clock(in);
      ++cycle;
    }
    if (cycle - told >= kTell) {
      told = cycle;
      progress(cycle);
    }
  }
  return skipped;
}

/// Runs `sequence` as run_until does. `skip` enables the skipping of idle cycles; `watch(in, out, machine)` gets no
/// cycle number.
template <class Block, class Watch, class Progress>
twin::Cycle run(twin::Twin<Block>& machine, twin::Sequence<Block>& sequence, twin::Cycle cycles, bool skip, Watch watch,
                Progress progress) {
  return run_until<Block>(
      machine, sequence, cycles, skip ? base::kForever : 0,
      [&watch](twin::Cycle, const auto& in, const auto& out, const auto& seen) { watch(in, out, seen); },
      [](twin::Cycle) {}, progress);
}

}  // namespace castor::tb
