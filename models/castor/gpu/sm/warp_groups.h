#pragma once

#include <cstdint>
#include <vector>

#include "castor/gpu/hooks/hook.h"
#include "castor/gpu/machine.h"

namespace castor::gpu {

/// Two-level issue policies: each scheduler's warps are in groups, one group is active, and round robin goes on inside
/// it (docs/gpu/sm.md, "Issue policies").
///
/// * Two-level (tl): groups of `issue.tl_group` neighbouring warps. The next group with a candidate becomes active when
///   every live warp of the active one waits.
/// * Thread-block-aware two-level (catls): a thread block's warps on a scheduler join the first group with fewer than
///   `issue.catls_group` warps, and are never split. The next group with a candidate becomes active as soon as the
///   active one has none.
///
/// Warps are numbered as in the SM; warp w belongs to scheduler w mod schedulers. A copy goes its own way.
class WarpGroups {
 public:
  static constexpr unsigned kNone = 0xff;

  /// `schedulers` of `machine.sm.warps` warps. Only for the two policies.
  explicit WarpGroups(const Machine& machine);

  /// A thread block was placed in these warp slots (free before), or has left them.
  void place(WarpMask warps);
  void release(WarpMask warps);

  /// The warp that scheduler `s` would issue, kNone if it issues none. `candidates`: its ready warps; `waiting`: warps
  /// of the SM that wait for a load or are blocked; `live`: those that have not exited.
  [[nodiscard]] unsigned pick(unsigned s, WarpMask candidates, WarpMask live, WarpMask waiting) const;
  /// Warp `w` of scheduler `s` has issued: its group is the active one.
  void issued(unsigned s, unsigned w);

 private:
  struct Scheduler {
    std::vector<WarpMask> members;   ///< per group
    std::vector<std::uint8_t> last;  ///< warp that issued last, per group
    std::uint8_t active = 0;
  };

  bool by_thread_block_;
  unsigned group_warps_;
  unsigned schedulers_;
  unsigned groups_ = 0;
  std::vector<Scheduler> state_;
  std::vector<std::uint8_t> group_of_;  ///< per warp
};

}  // namespace castor::gpu
