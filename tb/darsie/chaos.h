#pragma once

#include <deque>
#include <utility>
#include <vector>

#include "castor/base/rng.h"
#include "tb/common/edges.h"
#include "tb/darsie/sequences.h"

namespace castor::darsie::tb {

/// Inputs without sense or order, out of range ones included, in phases of different density. Of what it did itself it
/// remembers just enough that thread blocks live for a while and rows are written. In every second phase warps seldom
/// leave, exit or take a leader's result, so that several versions of a register stay before them. In some, events are
/// of warps to which something else happens in the cycle.
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
  /// Events of warps that do something.
  void meet(Inputs& in, const Outputs& out);
  [[nodiscard]] U64 one_that_acts(const Inputs& in, const Outputs& out);
  [[nodiscard]] bool chance(unsigned in_256) { return random_.below(256) < in_256; }
  [[nodiscard]] unsigned below(unsigned bound) { return static_cast<unsigned>(random_.below(bound)); }
  /// A number below `limit`, seldom any that the bits can say.
  [[nodiscard]] U8 number(unsigned limit, unsigned bits);
  [[nodiscard]] U64 pc();
  [[nodiscard]] U64 some_warps(unsigned rate);

  Params params_;
  enum class Of : std::uint8_t { kAll, kLoads, kMeetings } of_ = Of::kAll;  // what there is most of
  base::Xoshiro256 random_;
  castor::tb::PortEdges<Block> edges_;
  U64 live_ = 0;  // warps that it started and did not end
  std::vector<unsigned> tb_of_ = std::vector<unsigned>(64);
  std::deque<std::pair<unsigned, unsigned>> leads_;  // TB and row that were given away and not written
  unsigned left_ = 0, left_in_kind_ = 0, eligible_ = 0, decode_ = 0, issue_ = 0, lead_ = 0, write_ = 0, event_ = 0,
           end_ = 0, pcs_ = 1, registers_ = 1, loads_ = 0, stores_ = 0, branches_ = 0, follow_ = 0, meets_ = 0;
  U64 led_ = 0;      // PC of the last leader
  U64 base_ = 0;     // PC of the first instruction of the phase
  U64 far_ = 0;      // upper bits in which another instruction's PC differs
  U64 stopped_ = 0;  // branches of the cycle before
};

}  // namespace castor::darsie::tb
