// Tests of thread blocks that are swapped out and restored on an SM with the block: results that their warps have not
// computed themselves are moved with them, wherever they are (docs/gpu/fetch-filter.md, "Thread blocks that move").

#include "tests/common/sanitized.h"
#include "unit/darsie/session.h"

namespace castor::hookup::darsie_moved_test {
namespace {

using namespace darsie_test;

const std::string kStraight =
    std::string(kStart) + kRedundantCode + "add.u32 %r9, %r8, %r10; add.u32 %r9, %r9, %r6;" + kEnd;
const std::string kDiverging = std::string(kStart) + kRedundantCode + R"(
    and.b32 %r16, %r10, 1; setp.eq.u32 %p0, %r16, 0;
    @%p0 bra EVEN;
    add.u32 %r9, %r8, %r3; bra DONE;
  EVEN:
    add.u32 %r9, %r5, %r6;
  DONE:
    add.u32 %r9, %r9, %r4;)" + kEnd;
const std::string kBranching = std::string(kStart) + kRedundantCode + R"(
    shr.u32 %r16, %r10, 5; setp.eq.u32 %p0, %r16, 2; mov.u32 %r9, 0;
    @%p0 bra ALONE;
    add.u32 %r17, %r6, 3; add.u32 %r9, %r17, %r5;
  ALONE:
    add.u32 %r9, %r9, %r8; add.u32 %r9, %r9, %r10;)" +
                               kEnd;
const std::string kLooping = std::string(kStart) + R"(
    mov.u32 %r20, tile; mad.lo.u32 %r21, %r10, 4, %r20; mad.lo.u32 %r22, %r11, 4, %r20;
    mov.u32 %r9, 0; mov.u32 %r23, 0;
  AGAIN:
    add.u32 %r24, %r10, %r23; st.shared.u32 [%r21], %r24;
    bar.sync 0;
    ld.shared.u32 %r25, [%r22]; ld.shared.u32 %r26, [%r22+64]; mul.lo.u32 %r27, %r25, %r26;
    add.u32 %r28, %r27, %r23; mad.lo.u32 %r9, %r28, %r10, %r9;
    bar.sync 0;
    add.u32 %r23, %r23, 1; setp.lt.u32 %p0, %r23, 6;
    @%p0 bra AGAIN;)" + kEnd;

const Kernel kKernels[] = {{kStraight},
                           {kDiverging},
                           {kBranching},
                           {kLooping, {16, 8, 1}, ".shared .align 4 .b8 tile[512];", 2},
                           {kStraight, {16, 7, 1}, "", 3}};

struct Ran {
  std::vector<std::uint32_t> words;
  std::uint64_t issues = 0, skips = 0;  ///< by warps
  unsigned moved = 0;
  gpu::Cycle end = 0;
};

/// Runs the thread blocks of a kernel side by side. `leave`: cycle from which on they are swapped out, 0 = never.
Ran run(const Kernel& what, bool with_block, const std::vector<std::string>& keys, gpu::Cycle leave = 0,
        bool sleep = true) {
  Session session(with_block, sleep, {}, keys);
  Rig& rig = session.rig;
  const gpu::test::Kernel& kernel = session.load(what);
  for (unsigned b = 0; b < what.tbs; ++b) rig.start(kernel, b);
  if (leave != 0) rig.sm.swap_out({leave, &kernel.context, kernel.context.ticket, 0, 3});
  EXPECT_TRUE(rig.run(what.tbs)) << rig.sm.waiting();
  EXPECT_TRUE(rig.faults.empty()) << rig.faults.front().message;
  Ran result;
  result.end = rig.now;
  for (unsigned i = 0; i < 5; ++i) rig.cycle();
  EXPECT_TRUE(rig.sm.idle());
  EXPECT_EQ(session.state().live, 0U);
  EXPECT_EQ(session.state().tl, 0U);
  result.words = session.words(what.tbs);
  result.issues = rig.log.issues.size();
  result.skips = session.counters().skips_hit + session.counters().skips_wake;
  result.moved = rig.moved;
  return result;
}

TEST(DarsieMoved, AtEveryBoundaryTheResultsAreTheSame) {
  unsigned moved = 0;
  std::uint64_t fewer = 0;
  for (const Kernel& kernel : kKernels) {
    const Ran plain = run(kernel, false, {"context.mover=rate"});
    const Ran still = run(kernel, true, {"context.mover=rate"});
    EXPECT_GT(still.skips, 0U);
    for (gpu::Cycle leave = 1; leave < still.end; leave += unless_sanitized(3, 31)) {
      SCOPED_TRACE("cycle " + std::to_string(leave));
      const Ran one = run(kernel, true, {"context.mover=rate"}, leave);
      EXPECT_EQ(one.words, plain.words);
      EXPECT_EQ(one.issues + one.skips, plain.issues) << "each instruction is executed or skipped, once";
      if (one.moved != 0 && one.skips != 0 && one.skips < still.skips) ++fewer;
      moved += one.moved;
      if (testing::Test::HasFailure()) return;
    }
  }
  EXPECT_GT(moved, unless_sanitized(150U, 10U));
  EXPECT_GT(fewer, unless_sanitized(30U, 2U)) << "blocks leave between skips, and skip nothing when they are back";
}

TEST(DarsieMoved, AtRandomTheResultsAreTheSameWhetherTheSmSleepsOrNot) {
  unsigned moved = 0;
  for (const Kernel& kernel : kKernels) {
    const Ran plain = run(kernel, false, {});
    for (unsigned seed = 1; seed <= 20; ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      // With a cache of instructions, lines for several warps may arrive at once.
      const std::vector<std::string> keys = {"context.random=" + std::to_string(seed),
                                             "icache.ideal=" + std::to_string(seed % 2)};
      const Ran one = run(kernel, true, keys), awake = run(kernel, true, keys, 0, false);
      EXPECT_EQ(one.words, plain.words);
      EXPECT_EQ(one.issues + one.skips, plain.issues);
      EXPECT_EQ(awake.end, one.end);
      EXPECT_EQ(awake.skips, one.skips);
      moved += one.moved;
    }
  }
  EXPECT_GT(moved, 50U);
}

// Rows of swapped-out blocks can be used by other blocks.
TEST(DarsieMoved, RowsAreGivenBack) {
  Session session(true, true, {}, {"context.random=1"});
  gpu::test::Kernel& kernel = session.load({kLooping, {16, 8, 1}, ".shared .align 4 .b8 tile[512];"});
  kernel.context.grid = {60};
  // More blocks are swapped out than there are pools.
  for (unsigned i = 0; i < 8; ++i) ASSERT_TRUE(session.rig.run_grid(kernel, 60)) << session.rig.sm.waiting();
  EXPECT_TRUE(session.rig.faults.empty());
  EXPECT_GT(session.rig.moved, 100U);
  const gpu::FilterCounts& counts = session.rig.sm.mechanism<gpu::FilterUnit>()->counters().of_entry(0);
  EXPECT_EQ(counts.tbs_with_pool, 480U);
  EXPECT_EQ(counts.tbs_without_run, 0U);
}

// A kernel is stopped while its thread blocks are being swapped out: a slow warp faults while the others wait for
// loads.
TEST(DarsieMoved, AKernelIsStoppedWhileItsBlocksLeave) {
  std::string body = std::string(kStart) + kRedundantCode + R"(
    setp.ge.u32 %p0, %r10, 112;
    @%p0 bra BAD;
    add.u32 %r9, %r8, %r10;)" +
                     kEnd + R"(
  BAD:
    mov.u64 %rd9, 4; ld.global.u32 %r9, [%rd9];)" +
                     kEnd;
  const Kernel good{kStraight};
  const std::vector<std::uint32_t> expected = run(good, false, {}).words;
  unsigned left = 0;
  for (gpu::Cycle leave = 1; leave < 400; leave += 3) {
    Session session(true, true, {}, {"context.mover=rate"});
    Rig& rig = session.rig;
    const gpu::test::Kernel& bad = session.load({body, {16, 8, 1}, "", 2});
    rig.start(bad, 0);
    rig.start(bad, 1);
    rig.sm.swap_out({leave, &bad.context, bad.context.ticket, 0, 20});
    ASSERT_TRUE(rig.run(2)) << rig.sm.waiting();
    ASSERT_FALSE(rig.faults.empty());
    for (unsigned i = 0; i < 5; ++i) rig.cycle();
    EXPECT_EQ(session.state().live | session.state().tl, 0U) << "cycle " << leave;
    left += rig.moved;
    const gpu::test::Kernel& next = session.load(good);
    rig.start(next);
    ASSERT_TRUE(rig.run(3)) << rig.sm.waiting();
    EXPECT_EQ(session.words(1), expected);
  }
  EXPECT_GT(left, 20U);
}

}  // namespace
}  // namespace castor::hookup::darsie_moved_test
