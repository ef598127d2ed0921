#pragma once

#include "castor/darsie/cycle.h"
#include "castor/darsie/rows.h"

/// The copy sequencer: copies the rows of leavers to their own registers, one at a time.
namespace castor::darsie {

/// Next request of the copy sequencer, from the state at the start of the cycle.
struct Copies {
  WarpMask done = 0;   ///< warps that have no row left to copy
  bool found = false;  ///< a row must be copied
  U8 warp = 0;         ///< warp for which the row is copied
  U8 row = 0;          ///< number of the row in its TB's pool
};

[[nodiscard]] Copies find_copies(const State& state);
/// Step 10 of an edge.
void step_copies(const Edge& edge, const Copies& copies, Rows& rows);
/// Sets the outputs cp_*.
void show_copy(const Params& params, const State& state, Outputs& out);

}  // namespace castor::darsie
