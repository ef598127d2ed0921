#pragma once

#include <vector>

#include "castor/base/rng.h"
#include "tb/common/edges.h"
#include "tb/laperm_kmu/knobs.h"
#include "tb/laperm_kmu/sequences.h"

namespace castor::laperm_kmu::tb {

/// Model of the launcher around the block: lists of launches by SM and level, host queues, suspended thread blocks, a
/// kernel table that fills and empties, and parse lanes. No source is ready while the table is full, and only a ready
/// source is taken. The model keeps this contract, unless the knobs under "Violations of the contract" are set.
class Environment final : public Sequence {
 public:
  Environment(const Params& params, const Knobs& knobs, std::uint64_t seed);

  void begin(Inputs& in) override;
  void drive(Inputs& in) override;
  void react(Inputs& in, const Outputs& out) override;
  [[nodiscard]] base::Cycle rest() override { return rest_; }
  void skip(base::Cycle n) override {
    rest_ -= n;
    cycle_ += n;
  }
  [[nodiscard]] bool over() override { return knobs_.over != 0 && cycle_ >= over_at_; }

 private:
  /// Resets the model.
  void forget();
  void arrive();
  void launch();
  void leave();
  void show(Inputs& in);
  void take(const Outputs& out);
  [[nodiscard]] unsigned* source(unsigned kind, unsigned index);
  [[nodiscard]] bool chance(unsigned rate) { return random_.below(kAlways) < rate; }
  [[nodiscard]] unsigned below(unsigned bound) { return static_cast<unsigned>(random_.below(bound)); }

  /// Returns a number below `bound`; in some episodes the numbers are near the limits of this range.
  [[nodiscard]] unsigned number(unsigned bound) {
    return static_cast<unsigned>(edges_.between(0, bound - 1, below(bound)));
  }

  Params params_;
  Knobs knobs_;
  base::Xoshiro256 random_;
  castor::tb::PortEdges<Block> edges_;
  std::vector<unsigned> lists_;       ///< number of waiting launches of each list
  std::vector<unsigned> queues_;      ///< number of kernels at the head of each host queue (0 or 1)
  unsigned suspended_ = 0;            ///< number of suspended thread blocks that can resume
  unsigned launches_ = 0;             ///< number of launches in all lists
  std::vector<base::Cycle> running_;  ///< end cycle of each kernel in the table
  base::Cycle next_grant_ = 0;        ///< first cycle in which a parse lane is free again
  base::Cycle cycle_ = 0;
  base::Cycle rest_ = 0;
  base::Cycle over_at_ = 0;
  bool resting_ = false;
};

}  // namespace castor::laperm_kmu::tb
