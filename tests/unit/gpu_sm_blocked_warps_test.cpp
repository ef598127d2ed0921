#include <gtest/gtest.h>

#include <vector>

#include "castor/gpu/sm/blocked_warps.h"

// Tests of the reasons that block warps: how each begins and ends.

namespace castor::gpu::gpu_sm_blocked_warps_test {
namespace {

struct Bench {
  /// Applies the events of tick `tick` as an SM does.
  void events(Tick tick) {
    (void)wheel.take(tick, [this](const SmEvent& event) {
      if (event.kind == SmEvent::Kind::kUnblock) blocked.released(event.payload);
      if (event.kind == SmEvent::Kind::kTimer) blocked.wake(event.warp);
    });
  }
  EventWheel wheel;
  BlockedWarps blocked{wheel};
};

TEST(BlockedWarps, WarpsLeaveABarrierWhenTheirReleaseIsDue) {
  Bench bench;
  bench.blocked.wait_at_barrier(3);
  bench.blocked.wait_at_barrier(5);
  bench.blocked.wait_at_barrier(9);
  EXPECT_EQ(bench.blocked.held_at_barrier(), 0x228U);
  bench.blocked.release(0x28, 100, 103);
  EXPECT_EQ(bench.blocked.held_at_barrier(), 0x200U);
  EXPECT_EQ(bench.blocked.releasing(), 0x28U);
  bench.events(102);
  EXPECT_EQ(bench.blocked.any(), 0x228U);
  bench.events(103);
  EXPECT_EQ(bench.blocked.any(), 0x200U);
  EXPECT_EQ(bench.blocked.releasing(), 0U);
}

TEST(BlockedWarps, FenceIsOverWhenNothingIsUnderWay) {
  Bench bench;
  bench.blocked.fence(0);
  bench.blocked.fence(1);
  EXPECT_EQ(bench.blocked.fences_over(2), 1U);
  bench.blocked.end_fences(1);
  EXPECT_EQ(bench.blocked.any(), 2U);
  EXPECT_EQ(bench.blocked.in_fence(), 2U);
}

TEST(BlockedWarps, SleeperWakesInItsTick) {
  Bench bench;
  bench.blocked.sleep(7, 10, 5000);
  bench.blocked.sleep(8, 10, 11);
  bench.events(11);
  EXPECT_EQ(bench.blocked.asleep(), 0x80U);
  bench.events(5000);
  EXPECT_EQ(bench.blocked.any(), 0U);
}

TEST(BlockedWarps, CallIsMadeBehindOlderAccessesAndEndsWithItsAnswer) {
  Bench bench;
  bench.blocked.call(2);
  bench.blocked.call(4);
  EXPECT_EQ(bench.blocked.calls_due(4), 0x10U);
  bench.blocked.make_calls(0x10);
  EXPECT_EQ(bench.blocked.before_call(), 4U);
  EXPECT_EQ(bench.blocked.in_call(), 0x14U);
  bench.blocked.answered(4);
  EXPECT_EQ(bench.blocked.any(), 4U);
}

TEST(BlockedWarps, StopTakesBackWhatIsNotUnderWay) {
  Bench bench;
  bench.blocked.wait_at_barrier(0);
  bench.blocked.wait_at_barrier(1);
  bench.blocked.release(2, 0, 3);
  bench.blocked.fence(2);
  bench.blocked.sleep(3, 0, 9);
  bench.blocked.call(4);
  bench.blocked.call(5);
  bench.blocked.make_calls(0x20);
  bench.blocked.fault(6);
  bench.blocked.fault(63);
  bench.blocked.stop(0x7f);
  EXPECT_EQ(bench.blocked.releasing(), 2U);
  EXPECT_EQ(bench.blocked.in_call(), 0x20U);  // the reply to the call arrives
  EXPECT_EQ(bench.blocked.any(), 0x20U | std::uint64_t{1} << 63);
  bench.events(3);
  EXPECT_EQ(bench.blocked.releasing(), 0U);
}

}  // namespace
}  // namespace castor::gpu::gpu_sm_blocked_warps_test
