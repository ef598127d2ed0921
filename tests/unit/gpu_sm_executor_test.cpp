#include "castor/gpu/sm/executor.h"
#include "unit/gpu_sm_core_support.h"

// Tests of execution at issue: values are computed at once, and become visible later.

namespace castor::gpu::gpu_sm_executor_test {
namespace {

using namespace test;

// Closed form T1: a dependent instruction issues oc_cycles + latency + 1 ticks later.
TEST(Executor, ResultIsClearCollectorLatencyAndOneTicksLater) {
  Core core(Code().add(3, 1, 2).add(4, 3, 3).exit(), 32);
  core.go_to(10);
  core.fill(0);
  set_lanes(core.warps, 0, 1, 40);
  set_lanes(core.warps, 0, 2, 2);
  const Decoded& add = core.warps[0].decoded[0];
  core.execute(0);
  EXPECT_EQ(lane_of(core.warps, 0, 3, 31), 42U);
  EXPECT_EQ(core.warps[0].pc, 1U);
  EXPECT_EQ(core.buffer.size(0), 1U);
  EXPECT_EQ(core.board.clear(), 0U);
  const Tick clear = 10 + core.machine.oc_cycles + add.latency + 1;
  core.go_to(clear - 1);
  EXPECT_EQ(core.board.clear(), 0U);
  core.go_to(clear);
  EXPECT_EQ(core.board.clear(), 1U);
}

TEST(Executor, LanesWhoseGuardIsOffKeepTheirValues) {
  Core core(Code().add(3, 1, 2).exit(), 32);
  core.fill(0);
  set_lanes(core.warps, 0, 1, 7);
  core.executor.execute(0, 0, core.warps[0].records[0], core.warps[0].decoded[0], 0x1);
  EXPECT_EQ(lane_of(core.warps, 0, 3, 0), 7U);
  EXPECT_EQ(lane_of(core.warps, 0, 3, 1), 0U);
}

TEST(Executor, InstructionOfNoLaneTakesItsPathOnly) {
  Core core(Code().load(3, 4).exit(), 32);
  core.fill(0);
  core.executor.execute(0, 0, core.warps[0].records[0], core.warps[0].decoded[0], 0);
  EXPECT_EQ(core.board.memory_busy(), 0U);
  EXPECT_EQ(core.warps[0].pc, 1U);
}

TEST(Executor, LoadIsPendingUntilItsDataAreThere) {
  Core core(Code().load(3, 4).add(5, 3, 3).exit(), 32);
  core.rig.set<std::uint32_t>(core.rig.heap, 99);
  for (unsigned lane = 0; lane < 32; ++lane) {
    std::memcpy(core.warps.view(0).dst(4) + lane * 8, &core.rig.heap, 8);
  }
  core.fill(0);
  core.execute(0);
  EXPECT_EQ(core.board.loads(0), 1U);
  EXPECT_EQ(core.board.memory_busy(), 1U);
  EXPECT_EQ(core.board.waits_load(), 1U);
  EXPECT_EQ(core.warps[0].pc, 1U);
  while (core.rig.done.empty() && core.rig.now < 1000) core.rig.begin();
  ASSERT_EQ(core.rig.done.size(), 1U);
  EXPECT_EQ(core.rig.done[0].warp, 0U);
  for (unsigned i = 0; i < 100; ++i) core.rig.begin();  // written when ready
  EXPECT_EQ(lane_of(core.warps, 0, 3, 9), 99U);
  core.board.forget(0, 3);
  core.board.load_done(0);
  EXPECT_EQ(core.board.memory_busy(), 0U);
}

TEST(Executor, AccessThatIsRefusedFaultsAndStays) {
  Core core(Code().store(3, 4).exit(), 32);  // address 0
  core.fill(0);
  core.execute(0);
  EXPECT_EQ(core.blocked.faulted(), 1U);
  EXPECT_EQ(core.warps[0].pc, 0U);
  EXPECT_EQ(core.board.memory_busy(), 0U);
  EXPECT_NE(core.outbox.faults().head(1), nullptr);
}

TEST(Executor, AcquireIsFollowedByAFence) {
  Code code;
  code.load(3, 4).exit();
  code.program.code[0].memory.ordering = isa::Ordering::kAcquire;
  code.program.code[0].memory.scope = isa::FenceScope::kDevice;
  Core core(std::move(code), 32);
  for (unsigned lane = 0; lane < 32; ++lane) {
    std::memcpy(core.warps.view(0).dst(4) + lane * 8, &core.rig.heap, 8);
  }
  core.fill(0);
  core.execute(0);
  EXPECT_EQ(core.blocked.in_fence(), 1U);
  EXPECT_EQ(core.blocked.fences_over(core.board.memory_busy()), 0U);
}

TEST(Executor, ClocksAreThoseOfTheTick) {
  Core core(Code().clock(3).exit(), 32, {"clock.core_mhz=500"});
  core.watch.open(0);
  core.go_to(700);
  core.fill(0);
  core.execute(0);
  EXPECT_EQ(lane_of(core.warps, 0, 3, 31), 700U);
  EXPECT_EQ(core.warps[0].identity.global_timer, 1400U);
  EXPECT_FALSE(core.watch.is_open());
}

TEST(Executor, ComputeMovesNothingButValues) {
  Core core(Code().add(3, 1, 2).exit(), 32);
  core.fill(0);
  set_lanes(core.warps, 0, 2, 5);
  EXPECT_TRUE(core.executor.compute(0, core.warps[0].records[0], core.warps[0].decoded[0], 0xffffffff));
  EXPECT_EQ(lane_of(core.warps, 0, 3, 0), 5U);
  EXPECT_EQ(core.warps[0].pc, 0U);
  EXPECT_FALSE(core.board.pending(0, 3));
}

}  // namespace
}  // namespace castor::gpu::gpu_sm_executor_test
