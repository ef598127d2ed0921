#pragma once

#include <array>
#include <cstdint>

#include "castor/gpu/hooks/events.h"
#include "castor/gpu/hooks/hook.h"

/// IssuePolicyHook: which warp issues in each scheduler.
namespace castor::gpu {

/// A warp waits at a barrier from now on.
struct BarrierArrival {
  std::uint8_t scheduler = 0;  ///< of the warp
  std::uint8_t warp = 0;       ///< warp slot
  std::uint8_t tb = 0;         ///< TB context
  std::uint8_t barrier = 0;    ///< of the TB, 0 to 15
};

/// The last lanes of a warp have exited.
struct WarpExit {
  std::uint8_t scheduler = 0;  ///< of the warp
  std::uint8_t warp = 0;       ///< warp slot
  std::uint8_t tb = 0;         ///< TB context
};

struct IssueIn {
  Cycle now = 0;           ///< core cycle of the tick
  WarpMask valid = 0;      ///< S5: a decoded instruction is in the buffer
  WarpMask ready = 0;      ///< S5: it could issue now, and its scheduler acts in this tick
  WarpMask long_wait = 0;  ///< S5: it waits for the data of a load
  WarpMask unblock = 0;    ///< at the edge: warps whose barrier completed in this tick, those that arrived in it too
  const std::uint8_t* tb = nullptr;    ///< [warp] TB context; valid for warps of resident TBs
  const std::uint32_t* age = nullptr;  ///< [warp] core cycle in which its TB started; valid for the same
  View<BarrierArrival> arrive;  ///< at the edge: warps that wait from now on; not those whose barrier completed in this
                                ///< tick. With `exit` at most one per scheduler
  View<WarpExit> exit;          ///< at the edge
  Maybe<TbStartEvent> start;    ///< S5: a TB has started; told a tick late for one with `kernel_start`
  Maybe<std::uint8_t> free;     ///< at the edge: TB context that retired
  bool kernel_start = false;    ///< S5: a TB came to the SM while it held none; `start` follows in the next tick
  /// S5, where issue.warps is 5: warps whose head is of issue class j (compute, global memory, shared memory, control,
  /// sync). Else 0.
  std::array<WarpMask, kMaxPicks> issue_class{};
  std::array<std::uint8_t, kMaxPicks> ack{};  ///< at the edge: bit s of [j] = scheduler s really issued its pick j
};

struct IssueOut {
  std::uint8_t barrier_ok = 0xff;  ///< early: bit per scheduler: it may issue barriers and exits
  /// [s][j] = warp slot, -1 = none: j-th choice of scheduler s among its ready warps, issue.warps of them; where that
  /// is 5, of issue class j.
  std::int8_t pick[kMaxSchedulers][kMaxPicks];
};

/// One per SM, all schedulers; settle in S0 (early outputs) and first in S5, clock in S9.
using IssuePolicyHook = ClockedHook<IssueIn, IssueOut>;

}  // namespace castor::gpu
