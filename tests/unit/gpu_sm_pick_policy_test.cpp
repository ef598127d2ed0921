#include <optional>

#include "castor/gpu/sm/pick_policy.h"
#include "unit/gpu_sm_parts_support.h"

// Tests of the built-in issue policies: the ready warp that each scheduler picks.

namespace castor::gpu::gpu_sm_pick_policy_test {
namespace {

using namespace test;

struct Bench {
  explicit Bench(IssuePolicy policy, unsigned schedulers = 2, unsigned picks_per_tick = 1) : machine(part_machine()) {
    machine.issue.policy = policy;
    machine.issue.warps = picks_per_tick;
    machine.issue.tl_group = machine.issue.catls_group = 2;
    machine.schedulers = schedulers;
    this->policy = make_pick_policy(machine, ages);
  }
  /// Starts a thread block in these warp slots.
  void place(WarpMask warps) {
    ages.started(warps, there);
    there |= warps;
    policy->placed(warps);
  }
  void leave(WarpMask warps) {
    there &= ~warps;
    policy->left(warps);
  }
  /// Returns the picks of one tick. The picked warps in `issues` issue.
  const Picks& tick(WarpMask ready, WarpMask issues = ~WarpMask{0}, WarpMask waiting = 0) {
    for (auto& of_one : picks) of_one.fill(-1);
    Candidates candidates;
    candidates.ready = ready;
    candidates.live = there;
    candidates.waiting = waiting;
    candidates.issue_class = classes.data();
    policy->pick(candidates, picks);
    for (unsigned s = 0; s < machine.schedulers; ++s) {
      for (unsigned j = 0; j < machine.issue.warps; ++j) {
        const int w = picks[s][j];
        if (w >= 0 && (issues >> w & 1) != 0) policy->issued(s, j, static_cast<unsigned>(w));
      }
    }
    return picks;
  }
  /// Returns the only pick of scheduler 0.
  int first(WarpMask ready, WarpMask issues = ~WarpMask{0}, WarpMask waiting = 0) {
    return tick(ready, issues, waiting)[0][0];
  }

  Machine machine;
  AgeOrder ages;
  WarpMask there = 0;
  std::array<WarpMask, kMaxPicks> classes{};
  std::unique_ptr<PickPolicy> policy;
  Picks picks{};
};

TEST(OldestFirst, PicksTheOldestOfEachScheduler) {
  Bench bench(IssuePolicy::kOldest);
  bench.place(0xf0);
  bench.place(0x0f);
  EXPECT_EQ(bench.tick(0xff)[0][0], 4);
  EXPECT_EQ(bench.picks[1][0], 5);
  EXPECT_EQ(bench.first(0xcf), 6);
  EXPECT_EQ(bench.first(0x0c), 2);
  EXPECT_EQ(bench.tick(0x02)[0][0], -1);
  EXPECT_EQ(bench.picks[1][0], 1);
}

TEST(GreedyThenOldest, StaysWithTheWarpThatIssued) {
  Bench bench(IssuePolicy::kGto, 1);
  bench.place(0xff);
  EXPECT_EQ(bench.first(0xfe), 1);
  EXPECT_EQ(bench.first(0xff), 1);  // greedy
  EXPECT_EQ(bench.first(0xfd), 0);  // the greedy warp is not ready
  EXPECT_EQ(bench.first(0xff), 0);
}

TEST(GreedyThenOldest, RefusedPickIsNotGreedy) {
  Bench bench(IssuePolicy::kGto, 1);
  bench.place(0xff);
  EXPECT_EQ(bench.first(0x10), 4);
  EXPECT_EQ(bench.first(0x02, 0), 1);
  EXPECT_EQ(bench.first(0xff), 4);
}

TEST(GreedyThenOldest, GreedIsForgottenWithTheThreadBlock) {
  Bench bench(IssuePolicy::kGto, 1);
  bench.place(0x0f);
  bench.place(0xf0);
  EXPECT_EQ(bench.first(0x04), 2);
  bench.leave(0x0f);
  bench.place(0x0f);  // now the youngest thread block
  EXPECT_EQ(bench.first(0xff), 4);
}

TEST(GreedyThenOldest, EachPickOfATickHasItsOwnGreed) {
  Bench bench(IssuePolicy::kGto, 1, 2);
  bench.place(0xff);
  EXPECT_EQ(bench.tick(0x0c)[0][0], 2);
  EXPECT_EQ(bench.picks[0][1], 3);
  EXPECT_EQ(bench.tick(0xff)[0][0], 2);
  EXPECT_EQ(bench.picks[0][1], 3);
  EXPECT_EQ(bench.tick(0xf7)[0][0], 2);
  EXPECT_EQ(bench.picks[0][1], 0);
}

TEST(LooseRoundRobin, GoesOnBehindTheLastThatIssued) {
  Bench bench(IssuePolicy::kLrr, 1);
  bench.place(0xff);
  for (const int expected : {0, 1, 2, 3, 4, 5, 6, 7, 0}) EXPECT_EQ(bench.first(0xff), expected);
  EXPECT_EQ(bench.first(0xf1), 4);
  EXPECT_EQ(bench.first(0x0f, 0), 0);  // refused
  EXPECT_EQ(bench.first(0xff), 5);
}

TEST(LooseRoundRobin, PicksOfATickFollowEachOther) {
  Bench bench(IssuePolicy::kLrr, 1, 3);
  bench.place(0x1f);
  const Picks& picks = bench.tick(0x1f, 0);
  EXPECT_EQ(picks[0][0], 0);
  EXPECT_EQ(picks[0][1], 1);
  EXPECT_EQ(picks[0][2], 2);
  bench.tick(0x1f);
  EXPECT_EQ(bench.tick(0x1f)[0][0], 3);
  EXPECT_EQ(picks[0][1], 4);
  EXPECT_EQ(picks[0][2], 0);
}

TEST(PickPolicy, OneOfEachClassWhereAMachineIssuesThem) {
  for (const IssuePolicy policy : {IssuePolicy::kGto, IssuePolicy::kLrr, IssuePolicy::kOldest}) {
    Bench bench(policy, 1, kMaxPicks);
    bench.place(0xff);
    bench.classes = {0x30, 0x0c, 0, 0x02, 0x01};
    bench.tick(0xfe);
    EXPECT_EQ(bench.picks[0][0], 4);
    EXPECT_EQ(bench.picks[0][1], 2);
    EXPECT_EQ(bench.picks[0][2], -1);
    EXPECT_EQ(bench.picks[0][3], 1);
    EXPECT_EQ(bench.picks[0][4], -1);  // not ready
  }
}

TEST(TwoLevel, StaysInItsGroupUntilAllOfItWait) {
  Bench bench(IssuePolicy::kTl, 1);
  bench.place(0xff);  // groups of two neighbours
  EXPECT_EQ(bench.first(0xff), 0);
  EXPECT_EQ(bench.first(0xff), 1);
  EXPECT_EQ(bench.first(0xff), 0);
  EXPECT_EQ(bench.first(0xfc, ~WarpMask{0}, 0x01), -1);  // warp 1 is about to resume
  EXPECT_EQ(bench.first(0xfc, ~WarpMask{0}, 0x03), 2);
  EXPECT_EQ(bench.first(0xff), 3);
}

TEST(TwoLevel, ThreadBlockAwareGroupsLeaveAtOnce) {
  Bench bench(IssuePolicy::kCatls, 1);
  bench.place(0x03);
  bench.place(0x0c);
  EXPECT_EQ(bench.first(0x0f), 0);
  EXPECT_EQ(bench.first(0x0c), 2);  // no warp of the first group is ready
  EXPECT_EQ(bench.first(0x0f), 3);
  bench.leave(0x0c);
  EXPECT_EQ(bench.first(0x03), 1);
}

TEST(TwoLevel, PicksOfATickBuildOnEachOther) {
  Bench bench(IssuePolicy::kTl, 1, 2);
  bench.place(0xff);
  const Picks& picks = bench.tick(0xff, 0);
  EXPECT_EQ(picks[0][0], 0);
  EXPECT_EQ(picks[0][1], 1);
  bench.tick(0xff);
  EXPECT_EQ(picks[0][0], 0);  // no instruction has issued at the first pick
}

}  // namespace
}  // namespace castor::gpu::gpu_sm_pick_policy_test
