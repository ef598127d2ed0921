#pragma once

#include <array>
#include <cstdint>

#include "castor/gpu/hooks/fetch_filter.h"
#include "castor/gpu/hooks/issue_policy.h"
#include "castor/gpu/sm/filter_pools.h"
#include "castor/gpu/sm/thread_blocks.h"
#include "castor/gpu/sm/warp_table.h"

namespace castor::gpu {

/// Collects the events of a tick that an SM's fetch filter sees at its edge: stores, communication, control transfers,
/// barriers, exits. A retirement is delivered one tick later.
///
/// Steps: `stop` and `begin_tick` in S0, start; `report_retired`, `issued` and `control` in S5, issue; `fence_over`,
/// `barrier_met` and `retired` in S8, bookkeeping; `tell` in S9, hook edges.
class FilterEvents {
 public:
  FilterEvents(WarpTable& warps, const ThreadBlocks& tbs, const FilterPools& pools)
      : warps_(warps), tbs_(tbs), pools_(pools) {}

  void begin_tick();
  /// Resets the barrier state of a TB context in which a TB starts.
  void start(unsigned context) { full_barriers_[context] = 0; }
  /// Treats the live warps of a TB that is stopped or begins to move out as exited.
  void stop(WarpMask live) { leaving_ |= live; }
  /// Returns the exited warps whose exit has not been delivered.
  [[nodiscard]] WarpMask leaving() const { return leaving_; }
  /// Records that the TB of a context has retired or was swapped out.
  void retired(unsigned context) { retires_ = static_cast<std::uint8_t>(context); }

  /// Records the issue of an instruction by a warp of any TB, for the lanes `mask`.
  void issued(unsigned w, const isa::Record& record, LaneMask mask);
  /// Records the issue of a control instruction by a warp on which the filter acts.
  void control(unsigned w, const isa::Record& record, LaneMask mask);
  /// Records that a warp has completed a fence beyond the block, or an acquire.
  void fence_over() { global_op_ = global_op_ || pools_.tbs() != 0; }
  /// Records that a barrier of a TB has completed.
  void barrier_met(unsigned context, unsigned barrier);

  /// Writes the TB that retired in the previous tick into the filter's inputs.
  void report_retired(FetchIn& in) const { in.retire = retired_; }
  /// Writes the events of the tick into the filter's inputs for the edge. `exits`: exited warps of the tick;
  /// `in_flight`: exited warps with pending registers; `starts`: warps that start in this tick, whose exits are
  /// delivered later. Returns whether an event is left for the next tick.
  [[nodiscard]] bool tell(FetchIn& in, View<WarpExit> exits, WarpMask in_flight, WarpMask starts);

 private:
  [[nodiscard]] WarpMask joins(const TbState& tb) const;

  WarpTable& warps_;
  const ThreadBlocks& tbs_;
  const FilterPools& pools_;
  // Events of this tick, as in FetchIn; cleared by `begin_tick`.
  TbMask stores_ = 0, barriers_ = 0;
  bool global_op_ = false;
  WarpMask branch_ = 0, taken_ = 0, leave_ = 0;
  // exited warps whose exit has not been delivered, because registers are pending
  WarpMask leaving_ = 0;
  // TB contexts whose retirement is delivered in this tick, and in the next one
  Maybe<std::uint8_t> retired_, retires_;
  std::array<std::uint16_t, 64> full_barriers_{};  // [TB context] barrier ids at which warps wait for the whole TB
};

}  // namespace castor::gpu
