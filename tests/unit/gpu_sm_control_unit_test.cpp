#include "castor/gpu/sm/control_unit.h"
#include "unit/gpu_sm_core_support.h"

// Tests of the effects of each type of control instruction on a warp.

namespace castor::gpu::gpu_sm_control_unit_test {
namespace {

using namespace test;

/// Executes the control instruction at the PC of warp `w`, for all its lanes, as if it had left the buffer.
void control(Core& core, unsigned w) {
  const WarpState& warp = core.warps[w];
  core.control.execute(w % core.machine.schedulers, w, warp.records[warp.pc],
                       isa::guarded(warp.records[warp.pc], warp.predicates, warp.active));
}

TEST(ControlUnit, TransferEmptiesTheBufferAndHoldsTheWarpBack) {
  Core core(Code().branch(3, isa::kNoPc).nop().nop().exit(), 32, {"fetch.branch_cycles=4"});
  core.go_to(10);
  core.fill(0, 1);
  control(core, 0);
  EXPECT_EQ(core.warps[0].pc, 3U);
  EXPECT_EQ(core.buffer.size(0), 0U);
  EXPECT_EQ(core.fetch.held_back(), 1U);
  core.go_to(13);
  EXPECT_EQ(core.fetch.held_back(), 0U);  // fetched in 14 = 10 + 4
}

TEST(ControlUnit, LastExitLeavesTheWarp) {
  Core core(Code().exit(), 64);
  core.go_to(10);
  core.board.expect_write(1, 4, 10, 15);
  control(core, 1);
  EXPECT_EQ(core.warps.live(), 1U);
  EXPECT_EQ(core.board.in_flight(), 2U);
  ASSERT_EQ(core.barriers.exits().size, 1U);
  EXPECT_EQ(core.barriers.exits()[0].warp, 1U);
  EXPECT_EQ(core.barriers.exits()[0].scheduler, 1U);
}

TEST(ControlUnit, FenceBlocksBeyondTheBlockOnly) {
  Core core(Code().fence(isa::FenceScope::kBlock).fence(isa::FenceScope::kDevice).exit(), 32);
  control(core, 0);
  EXPECT_EQ(core.blocked.any(), 0U);
  EXPECT_EQ(core.warps[0].pc, 1U);
  control(core, 0);
  EXPECT_EQ(core.blocked.in_fence(), 1U);
  EXPECT_EQ(core.warps[0].pc, 2U);
}

TEST(ControlUnit, BarrierArrivesAndGoesOn) {
  Core core(Code().barrier().exit(), 64);
  control(core, 0);
  EXPECT_TRUE(core.barriers.any());
  EXPECT_EQ(core.blocked.at_barrier(), 1U);
  EXPECT_EQ(core.warps[0].pc, 1U);
}

TEST(ControlUnit, WarpBarrierWithAMissingLaneFaults) {
  for (const LaneMask lanes : {LaneMask{0xffffffff}, LaneMask{0xffff}}) {
    Core core(Code().barrier(isa::BarrierKind::kWarp, 4).exit(), 32);
    set_lanes(core.warps, 0, 4, 0xffffffff);
    core.control.execute(0, 0, core.warps[0].records[0], lanes);
    EXPECT_EQ(core.blocked.faulted(), lanes == 0xffff ? 1U : 0U);
    EXPECT_EQ(core.blocked.at_barrier(), 0U);
  }
}

// ceil(ns x f) ticks, of the longest lane.
TEST(ControlUnit, SleepTakesTheTicksOfItsLongestLane) {
  for (const std::uint32_t nanoseconds : {0U, 1U, 1000U, 123456U}) {
    Core core(Code().sleep(4).exit(), 32, {"clock.core_mhz=706"});
    core.go_to(10);
    set_lanes(core.warps, 0, 4, 0);
    std::memcpy(core.warps.view(0).dst(4) + 7 * 4, &nanoseconds, 4);
    control(core, 0);
    const Tick ticks = std::max<Tick>(1, (std::uint64_t{nanoseconds} * 706 + 999) / 1000);
    EXPECT_EQ(core.warps[0].wakes, 10 + ticks);
    EXPECT_EQ(core.blocked.asleep(), 1U);
    core.go_to(10 + ticks - 1);
    EXPECT_EQ(core.blocked.asleep(), 1U);
    core.go_to(10 + ticks);
    EXPECT_EQ(core.blocked.asleep(), 0U);
  }
}

TEST(ControlUnit, SleeperThatLeftDoesNotWakeItsSuccessor) {
  Core core(Code().sleep(4).exit(), 32);
  core.go_to(10);
  set_lanes(core.warps, 0, 4, 100);
  control(core, 0);
  const Tick due = core.warps[0].wakes;
  core.warps.stop(1);
  core.blocked.stop(1);
  core.warps.release(1);
  core.tbs.stop(0);
  (void)core.tbs.retire(0, core.clock.now(), core.clock.tick());
  core.start(1);
  core.go_to(12);
  set_lanes(core.warps, 0, 4, 10'000);
  control(core, 0);
  core.go_to(due);
  EXPECT_EQ(core.blocked.asleep(), 1U);
}

TEST(ControlUnit, TrapFaultsWhereItStands) {
  Core core(Code().trap().exit(), 32);
  control(core, 0);
  EXPECT_EQ(core.blocked.faulted(), 1U);
  EXPECT_EQ(core.warps[0].pc, 0U);
}

TEST(ControlUnit, CallWaitsBehindOlderAccesses) {
  Core core(Code().allocate(4, 2).exit(), 32);
  core.watch.open(0);
  control(core, 0);
  EXPECT_EQ(core.blocked.before_call(), 1U);
  EXPECT_EQ(core.warps[0].call_pc, 0U);
  EXPECT_EQ(core.warps[0].call_mask, 0xffffffffU);
  EXPECT_EQ(core.warps[0].pc, 1U);
  EXPECT_FALSE(core.watch.is_open());
}

TEST(ControlUnit, JumpBackIsLookedAtWithNothingUnderWay) {
  Core core(Code().nop().branch(0, isa::kNoPc).exit(), 32);
  core.watch.open(0);
  for (unsigned turn = 0; turn < 2; ++turn) {
    core.control.advance(0);
    if (turn == 0) core.board.memory_issued(0, core.warps[0].decoded[0], {1, false});  // a store
    control(core, 0);
    if (turn == 0) core.board.acknowledged(0);
  }
  EXPECT_EQ(core.watch.repeating(), 0U);  // seen once
  core.control.advance(0);
  control(core, 0);
  EXPECT_EQ(core.watch.repeating(), 1U);
}

}  // namespace
}  // namespace castor::gpu::gpu_sm_control_unit_test
