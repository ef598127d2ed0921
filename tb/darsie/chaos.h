#pragma once

#include <deque>
#include <utility>
#include <vector>

#include "castor/base/rng.h"
#include "tb/common/edges.h"
#include "tb/darsie/sequences.h"

namespace castor::darsie::tb {

/// Sequence of random inputs without any protocol, including values out of range, in phases of different density. It
/// remembers of its own inputs only as much as is needed for thread blocks to live for a while and for rows to be
/// written. In half of the phases warps seldom leave, exit or take a leader's result, so that several versions of a
/// register stay pending for them. In some phases events hit warps that are active in the same cycle.
class Chaos final : public Sequence {
 public:
  Chaos(const Params& params, std::uint64_t seed)
      : params_(params), random_(seed ^ 0x6368616F73ULL), edges_(params, seed) {}
  void drive(Inputs& in) override;
  void react(Inputs& in, const Outputs& out) override;

 private:
  void new_phase();
  void fetch(Inputs& in);
  void decode(Inputs& in);
  void issue(Inputs& in);
  void launch(Inputs& in);
  void events(Inputs& in);
  /// Adds events of warps that are active in this cycle.
  void meet(Inputs& in, const Outputs& out);
  /// Returns the mask of one warp that is active in this cycle; 0 if a few random tries find no such warp.
  [[nodiscard]] U64 one_that_acts(const Inputs& in, const Outputs& out);
  [[nodiscard]] bool chance(unsigned in_256) { return random_.below(256) < in_256; }
  [[nodiscard]] unsigned below(unsigned bound) { return static_cast<unsigned>(random_.below(bound)); }
  /// Returns a number below `limit`; rarely any number of `bits` bits.
  [[nodiscard]] U8 number(unsigned limit, unsigned bits);
  [[nodiscard]] U64 pc();
  [[nodiscard]] U64 some_warps(unsigned rate);

  Params params_;
  enum class Of : std::uint8_t {
    kAll,
    kLoads,
    kSimultaneous
  } of_ = Of::kAll;  // dominant traffic of the current phases
  base::Xoshiro256 random_;
  castor::tb::PortEdges<Block> edges_;
  U64 live_ = 0;  // warps that the sequence has launched and not ended
  std::vector<unsigned> tb_of_ = std::vector<unsigned>(64);
  std::deque<std::pair<unsigned, unsigned>> leads_;  // TB and row of leaders whose result is not written yet
  unsigned left_ = 0, left_in_kind_ = 0, eligible_ = 0, decode_ = 0, issue_ = 0, lead_ = 0, write_ = 0, event_ = 0,
           end_ = 0, pcs_ = 1, registers_ = 1, loads_ = 0, stores_ = 0, branches_ = 0, follow_ = 0, meets_ = 0;
  U64 led_ = 0;      // PC of the last leader
  U64 base_ = 0;     // PC of the first instruction of the phase
  U64 far_ = 0;      // upper PC bits in which a second set of instructions differs
  U64 stopped_ = 0;  // warps with a branch in the previous cycle
};

}  // namespace castor::darsie::tb
