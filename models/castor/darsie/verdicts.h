#pragma once

#include "castor/darsie/cycle.h"
#include "castor/darsie/rows.h"

namespace castor::darsie {

/// Reason of the verdict on a redundant instruction.
enum class Why : U8 {
  kNone,        ///< the instruction is not redundant
  kNosk,        ///< version is stale; the remaining warps execute the instruction privately
  kLast,        ///< version is stale, and no other warp waits for it
  kRelead,      ///< version is stale: elected again for the warps that have not passed
  kNoRow,       ///< version is stale, and no row is free to elect again
  kLatch,       ///< another warp leads the instruction: wait for its version
  kAlone,       ///< the warp is alone in the majority
  kNoElect,     ///< no elections until the region ends
  kPark,        ///< a synchronisation point is open
  kLead,        ///< elected as leader
  kSetNoElect,  ///< no row is free, even after a synchronisation point: no elections until the region ends
  kSetSync      ///< no row is free: opens a synchronisation point
};

struct Verdict {
  Why why = Why::kNone;
  U8 warp = 0;         ///< warp being decoded
  U8 tb = 0;           ///< TB slot of the warp
  U8 slot = 0;         ///< slot of the instruction in the decode group
  Tags version;        ///< pending version to which the verdict refers
  Tags rows;           ///< rows that an election takes
  WarpMask heirs = 0;  ///< other warps for which the elected rows become pending
};

/// Judges the instructions that a majority warp decodes in a cycle. Made for the cycle, changes nothing.
class Judge {
 public:
  /// `age_mask`: mask of differences of sequence numbers.
  Judge(const View& view, const Rows& rows, U8 age_mask)
      : params_(view.params),
        in_(view.in),
        state_(view.state),
        rows_(rows),
        age_mask_(age_mask),
        warp_(view.in.d_warp),
        tb_(view.state.tb[warp_]),
        warps_(view.warps[tb_]) {}
  /// Whether the instruction in a decode slot is redundant.
  [[nodiscard]] bool redundant(unsigned slot) const;
  /// Finds the verdict on the redundant instruction in a decode slot.
  void judge(unsigned slot, Verdict& verdict) const;

 private:
  [[nodiscard]] Why judge_version(Verdict& verdict, U32 pending) const;
  [[nodiscard]] Why judge_election(Verdict& verdict) const;
  [[nodiscard]] Tags version_of(unsigned slot, U32 pending) const;
  [[nodiscard]] bool find_room(unsigned slot, Tags& rows) const;
  [[nodiscard]] U32 used_rows() const;
  [[nodiscard]] WarpMask pending_warps(unsigned row) const;

  const Params& params_;
  const Inputs& in_;
  const State& state_;
  const Rows& rows_;
  const U8 age_mask_;
  const U8 warp_;         // warp being decoded
  const U8 tb_;           // TB slot of the warp
  const WarpMask warps_;  // live warps of the TB
};

}  // namespace castor::darsie
