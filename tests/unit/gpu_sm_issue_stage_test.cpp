#include "castor/gpu/sm/issue_stage.h"
#include "unit/gpu_sm_core_support.h"

// Tests of the issue stage: ready warps, issuing warps, and the stall reasons of the others.

namespace castor::gpu::gpu_sm_issue_stage_test {
namespace {

using namespace test;

struct Bench : Core {
  Bench(Code code, unsigned threads, const std::vector<std::string>& overrides = {})
      : Core(std::move(code), threads, overrides),
        stage(machine, warps, buffer, board, blocked, pipelines, rig.lsu, true) {}

  /// Runs step S5 of tick `now`. Returns true if the tick was classified.
  bool issue(Tick now, std::uint8_t barrier_ok = 0xff) {
    go_to(now);
    log.clear();
    if (!stage.look(now, barrier_ok)) return false;
    stage.judge(now, barrier_ok, reissued, false);
    stage.pick();
    if (stage.ready() != 0) {
      stage.commit(now, [this](unsigned /*scheduler*/, unsigned w) {
        log.push_back(w);
        execute(w);
        return 32U;
      });
    }
    stage.classify();
    return true;
  }

  IssueStage stage;
  WarpMask reissued = 0;      ///< warps whose instructions are issued again
  std::vector<unsigned> log;  ///< warps in the order in which they issued
};

Code sums(unsigned count) {
  Code code;
  for (unsigned i = 0; i < count; ++i) code.add(3 + i, 1, 2);
  return code.exit();
}

/// Returns a bench with one instruction of a warp per tick, four schedulers, and one unit that accepts an instruction
/// every eight ticks.
Bench slow_unit(unsigned threads) {
  return Bench(sums(8), threads, {"issue.per_warp=1", "units.sp=1", "latency.int.interval=8"});
}

TEST(IssueStage, EachSchedulerIssuesAReadyWarp) {
  Bench bench(sums(4), 6 * 32, {"issue.per_warp=1", "issue.policy=oldest"});
  for (const unsigned w : {1, 4, 5}) bench.fill(w);
  EXPECT_TRUE(bench.issue(10));
  EXPECT_EQ(bench.stage.ready(), 0x32U);
  EXPECT_EQ(bench.log, (std::vector<unsigned>{4, 1}));  // in the order of their schedulers
  EXPECT_EQ(bench.stage.issued(), 3U);
  EXPECT_EQ(bench.stage.lanes_issued(), 64U);
  EXPECT_TRUE(bench.stage.acted());
  EXPECT_EQ(bench.stage.refused_warps(), 0U);
}

TEST(IssueStage, BlockedAndPendingWarpsAreNotReady) {
  Bench bench(sums(4), 4 * 32, {"issue.per_warp=1"});
  for (unsigned w = 0; w < 4; ++w) bench.fill(w);
  bench.blocked.fence(0);
  bench.board.expect_write(1, 1, 0, 50);
  bench.buffer.update_head(1);
  bench.issue(10);
  EXPECT_EQ(bench.log, (std::vector<unsigned>{2, 3}));
  EXPECT_EQ(bench.stage.stalls()[0], StallClass::kIdle);
  EXPECT_EQ(bench.stage.stalls()[1], StallClass::kRaw);
}

TEST(IssueStage, TickInWhichNothingHasChangedIsNotJudged) {
  Bench bench(sums(4), 32, {"issue.per_warp=1"});
  bench.fill(0);
  bench.board.expect_write(0, 1, 0, 20);
  bench.buffer.update_head(0);
  EXPECT_TRUE(bench.issue(10));
  EXPECT_FALSE(bench.issue(11));
  EXPECT_FALSE(bench.stage.acted());
  EXPECT_EQ(bench.stage.stalls()[0], StallClass::kRaw);
  EXPECT_FALSE(bench.issue(20));
  EXPECT_TRUE(bench.issue(21));  // the result is written in tick 20
  EXPECT_EQ(bench.log.size(), 1U);
  EXPECT_TRUE(bench.issue(22));  // an instruction issued in the previous tick
}

TEST(IssueStage, AnotherAnswerAboutBarriersIsJudged) {
  Bench bench(Code().barrier().exit(), 32);
  bench.fill(0);
  EXPECT_TRUE(bench.issue(10, 0xfe));
  EXPECT_EQ(bench.stage.ready(), 0U);
  EXPECT_FALSE(bench.issue(11, 0xfe));
  EXPECT_TRUE(bench.issue(12, 0xff));
  EXPECT_EQ(bench.log.size(), 1U);
}

// A unit is free for an instruction that issues in t if it is in t + oc_cycles + 1.
TEST(IssueStage, ClearWarpThatLacksAUnitWaitsForIt) {
  Bench bench = slow_unit(32);
  bench.fill(0);
  bench.issue(10);
  ASSERT_EQ(bench.log.size(), 1U);
  const Tick free = 10 + bench.machine.oc_cycles + 8;
  const Tick accepts = free - bench.machine.oc_cycles - 1;
  bench.issue(11);
  EXPECT_TRUE(bench.log.empty());
  EXPECT_EQ(bench.stage.unit_wake(), accepts);
  EXPECT_EQ(bench.stage.stalls()[0], StallClass::kComputePipe);
  EXPECT_EQ(bench.stage.lacks()[0], 2U);
  EXPECT_FALSE(bench.issue(accepts - 1));
  EXPECT_TRUE(bench.issue(accepts));
  EXPECT_EQ(bench.log.size(), 1U);
}

TEST(IssueStage, SchedulersThatWantOneUnitGetItInTurn) {
  Bench bench = slow_unit(4 * 32);
  std::vector<unsigned> order;
  for (Tick now = 10; order.size() < 8 && now < 200; ++now) {
    for (unsigned w = 0; w < 4; ++w) {
      if (bench.buffer.size(w) == 0) bench.fill(w, 1);
    }
    bench.issue(now);
    order.insert(order.end(), bench.log.begin(), bench.log.end());
  }
  EXPECT_EQ(order, (std::vector<unsigned>{0, 1, 2, 3, 0, 1, 2, 3}));
}

TEST(IssueStage, RefusedPickLosesItsSlot) {
  Bench bench = slow_unit(2 * 32);
  bench.fill(0);
  bench.fill(1);
  bench.issue(10);
  EXPECT_EQ(bench.log, (std::vector<unsigned>{0}));
  EXPECT_EQ(bench.stage.refused_warps(), 2U);
  EXPECT_EQ(bench.stage.stalls()[1], StallClass::kComputePipe);
  EXPECT_EQ(bench.stage.lacks()[1], 2U);
}

TEST(IssueStage, PoolsCommitMemoryFirst) {
  Code code;
  code.add(3, 1, 2).nop().load(4, 6).exit();
  Bench bench(std::move(code), 3 * 32, {"issue.per_warp=1"});
  for (unsigned lane = 0; lane < 32; ++lane) {
    std::memcpy(bench.warps.view(2).dst(6) + lane * 8, &bench.rig.heap, 8);
  }
  bench.warps.step(1);
  bench.warps.step(2);
  bench.warps.step(2);
  for (unsigned w = 0; w < 3; ++w) bench.fill(w, 1);
  bench.issue(10);
  EXPECT_EQ(bench.log, (std::vector<unsigned>{2, 0, 1}));
}

TEST(IssueStage, SecondInstructionOfAWarpIssuesBehindAllFirstOnes) {
  Bench bench(sums(4), 2 * 32);  // two instructions of a warp per tick
  for (const unsigned w : {0, 1}) bench.fill(w);
  bench.issue(10);
  EXPECT_EQ(bench.log, (std::vector<unsigned>{0, 1, 0, 1}));
  EXPECT_EQ(bench.stage.lanes_issued(), 128U);
}

TEST(IssueStage, PairMayHaveToGoToDifferentUnits) {
  Bench bench(sums(4), 32, {"issue.dual_issue_diff_units=1"});
  bench.fill(0);
  bench.issue(10);
  EXPECT_EQ(bench.log.size(), 1U);
}

TEST(IssueStage, DependentInstructionIsNoSecond) {
  Bench bench(Code().add(3, 1, 2).add(4, 3, 3).exit(), 32);
  bench.fill(0);
  bench.issue(10);
  EXPECT_EQ(bench.log.size(), 1U);
}

TEST(IssueStage, OneExitPerSchedulerAndTick) {
  Bench bench(Code().exit(), 5 * 32, {"issue.warps=2"});
  bench.fill(0, 1);
  bench.fill(4, 1);
  bench.fill(1, 1);
  bench.issue(10);
  EXPECT_EQ(bench.log, (std::vector<unsigned>{0, 1}));
  EXPECT_EQ(bench.stage.refused_warps(), 0x10U);
  bench.issue(11);
  EXPECT_EQ(bench.log, (std::vector<unsigned>{4}));
}

TEST(IssueStage, SchedulersActInTheTicksOfTheirPhase) {
  Bench bench(sums(4), 4 * 32, {"issue.period=2", "issue.per_warp=1"});
  for (unsigned w = 0; w < 4; ++w) bench.fill(w);
  bench.issue(10);
  EXPECT_EQ(bench.stage.ready(), 0xfU);
  EXPECT_EQ(bench.stage.offered(), 0x5U);
  EXPECT_EQ(bench.log, (std::vector<unsigned>{0, 2}));
  EXPECT_EQ(bench.stage.lacks()[1], 0U);  // no resource is missing
  EXPECT_TRUE(bench.stage.ready_left());
  bench.issue(11);
  EXPECT_EQ(bench.log, (std::vector<unsigned>{1, 3}));
}

TEST(IssueStage, StallOfAWarpBehindALoadIsOfMemory) {
  Bench bench(Code().load(4, 6).add(5, 4, 4).exit(), 32, {"issue.per_warp=1"});
  for (unsigned lane = 0; lane < 32; ++lane) {
    std::memcpy(bench.warps.view(0).dst(6) + lane * 8, &bench.rig.heap, 8);
  }
  bench.fill(0);
  bench.issue(10);
  ASSERT_EQ(bench.log.size(), 1U);
  bench.issue(11);
  EXPECT_EQ(bench.stage.stalls()[0], StallClass::kRawMemory);
  EXPECT_EQ(bench.stage.stalls()[1], StallClass::kIdle);
}

TEST(IssueStage, InstructionThatComesBackTakesTheSlotOfItsScheduler) {
  Bench bench(sums(4), 4 * 32, {"issue.per_warp=1"});
  const unsigned schedulers = bench.machine.schedulers;
  ASSERT_GE(schedulers, 2U);
  bench.fill(0);
  bench.fill(1);
  bench.reissued = 1;  // warp 0 is of scheduler 0
  bench.issue(10);
  EXPECT_EQ(bench.log, (std::vector<unsigned>{1}));
  EXPECT_EQ(bench.stage.issued(), 2U);
  EXPECT_TRUE(bench.stage.ready_left());
  EXPECT_EQ(bench.stage.stalls()[0], StallClass::kComputePipe);
  EXPECT_EQ(bench.stage.lacks()[0], 0U) << "it is ready";
  bench.reissued = 0;
  bench.issue(11);
  EXPECT_EQ(bench.log.size(), 2U);
  EXPECT_EQ(bench.stage.issued(), 3U);
}

TEST(IssueStage, WithoutABuiltInPolicyPicksAreSomebodyElses) {
  Core core(sums(4), 2 * 32, {"issue.per_warp=1"});
  IssueStage stage(core.machine, core.warps, core.buffer, core.board, core.blocked, core.pipelines, core.rig.lsu,
                   false);
  core.go_to(10);
  core.fill(0);
  core.fill(1);
  ASSERT_TRUE(stage.look(10, 0xff));
  stage.judge(10, 0xff, 0, false);
  stage.placed(1);
  stage.left(1);
  stage.picks()[1][0] = 1;
  std::vector<unsigned> log;
  stage.commit(10, [&](unsigned /*scheduler*/, unsigned w) {
    log.push_back(w);
    core.execute(w);
    return 1U;
  });
  EXPECT_EQ(log, (std::vector<unsigned>{1}));
  EXPECT_EQ(stage.picks()[1][0], -1);
}

}  // namespace
}  // namespace castor::gpu::gpu_sm_issue_stage_test
