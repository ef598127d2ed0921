#pragma once

#include <array>
#include <cstdint>

#include "castor/gpu/hooks/events.h"
#include "castor/gpu/hooks/hook.h"

/// IssuePolicyHook: selects the warp that issues, for each scheduler of an SM.
namespace castor::gpu {

/// Event: a warp begins to wait at a barrier.
struct BarrierArrival {
  std::uint8_t scheduler = 0;  ///< scheduler of the warp
  std::uint8_t warp = 0;       ///< warp slot
  std::uint8_t tb = 0;         ///< TB context
  std::uint8_t barrier = 0;    ///< barrier number inside the TB, 0 to 15
};

/// Event: the last lanes of a warp have exited, or its thread block is swapped out.
struct WarpExit {
  std::uint8_t scheduler = 0;  ///< scheduler of the warp
  std::uint8_t warp = 0;       ///< warp slot
  std::uint8_t tb = 0;         ///< TB context
};

/// Inputs of an issue policy. "S5": valid in `settle` of that step. "At the edge": valid in `clock`.
struct IssueIn {
  Cycle now = 0;           ///< core cycle of the tick
  WarpMask valid = 0;      ///< S5: warps with a decoded instruction in the instruction buffer
  WarpMask ready = 0;      ///< S5: warps that could issue now and whose scheduler acts in this tick
  WarpMask long_wait = 0;  ///< S5: warps stalled on the data of a load
  /// at the edge: warps whose barrier completed in this tick, including those that arrived in this tick
  WarpMask unblock = 0;
  const std::uint8_t* tb = nullptr;    ///< TB context of each warp; valid for warps of resident TBs
  const std::uint32_t* age = nullptr;  ///< core cycle in which each warp's TB started; valid for warps of resident TBs
  /// At the edge: warps that begin to wait at a barrier, without those whose barrier completed in this tick. `arrive`
  /// and `exit` together hold at most one event per scheduler.
  View<BarrierArrival> arrive;
  View<WarpExit> exit;  ///< at the edge: warps that have exited
  /// S5: a TB has started, or was restored with its live warps; delivered one tick later if `kernel_start` announced it
  Maybe<TbStartEvent> start;
  Maybe<std::uint8_t> free;  ///< at the edge: TB context of the TB that retired or was swapped out
  /// S5: a TB started on an SM that held none; its `start` event follows in the next tick
  bool kernel_start = false;
  /// S5, with issue.warps 5: warps whose queue head belongs to issue class j (compute, global memory, shared memory,
  /// control, sync). Else 0.
  std::array<WarpMask, kMaxPicks> issue_class{};
  std::array<std::uint8_t, kMaxPicks> ack{};  ///< at the edge: [j], bit s = pick j of scheduler s has issued
};

/// Outputs of an issue policy. "Early": depends on the policy's state only.
struct IssueOut {
  std::uint8_t barrier_ok = 0xff;  ///< early: bit per scheduler that may issue barriers and exits
  /// [s][j]: warp slot of pick j of scheduler s, chosen from its ready warps; -1 = none. Valid for j below issue.warps;
  /// with issue.warps 5, pick j is of issue class j.
  std::int8_t pick[kMaxSchedulers][kMaxPicks];
};

/// One per SM, for all its schedulers. Settles in S0, start (early outputs) and first in S5, issue; clocks in S9, hook
/// edges.
using IssuePolicyHook = ClockedHook<IssueIn, IssueOut>;

}  // namespace castor::gpu
