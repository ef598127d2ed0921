// Durations of docs/blocks/tb_swap.md, "Timing", over kernels of different sizes.

#include "unit/tb_swap/engine_support.h"

namespace castor::tb_swap::test::engine_timing_test {
namespace {

struct Shape {
  U8 warps;
  U16 regs;
  U8 simt;
  U16 smem;
};

constexpr Shape kShapes[] = {{1, 1, 1, 0},   {1, 3, 1, 1},   {3, 5, 2, 0},
                             {4, 32, 6, 20}, {32, 8, 20, 7}, {2, 255, 3, 768}};

Inputs kernel(const Shape& shape) {
  Inputs in = in_place_kernel(2, 0, 0);
  in.cfg_warps = shape.warps;
  in.cfg_regs = shape.regs;
  in.cfg_simt = shape.simt;
  in.cfg_smem = shape.smem;
  return in;
}

U64 gap(const Seen& from, const Seen& to) { return to.cycle - from.cycle; }

TEST(TbSwapTiming, MemoryClassThereAndBack) {
  for (const Shape& shape : kShapes) {
    for (const U64 latency : {1U, 10U, 300U}) {
      SCOPED_TRACE(std::to_string(shape.regs) + " registers, loads of " + std::to_string(latency));
      SwapBench b;
      b.load_latency = latency;
      b.start(kernel(shape));
      b.run(job_out(1, 7));
      const U64 lines = shape.simt + U64{shape.warps} * shape.regs + shape.smem;
      ASSERT_EQ(b.accesses.size(), lines);
      EXPECT_EQ(b.accesses[0].cycle - b.accepted_jobs[0], 5U);
      EXPECT_EQ(gap(b.accesses[0], b.parked[0]), lines - 1 + 1 + (shape.smem != 0 ? 1 : 0));
      EXPECT_EQ(gap(b.parked[0], b.entered[0]), 3U);
      b.accesses.clear();
      b.run(job_in(0, b.last_entry()));
      ASSERT_EQ(b.accesses.size(), lines);
      EXPECT_EQ(b.accesses[0].cycle - b.accepted_jobs[1], 6U);
      EXPECT_EQ(gap(b.accesses[0], b.entered[1]), lines - 1 + 1 + latency + 2);
    }
  }
}

TEST(TbSwapTiming, AnExchangeLoadsFourCyclesAfterParked) {
  SwapBench b;
  b.start(small_kernel());
  b.run(job_out(0, 1));
  b.accesses.clear();
  b.page = 0x200;
  b.run(job_exchange(0, 2, b.last_entry()));
  const Seen& parked = b.parked[1];
  ASSERT_EQ(b.accesses.size(), 10U);
  EXPECT_EQ(gap(parked, b.accesses[5]), 4U);
  EXPECT_EQ(text(b.accesses[5].out), "simt 0 < 100");
}

TEST(TbSwapTiming, ClassInPlace) {
  for (const Shape& shape : kShapes) {
    SCOPED_TRACE(shape.regs);
    Inputs k = kernel(shape);
    k.cfg_rhomes = k.cfg_shomes = 3;
    k.cfg_in_place = 1;
    SwapBench b;
    b.start(k);
    b.run(job_out(1, 7));
    EXPECT_EQ(b.accesses.size(), shape.simt);
    EXPECT_EQ(b.accesses[0].cycle - b.accepted_jobs[0], 4U);
    EXPECT_EQ(gap(b.accesses[0], b.parked[0]), shape.simt - 1U);
    EXPECT_EQ(gap(b.parked[0], b.entered[0]), 3U);
    b.accesses.clear();
    b.run(job_in(0, b.last_entry()));
    EXPECT_EQ(b.accesses.size(), shape.simt);
    EXPECT_EQ(gap(b.accesses[0], b.entered[1]), shape.simt - 1U + b.load_latency + 2U);
  }
}

TEST(TbSwapTiming, ClassesOfCopies) {
  for (const U8 direction : {U8{1}, U8{2}}) {
    Inputs k = kernel({2, 4, 3, 6});
    k.cfg_direction = direction;
    k.cfg_copies = 1;
    (direction == 1 ? k.cfg_shomes : k.cfg_rhomes) = 3;
    SwapBench b;
    b.start(k);
    b.run(job_out(1, 7));
    const U64 moved = direction == 1 ? 8 : 6;
    ASSERT_EQ(b.accesses.size(), 3U + moved);
    EXPECT_EQ(b.accesses[0].cycle - b.accepted_jobs[0], 4U);
    EXPECT_EQ(gap(b.accesses[0], b.parked[0]), 3U + moved - 1U + 1U);
    b.accesses.clear();
    b.run(job_in(0, b.last_entry()));
    ASSERT_EQ(b.accesses.size(), 3U + moved);
    // The machine looks for registers to load even if they are in their home.
    EXPECT_EQ(gap(b.accesses[0], b.accesses[3]), 4U);
    EXPECT_EQ(gap(b.accesses[0], b.entered[1]), 3U + moved - 1U + 1U + b.load_latency + 2U);
  }
}

TEST(TbSwapTiming, ReadOnlySegmentsCostACycleEachAndTheWaitForTheirTable) {
  Inputs k = kernel({1, 2, 2, 8});
  k.cfg_read_only = 1;
  SwapBench b;
  b.start(k);
  b.segment(1, 0, 2, 1, 0x900);
  b.segment(1, 1, 1, 5, 0xa00);
  b.run(job_out(1, 7));
  ASSERT_EQ(b.accesses.size(), 2U + 2U + 5U);
  EXPECT_EQ(gap(b.accesses[0], b.parked[0]), 9U - 1U + 1U + 1U + 2U);
  b.accesses.clear();
  b.run(job_in(0, b.last_entry()));
  // The last SIMT load is performed, counted, and seen; one more cycle fetches the live registers.
  EXPECT_EQ(gap(b.accesses[1], b.accesses[2]), b.load_latency + 4U);
}

TEST(TbSwapTiming, AJobThatOnlyStartsATbTakesFiveCycles) {
  SwapBench b;
  b.start(small_kernel());
  Inputs job;
  job.job_new = 1;
  job.job_in_gid = 5;
  b.run(job);
  ASSERT_EQ(b.entered.size(), 1U);
  EXPECT_EQ(b.entered[0].cycle - b.accepted_jobs[0], 5U);
  EXPECT_TRUE(b.accesses.empty());
  EXPECT_TRUE(b.parked.empty());
}

}  // namespace
}  // namespace castor::tb_swap::test::engine_timing_test
