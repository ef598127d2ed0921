// Tests of redundant loads: which loads stores and global communication invalidate, and which warps load again.

#include "unit/darsie/engine_support.h"

namespace castor::darsie::test::engine_loads_test {
namespace {

constexpr unsigned kShared = 1, kGlobal = 2;

Bench started(unsigned count, const Params& p = {}) {
  Bench b(p);
  b.launch({0, twin::mask(count), 8, 4, 0, true}).step();
  return b;
}

}  // namespace

// The leader's load takes 1,000 cycles; a store in between ends the wait, the load is led again, then private.
TEST(DarsieEngineLoads, AStoreEndsTheWaitForALoad) {
  Bench b = started(4);
  EXPECT_EQ(b.judge(0, 0, dr(0, kGlobal)), "LEAD tag 0");
  b.lead_issues(0, {0}, {0});
  b.eligible({1, 2}, 0).step();
  EXPECT_EQ(b.probes().lat, 6U);
  for (unsigned i = 0; i < 1'000; ++i) {
    b.eligible({1, 2}, 0);
    ASSERT_EQ(b.skip(), 0U);
    ASSERT_EQ(b.hold() & 6U, 6U);
    b.step();
  }
  b.store(0).step();
  EXPECT_EQ(b.probes().lat, 0U);
  EXPECT_EQ(b.probes().inv[0], 1U);
  EXPECT_EQ(b.engine.counters().load_drops, 2U);
  EXPECT_EQ(b.engine.counters().wait_wb, 2U * 1'001U);
  EXPECT_EQ(b.judge(1, 0, dr(0, kGlobal)), "LEAD tag 1");  // warps 2 and 3 have not passed the version
  EXPECT_EQ(b.engine.counters().releads, 1U);
  EXPECT_EQ(b.probes().pend[2], 2U);
  EXPECT_EQ(b.probes().pend[3], 2U);
  EXPECT_EQ(b.probes().ctr[0], 1);
  b.lead_issues(1, {0}, {1});
  b.write_back(0, 0).write_back(0, 1).step();
  b.eligible({2}, 0);
  EXPECT_EQ(b.skip(), 4U);
  b.step();
  b.store(0).step();
  EXPECT_EQ(b.judge(3, 0, dr(0, kGlobal)), "PRIV");  // warp 3 is the last one
  EXPECT_EQ(b.probes().pend[3], 0U);
  EXPECT_EQ(b.engine.counters().priv_stale, 1U);
  EXPECT_EQ(b.errors(), 0U);
}

// A load, a store of the same thread block elsewhere, and the next load: the first load stays valid for warps that have
// passed it, the second is shared anew.
TEST(DarsieEngineLoads, LoadsBehindAStoreAreSharedAgain) {
  Bench b = started(3);
  b.lead(0, 0, 0, 0, kShared);
  b.eligible({1}, 0).step();
  EXPECT_EQ(b.probes().ref[1], 1U);
  b.store(0).step();
  EXPECT_EQ(b.probes().pv[0], 0U);
  EXPECT_EQ(b.probes().ref[1], 1U);
  b.lead(0, 16, 1, 1, kShared);
  b.eligible({1}, 16);
  EXPECT_EQ(b.skip(), 2U);
  b.step();
  b.eligible({2}, 0);
  EXPECT_EQ(b.skip(), 0U);
  b.step();
  EXPECT_EQ(b.judge(2, 0, dr(0, kShared)), "PRIV");
  b.eligible({2}, 16);
  EXPECT_EQ(b.skip(), 4U);
}

// A store invalidates all loads of its own thread block. Global communication invalidates the global loads of all
// thread blocks.
TEST(DarsieEngineLoads, GlobalCommunicationConcernsGlobalLoadsOfAllBlocks) {
  Bench b = started(2);
  b.launch({5, warps({8, 9, 10}), 8, 4, 50, true}).step();
  b.lead(0, 0, 0, 0, kShared);
  b.lead(0, 8, 1, 1, kGlobal);
  b.lead(0, 16, 2, 2, 0);
  b.lead(8, 0, 0, 0, kGlobal);
  b.store(5).step();
  EXPECT_EQ(b.probes().pv[5], 0U);
  EXPECT_EQ(b.probes().pv[0], 7U);
  b.lead(9, 0, 0, 1, kGlobal);
  EXPECT_EQ(b.probes().pv[5], 2U);
  b.global().step();
  EXPECT_EQ(b.probes().pv[0], 5U);
  EXPECT_EQ(b.probes().inv[0], 2U);
  EXPECT_EQ(b.probes().pv[5], 0U);
  b.eligible({1}, 0);
  EXPECT_EQ(b.skip(), 2U);
}

// A store in the cycle of a decision counts from the next cycle on.
TEST(DarsieEngineLoads, AStoreInTheCycleOfADecision) {
  {
    SCOPED_TRACE("skip");
    Bench b = started(3);
    b.lead(0, 0, 0, 0, kShared);
    b.eligible({1}, 0).store(0);
    EXPECT_EQ(b.skip(), 2U);
    b.step();
    EXPECT_EQ(b.probes().ref[1], 1U);
    b.eligible({2}, 0);
    EXPECT_EQ(b.skip(), 0U);
  }
  {
    SCOPED_TRACE("latch");
    Bench b = started(3);
    b.judge(0, 0, dr(0, kShared));
    b.eligible({1}, 0).store(0).step();
    EXPECT_EQ(b.probes().lat, 0U);
    EXPECT_EQ(b.engine.counters().latches_fetch, 1U);
    EXPECT_EQ(b.engine.counters().load_drops, 1U);
  }
  {
    SCOPED_TRACE("election");
    Bench b = started(3);
    b.decode(0, 0, {dr(0, kShared)}).store(0).step();
    EXPECT_EQ(b.probes().pv[0], 1U);
    EXPECT_EQ(b.probes().inv[0], 0U);
    EXPECT_EQ(b.probes().ld[0], 1U);
  }
  {
    SCOPED_TRACE("late latch");
    Bench b = started(3);
    b.judge(0, 0, dr(0, kShared));
    b.decode(1, 0, {dr(0, kShared)}).store(0);
    EXPECT_EQ(b.acts(), "SQUASH");
    b.step();
    EXPECT_EQ(b.probes().lat, 0U);
    EXPECT_EQ(b.judge(1, 0, dr(0, kShared)), "LEAD tag 1");
  }
}

// Every load kind in an entry and in a row; kind 3 acts as a global load.
TEST(DarsieEngineLoads, KindsOfLoads) {
  Bench b = started(2);
  for (unsigned kind = 0; kind < 4; ++kind) {
    EXPECT_EQ(b.judge(0, 8 * kind, dr(kind, kind)), "LEAD tag " + std::to_string(kind));
  }
  EXPECT_EQ(b.probes().ld[0], 0b1110U);
  EXPECT_EQ(b.probes().gl[0], 0b1100U);
  EXPECT_EQ(b.probes().pld[0], 0b1110U);
  EXPECT_EQ(b.probes().pgl[0], 0b1100U);
}

TEST(DarsieEngineLoads, StoresMayBeIgnored) {
  Params p;
  p.StoreInv = 0;
  Bench b = started(2, p);
  b.judge(0, 0, dr(0, kGlobal));
  b.eligible({1}, 0).step();
  b.store(0).step();
  EXPECT_EQ(b.probes().lat, 2U);
  EXPECT_EQ(b.probes().pv[0], 1U);
  b.global().step();
  EXPECT_EQ(b.probes().lat, 0U);
  EXPECT_EQ(b.probes().pv[0], 0U);
}

TEST(DarsieEngineLoads, LoadsMayBeLeftAlone) {
  Params p;
  p.LoadSkip = 0;
  Bench b = started(2, p);
  EXPECT_EQ(b.judge(0, 0, dr(0, kGlobal)), "PASS");
  EXPECT_EQ(b.judge(0, 8, dr(0)), "LEAD tag 0");
}

}  // namespace castor::darsie::test::engine_loads_test
