#pragma once

#include <algorithm>

#include "castor/twin/stimulus.h"
#include "castor/twin/twin.h"

/// A twin driven by a sequence.
namespace castor::tb {

/// Runs `sequence` against `machine` for `cycles` cycles. Idle stretches before the cycle `skip_before` are skipped
/// where it allows it. `watch(cycle, in, out, machine)` sees every clocked cycle before its edge; `anew(cycle)` is told
/// that the machine was reset in front of a cycle, `progress(cycle)` is called every few thousand cycles. Returns the
/// number of skipped cycles.
template <class Block, class Watch, class Anew, class Progress>
twin::Cycle run_until(twin::Twin<Block>& machine, twin::Sequence<Block>& sequence, twin::Cycle cycles,
                      twin::Cycle skip_before, Watch watch, Anew anew, Progress progress) {
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
      anew(cycle);
      first = true;
    }
    // The levels of the first cycle are not the machine's yet.
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

/// The same; `skip` says whether idle stretches are skipped, `watch(in, out, machine)` is not told the cycle.
template <class Block, class Watch, class Progress>
twin::Cycle run(twin::Twin<Block>& machine, twin::Sequence<Block>& sequence, twin::Cycle cycles, bool skip, Watch watch,
                Progress progress) {
  return run_until<Block>(
      machine, sequence, cycles, skip ? base::kForever : 0,
      [&watch](twin::Cycle, const auto& in, const auto& out, const auto& seen) { watch(in, out, seen); },
      [](twin::Cycle) {}, progress);
}

}  // namespace castor::tb
