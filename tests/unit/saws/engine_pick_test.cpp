// Tests of the warp that each scheduler outputs, and of the cycles in which the greedy warp changes.

#include "castor/base/error.h"
#include "unit/saws/engine_support.h"

namespace castor::saws::test::engine_pick_test {
namespace {

/// Two schedulers: C0 = warps 0 to 3, then C1 = 8 to 11, then C2 = 4 to 7, so that age differs from the order of slots.
class SawsPick : public ::testing::Test {
 protected:
  SawsPick() : b(small()) {}

  void place_all(unsigned mode_sel) {
    b.start(mode_sel).step();
    b.place(0, 0x00f).step();
    b.place(1, 0xf00).step();
    b.place(2, 0x0f0).step();
  }
  void expect(std::uint64_t ready, int first, int second) {
    b.ready(ready);
    EXPECT_EQ(b.shown(0), first);
    EXPECT_EQ(b.shown(1), second);
  }

  Bench b;
};

TEST_F(SawsPick, OldestThreadBlockThenLowestWarp) {
  place_all(kGtoOnly);
  expect(0xfff, 0, 1);
  expect(0xff0, 8, 9);
  expect(0x0f0, 4, 5);
  expect(0xcc0, 10, 11);
  expect(0x002, -1, 1);
  expect(0x000, -1, -1);
}

TEST_F(SawsPick, SlotsNotAllocatedAreNeverShown) {
  place_all(kGtoOnly);
  b.release(1).step();
  expect(0xf00, -1, -1);
  expect(0xff0, 4, 5);
  for (unsigned s = 0; s < 2; ++s) EXPECT_EQ(b.engine.pick(s, 0xf00), Engine::kNoWarp);
}

TEST_F(SawsPick, GreedyWarpStaysAfterItsIssueUntilItIsNotReady) {
  place_all(kGtoOnly);
  b.ready(0x0f0).acknowledge(1).step();  // scheduler 0 issues warp 4, scheduler 1 is not acknowledged
  expect(0xfff, 4, 1);
  b.ready(0xfef).step();
  expect(0xfff, 4, 1);  // warp 4 was not ready for a cycle, but no other warp was issued
  b.ready(0xfef).acknowledge(1).step();
  expect(0xfff, 0, 1);
  EXPECT_EQ(b.engine.probes().greedy, 1);
}

TEST_F(SawsPick, AcknowledgeWithoutAPickChangesNothing) {
  place_all(kGtoOnly);
  b.ready(0xf00).acknowledge(3).step();
  const Probes before = b.engine.probes();
  b.ready(0).acknowledge(3).step();
  EXPECT_EQ(b.engine.probes().pointer, before.pointer);
  EXPECT_EQ(b.engine.probes().greedy, 3);
}

TEST_F(SawsPick, AcknowledgeMeansThePickOfTheClocksReadyWarps) {
  place_all(kGtoOnly);
  expect(0xfff, 0, 1);
  b.in.w_ready = WarpBits(0xf00);
  b.in.issue_ack = 1;
  b.engine.clock(b.in);
  b.in.issue_ack = 0;
  expect(0xfff, 8, 1);
}

TEST_F(SawsPick, SawsHasNoGreedyWarp) {
  place_all(kAlways);
  b.ready(0x0f0).acknowledge(3).step();
  expect(0xfff, 0, 1);
  EXPECT_EQ(b.engine.probes().greedy, 0);
  EXPECT_EQ(b.engine.probes().pointer[0], 1);
}

TEST_F(SawsPick, APromotedWarpIsShownTwoCyclesAfterTheBarrierAndThreeIfItIsTheKernelsFirst) {
  place_all(kAuto);
  b.ready(0xf0f).block(8).step();  // cycle n: C1 hits on scheduler 0
  EXPECT_EQ(b.look().mode_saws, 0);
  b.step();  // n + 1: the switch
  EXPECT_EQ(b.look().mode_saws, 1);
  b.step();                            // n + 2: the promotion
  EXPECT_EQ(b.order(1), "0 1 2 (2)");  // already at the position, counts as promoted
  b.block(4).step();                   // n: C2 hits on scheduler 0
  EXPECT_EQ(b.order(1), "0 1 2 (2)");
  b.step();
  EXPECT_EQ(b.order(1), "0 1 2 (3)");
  place_all(kAlways);
  b.block(4).ready(0xff0).step();
  expect(0xff0, 8, 9);
  b.step();
  expect(0xff0, 8, 5);  // n + 2
}

TEST_F(SawsPick, PlacedAndFreedThreadBlocksChangeTheOrderInTheNextCycle) {
  place_all(kAlways);
  b.ready(0xfff).release(0);
  EXPECT_EQ(b.shown(0), 0);
  b.step();
  EXPECT_EQ(b.shown(0), 8);
  b.ready(0x00f).place(0, 0x00f);
  EXPECT_EQ(b.shown(0), -1);
  b.step();
  EXPECT_EQ(b.shown(0), 0);
  EXPECT_EQ(b.ctas(0), "1 2 0");
}

TEST_F(SawsPick, FreedGreedyWarpLosesThePointerButNotIfItIssuesInThatCycle) {
  place_all(kGtoOnly);
  b.ready(0x0f0).acknowledge(3).step();
  b.ready(0).release(2).step();
  EXPECT_EQ(b.engine.probes().greedy, 0);
  b.place(2, 0x0f0).step();
  expect(0xfff, 0, 1);  // the new thread block in the slot is not greedy
  b.ready(0x0f0).acknowledge(3).step();
  b.ready(0x0f0).acknowledge(1).release(2).step();  // scheduler 0 writes its pointer in this cycle
  EXPECT_EQ(b.engine.probes().greedy, 1);
  expect(0xfff, 0, 1);  // but its slot is not allocated
  b.place(2, 0x0f0).step();
  expect(0xfff, 4, 1);
}

TEST_F(SawsPick, SwitchPutsTheGreedyThreadBlockFirst) {
  place_all(kAuto);
  b.ready(0x0a0).acknowledge(3).step();  // scheduler 1: C2; scheduler 0 has no greedy warp
  b.ready(0).block(8).steps(2);
  EXPECT_EQ(b.order(0), "0 1 2 (1)");
  EXPECT_EQ(b.order(1), "2 0 1 (1)");
  EXPECT_EQ(b.engine.probes().greedy, 0);
}

TEST_F(SawsPick, SwitchTakesTheGreedyWarpFromBeforeAnIssueOfItsCycle) {
  place_all(kAuto);
  b.ready(0xaa0).acknowledge(2).step();  // scheduler 1: C1
  b.ready(0).block(8).step();
  b.ready(0x0f0).acknowledge(3).step();  // both issue C2 in the cycle of the switch
  EXPECT_EQ(b.order(0), "0 1 2 (1)");
  EXPECT_EQ(b.order(1), "1 0 2 (1)");
}

TEST_F(SawsPick, SwitchIgnoresAGreedyPointerToAFreeSlot) {
  place_all(kAuto);
  b.ready(0x0f0).acknowledge(3).step();
  b.ready(0x0f0).acknowledge(3).release(2).step();  // the pointers stay, the slots are free
  EXPECT_EQ(b.engine.probes().greedy, 3);
  b.ready(0).block(8).steps(2);
  EXPECT_EQ(b.order(0), "0 1 (1)");
  EXPECT_EQ(b.order(1), "0 1 (1)");
}

TEST(SawsPickByAge, SwitchKeepsTheOrderOfAge) {
  Bench b(params(2, 12, 3, 4, 1, 1));
  b.start(kAuto).step();
  b.place(0, 0x00f).step();
  b.place(1, 0x0f0).step();
  b.ready(0x0f0).acknowledge(3).step();
  b.ready(0).block(0).steps(2);
  EXPECT_EQ(b.order(0), "0 1 (1)");
  EXPECT_EQ(b.order(1), "0 1 (1)");
  EXPECT_EQ(b.engine.probes().greedy, 0);
}

TEST(SawsParameters, OutOfRangeOnesAreRefusedByName) {
  const auto refused = [](const Params& p, const std::string& name) {
    try {
      const Engine engine(p);
    } catch (const base::InputError& error) {
      return std::string(error.what()).find(name) != std::string::npos;
    }
    return false;
  };
  EXPECT_TRUE(refused(params(3, 12, 3, 4), "NumSched"));
  EXPECT_TRUE(refused(params(8, 64, 3, 4), "NumSched"));
  EXPECT_TRUE(refused(params(4, 62, 3, 4), "NumWarps"));
  EXPECT_TRUE(refused(params(4, 68, 3, 4), "NumWarps"));
  EXPECT_TRUE(refused(params(4, 64, 0, 4), "MaxCta"));
  EXPECT_TRUE(refused(params(4, 64, 33, 4), "MaxCta"));
  EXPECT_TRUE(refused(params(4, 64, 32, 0), "EvqDepth"));
  EXPECT_TRUE(refused(params(4, 64, 32, 17), "EvqDepth"));
  EXPECT_TRUE(refused(params(4, 64, 32, 4, 2), "PFloor"));
  EXPECT_FALSE(refused(params(1, 1, 1, 1), ""));
}

}  // namespace
}  // namespace castor::saws::test::engine_pick_test
