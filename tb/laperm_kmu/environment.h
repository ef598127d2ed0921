#pragma once

#include <vector>

#include "castor/base/rng.h"
#include "tb/common/edges.h"
#include "tb/laperm_kmu/knobs.h"
#include "tb/laperm_kmu/sequences.h"

namespace castor::laperm_kmu::tb {

/// A launcher as the block sees it: lists of launches by SM and level, queues of the host, suspended thread blocks, a
/// kernel table that fills and empties, parse lanes. Keeps the contract of the block's surroundings, unless the knobs
/// of the last group say otherwise: nothing is ready while the table is full, and only what is ready is taken.
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
  void forget();
  void arrive();
  void launch();
  void leave();
  void show(Inputs& in);
  void take(const Outputs& out);
  [[nodiscard]] unsigned* source(unsigned kind, unsigned index);
  [[nodiscard]] bool chance(unsigned rate) { return random_.below(kAlways) < rate; }
  [[nodiscard]] unsigned below(unsigned bound) { return static_cast<unsigned>(random_.below(bound)); }

  /// A number below `bound`, in some episodes at the ends of that range.
  [[nodiscard]] unsigned number(unsigned bound) {
    return static_cast<unsigned>(edges_.between(0, bound - 1, below(bound)));
  }

  Params params_;
  Knobs knobs_;
  base::Xoshiro256 random_;
  castor::tb::PortEdges<Block> edges_;
  std::vector<unsigned> lists_;   ///< launches, by list
  std::vector<unsigned> queues_;  ///< kernels at the head of each queue of the host
  unsigned suspended_ = 0;
  unsigned launches_ = 0;
  std::vector<base::Cycle> running_;  ///< kernels in the table: when each ends
  base::Cycle next_grant_ = 0;
  base::Cycle cycle_ = 0;
  base::Cycle rest_ = 0;
  base::Cycle over_at_ = 0;
  bool resting_ = false;
};

}  // namespace castor::laperm_kmu::tb
