#pragma once

#include <list>

#include "tb/darsie/cover/facts.h"

namespace castor::darsie::tb {

/// Cover points of the rules: groups, verdicts, completions, leaves, joins, copies, launches and errors. They also
/// cover the states of the tables, the state transitions of warps, and the limits of counters and levels.
class RulePoints {
 public:
  RulePoints(const CoverList& list, const Params& params);
  void see(const Facts& now);

 private:
  /// A warp in two consecutive cycles.
  /// State of a warp, derived from the probes. The registers cpy, stop and lat exclude each other.
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
  std::vector<unsigned> arcs_;  // number of each transition's point, indexed by both states
  std::array<State, 64> states_{};
  unsigned subject_ = 0;  // TB slot whose counters the ranges observe
};

}  // namespace castor::darsie::tb
