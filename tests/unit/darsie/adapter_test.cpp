// Tests of the block as the fetch filter of an SM: marked kernels have the same results with and without it, and
// redundant instructions are executed once per thread block.

#include "unit/darsie/session.h"

namespace castor::hookup::darsie_adapter_test {
namespace {

using namespace darsie_test;

struct Outcome {
  std::vector<std::uint32_t> words;
  std::map<std::uint32_t, unsigned> executions;  // by record
  gpu::Cycle cycles = 0;
  darsie::Counters counters;
  std::vector<std::uint8_t> marks;
};

/// Runs thread blocks of a kernel side by side; thread t of block b writes word 64 + 128 b + t of the memory.
Outcome run(const Kernel& what, bool with_block, bool sleep = true, const darsie::Params& params = {}) {
  Session session(with_block, sleep, params);
  Rig& rig = session.rig;
  const gpu::test::Kernel& kernel = session.load(what);
  for (unsigned b = 0; b < what.tbs; ++b) rig.start(kernel, b);
  EXPECT_TRUE(rig.run(what.tbs)) << rig.sm.waiting();
  EXPECT_TRUE(rig.faults.empty());
  Outcome result;
  result.cycles = rig.now;
  for (unsigned i = 0; i < 5; ++i) rig.cycle();
  rig.sm.count_until(rig.now + 1);
  result.words = session.words(what.tbs);
  for (const auto& issue : rig.log.issues) ++result.executions[issue.pc];
  result.marks = kernel.program->marks;
  result.counters = session.counters();
  if (with_block) {
    const base::Statistic* const skips = rig.statistics.find("sm0.fetch_filter.darsie.skips_hit");
    EXPECT_NE(skips, nullptr);
    EXPECT_EQ(skips != nullptr ? skips->integer() : 0, result.counters.skips_hit);
  }
  return result;
}

std::uint64_t skips(const Outcome& outcome) { return outcome.counters.skips_hit + outcome.counters.skips_wake; }
std::uint64_t issues(const Outcome& outcome) {
  std::uint64_t sum = 0;
  for (const auto& [pc, count] : outcome.executions) sum += count;
  return sum;
}

/// Runs the kernel with and without the block and compares the results. The run with the block must take the same
/// cycles whether the SM sleeps or not. Every instruction that was not executed must have been skipped.
Outcome compare(const Kernel& kernel, const darsie::Params& params = {}) {
  const Outcome plain = run(kernel, false);
  const Outcome shared = run(kernel, true, true, params);
  const Outcome awake = run(kernel, true, false, params);
  EXPECT_EQ(shared.words, plain.words);
  EXPECT_EQ(awake.words, plain.words);
  EXPECT_EQ(awake.cycles, shared.cycles);
  EXPECT_EQ(awake.executions, shared.executions);
  EXPECT_TRUE(awake.counters == shared.counters);
  EXPECT_EQ(issues(shared) + skips(shared), issues(plain));
  EXPECT_EQ(shared.counters.row_lookups != 0, skips(shared) != 0);
  return shared;
}

}  // namespace

TEST(DarsieAdapter, StraightCodeIsExecutedOncePerThreadBlock) {
  const Kernel kernel{std::string(kStart) + kRedundantCode + "add.u32 %r9, %r8, %r10; add.u32 %r9, %r9, %r6;" + kEnd};
  const Outcome outcome = compare(kernel);
  unsigned redundant = 0;
  for (std::uint32_t pc = 0; pc < outcome.marks.size(); ++pc) {
    if (outcome.marks[pc] == kVector) continue;
    ++redundant;
    EXPECT_EQ(outcome.executions.at(pc), 1U) << "record " << pc;
  }
  EXPECT_GE(redundant, 10U);
  EXPECT_EQ(skips(outcome), 3U * redundant) << "three of four warps skip each";
  EXPECT_EQ(outcome.counters.leads, redundant);
}

// If x is no power of two up to 32, or the block has one dimension, only instructions that do not depend on tid.x are
// shared.
TEST(DarsieAdapter, TheShapeDecidesWhatDependsOnTidX) {
  const std::string body = std::string(kStart) + kRedundantCode + "add.u32 %r9, %r8, %r10;" + kEnd;
  for (const gpu::Dim3 block : {gpu::Dim3{24, 4, 1}, gpu::Dim3{128, 1, 1}}) {
    Outcome outcome = compare({body, block});
    for (std::uint32_t pc = 0; pc < outcome.marks.size(); ++pc) {
      const unsigned least = outcome.marks[pc] == kRedundant ? 1 : block.count() / 32;
      EXPECT_EQ(outcome.executions[pc], least) << "record " << pc << ", mark " << unsigned{outcome.marks[pc]};
    }
  }
}

// The lanes of every warp diverge: registers are restored by copies.
TEST(DarsieAdapter, WarpsThatDivergeGetTheirRegistersByCopies) {
  const Outcome outcome = compare({std::string(kStart) + kRedundantCode + R"(
    and.b32 %r16, %r10, 1; setp.eq.u32 %p0, %r16, 0;
    @%p0 bra EVEN;
    add.u32 %r9, %r8, %r3; bra DONE;
  EVEN:
    add.u32 %r9, %r5, %r6;
  DONE:
    add.u32 %r9, %r9, %r4;)" + kEnd});
  EXPECT_EQ(outcome.counters.leavers, 4U);
  EXPECT_GT(outcome.counters.copies, 8U);
}

// One warp of four takes a branch alone: the others stay together.
TEST(DarsieAdapter, TheSmallerSideOfABranchLeaves) {
  const Outcome outcome = compare({std::string(kStart) + kRedundantCode + R"(
    shr.u32 %r16, %r10, 5; setp.eq.u32 %p0, %r16, 2; mov.u32 %r9, 0;
    @%p0 bra ALONE;
    add.u32 %r17, %r6, 3; add.u32 %r9, %r17, %r5;
  ALONE:
    add.u32 %r9, %r9, %r8; add.u32 %r9, %r9, %r10;)" +
                                   kEnd});
  EXPECT_EQ(outcome.counters.meetings, 1U);
  EXPECT_EQ(outcome.counters.leavers, 1U);
  EXPECT_GT(outcome.counters.copies, 0U);
}

// A loop with barriers around shared memory that is written in each iteration; also with few rows and entries.
TEST(DarsieAdapter, LoopsBarriersAndSharedMemory) {
  const Kernel kernel{std::string(kStart) + R"(
    mov.u32 %r20, tile; mad.lo.u32 %r21, %r10, 4, %r20; mad.lo.u32 %r22, %r11, 4, %r20;
    mov.u32 %r9, 0; mov.u32 %r23, 0;
  AGAIN:
    add.u32 %r24, %r10, %r23; st.shared.u32 [%r21], %r24;
    bar.sync 0;
    ld.shared.u32 %r25, [%r22]; ld.shared.u32 %r26, [%r22+64]; mul.lo.u32 %r27, %r25, %r26;
    add.u32 %r28, %r27, %r23; mad.lo.u32 %r9, %r28, %r10, %r9;
    bar.sync 0;
    add.u32 %r23, %r23, 1; setp.lt.u32 %p0, %r23, 6;
    @%p0 bra AGAIN;)" + kEnd,
                      {16, 8, 1},
                      ".shared .align 4 .b8 tile[512];",
                      2};
  const Outcome outcome = compare(kernel);
  EXPECT_EQ(outcome.counters.meetings, 2U * 6);
  EXPECT_GT(skips(outcome), 3U * 2 * 6 * 4);
  EXPECT_EQ(outcome.counters.leavers, 0U);
  darsie::Params small;
  small.NumRows = 3;
  small.NumPst = 1;
  small.NumSlots = 20;
  small.PstRd = 1;
  const Outcome less = compare(kernel, small);
  EXPECT_GT(less.counters.sync_points, 0U);
  EXPECT_LT(skips(less), skips(outcome));
}

// One warp runs alone and faults while the others wait for versions, reconverge or copy. All warps end where they are,
// and the next thread blocks find the block in a clean state.
TEST(DarsieAdapter, AKernelThatFaultsEndsWarpsWhereverTheyAre) {
  std::string body = std::string(kStart) + kRedundantCode + R"(
    setp.ge.u32 %p0, %r10, 112;
    @%p0 bra BAD;
    and.b32 %r31, %r6, 7; mul.wide.u32 %rd5, %r31, 4; add.u64 %rd5, %rd5, %rd0;)";
  for (unsigned i = 0; i < 12; ++i) {
    body += "ld.global.u32 %r30, [%rd5]; and.b32 %r31, %r30, 7; mul.wide.u32 %rd5, %r31, 4; add.u64 %rd5, %rd5, %rd0;";
  }
  body += "add.u32 %r9, %r30, %r10;" + std::string(kEnd) + R"(
  BAD:
    mul.lo.u32 %r9, %r10, %r10; mul.lo.u32 %r9, %r9, %r10; mul.lo.u32 %r9, %r9, %r10; and.b32 %r9, %r9, 4;
    cvt.u64.u32 %rd9, %r9; ld.global.u32 %r9, [%rd9];)" +
          kEnd;
  const Kernel good{std::string(kStart) + kRedundantCode + "add.u32 %r9, %r8, %r10;" + kEnd};
  const std::vector<std::uint32_t> expected = run(good, false).words;
  for (unsigned wait = 0; wait < 3; ++wait) {
    Session session(true);
    session.rig.network.latency = 60 + 170 * wait;
    const gpu::test::Kernel& bad = session.load({body});
    session.rig.start(bad);
    while (session.rig.faults.empty() && session.rig.now < 20'000) session.rig.cycle();
    ASSERT_FALSE(session.rig.faults.empty());
    EXPECT_NE(session.state().lat | session.state().stop | session.state().cpy, 0U);
    ASSERT_TRUE(session.rig.run(1)) << session.rig.sm.waiting();
    const gpu::test::Kernel& next = session.load(good);
    session.rig.start(next);
    ASSERT_TRUE(session.rig.run(2)) << session.rig.sm.waiting();
    EXPECT_EQ(session.words(1), expected);
    for (unsigned i = 0; i < 5; ++i) session.rig.cycle();
    EXPECT_EQ(session.state().tl, 0U);
    EXPECT_EQ(session.state().live, 0U);
  }
}

// More thread blocks than fit: contexts and rows are used again and again.
TEST(DarsieAdapter, ThreadBlocksFollowEachOther) {
  const Kernel kernel{std::string(kStart) + kRedundantCode + "add.u32 %r9, %r8, %r10;" + kEnd};
  Session session(true);
  gpu::test::Kernel& loaded = session.load(kernel);
  loaded.context.grid = {40};
  EXPECT_TRUE(session.rig.run_grid(loaded, 40)) << session.rig.sm.waiting();
  for (unsigned i = 0; i < 5; ++i) session.rig.cycle();
  EXPECT_EQ(session.state().live, 0U);
  EXPECT_GT(session.counters().skips_hit + session.counters().skips_wake, 40U * 20);
}

// With SkipEn 0 no instruction is skipped: only the cycles may differ.
TEST(DarsieAdapter, WithoutSkippingEveryWarpExecutesEverything) {
  darsie::Params params;
  params.SkipEn = 0;
  const Outcome outcome = compare({std::string(kStart) + kRedundantCode + "add.u32 %r9, %r8, %r10;" + kEnd}, params);
  EXPECT_EQ(skips(outcome), 0U);
}

}  // namespace castor::hookup::darsie_adapter_test
