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

/// Barrier unit of an SM: arrivals at and exits from the barriers of its thread blocks, and the release of waiting
/// warps.
///
/// Steps: `begin_tick` before S5, issue; `arrive` and `exit` in S5; `meet` in S8, bookkeeping. The results of a tick
/// may be read after `meet`. Released warps resume barrier.register + barrier.release ticks after the last arrival.
/// With barrier.arrive > 0 the unit spends that many ticks on each arriving warp, and the delay of the release starts
/// in the tick in which the unit has processed the last arrival.
class Barriers {
 public:
  Barriers(const Machine& machine, const SmClock& clock, WarpTable& warps, ThreadBlocks& tbs, BlockedWarps& blocked,
           FaultPort& faults, BarrierCounters& counters, base::Histogram& waits);

  void begin_tick() {
    exit_count_ = arrival_count_ = blocking_count_ = 0;
    unblocked_ = 0;
  }
  /// Records that the lanes `mask` of warp `w` arrive at a barrier of their block. `scheduler` is the warp's scheduler.
  /// Reports a fault if the lanes are divergent and the machine's barriers do not count per warp.
  void arrive(unsigned scheduler, unsigned w, const isa::Record& record, LaneMask mask);
  /// Records that the last lanes of warp `w` have exited.
  void exit(unsigned scheduler, unsigned w) {
    exits_[exit_count_++] = {static_cast<std::uint8_t>(scheduler), static_cast<std::uint8_t>(w), warps_[w].tb};
  }
  /// Returns whether the tick has exits or arrivals for `meet` to process.
  [[nodiscard]] bool any() const { return (exit_count_ | arrival_count_) != 0; }
  /// Applies the exits and arrivals of the tick, and schedules the release of the warps whose barriers complete.
  void meet();

  /// Results of the barrier step of this tick: exited warps, newly waiting warps, released warps.
  [[nodiscard]] View<WarpExit> exits() const { return {exits_.data(), exit_count_}; }
  [[nodiscard]] View<BarrierArrival> arrivals() const { return {blocking_.data(), blocking_count_}; }
  [[nodiscard]] WarpMask unblocked() const { return unblocked_; }
  /// A completed barrier of a TB context.
  struct Completed {
    unsigned context = 0;
    unsigned barrier = 0;
  };
  /// Returns the barriers completed in the last `meet`.
  [[nodiscard]] const std::vector<Completed>& completed() const { return completed_; }

 private:
  // Arrival of a warp in this tick, processed by `meet`.
  struct Arrival {
    std::uint8_t scheduler = 0, warp = 0;
    std::uint32_t pc = 0;
    isa::BarrierUnit::Arrival arrival;
  };
  void complete(unsigned context, unsigned scheduler);
  void count_lead(unsigned context);

  // Number of valid elements of exits_, arrivals_ and blocking_; cleared by `begin_tick`.
  unsigned exit_count_ = 0, arrival_count_ = 0, blocking_count_ = 0;
  // Warps whose barrier completed in this tick; cleared by `begin_tick`.
  WarpMask unblocked_ = 0;
  const bool warp_level_;  // barrier.warp_level: one arriving lane counts for the whole warp
  const Tick arrive_ticks_;
  const Tick release_ticks_;
  const SmClock& clock_;
  WarpTable& warps_;
  ThreadBlocks& tbs_;
  BlockedWarps& blocked_;
  FaultPort& faults_;
  BarrierCounters& counters_;
  base::Histogram& waits_;
  Tick busy_until_ = 0;  // tick in which the unit has processed all arrivals so far
  std::vector<isa::BarrierUnit::Release> released_;
  std::vector<Completed> completed_;
  std::array<Arrival, kMaxWarps> arrivals_;         // arrivals of this tick
  std::array<WarpExit, kMaxWarps> exits_;           // exits of this tick
  std::array<BarrierArrival, kMaxWarps> blocking_;  // warps that begin to wait in this tick
};

}  // namespace castor::gpu
