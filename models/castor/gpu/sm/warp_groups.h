#pragma once

#include <cstdint>
#include <vector>

#include "castor/gpu/hooks/hook.h"
#include "castor/gpu/machine.h"

namespace castor::gpu {

/// State of the two-level issue policies: the warps of each scheduler are divided into groups. One group is active, and
/// round robin picks inside it (docs/gpu/sm.md, "Issue policies").
///
/// * Two-level (tl): groups of `issue.tl_group` neighbouring warps. When every live warp of the active group waits, the
///   next group with a candidate becomes active.
/// * Thread-block-aware two-level (catls): the warps of a thread block on a scheduler join the first group with fewer
///   than `issue.catls_group` warps, and are never split. When the active group has no candidate, the next group with
///   one becomes active.
///
/// Warps are numbered as in the SM; warp w belongs to scheduler w mod schedulers. A copy of this object is independent
/// of the original, so that picks can be tried on it.
class WarpGroups {
 public:
  static constexpr unsigned kNone = 0xff;

  /// Makes the groups for `machine.sm.warps` warps. Only for policies tl and catls.
  explicit WarpGroups(const Machine& machine);

  /// The warps of a thread block were placed in these free slots; or have left these slots.
  void place(WarpMask warps);
  void release(WarpMask warps);

  /// Returns the warp that scheduler `s` would issue, or kNone. `candidates`: its ready warps; `waiting`: warps of the
  /// SM that wait for a load or are blocked; `live`: warps that have not exited.
  [[nodiscard]] unsigned pick(unsigned s, WarpMask candidates, WarpMask live, WarpMask waiting) const;
  /// Records that warp `w` of scheduler `s` has issued, and makes its group active.
  void issued(unsigned s, unsigned w);

 private:
  /// Groups of one scheduler.
  struct Scheduler {
    std::vector<WarpMask> members;   ///< [group] warps of the group
    std::vector<std::uint8_t> last;  ///< [group] warp that issued last
    std::uint8_t active = 0;         ///< active group
  };

  bool by_thread_block_;
  unsigned group_warps_;
  unsigned schedulers_;
  unsigned groups_ = 0;
  std::vector<Scheduler> state_;
  std::vector<std::uint8_t> group_of_;  ///< [warp] group of the warp
};

}  // namespace castor::gpu
