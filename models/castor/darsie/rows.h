#pragma once

#include <array>

#include "castor/darsie/cycle.h"
#include "castor/darsie/masks.h"

namespace castor::darsie {

/// Renaming rows of all TBs. The class finds the rows of a register number, changes the rows that a warp reads (`ref`),
/// and holds back the dropped ones until the warp has collected its operands (`ling`).
class Rows {
 public:
  /// Sets the state after reset: every row is of register number 0.
  void reset(const Params& params);

  /// Returns the rows of a TB slot that are of register number `slot`.
  [[nodiscard]] U32 of(unsigned tb, unsigned slot) const { return slot_rows_[tb][slot]; }
  /// Returns the warps with a lingering row.
  [[nodiscard]] WarpMask lingering() const { return lingering_; }

  /// Changes the rows that a warp reads. `step_linger` of the same edge makes those that it loses linger.
  void change_ref(State& state, unsigned warp, U32 ref);
  /// Lets warps of a TB pass an instance: its rows replace those of the same register numbers.
  void pass(State& state, WarpMask warps, unsigned tb, const Tags& tags);
  /// Gives the rows of an election their sequence number and register numbers, by destination. Both become valid at the
  /// end of the edge; at most one election per edge.
  void renumber(unsigned tb, U8 seq, const Tags& rows, const std::array<U8, 2>& slots) {
    renumbering_ = {true, tb, seq, rows, slots};
  }
  /// Starts the TB's warps without rows.
  void launch(State& state, WarpMask warps);

  // Steps of an edge (docs/blocks/darsie.md, "Cycle").
  void step_issue(const Edge& edge);
  void step_linger(const Edge& edge);
  void end_edge(State& state);

 private:
  struct Renumbering {
    bool valid = false;        // a leader was elected at this edge
    unsigned tb = 0;           // TB slot
    U8 seq = 0;                // sequence number
    Tags rows;                 // elected rows, by destination
    std::array<U8, 2> slot{};  // register numbers, by destination
  };

  std::array<std::array<U32, kMaxSlots>, kMaxTbs> slot_rows_{};  // rows of each register number of a TB slot
  WarpMask lingering_ = 0;                                       // warps with a lingering row
  // Changes made so far by the steps of the current edge.
  WarpMask touched_ = 0;                   // warps whose `ref` has changed
  std::array<U32, kMaxWarps> ref_before_;  // previous `ref` of the warps in touched_
  Renumbering renumbering_;
};

/// Clears the pending instances of the warps.
inline void clear_pending(State& state, WarpMask warps) {
  for_each_bit(warps, [&state](unsigned w) { state.versions[w].pend = 0; });
}

}  // namespace castor::darsie
