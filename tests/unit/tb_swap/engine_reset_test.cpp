// Resets in the middle of everything, parameters at their bounds, idle cycles, counters.

#include <algorithm>
#include <limits>

#include "castor/base/error.h"
#include "unit/tb_swap/engine_support.h"

namespace castor::tb_swap::test::engine_reset_test {
namespace {

// A kernel whose jobs visit all states: exchanges in place and with memory, registers, segments.
Inputs kernel() {
  Inputs k = small_kernel();
  k.cfg_warps = 2;
  k.cfg_regs = 4;
  k.cfg_simt = 2;
  k.cfg_smem = 6;
  k.cfg_slots = 2;
  k.cfg_rhomes = k.cfg_shomes = 3;
  k.cfg_in_place = 1;
  k.cfg_read_only = 1;
  return k;
}

void give_jobs(SwapBench& b) {
  EntryFields away;
  away.registers = away.shared = Location::kMemory;
  away.simt_in_memory = true;
  away.simt_line = 0x500;
  away.register_line = 0x502;
  away.shared_line = 0x50a;
  b.segment(0, 1, 2, 3, 0x900);
  b.jobs = {job_exchange(0, 1, away.pack()), job_exchange(1, 2, away.pack()), job_out(0, 3)};
}

TEST(TbSwapReset, AKernelStartsAnewInAnyCycle) {
  SwapBench whole;
  whole.start(kernel());
  give_jobs(whole);
  whole.drain();
  const U64 duration = whole.cycle;
  ASSERT_EQ(whole.entered.size(), 3U);
  for (U64 at = 2; at < duration; ++at) {
    SCOPED_TRACE(at);
    SwapBench b, fresh;
    b.start(kernel());
    give_jobs(b);
    b.steps(at - 2);
    Inputs next = kernel();
    next.cfg_regs = 3;
    next.cfg_threshold = 30;
    // All other inputs of the cycle are ignored.
    next.job_valid = next.site_valid = next.ro_valid = next.load_done = next.page_valid = 1;
    next.ro_lines = 7;
    next.outstanding = 1000;
    next.access_ready = next.parked_ready = next.enter_ready = 1;
    next.cfg_valid = 1;
    b.engine.clock(next);
    Inputs only = kernel();
    only.cfg_regs = 3;
    only.cfg_threshold = 30;
    only.cfg_valid = 1;
    fresh.engine.clock(only);
    ASSERT_TRUE(equal(b.engine, fresh.engine));
    EXPECT_NE(b.engine.quiet(), 0U);
    EXPECT_EQ(b.engine.counters().jobs[4], 0U);
  }
}

TEST(TbSwapReset, ResetForgetsTheKernel) {
  SwapBench b;
  b.start(kernel());
  give_jobs(b);
  b.steps(30);
  b.engine.reset();
  Engine fresh{Params()};
  EXPECT_TRUE(equal(b.engine, fresh));
  EXPECT_EQ(b.engine.probes().free_rhomes, 0U);
  EXPECT_EQ(b.engine.probes().rhome[1], 0);
  EXPECT_EQ(b.engine.counters().stored[0], 0U);
}

TEST(TbSwapReset, MasksOfTheLastKernelDoNotCount) {
  SwapBench b;
  b.start(small_kernel());
  b.site(0, RegBits(1));
  b.start(small_kernel());
  EXPECT_EQ(b.engine.probes().sites, 0U);
  b.run(job_out(0, 1, 0));
  EXPECT_EQ(b.accesses.size(), 5U);
}

TEST(TbSwapReset, HomesAndPlacesOfAKernel) {
  Params params;
  params.MaxTb = 5;
  params.NumHomes = 7;
  params.NumPlaces = 9;
  Engine engine(params);
  Inputs k = kernel();
  k.cfg_valid = 1;
  k.cfg_slots = 3;
  k.cfg_rhomes = 7;
  k.cfg_shomes = 3;
  k.cfg_in_place = 4;
  k.cfg_copies = 5;
  engine.clock(k);
  const Probes p = engine.probes();
  EXPECT_EQ(p.free_rhomes, 0b1111000U);
  EXPECT_EQ(p.free_shomes, 0U);
  EXPECT_EQ(p.free_places, 0b111111111U);
  for (unsigned t = 0; t < PerTb::kElements; ++t) {
    EXPECT_EQ(p.rhome[t], t < 5 ? t : 0);
    EXPECT_EQ(p.shome[t], t < 5 ? t : 0);
  }
  k.cfg_in_place = k.cfg_copies = 127;  // more than there are
  k.cfg_rhomes = 127;
  engine.clock(k);
  EXPECT_EQ(engine.probes().free_places, 0b111111111U);
  EXPECT_EQ(engine.probes().free_rhomes, 0b1111000U);
}

TEST(TbSwapReset, ParametersAtTheirBoundsAndBeyond) {
  Params::each([](const twin::Param& param, auto member) {
    SCOPED_TRACE(param.name);
    for (const bool legal : {true, false}) {
      for (const bool high : {true, false}) {
        Params p;
        p.MaxTb = 1;
        p.NumHomes = 1;
        p.*member = high ? param.maximum + (legal ? 0 : 1) : param.minimum - (legal ? 0 : 1);
        if (!legal) {
          EXPECT_THROW(Engine{p}, base::InputError);
          continue;
        }
        p.NumHomes = std::max(p.NumHomes, p.MaxTb);
        SwapBench b(p);
        Inputs k = small_kernel();
        k.cfg_regs = static_cast<U16>(p.NumRegs);
        b.start(k);
        b.run(job_out(static_cast<U8>(p.MaxTb - 1), 1));
        b.run(job_in(static_cast<U8>(p.MaxTb - 1), b.last_entry()));
        EXPECT_EQ(b.accesses.size(), 2U * (2U + p.NumRegs));
      }
    }
  });
}

TEST(TbSwapReset, EachContextNeedsAHome) {
  Params p;
  p.MaxTb = 33;
  p.NumHomes = 32;
  EXPECT_THROW(Engine{p}, base::InputError);
  p.NumHomes = 33;
  EXPECT_NO_THROW(Engine{p});
}

TEST(TbSwapReset, TheLargestParameterSet) {
  SwapBench b({64, 64, 64, 256, 64, 4});
  Inputs k = small_kernel();
  k.cfg_slots = k.cfg_rhomes = k.cfg_shomes = 63;
  k.cfg_rhomes = k.cfg_shomes = 64;
  k.cfg_in_place = 64;
  k.cfg_read_only = 1;
  b.start(k);
  b.site(63, RegBits(1));
  b.segment(63, 3, 1, 0, 0x1'ffff'ffff);
  EXPECT_EQ(b.engine.probes().sites, U64{1} << 63U);
  EXPECT_EQ(b.engine.probes().ro_address[255], 0x1'ffff'ffffU);
  b.run(job_out(62, 1, 63));
  EXPECT_EQ(b.entered[0].out.enter_rhome, 63);
  b.run(job_in(63, b.last_entry()));
  EXPECT_EQ(b.entered[1].out.enter_rhome, 62);
  EXPECT_EQ(b.engine.probes().ro_lines[255], 0);
}

TEST(TbSwapReset, QuietCyclesChangeNothing) {
  SwapBench b;
  b.start(kernel());
  give_jobs(b);
  unsigned quiet = 0;
  for (unsigned i = 0; i < 400; ++i) {
    b.outstanding = i % 7 == 0 ? 100 : 0;
    b.step();
    if (b.engine.quiet() == 0) continue;
    ++quiet;
    Engine skipped = b.engine, clocked = b.engine;
    Inputs idle = b.in;
    twin::make_idle<Block>(idle, b.engine.params());
    skipped.idle(100);
    for (unsigned n = 0; n < 100; ++n) clocked.clock(idle);
    ASSERT_TRUE(equal(skipped, clocked)) << "cycle " << b.cycle;
    ASSERT_TRUE(equal(skipped, b.engine)) << "cycle " << b.cycle;
  }
  EXPECT_GT(quiet, 100U);
  EXPECT_EQ(b.entered.size(), 3U);
}

TEST(TbSwapReset, QuietIsKnownFromProbes) {
  SwapBench b;
  b.start(kernel());
  give_jobs(b);
  unsigned restless = 0;
  for (unsigned i = 0; i < 400; ++i) {
    b.outstanding = 100;  // accesses pause, and for one cycle after the last job, too
    if (i % 3 == 0) b.outstanding = 0;
    b.step();
    ASSERT_EQ(Block::quiet(b.engine.probes(), b.in, b.engine.params()), b.engine.quiet()) << "cycle " << b.cycle;
    restless += b.engine.quiet() == 0 ? 1U : 0U;
  }
  EXPECT_GT(restless, 100U);
  EXPECT_NE(b.engine.quiet(), 0U);
}

TEST(TbSwapReset, AJobThatIsOfferedWakesTheEngine) {
  SwapBench b;
  b.start(kernel());
  EXPECT_EQ(b.engine.quiet(), base::kForever);
  b.jobs.push_back(job_out(0, 1));
  b.step();
  EXPECT_EQ(b.engine.quiet(), 0U);
}

TEST(TbSwapReset, CountersStopAtTheirLargestValue) {
  U32 counter = std::numeric_limits<U32>::max() - 10;
  Counters::add(counter);
  EXPECT_EQ(counter, std::numeric_limits<U32>::max() - 9);
  Counters::add(counter, 9);
  EXPECT_EQ(counter, std::numeric_limits<U32>::max());
  Counters::add(counter, 8192);
  EXPECT_EQ(counter, std::numeric_limits<U32>::max());
}

}  // namespace
}  // namespace castor::tb_swap::test::engine_reset_test
