// Tests of the majority of a thread block: reconvergence and its vote, leaving and copying, barriers, exits, several
// blocks.

#include "unit/darsie/engine_support.h"

namespace castor::darsie::test::engine_majority_test {
namespace {

Bench started(U64 which, unsigned tb = 0, const Params& p = {}) {
  Bench b(p);
  b.launch({tb, which, 8, 4, 100, true}).step();
  return b;
}

}  // namespace

// Warps of a thread block that is not enabled are never held and never skip.
TEST(DarsieEngineMajority, ABlockThatIsNotEnabledIsLeftAlone) {
  Bench b(Params{});
  b.launch({0, 15, 8, 4, 0, true, false}).step();
  EXPECT_EQ(b.probes().live, 15U);
  EXPECT_EQ(b.look().maj, 0U);
  EXPECT_EQ(b.judge(0, 0, dr(0)), "PASS");
  b.eligible({0, 1, 2, 3}, 0).branch({0, 1}).leave(2).barrier(0, 15);
  EXPECT_EQ(b.skip(), 0U);
  b.step();
  EXPECT_EQ(b.hold(), 0U);
  EXPECT_EQ(b.look().maj, 0U);
  EXPECT_EQ(b.engine.quiet(), base::kForever);
}

// Without marks warps are held only to reconverge.
TEST(DarsieEngineMajority, ABlockWithoutMarksIsHeldByMeetingsAlone) {
  Bench b = started(3);
  EXPECT_EQ(b.judge(0, 0, vector_op()), "PASS");
  EXPECT_EQ(b.judge(1, 0, vector_op()), "PASS");
  EXPECT_EQ(b.hold(), 0U);
  b.branch({0}, true).step();
  EXPECT_EQ(b.hold(), 1U);
  b.branch({1}, true).step();
  EXPECT_EQ(b.hold(), 3U);
  b.step();
  EXPECT_EQ(b.hold(), 0U);
  EXPECT_EQ(b.engine.counters().meetings, 1U);
  EXPECT_EQ(b.engine.counters().leavers, 0U);
}

TEST(DarsieEngineMajority, TheSideOfTheLowestWarpWinsATie) {
  struct Case {
    unsigned warps;
    U64 taken, kept;
  };
  for (const Case& c : {Case{2, 0b01, 0b01}, Case{2, 0b10, 0b01}, Case{4, 0b0011, 0b0011}, Case{4, 0b1010, 0b0101},
                        Case{4, 0b1001, 0b1001}, Case{4, 0b1110, 0b1110}, Case{4, 0b0001, 0b1110}, Case{4, 0, 15}}) {
    Bench b = started(twin::mask(c.warps));
    b.in.br = twin::mask(c.warps);
    b.in.br_taken = c.taken;
    b.step().step();
    EXPECT_EQ(b.look().maj, c.kept) << c.warps << " warps, taken " << c.taken;
    EXPECT_EQ(b.probes().cpy, twin::mask(c.warps) & ~c.kept);
    b.step();  // nothing to copy
    EXPECT_EQ(b.hold(), 0U);
  }
}

// Two thread blocks reconverge in one cycle: one TB after the other, and the pointer wraps.
TEST(DarsieEngineMajority, OneMeetingCompletesPerCycleInTurn) {
  Params p;
  p.NumTbs = 3;
  Bench b = started(warps({0, 1}), 0, p);
  b.launch({2, warps({2, 3}), 8, 4, 0, true}).step();
  b.branch({0, 1, 2, 3}).step();
  EXPECT_EQ(b.probes().stop, 15U);
  b.step();
  EXPECT_EQ(b.probes().stop, 12U);
  EXPECT_EQ(b.probes().rrt, 1);
  b.step();
  EXPECT_EQ(b.probes().stop, 0U);
  EXPECT_EQ(b.probes().rrt, 0);
  b.branch({2, 3}).step().step();
  EXPECT_EQ(b.probes().rrt, 0);
  b.branch({0, 1}).step().step();
  b.branch({0, 1, 2, 3}).step().step();
  EXPECT_EQ(b.probes().stop, 3U);  // now TB 2 has priority
}

// The pointer of the groups wraps at the last warp slot, whose number need not be a power of two minus one.
TEST(DarsieEngineMajority, GroupsAreServedInTurn) {
  Params p;
  p.NumWarps = 12;
  p.PstRd = 1;
  Bench b = started(warps({0, 5, 11}), 0, p);
  b.lead(5, 0, 0, 0);
  b.eligible({0}, 8).eligible({11}, 16).step();
  EXPECT_EQ(b.probes().rrf, 1);
  EXPECT_EQ(b.probes().miss, warps({0}));
  b.eligible({0}, 8).eligible({11}, 16).step();
  EXPECT_EQ(b.probes().rrf, 0);
  EXPECT_EQ(b.probes().miss, warps({0, 11}));
  b.step();  // no warp is eligible any more
  EXPECT_EQ(b.probes().miss, 0U);
}

// Warp slots need not be neighbours.
TEST(DarsieEngineMajority, WarpSlotsMayBeScattered) {
  Bench b = started(warps({3, 17, 40, 63}), 7);
  b.launch({8, warps({2, 18, 62}), 8, 4, 200, true}).step();
  b.lead(17, 0, 2, 0);
  b.lead(62, 0, 2, 0);
  b.eligible({2, 3, 18, 40, 63}, 0);
  EXPECT_EQ(b.skip(), warps({2, 3, 18, 40, 63}));
  b.step();
  b.issue({63, {}, {2}, {}}).issue({18, {}, {2}, {}});
  EXPECT_EQ(b.source(0, 0), 100);
  EXPECT_EQ(b.source(1, 0), 200);
  b.step();
  b.in.br = warps({3, 17, 40, 63});
  b.in.br_taken = warps({17, 40, 63});
  b.step().step();
  EXPECT_EQ(b.look().maj, warps({17, 40, 63, 2, 18, 62}));
  EXPECT_EQ(b.probes().cpy, warps({3}));
  b.step();
  EXPECT_EQ(b.copy(), "w3 row 100 slot 2");
}

TEST(DarsieEngineMajority, AStoppedWarpMayLeave) {
  Bench b = started(7);
  b.branch({0, 1}).step();
  b.leave(0).step();
  EXPECT_EQ(b.probes().stop, 2U);
  EXPECT_EQ(b.probes().cpy, 1U);
  b.leave(2).step();  // warp 1 is now the whole majority
  b.step();
  EXPECT_EQ(b.probes().stop, 0U);
  EXPECT_EQ(b.look().maj, 2U);
}

TEST(DarsieEngineMajority, AWaitingWarpMayLeave) {
  Bench b = started(7);
  b.lead(0, 0, 1, 0);
  b.eligible({1}, 0).step();  // warp 1 has the first version
  EXPECT_EQ(b.judge(0, 8, dr(1)), "LEAD tag 1");
  b.eligible({1}, 8).step();
  EXPECT_EQ(b.probes().lat, 2U);
  b.leave(1).step();
  EXPECT_EQ(b.probes().lat, 0U);
  EXPECT_EQ(b.probes().pend[1], 0U);
  EXPECT_EQ(b.probes().cpy, 2U);
  b.step();
  EXPECT_EQ(b.copy(), "w1 row 100 slot 1");
  b.acknowledge().step();
  EXPECT_EQ(b.hold() & 2U, 2U);
  b.step();
  EXPECT_EQ(b.hold() & 2U, 0U);
  EXPECT_EQ(b.engine.counters().copies, 1U);
}

// A leader leaves before its result is written: the copy waits for it.
TEST(DarsieEngineMajority, ACopyWaitsForTheRow) {
  Bench b = started(3);
  b.judge(0, 0, dr(0));
  b.lead_issues(0, {0}, {0});
  b.leave(0).step().step().step();
  EXPECT_EQ(b.copy(), "-");
  EXPECT_EQ(b.probes().cpy, 1U);
  b.write_back(0, 0).step().step();
  EXPECT_EQ(b.copy(), "w0 row 100 slot 0");
  b.steps(5);
  EXPECT_EQ(b.copy(), "w0 row 100 slot 0");  // the copy request is held until it is served
}

// Copies go in ascending order of warps, and of rows within a warp.
TEST(DarsieEngineMajority, CopiesGoByWarpAndRow) {
  Bench b = started(7);
  b.lead(0, 0, 3, 0);
  b.lead(0, 8, 1, 1);
  b.eligible({1, 2}, 0).step();
  b.eligible({1, 2}, 8).step();
  b.leave(1).leave(2).step().step();
  std::string order;
  for (unsigned i = 0; i < 4; ++i) {
    order += b.copy() + "; ";
    b.acknowledge().step().step();
  }
  EXPECT_EQ(order, "w1 row 100 slot 3; w1 row 101 slot 1; w2 row 100 slot 3; w2 row 101 slot 1; ");
}

// At a barrier the warps at the same PC join the majority. A majority warp that is elsewhere leaves it, and a warp that
// still copies stays out.
TEST(DarsieEngineMajority, ABarrierGathersTheWarps) {
  Bench b(Params{});
  b.launch({0, warps({0, 1, 2, 3, 4}), 8, 4, 100, true, true, warps({0, 1, 2, 3})}).step();
  EXPECT_EQ(b.look().maj, 15U);
  b.lead(0, 0, 0, 0);
  b.eligible({1, 2, 3}, 0).step();
  b.leave(2).step();
  b.barrier(0, warps({0, 2, 3})).step();
  EXPECT_EQ(b.look().maj, warps({0, 3}));
  EXPECT_EQ(b.probes().cpy, warps({1, 2}));
  EXPECT_EQ(b.probes().pv[0], 0U);
  for (unsigned i = 0; i < 6; ++i) b.acknowledge().step();
  EXPECT_EQ(b.probes().cpy, 0U);
  b.barrier(0, 15).step();
  EXPECT_EQ(b.look().maj, 15U);
  EXPECT_EQ(b.engine.counters().joins, 2U);
  EXPECT_EQ(b.engine.counters().leavers, 2U);
}

TEST(DarsieEngineMajority, AnExitMayCompleteAMeeting) {
  Bench b = started(7);
  b.branch({0, 1}, true).step();
  b.exit(4).step();
  EXPECT_EQ(b.probes().stop, 3U);
  b.step();
  EXPECT_EQ(b.probes().stop, 0U);
  EXPECT_EQ(b.engine.counters().meetings, 1U);
}

TEST(DarsieEngineMajority, AnExitMayCompleteASynchronisationPoint) {
  Bench b(Params{});
  b.launch({0, 3, 1, 4, 0, true}).step();
  b.lead(0, 0, 0, 0);
  EXPECT_EQ(b.judge(0, 8, dr(1)), "SQUASH");
  b.exit(2).step().step();
  EXPECT_EQ(b.probes().stop, 0U);
  EXPECT_EQ(b.probes().synced, 1U);
  EXPECT_EQ(b.judge(0, 8, dr(1)), "PRIV");  // alone now
}

// The leader ends before the others have passed: its row stays theirs.
TEST(DarsieEngineMajority, ALeaderMayExitBeforeTheOthersHavePassed) {
  Bench b = started(7);
  b.judge(0, 0, dr(0));
  b.eligible({1}, 0).step();
  b.lead_issues(0, {0}, {0});
  b.write_back(0, 0).step();
  b.exit(1).step();
  b.eligible({1, 2}, 0);
  EXPECT_EQ(b.skip(), 6U);
  b.step();
  EXPECT_EQ(b.probes().ref[2], 1U);
  EXPECT_EQ(b.judge(1, 8, dr(0)), "LEAD tag 1");
}

TEST(DarsieEngineMajority, MeetingsWithoutSkipping) {
  Params p;
  p.SkipEn = 0;
  Bench b = started(3, 0, p);
  EXPECT_EQ(b.judge(0, 0, dr(0)), "PASS");
  EXPECT_EQ(b.hold(), 0U);
  b.branch({0}).step();
  EXPECT_EQ(b.hold(), 1U);
  b.branch({1}, true).step().step();
  EXPECT_EQ(b.look().maj, 1U);
}

TEST(DarsieEngineMajority, ResetForgetsEverythingButCounts) {
  Bench b = started(7);
  b.lead(0, 0, 0, 0);
  b.branch({0}).step();
  b.engine.reset();
  EXPECT_TRUE(b.engine.state() == Engine(Params{}).state());
  EXPECT_EQ(b.engine.counters().leads, 1U);
  EXPECT_EQ(b.hold(), 0U);
  EXPECT_EQ(b.engine.quiet(), base::kForever);
  b.launch({0, 7, 8, 4, 100, true}).step();
  EXPECT_EQ(b.look().maj, 7U);
}

}  // namespace castor::darsie::test::engine_majority_test
