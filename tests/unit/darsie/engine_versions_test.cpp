// Tests of the versions of a register: which version a warp takes, how rows are allocated, and what happens without a
// free row.

#include "unit/darsie/engine_support.h"

namespace castor::darsie::test::engine_versions_test {
namespace {

Params with_entries(unsigned entries) {
  Params p;
  p.NumPst = entries;
  return p;
}

/// Returns a bench with warps 0 to `count` - 1 in TB 0.
Bench started(const Params& p, unsigned count, unsigned rows, unsigned slots = 4) {
  Bench b(p);
  b.launch({0, twin::mask(count), rows, slots, 200, true}).step();
  return b;
}

/// Lets a warp fetch an instruction that is no longer in the skip table and wait for the version. Returns the row of
/// the version.
unsigned late_row(Bench& b, unsigned warp, U64 pc, unsigned dst) {
  b.eligible({warp}, pc).step();
  EXPECT_TRUE((b.probes().miss >> warp & 1U) != 0) << "pc " << pc << " is in the table";
  EXPECT_EQ(b.judge(warp, pc, dr(dst)), "SQUASH") << "pc " << pc;
  return b.probes().lt0[warp];
}

void skip(Bench& b, unsigned warp, U64 pc) {
  b.eligible({warp}, pc);
  EXPECT_EQ(b.skip(), U64{1} << warp) << "pc " << pc;
  b.step();
}

}  // namespace

// 100 versions of one register, 30 of which are pending for a slow warp. The sequence numbers of 6 bits wrap, and the
// oldest pending version is taken every time.
TEST(DarsieEngineVersions, TheOldestPendingVersionIsTakenAcrossTheWrapOfSequenceNumbers) {
  Bench b = started(with_entries(1), 2, 32);
  std::vector<unsigned> rows;
  for (unsigned i = 0; i < 100; ++i) {
    const U64 pc = 8 * i;
    b.decode(0, pc, {dr(0)});
    const unsigned row = b.look().d_tag[0];
    ASSERT_EQ(b.acts(), "LEAD tag " + std::to_string(row)) << "version " << i;
    rows.push_back(row);
    b.step().lead_issues(0, {0}, {row}).write_back(0, row).step();
    if (i < 30) continue;
    const unsigned behind = i - 30;
    ASSERT_EQ(late_row(b, 1, 8 * behind, 0), rows[behind]) << "version " << behind;
    skip(b, 1, 8 * behind);
    ASSERT_EQ(b.probes().ref[1], U32{1} << rows[behind]);
  }
  EXPECT_EQ(b.engine.counters().leads, 100U);
  EXPECT_EQ(b.engine.counters().sync_points, 0U);
}

// All rows are used up. The warps then reconverge, and rows that hold only older versions become free.
TEST(DarsieEngineVersions, ASynchronisationPointFreesRowsOfOldVersions) {
  for (const unsigned rows : {2U, 3U}) {
    SCOPED_TRACE(rows);
    Bench b = started({}, 2, rows);
    for (unsigned k = 0; k < rows; ++k) b.lead(0, 8 * k, 0, k);
    EXPECT_EQ(b.judge(0, 8 * rows, dr(0)), "SQUASH");
    EXPECT_EQ(b.probes().sync, 1U);
    EXPECT_EQ(b.probes().stop, 1U);
    for (unsigned k = 0; k < rows; ++k) skip(b, 1, 8 * k);
    EXPECT_EQ(b.judge(1, 8 * rows, dr(0)), "SQUASH");
    EXPECT_EQ(b.probes().stop, 3U);
    b.step();
    EXPECT_EQ(b.probes().stop, 0U);
    EXPECT_EQ(b.probes().synced, 1U);
    b.lead(1, 8 * rows, 0, 0);
    EXPECT_EQ(b.probes().synced, 0U);
    EXPECT_EQ(b.probes().noel, 0U);
    skip(b, 0, 8 * rows);
  }
}

// The only row holds the current value of both warps. Reconvergence frees nothing, so the rest of the region is
// private.
TEST(DarsieEngineVersions, AFruitlessSynchronisationPointEndsElectionsUntilTheRegionEnds) {
  Bench b = started({}, 2, 1);
  b.lead(0, 0, 0, 0);
  EXPECT_EQ(b.judge(0, 8, dr(1)), "SQUASH");
  skip(b, 1, 0);
  EXPECT_EQ(b.judge(1, 8, dr(1)), "SQUASH");
  b.step();
  EXPECT_EQ(b.judge(0, 8, dr(1)), "PRIV");
  EXPECT_EQ(b.probes().noel, 1U);
  EXPECT_EQ(b.judge(1, 8, dr(1)), "PRIV");
  EXPECT_EQ(b.judge(0, 16, dr(2)), "PRIV");
  EXPECT_EQ(b.engine.counters().priv_noelect, 3U);
  b.branch({0, 1}).step().step();
  EXPECT_EQ(b.probes().noel, 0U);
  EXPECT_EQ(b.judge(0, 40, dr(2)), "SQUASH");
  EXPECT_EQ(b.engine.counters().sync_points, 2U);
}

TEST(DarsieEngineVersions, AnEvictedEntryCostsAFetchAndNothingElse) {
  Bench b = started(with_entries(2), 2, 8);
  for (unsigned k = 0; k < 3; ++k) b.lead(0, 8 * k, k, k);
  EXPECT_EQ(b.engine.counters().evictions, 1U);
  EXPECT_EQ(late_row(b, 1, 0, 0), 0U);
  skip(b, 1, 0);
  skip(b, 1, 8);
  skip(b, 1, 16);
  EXPECT_EQ(b.probes().ref[1], 7U);
  EXPECT_EQ(b.engine.counters().late_latches, 1U);
  EXPECT_EQ(b.engine.counters().skips_wake, 1U);
  EXPECT_EQ(b.engine.counters().skips_hit, 2U);
}

TEST(DarsieEngineVersions, APairNeedsTwoRows) {
  Bench b = started({}, 2, 3);
  b.lead(0, 0, 0, 0);
  b.lead(0, 8, 1, 1);
  b.decode(0, 16, {dr(2)});
  EXPECT_EQ(b.acts(), "LEAD tag 2");
  b.decode(0, 16, {dr_pair(2, 3)});
  EXPECT_EQ(b.acts(), "SQUASH");
  b.step();
  EXPECT_EQ(b.probes().sync, 1U);
}

// Both rows of a register pair have one sequence number. Warps wait for both, skip both, and read both.
TEST(DarsieEngineVersions, APairIsElectedAwaitedAndSkippedAsOne) {
  Bench b = started({}, 3, 8);
  EXPECT_EQ(b.judge(0, 0, dr_pair(2, 3)), "LEAD tag 0 1");
  b.lead_issues(0, {2, 3}, {0, 1});
  b.eligible({1}, 0).step();
  EXPECT_EQ(b.judge(2, 0, dr_pair(2, 3)), "SQUASH");
  for (const unsigned w : {1U, 2U}) {
    EXPECT_EQ(b.probes().lt0[w], 0);
    EXPECT_EQ(b.probes().lt1[w], 1);
  }
  b.write_back(0, 1).step();
  b.eligible({1, 2}, 0);
  EXPECT_EQ(b.skip(), 0U);
  b.write_back(0, 0).step();
  b.eligible({1, 2}, 0);
  EXPECT_EQ(b.skip(), 6U);
  b.step();
  b.issue({1, {}, {3, 0, 2}, {}});
  EXPECT_EQ(b.source(0, 0), 201);
  EXPECT_EQ(b.source(0, 1), -1);
  EXPECT_EQ(b.source(0, 2), 200);
  b.step();
  EXPECT_EQ(b.judge(0, 8, dr(3)), "LEAD tag 2");
  EXPECT_EQ(b.probes().ctr[0], 2);
}

// The first of two redundant instructions is elected, the second is decoded again.
TEST(DarsieEngineVersions, OneElectionPerCycle) {
  Bench b = started({}, 2, 8);
  b.decode(0, 0, {dr(0), dr(1)});
  EXPECT_EQ(b.acts(), "LEAD,SQUASH tag 0");
  b.step();
  EXPECT_EQ(b.engine.counters().squash_second, 1U);
  b.decode(1, 0, {dr(0), dr(1)});
  EXPECT_EQ(b.acts(), "SQUASH,SQUASH");
  b.step();
  EXPECT_EQ(b.engine.counters().squash_second, 1U);
  b.decode(0, 8, {dr(1), vector_op()});
  EXPECT_EQ(b.acts(), "LEAD,PASS tag 1");
}

// A row is not reallocated before its readers have collected their operands.
TEST(DarsieEngineVersions, ARowLingersUntilItsOperandsAreRead) {
  Bench b = started({}, 2, 2);
  b.lead(0, 0, 0, 0);
  skip(b, 1, 0);
  b.issue({1, {}, {0}, {}}).collecting(1).step();
  b.issue({1, {0}, {}, {}}).collecting(1).step();  // warp 1 has its own version from here on
  EXPECT_EQ(b.probes().ling[1], 1U);
  b.issue({0, {0}, {}, {}}).collecting(1).step();
  EXPECT_EQ(b.probes().ref[0], 0U);
  b.collecting(1).decode(0, 8, {dr(1)});
  EXPECT_EQ(b.acts(), "LEAD tag 1");  // row 0 lingers
  b.step();
  b.lead_issues(0, {1}, {1});
  EXPECT_EQ(b.probes().ling[1], 0U);
  EXPECT_EQ(b.judge(0, 16, dr(0)), "LEAD tag 0");
}

// Instructions that are not renamed pass: those with other registers, vectors, and conditional marks in blocks whose
// shape does not promote them.
TEST(DarsieEngineVersions, WhatIsNotRedundantPasses) {
  Bench b(Params{});
  b.launch({0, 3, 8, 4, 0, false}).step();
  EXPECT_EQ(b.judge(0, 0, vector_op()), "PASS");
  EXPECT_EQ(b.judge(0, 0, cr(0)), "PASS");
  EXPECT_EQ(b.judge(0, 0, dr(4)), "PASS");
  EXPECT_EQ(b.judge(0, 0, dr_pair(3, 4)), "PASS");
  EXPECT_EQ(b.judge(0, 0, dr(3)), "LEAD tag 0");
}

// All parameters at their minimum: one warp, one row, one slot.
TEST(DarsieEngineVersions, AWarpAloneExecutesPrivately) {
  Params p;
  Params::each([&p](const twin::Param& param, auto member) { p.*member = std::max(1U, param.minimum); });
  Bench b(p);
  b.launch({0, 1, 1, 1, 0, true}).step();
  EXPECT_EQ(b.probes().majority, 1U);
  EXPECT_EQ(b.judge(0, 0, dr(0)), "PRIV");
  EXPECT_EQ(b.engine.counters().priv_alone, 1U);
  b.issue({0, {0}, {0}, {}});
  EXPECT_EQ(b.source(0, 0), -1);
  b.step();
  b.branch({0}, true).step();
  EXPECT_EQ(b.hold(), 1U);
  b.step();
  EXPECT_EQ(b.hold(), 0U);
  b.exit(1).step().retire(0).step();
  EXPECT_EQ(b.errors(), 0U);
  EXPECT_EQ(b.probes().tl, 0U);
}

}  // namespace castor::darsie::test::engine_versions_test
