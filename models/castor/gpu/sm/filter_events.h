#pragma once

#include <array>
#include <cstdint>

#include "castor/gpu/hooks/fetch_filter.h"
#include "castor/gpu/hooks/issue_policy.h"
#include "castor/gpu/sm/filter_pools.h"
#include "castor/gpu/sm/thread_blocks.h"
#include "castor/gpu/sm/warp_table.h"

namespace castor::gpu {

/// What happens in a tick that an SM's fetch filter is told of at its edge: stores, communication, control transfers,
/// barriers, exits; and retirements, a tick late.
///
/// S0 `stop`, `begin_tick`; S5 `tell_retired`, `issued`, `control`; S8 `fence_over`, `barrier_met`, `retired`; S9
/// `tell`.
class FilterEvents {
 public:
  FilterEvents(WarpTable& warps, const ThreadBlocks& tbs, const FilterPools& pools)
      : warps_(warps), tbs_(tbs), pools_(pools) {}

  void begin_tick();
  /// A TB begins in the context.
  void start(unsigned context) { full_barriers_[context] = 0; }
  /// Its kernel is stopped.
  void stop(WarpMask live) { leaving_ |= live; }
  void retired(unsigned context) { retires_ = static_cast<std::uint8_t>(context); }

  /// A warp of any TB issues an instruction for `mask`.
  void issued(unsigned w, const isa::Record& record, LaneMask mask);
  /// A warp on which the filter acts issues an instruction of the control unit.
  void control(unsigned w, const isa::Record& record, LaneMask mask);
  /// A fence beyond the block, or an acquire, is complete.
  void fence_over() { global_op_ = global_op_ || pools_.tbs() != 0; }
  /// A barrier of a TB is complete.
  void barrier_met(unsigned context, unsigned barrier);

  /// The TB that retired in the tick before.
  void tell_retired(FetchIn& in) const { in.retire = retired_; }
  /// At the edge. `exits` are those of the tick, `in_flight` warps that have exited with registers pending; an exit is
  /// not told together with the start of its TB (`starts`). True if something is left to be told.
  [[nodiscard]] bool tell(FetchIn& in, View<WarpExit> exits, WarpMask in_flight, WarpMask starts);

 private:
  [[nodiscard]] WarpMask joins(const TbState& tb) const;

  WarpTable& warps_;
  const ThreadBlocks& tbs_;
  const FilterPools& pools_;
  TbMask stores_ = 0, barriers_ = 0;
  bool global_op_ = false;
  WarpMask branch_ = 0, taken_ = 0, leave_ = 0;
  WarpMask leaving_ = 0;                           // exited, registers pending
  Maybe<std::uint8_t> retired_, retires_;          // told in this tick, in the next
  std::array<std::uint16_t, 64> full_barriers_{};  // per TB context: ids at which warps wait for the whole TB
};

}  // namespace castor::gpu
