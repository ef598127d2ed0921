#pragma once

#include <memory>
#include <string>
#include <vector>

#include "castor/twin/stimulus.h"
#include "castor/twin/twin.h"
#include "tb/common/block_points.h"
#include "tb/common/medley.h"
#include "tb/common/port_cover.h"
#include "tb/common/run.h"
#include "tb/common/sequence_table.h"

namespace castor::tb {

/// Test bench of a block: its stimulus sequences and its cover points. `castor cosim` makes one bench per run and shows
/// every simulated cycle to it. This base class needs only the block's port description, so it works for any block. A
/// block with a protocol of its own has `castor::<block>::Bench` in tb/<block>/bench.h, which is a ProtocolBench.
///
/// The first sequence of the list is the default; it is the Medley of the block's own sequences. Each run makes a new
/// sequence, whose stimulus depends only on the seed and the twin's outputs.
template <class BlockT>
class Bench {
 public:
  using Block = BlockT;
  using Params = typename Block::Params;

  /// `machine` is the twin under test; it must outlive the bench.
  explicit Bench(const twin::Twin<Block>& machine) : ports_(cover_, machine.params()) {}
  virtual ~Bench() = default;
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  static std::vector<SequenceInfo> sequences() { return with_medley(table()); }
  /// Makes the sequence `name`. Throws InputError, which lists the known sequences, if the block has no sequence
  /// `name`.
  static std::unique_ptr<twin::Sequence<Block>> make(const std::string& name, const Params& params,
                                                     std::uint64_t seed) {
    return make_of(table(), name, params, seed);
  }
  /// Share of the cover points, in per cent, that each default run (castor cosim NAME) must reach. A default run that
  /// reaches fewer points fails.
  static constexpr unsigned kLeastCover = 0;

  /// Samples the cover points in one simulated cycle. Skipped cycles are not shown to the bench.
  virtual void watch(const typename Block::Inputs& in, const typename Block::Outputs& out,
                     const typename Block::Probes& probes) {
    ports_.watch(in, out, probes);
  }
  /// Ends the run. Throws base::Error if the cover points recorded an impossible event during the run.
  void finish() const {
    if (!cover_.impossible().empty()) {
      throw base::Error(std::string(Block::kBlock) + ": " + cover_.impossible().front());
    }
  }
  [[nodiscard]] Cover& cover() { return cover_; }

 protected:
  void waive(const std::vector<TopBitWaiver>& top_bits) { ports_.waive(top_bits); }
  static std::vector<SequenceInfo> with_medley(const SequenceTable<Block>& table) {
    std::vector<SequenceInfo> all = {{Medley<Block>::kName, Medley<Block>::kMeaning, kBreaksContract, true}};
    all.insert(all.end(), table.infos().begin(), table.infos().end());
    return all;
  }
  static std::unique_ptr<twin::Sequence<Block>> make_of(const SequenceTable<Block>& table, const std::string& name,
                                                        const Params& params, std::uint64_t seed) {
    if (name == Medley<Block>::kName) return std::make_unique<Medley<Block>>(table, params, seed);
    return table.make(name, params, seed);
  }

 private:
  static const SequenceTable<Block>& table() {
    static const SequenceTable<Block> all = {{"random", "random events and levels out of the port list", kKeepsContract,
                                              made_of<Block, twin::RandomSequence<Block>>}};
    return all;
  }

  Cover cover_;
  PortCover<Block> ports_;
};

/// Returns an empty waiver list, for a block in which every highest bit of a port or probe can toggle.
template <class Params>
[[nodiscard]] std::vector<TopBitWaiver> no_top_bits(const Params& /*params*/) {
  return {};
}

/// Test bench of a block with its own sequences and its own cover points (BlockPointsT, a BlockPoints) in addition to
/// the port cover points. `kTopBits` returns the ports and probes whose highest bit cannot toggle in a run, with the
/// reasons.
template <class BlockT, class BlockPointsT, const SequenceTable<BlockT>& (*kSequences)(), unsigned kLeastCoverOf = 0,
          std::vector<TopBitWaiver> (*kTopBits)(const typename BlockT::Params&) = no_top_bits<typename BlockT::Params>>
class ProtocolBench final : public Bench<BlockT> {
 public:
  using typename Bench<BlockT>::Block;
  using typename Bench<BlockT>::Params;

  explicit ProtocolBench(const twin::Twin<Block>& machine)
      : Bench<Block>(machine),
        points_(this->cover(), machine.params(), [&machine](std::uint16_t address) { return machine.peek(address); }) {
    this->waive(kTopBits(machine.params()));
  }

  static constexpr unsigned kLeastCover = kLeastCoverOf;

  static std::vector<SequenceInfo> sequences() { return Bench<Block>::with_medley(kSequences()); }
  static std::unique_ptr<twin::Sequence<Block>> make(const std::string& name, const Params& params,
                                                     std::uint64_t seed) {
    return Bench<Block>::make_of(kSequences(), name, params, seed);
  }

  void watch(const typename Block::Inputs& in, const typename Block::Outputs& out,
             const typename Block::Probes& probes) override {
    Bench<Block>::watch(in, out, probes);
    points_.sample(in, out, probes);
  }

 private:
  BlockPointsT points_;
};

}  // namespace castor::tb
