#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "castor/base/statistics.h"
#include "castor/gpu/hooks/issue_policy.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/sm/blocked_warps.h"
#include "castor/gpu/sm/fault_port.h"
#include "castor/gpu/sm/sm_clock.h"
#include "castor/gpu/sm/sm_statistics.h"
#include "castor/gpu/sm/thread_blocks.h"
#include "castor/gpu/sm/warp_table.h"

namespace castor::gpu {

/// Barriers of the thread blocks on an SM: who arrives and who exits in a tick, who is released.
///
/// `begin_tick` before S5; S5 `arrive` and `exit`; S8 `meet`. What happened in the tick may be read behind that. Warps
/// go on barrier.register + barrier.release ticks behind the last arrival, or behind the tick in which the unit, which
/// takes barrier.arrive ticks for each arriving warp of the SM, is through with it.
class Barriers {
 public:
  Barriers(const Machine& machine, const SmClock& clock, WarpTable& warps, ThreadBlocks& tbs, BlockedWarps& blocked,
           FaultPort& faults, BarrierCounters& counters, base::Histogram& waits);

  void begin_tick() {
    exit_count_ = arrival_count_ = blocking_count_ = 0;
    unblocked_ = 0;
  }
  /// Lanes of a warp arrive at a barrier of its block. Scheduler: that of the warp.
  void arrive(unsigned scheduler, unsigned w, const isa::Record& record, LaneMask mask);
  /// The last lanes of a warp have exited.
  void exit(unsigned scheduler, unsigned w) {
    exits_[exit_count_++] = {static_cast<std::uint8_t>(scheduler), static_cast<std::uint8_t>(w), warps_[w].tb};
  }
  /// There is something to `meet`.
  [[nodiscard]] bool any() const { return (exit_count_ | arrival_count_) != 0; }
  /// Exits and arrivals of the tick act.
  void meet();

  /// Of the tick: exits, warps that wait from now on, warps whose barrier is complete.
  [[nodiscard]] View<WarpExit> exits() const { return {exits_.data(), exit_count_}; }
  [[nodiscard]] View<BarrierArrival> arrivals() const { return {blocking_.data(), blocking_count_}; }
  [[nodiscard]] WarpMask unblocked() const { return unblocked_; }
  /// A barrier that is complete.
  struct Completed {
    unsigned context = 0;
    unsigned barrier = 0;
  };
  /// Those of the last `meet`.
  [[nodiscard]] const std::vector<Completed>& completed() const { return completed_; }

 private:
  struct Arrival {
    std::uint8_t scheduler = 0, warp = 0;
    std::uint32_t pc = 0;
    isa::BarrierUnit::Arrival arrival;
  };
  void complete(unsigned context, unsigned scheduler);
  void count_lead(unsigned context);

  unsigned exit_count_ = 0, arrival_count_ = 0, blocking_count_ = 0;
  WarpMask unblocked_ = 0;
  const bool warp_level_;
  const Tick arrive_ticks_;
  const Tick release_ticks_;
  const SmClock& clock_;
  WarpTable& warps_;
  ThreadBlocks& tbs_;
  BlockedWarps& blocked_;
  FaultPort& faults_;
  BarrierCounters& counters_;
  base::Histogram& waits_;
  Tick busy_until_ = 0;  // arrivals so far
  std::vector<isa::BarrierUnit::Release> released_;
  std::vector<Completed> completed_;
  std::array<Arrival, kMaxWarps> arrivals_;
  std::array<WarpExit, kMaxWarps> exits_;
  std::array<BarrierArrival, kMaxWarps> blocking_;
};

}  // namespace castor::gpu
