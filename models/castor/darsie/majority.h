#pragma once

#include "castor/darsie/cycle.h"
#include "castor/darsie/skip_tables.h"

namespace castor::darsie {

/// Majority of each TB: meetings at branches, synchronisation points, leaves, and barriers, at which warps join again.
class Majority {
 public:
  void reset() { complete_ = 0; }

  /// Returns the TBs whose majority has stopped completely.
  [[nodiscard]] TbMask complete() const { return complete_; }

  // Steps of an edge (docs/blocks/darsie.md, "Cycle").
  void step_completion(const Edge& edge, SkipTables& tables) const;
  static void step_branches(const Edge& edge);
  static void step_leaves(const Edge& edge);
  static void step_barriers(const Edge& edge, SkipTables& tables);
  void end_edge(const Edge& edge);

 private:
  static void leave(const Edge& edge, WarpMask warps);

  TbMask complete_ = 0;
};

}  // namespace castor::darsie
