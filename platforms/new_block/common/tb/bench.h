#pragma once

#include <cstdint>
#include <vector>

#include "@NAME@/ports.h"
#include "tb/common/bench.h"

namespace blocks::@NAME@ {

/// Offers that stand until something is taken: a sequence of the block's own. What drives a block is in
/// castor/twin/stimulus.h.
class Patient final : public twin::Sequence<Block> {
 public:
  Patient(const Params& params, std::uint64_t seed) : params_(params), random_(seed) {}

  void drive(Inputs& in) override {
    if (!moved_) return;
    moved_ = false;
    in.offer_valid = static_cast<U32>(random_() & twin::mask(params_.NumLanes));
    for (unsigned lane = 0; lane < params_.NumLanes; ++lane) in.offer[lane] = random_() & twin::mask(params_.Width);
  }
  void react(Inputs& in, const Outputs& out) override {
    if (random_.below(4) != 0) return;
    in.taken = out.pick_valid & static_cast<U32>(random_());
    moved_ = in.taken != 0 || out.pick_valid == 0;
  }

 private:
  Params params_;
  castor::base::Xoshiro256 random_;
  bool moved_ = true;
};

/// The first row is the default of castor cosim.
inline const castor::tb::SequenceTable<Block>& sequences() {
  using namespace castor::tb;
  static const SequenceTable<Block> all = {
      {"random", "events and levels out of the port list", kKeepsContract, made_of<Block, twin::RandomSequence<Block>>},
      {"patient", "offers stand until one is taken", kKeepsContract, made_of<Block, Patient>}};
  return all;
}

/// What a run must have seen: a name, and a condition on a cycle.
inline std::vector<castor::tb::PointRow<castor::tb::Cycle<Block>>> cover_rows(const Params& /*params*/) {
  using Now = castor::tb::Cycle<Block>;
  return {{"a pick is taken", 0, [](const Now& now) { return (now.in.taken & now.out.pick_valid) != 0; }},
          {"a pick is not taken", 0, [](const Now& now) { return (now.out.pick_valid & ~now.in.taken) != 0; }},
          {"the count wraps", 0, [](const Now& now) {
             return now.before != nullptr && now.before->probes.count == 255 && now.probes.count == 0;
           }}};
}

/// What castor cosim @NAME@ runs.
using Bench = castor::tb::ProtocolBench<Block, castor::tb::CyclePoints<Block, cover_rows>, sequences>;

}  // namespace blocks::@NAME@
