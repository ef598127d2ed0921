#pragma once

#include <array>

#include "castor/darsie/cycle.h"
#include "castor/darsie/rows.h"

namespace castor::darsie {

/// Fetch side: the groups of warps that are served in a cycle. A group skips an instruction, begins to wait for a
/// version, or finds nothing in the skip table.
class Groups {
 public:
  void reset();

  /// Returns the warps that skip or probe the skip table once they are eligible.
  [[nodiscard]] WarpMask candidates() const { return candidates_; }
  /// Returns the waiting warps whose rows are all written.
  [[nodiscard]] WarpMask ready() const { return ready_; }

  /// Finds the groups of this cycle. Returns the warps that skip.
  WarpMask find(const View& view) {
    count_ = 0;
    const WarpMask warps = view.in.f_elig & candidates_;
    return warps != 0 ? find_groups(view, warps) : 0;
  }
  /// Step 3 of an edge: applies the groups found last.
  void step(const Edge& edge, Rows& rows);
  /// Finds the candidates of the next cycle. `probe`: warps that may probe the skip table.
  void end_edge(const State& state, WarpMask probe) {
    ready_ = state.lat & state.lr0 & (state.lr1 | ~state.two);
    candidates_ = state.maj & (ready_ | probe);
  }

 private:
  /// Outcome for a group of warps: free to fetch, waits for the version, or skips.
  enum class Kind : U8 { kMiss, kLatch, kSkip };
  /// Warps of one TB at the same PC or waiting for the same version, served together in a cycle.
  struct Group {
    WarpMask warps = 0;  // warps of the group
    Tags tags;           // rows of the version; undefined for a miss
    Kind kind = Kind::kMiss;
    bool woken = false;   // the warps waited for the version; if false, they probed the skip table
    bool load = false;    // the entry is of a load
    bool global = false;  // the entry is of a global load
    U8 first = 0;         // warp that the round-robin search found; rrf becomes the next warp
    U8 tb = 0;            // TB slot of all warps
  };

  WarpMask find_groups(const View& view, WarpMask rest);
  // Complete a group, given its first warp, by those of `rest` that are served with it.
  static void wake(const View& view, unsigned first, WarpMask rest, Group& group);
  static void probe(const View& view, unsigned first, WarpMask rest, Group& group);
  static void skip(const Edge& edge, const Group& group, Rows& rows);

  WarpMask ready_ = 0, candidates_ = 0;
  std::array<Group, kMaxGroups> groups_{};  // groups served in this cycle
  unsigned count_ = 0;                      // number of valid elements of groups_
};

}  // namespace castor::darsie
