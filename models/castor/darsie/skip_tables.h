#pragma once

#include "castor/darsie/cycle.h"

namespace castor::darsie {

/// Skip tables of all TBs: which entries are valid, and which warps may find one.
class SkipTables {
 public:
  void reset() { warps_ = 0; }

  /// Returns the live warps of TBs with valid entries.
  [[nodiscard]] WarpMask warps() const { return warps_; }

  /// Writes an entry for the rows of an election. `kind`: load kind of the instruction (d_ldkind).
  void insert(const Edge& edge, unsigned tb, U64 pc, const Tags& rows, unsigned kind);
  /// Ends the region of a TB: its entries become invalid, and elections are free again. `warps`: live warps of the TB.
  void end_region(State& state, unsigned tb, WarpMask warps);
  /// Step 2 of an edge: memory operations that other warps or SMs observe make loads stale.
  void step_memory(const Edge& edge);

 private:
  void set_valid(State& state, unsigned tb, WarpMask warps, unsigned valid);

  WarpMask warps_ = 0;
};

}  // namespace castor::darsie
