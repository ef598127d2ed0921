#pragma once

#include <list>

#include "tb/darsie/cover/facts.h"

namespace castor::darsie::tb {

/// Every way in which a rule acts: groups, verdicts, completions, leaves, joins, copies, launches, errors; states of
/// the tables; how a warp goes from state to state; ends of counters and levels.
class RulePoints {
 public:
  RulePoints(const CoverList& list, const Params& params);
  void see(const Facts& now);

 private:
  /// A warp in two cycles that follow each other.
  struct Step {
    const Facts& now;
    unsigned warp;
  };
  /// A warp's registers, of which it has at most one of the first kinds.
  enum class State : std::uint8_t { kDead, kOff, kCopies, kStopped, kWaits, kProbed, kRuns };
  [[nodiscard]] static State state_of(const Probes& probes, unsigned w);
  void see_arcs(const Facts& now);
  void see_ranges(const Facts& now);

  const Params params_;
  Points<Facts> rules_;
  Points<Group> groups_;
  castor::tb::OneOf<Facts> whys_;
  std::vector<castor::tb::Range<Facts>> ranges_;
  castor::tb::Cover& cover_;
  std::vector<unsigned> arcs_;  // number of the point, by both states
  U64 alive_ = 0;               // warps whose state was seen before
  std::array<State, 64> states_{};
  unsigned subject_ = 0;  // of the ranges of one thread block
};

}  // namespace castor::darsie::tb
