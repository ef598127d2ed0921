#pragma once

#include "castor/darsie/cycle.h"

/// Waits for versions (`lat`), and the cycles that warps spend waiting.
namespace castor::darsie {

/// Makes warps of a TB wait for the version in the rows `tags`. `load`, `global`: the version comes from a load, from a
/// global load.
void wait_for(State& state, WarpMask warps, unsigned tb, const Tags& tags, bool load, bool global);
/// Step 1 of an edge: marks rows as written, for warps that wait for them too.
void step_write_backs(const Edge& edge);
/// Step "drop" of an edge: ends waits for loads that a memory operation has made stale.
void step_drop(const Edge& edge);

/// Numbers of waiting warps by kind of wait, for the statistics.
class WaitingWarps {
 public:
  void reset() { *this = {}; }
  void end_edge(const State& state);
  /// Adds `cycles` cycles of the waiting warps to the statistics.
  void count(Counters& counters, U64 cycles) const {
    counters.wait_wb += cycles * wb_;
    counters.wait_stop += cycles * stop_;
    counters.wait_copy += cycles * copy_;
  }

 private:
  U64 wb_ = 0, stop_ = 0, copy_ = 0;
};

}  // namespace castor::darsie
