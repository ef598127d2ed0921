#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "castor/twin/stimulus.h"
#include "castor/twin/twin.h"
#include "tb/common/cover.h"

namespace castor::tb {

/// A named way to drive a block.
struct SequenceInfo {
  std::string name;
  std::string meaning;
};

/// What a bench knows of a block: its sequences and its cover points. This one knows what the description of the ports
/// says, which is enough for any block. A block with a protocol of its own derives `castor::<block>::Bench` from it in
/// tb/<block>/bench.h and hides what it does better.
///
/// The sequence named first is the default. A sequence is made anew for each run and depends on its seed alone.
template <class BlockT>
class Bench {
 public:
  using Block = BlockT;
  using Params = typename Block::Params;

  /// `machine` is the twin that will be watched; it outlives the bench.
  explicit Bench(const twin::Twin<Block>& machine) : ports_(cover_, machine.params()) {}
  virtual ~Bench() = default;
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  static std::vector<SequenceInfo> sequences() { return {{"random", "random events and levels out of the port list"}}; }
  /// Throws InputError that lists the sequences if there is none of that name.
  static std::unique_ptr<twin::Sequence<Block>> make(const std::string& name, const Params& params,
                                                     std::uint64_t seed) {
    if (name == "random") return std::make_unique<twin::RandomSequence<Block>>(params, seed);
    throw no_sequence(name, sequences());
  }

  /// One cycle, as the model saw it; skipped cycles are not shown.
  virtual void watch(const typename Block::Inputs& in, const typename Block::Outputs& out,
                     const typename Block::Probes& probes) {
    ports_.watch(in, out, probes);
  }
  /// The run is over. Throws base::Error if it saw what cannot be.
  virtual void finish() {}
  [[nodiscard]] Cover& cover() { return cover_; }

 protected:
  static base::InputError no_sequence(const std::string& name, const std::vector<SequenceInfo>& known) {
    std::string names;
    for (const SequenceInfo& info : known) names += (names.empty() ? "" : ", ") + info.name;
    return base::InputError(std::string(Block::kBlock) + ": no sequence '" + base::printable(name) + "'",
                            "sequences are " + names);
  }

 private:
  Cover cover_;
  PortCover<Block> ports_;
};

/// Runs `sequence` against `machine` for `cycles` cycles. Idle stretches before the cycle `skip_before` are skipped
/// where it allows it. `watch(cycle, in, out, machine)` sees every clocked cycle before its edge; `progress(cycle)` is
/// called every few thousand cycles. Returns the number of skipped cycles.
template <class Block, class Watch, class Progress>
twin::Cycle run_until(twin::Twin<Block>& machine, twin::Sequence<Block>& sequence, twin::Cycle cycles,
                      twin::Cycle skip_before, Watch watch, Progress progress) {
  constexpr twin::Cycle kTell = 4096;
  const auto& params = machine.params();
  typename Block::Inputs in;
  sequence.begin(in);
  twin::Cycle skipped = 0, told = 0;
  for (twin::Cycle cycle = 0; cycle < cycles;) {
    // The levels of the first cycle are not the machine's yet.
    const twin::Cycle end = std::min(cycles, skip_before);
    const twin::Cycle rest = cycle > 0 && cycle < end ? std::min(sequence.rest(), end - cycle) : 0;
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
      [&watch](twin::Cycle, const auto& in, const auto& out, const auto& seen) { watch(in, out, seen); }, progress);
}

}  // namespace castor::tb
