#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "castor/twin/stimulus.h"
#include "castor/twin/twin.h"
#include "tb/common/cover.h"
#include "tb/common/sequence_table.h"

namespace castor::tb {

/// What a bench knows of a block: its sequences and its cover points. This one knows what the description of the ports
/// says, which is enough for any block. A block with a protocol of its own has `castor::<block>::Bench` in
/// tb/<block>/bench.h: this one with what it does better, or a ProtocolBench.
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
    throw no_sequence(Block::kBlock, name, sequences());
  }

  /// One cycle, as the model saw it; skipped cycles are not shown.
  virtual void watch(const typename Block::Inputs& in, const typename Block::Outputs& out,
                     const typename Block::Probes& probes) {
    ports_.watch(in, out, probes);
  }
  /// The run is over. Throws base::Error if it saw what cannot be.
  virtual void finish() {}
  [[nodiscard]] Cover& cover() { return cover_; }

 private:
  Cover cover_;
  PortCover<Block> ports_;
};

/// The bench of a block with sequences of its own, and with cover points of its own beside those of the ports. Points
/// is made of the parameters and of what the bench hands on; `sample` sees every cycle, `points()` have a name and
/// hits. What derives from it adds `make`.
template <class BlockT, class Points, const std::vector<SequenceInfo>& (*kSequences)()>
class ProtocolBench : public Bench<BlockT> {
 public:
  using typename Bench<BlockT>::Block;

  template <class... More>
  explicit ProtocolBench(const twin::Twin<Block>& machine, More&&... more)
      : Bench<Block>(machine), points_(machine.params(), std::forward<More>(more)...) {
    for (const auto& point : points_.points()) numbers_.push_back(this->cover().add(point.name));
  }

  static std::vector<SequenceInfo> sequences() { return kSequences(); }

  void watch(const typename Block::Inputs& in, const typename Block::Outputs& out,
             const typename Block::Probes& probes) override {
    Bench<Block>::watch(in, out, probes);
    points_.sample(in, out, probes);
  }
  void finish() override {
    for (std::size_t i = 0; i < numbers_.size(); ++i) this->cover().set_hits(numbers_[i], points_.points()[i].hits);
  }

 protected:
  [[nodiscard]] const Points& points() const { return points_; }

 private:
  Points points_;
  std::vector<unsigned> numbers_;
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
