#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "castor/base/rng.h"
#include "packer/ports.h"
#include "tb/common/bench.h"

namespace blocks::packer {

/// Stimulus: SMs that hold a few thread blocks each. Thread blocks arrive by the block's offers and retire at random.
class Residents final : public twin::Sequence<Block> {
 public:
  Residents(const Params& params, std::uint64_t seed) : params_(params), random_(seed), held_(params.NumSms) {}

  void drive(Inputs& in) override {
    if (left_ == 0) new_phase(in);
    --left_;
    unsigned& some = held_[random_.below(params_.NumSms)];
    if (some > 0 && random_.below(256) < leave_rate_) --some;
    in.fits = 0;
    for (unsigned sm = 0; sm < params_.NumSms; ++sm) {
      if (held_[sm] < room_) in.fits |= U64{1} << sm;
    }
  }
  void react(Inputs& in, const Outputs& out) override {
    if (out.place_valid == 0 || random_.below(4) == 0) return;
    in.place_grant = 1;
    ++held_[out.place_sm];
  }

 private:
  // Begins a phase with new limits and rates. In one phase of eight the SMs have no limit, so that the number of thread
  // blocks in a row on one SM exceeds the range of the block's counter.
  void new_phase(Inputs& in) {
    const bool endless = random_.below(8) == 0;
    left_ = 1 + static_cast<unsigned>(random_.below(200 + 16 * params_.NumSms)) + (endless ? 400 : 0);
    room_ = endless ? ~0U : 1 + static_cast<unsigned>(random_.below(6));
    leave_rate_ = static_cast<unsigned>(random_.below(256));
    in.depth = static_cast<U8>(random_.below(3) == 0 ? 0 : endless ? 128 + random_.below(128) : 1 + random_.below(8));
  }

  Params params_;
  castor::base::Xoshiro256 random_;
  std::vector<unsigned> held_;  // resident thread blocks by SM
  unsigned left_ = 0, room_ = 0, leave_rate_ = 0;
};

/// Returns the stimulus sequences; the first row is the default.
inline const castor::tb::SequenceTable<Block>& sequences() {
  namespace tb = castor::tb;
  static const tb::SequenceTable<Block> all = {
      {"residents", "SMs that fill and drain", tb::kKeepsContract, tb::made_of<Block, Residents>},
      {"random", "random grants and levels out of the port list", tb::kBreaksContract,
       tb::made_of<Block, twin::RandomSequence<Block>>}};
  return all;
}

/// Returns the cover points that a run must hit. With one SM there is no other SM to move to.
inline std::vector<castor::tb::PointRow<castor::tb::Cycle<Block>>> cover_rows(const Params& params) {
  using Now = castor::tb::Cycle<Block>;
  const auto here = [](const Now& now) { return (now.in.fits >> now.probes.sm & 1) != 0; };
  const auto placed = [](const Now& now) { return now.in.place_grant != 0 && now.out.place_valid != 0; };
  const auto same = [](const Now& now) { return now.out.place_sm == now.probes.sm; };
  std::vector<castor::tb::PointRow<Now>> rows = {
      {"no SM takes a thread block", 0, [](const Now& now) { return now.in.fits == 0; }},
      {"an offer is not taken", 0, [](const Now& now) { return now.out.place_valid != 0 && now.in.place_grant == 0; }},
      {"a thread block follows the one before it", 0, [=](const Now& now) { return placed(now) && same(now); }},
      {"the same SM begins anew, no other takes it", 0, [=](const Now& now) {
         return placed(now) && same(now) && now.in.depth != 0 && now.probes.run >= now.in.depth;
       }}};
  if (params.NumSms == 1) return rows;
  rows.push_back({"moves on from a full SM", 0, [=](const Now& now) { return placed(now) && !here(now); }});
  rows.push_back({"moves on at depth", 0, [=](const Now& now) { return placed(now) && here(now) && !same(now); }});
  rows.push_back(
      {"moves on to a lower SM", 0, [=](const Now& now) { return placed(now) && now.out.place_sm < now.probes.sm; }});
  return rows;
}

/// The bench that `castor cosim packer` runs.
using Bench = castor::tb::ProtocolBench<Block, castor::tb::CyclePoints<Block, cover_rows>, sequences>;

}  // namespace blocks::packer
