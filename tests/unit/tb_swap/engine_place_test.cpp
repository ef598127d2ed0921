// Where a TB goes, which homes and places change hands, and what the entry says.

#include "unit/tb_swap/engine_support.h"

namespace castor::tb_swap::test::engine_place_test {
namespace {

using Lines = std::vector<std::string>;

// One warp, two registers, one SIMT line, two lines of shared memory, two contexts.
Inputs kernel() {
  Inputs in = small_kernel();
  in.cfg_regs = 2;
  in.cfg_smem = 2;
  in.cfg_slots = in.cfg_rhomes = in.cfg_shomes = 2;
  return in;
}

TEST(TbSwapPlace, InPlaceMovesSimtLinesOnly) {
  Inputs k = kernel();
  k.cfg_rhomes = 4;
  k.cfg_shomes = 3;
  k.cfg_in_place = 2;
  SwapBench b;
  b.start(k);
  b.run(job_out(1, 0x77, 9));
  EXPECT_EQ(b.lines(), (Lines{"simt 0 > p0+0"}));
  EXPECT_EQ(b.parked[0].out.parked_local, 1);
  EXPECT_EQ(b.parked[0].out.parked_slot, 1);
  EntryFields e;
  e.gid = 0x77;
  e.site = 9;
  e.register_line = e.shared_line = 1;
  EXPECT_EQ(b.last_entry(), e.pack());
  EXPECT_EQ(b.entered[0].out.enter_rhome, 2);
  EXPECT_EQ(b.entered[0].out.enter_shome, 2);
  const Probes p = b.engine.probes();
  EXPECT_EQ(p.free_rhomes, 0b1000U);
  EXPECT_EQ(p.free_shomes, 0U);
  EXPECT_EQ(p.free_places, 0b10U);
  EXPECT_EQ(p.rhome[1], 2);
  EXPECT_EQ(p.shome[1], 2);
  EXPECT_EQ(b.engine.counters().jobs[1], 1U);
  EXPECT_EQ(b.engine.counters().copied_out, 1U);

  b.run(job_in(1, b.last_entry()));
  EXPECT_EQ(b.lines(), (Lines{"simt 0 < p0+0"}));
  EXPECT_EQ(b.entered[1].out.enter_rhome, 1);
  EXPECT_EQ(b.entered[1].out.enter_shome, 1);
  EXPECT_EQ(b.entered[1].out.enter_free, 0);
  EXPECT_EQ(b.entered[1].out.enter_address, 0U);
  EXPECT_EQ(b.engine.probes().free_rhomes, 0b1100U);
  EXPECT_EQ(b.engine.probes().free_shomes, 0b100U);
  EXPECT_EQ(b.engine.probes().free_places, 0b11U);
}

TEST(TbSwapPlace, TwoTbsInPlaceAreExchangedWithoutAFreeHome) {
  SwapBench b;
  b.start(in_place_kernel(1, 1, 2));
  b.run(job_out(0, 10));  // TB 10 keeps home 0, the next TB gets home 1
  Entry away = b.last_entry();
  for (U32 gid = 11; gid < 20; ++gid) {
    EXPECT_EQ(b.engine.probes().free_rhomes, 0U);
    EXPECT_EQ(b.engine.probes().free_shomes, 0U);
    b.run(job_exchange(0, gid, away));
    const U64 brought = register_line(away);
    away = b.last_entry();
    EXPECT_EQ(b.parked.back().out.parked_local, 1);
    EXPECT_EQ(register_line(away), 1U - brought);
    EXPECT_EQ(shared_line(away), 1U - brought);
    EXPECT_EQ(b.entered.back().out.enter_rhome, brought);
    EXPECT_EQ(b.engine.probes().free_places, simt_line(away) == 0 ? 0b10U : 0b01U);
  }
  EXPECT_EQ(b.engine.counters().jobs[1], 10U);
  EXPECT_TRUE(b.requests.empty());
}

TEST(TbSwapPlace, AnExchangeWithoutASecondPlaceGoesToMemory) {
  SwapBench b;
  b.start(in_place_kernel(1, 1, 1));
  b.run(job_out(0, 10));
  b.run(job_exchange(0, 11, b.last_entry()));
  EXPECT_EQ(b.parked[1].out.parked_local, 0);
  const Probes p = b.engine.probes();  // TB 10 is back in its home 0; home 1 and the place are free again
  EXPECT_EQ(p.free_rhomes, 0b10U);
  EXPECT_EQ(p.free_shomes, 0b10U);
  EXPECT_EQ(p.free_places, 0b1U);
  EXPECT_EQ(p.rhome[0], 0);
}

TEST(TbSwapPlace, RegistersToAPlaceKeepTheSharedHome) {
  Inputs k = kernel();
  k.cfg_shomes = 3;
  k.cfg_copies = 2;
  k.cfg_in_place = 1;
  k.cfg_direction = 1;
  SwapBench b;
  b.start(k);
  b.run(job_out(1, 5));
  EXPECT_EQ(b.lines(), (Lines{"simt 0 > p1+0", "w0 r0 h1 > p1+1", "w0 r1 h1 > p1+2"}));
  EntryFields e;
  e.gid = 5;
  e.registers = Location::kPlace;
  e.register_line = 1 * 4096 + 1;
  e.shared_line = 1;
  e.simt_line = 1 * 4096;
  e.site = 127;
  EXPECT_EQ(b.last_entry(), e.pack());
  EXPECT_EQ(b.entered[0].out.enter_rhome, 1);
  EXPECT_EQ(b.entered[0].out.enter_shome, 2);
  EXPECT_EQ(b.engine.probes().free_places, 0b101U);

  b.run(job_in(0, b.last_entry()));
  EXPECT_EQ(b.lines(), (Lines{"simt 0 < p1+0", "w0 r0 h0 < p1+1", "w0 r1 h0 < p1+2"}));
  EXPECT_EQ(b.entered[1].out.enter_rhome, 0);
  EXPECT_EQ(b.entered[1].out.enter_shome, 1);
  EXPECT_EQ(b.engine.probes().free_shomes, 0b001U);
  EXPECT_EQ(b.engine.probes().free_places, 0b111U);
  EXPECT_EQ(b.engine.counters().jobs[2], 1U);
  EXPECT_EQ(b.engine.counters().copied_in, 3U);
}

TEST(TbSwapPlace, SharedMemoryToAPlaceKeepsTheRegisterHome) {
  Inputs k = kernel();
  k.cfg_rhomes = 3;
  k.cfg_copies = 1;
  k.cfg_direction = 2;
  SwapBench b;
  b.start(k);
  b.run(job_out(1, 5));
  EXPECT_EQ(b.lines(), (Lines{"simt 0 > p0+0", "s0 h1 > p0+1", "s1 h1 > p0+2"}));
  EntryFields e;
  e.gid = 5;
  e.shared = Location::kPlace;
  e.register_line = 1;
  e.shared_line = 1;
  e.site = 127;
  EXPECT_EQ(b.last_entry(), e.pack());
  EXPECT_EQ(b.entered[0].out.enter_rhome, 2);
  EXPECT_EQ(b.entered[0].out.enter_shome, 1);

  b.run(job_in(0, b.last_entry()));
  EXPECT_EQ(b.lines(), (Lines{"simt 0 < p0+0", "s0 h0 < p0+1", "s1 h0 < p0+2"}));
  EXPECT_EQ(b.entered[1].out.enter_rhome, 1);
  EXPECT_EQ(b.entered[1].out.enter_shome, 0);
  EXPECT_EQ(b.engine.counters().jobs[3], 1U);
}

TEST(TbSwapPlace, MemoryIsTheLastResort) {
  struct Case {
    const char* what;
    bool room;
    U8 rhomes, shomes, in_place, copies, direction;
    U8 expected;
  };
  constexpr Case kCases[] = {
      {"everything is there", true, 3, 3, 1, 1, 1, 1}, {"no room for the entry", false, 3, 3, 1, 1, 1, 4},
      {"no register home", true, 2, 3, 1, 1, 1, 2},    {"no shared home", true, 3, 2, 1, 1, 1, 4},
      {"no place in place", true, 3, 3, 0, 1, 1, 2},   {"no place for a copy", true, 2, 3, 1, 0, 1, 4},
      {"direction 2", true, 3, 2, 1, 1, 2, 3},         {"direction 2 without a home", true, 2, 3, 1, 1, 2, 4},
      {"direction 0", true, 2, 3, 1, 1, 0, 4},         {"direction 3", true, 2, 3, 1, 1, 3, 4},
  };
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.what);
    Inputs k = kernel();
    k.cfg_rhomes = c.rhomes;
    k.cfg_shomes = c.shomes;
    k.cfg_in_place = c.in_place;
    k.cfg_copies = c.copies;
    k.cfg_direction = c.direction;
    SwapBench b;
    b.local_room = c.room;
    b.start(k);
    b.run(job_out(0, 1));
    EXPECT_EQ(b.engine.counters().jobs[c.expected], 1U);
    EXPECT_EQ(b.parked[0].out.parked_local != 0, c.expected != 4);
  }
}

TEST(TbSwapPlace, AKernelMovesBetweenClassesAsPlacesAreUsedUp) {
  Inputs k = kernel();
  k.cfg_slots = 1;
  k.cfg_rhomes = 3;
  k.cfg_shomes = 5;
  k.cfg_in_place = 3;
  k.cfg_copies = 1;
  k.cfg_direction = 1;
  SwapBench b;
  b.start(k);
  std::vector<U8> classes;
  for (U32 gid = 0; gid < 5; ++gid) {
    const Counters before = b.engine.counters();
    b.run(job_out(0, gid));
    for (U8 c = 0; c < 5; ++c) {
      if (b.engine.counters().jobs[c] != before.jobs[c]) classes.push_back(c);
    }
  }
  EXPECT_EQ(classes, (std::vector<U8>{1, 1, 2, 4, 4}));
}

TEST(TbSwapPlace, WithoutSharedMemoryNoSharedHomeIsNeeded) {
  Inputs k = in_place_kernel(2, 0, 1);
  k.cfg_smem = 0;
  k.cfg_rhomes = 3;
  SwapBench b;
  b.start(k);
  b.run(job_out(1, 4));
  EXPECT_EQ(b.engine.counters().jobs[1], 1U);
  EXPECT_EQ(shared_location(b.last_entry()), Location::kNone);
  EXPECT_EQ(shared_line(b.last_entry()), 0U);
  EXPECT_EQ(b.entered[0].out.enter_shome, 1);
  b.run(job_in(0, b.last_entry()));
  EXPECT_EQ(b.entered[1].out.enter_rhome, 1);
  EXPECT_EQ(b.entered[1].out.enter_shome, 0);
}

TEST(TbSwapPlace, ATbThatEntersWithItsHomesFreesThoseOfTheContext) {
  SwapBench b;
  b.start(in_place_kernel(2, 1, 1));
  b.run(job_out(0, 10));             // keeps home 0; context 0 has home 2
  b.run(job_in(1, b.last_entry()));  // context 1 was vacant
  const Probes p = b.engine.probes();
  EXPECT_EQ(p.rhome[1], 0);
  EXPECT_EQ(p.free_rhomes, 0b010U);
  EXPECT_EQ(p.free_shomes, 0b010U);
}

TEST(TbSwapPlace, HomesAndPlacesThatDoNotExistAreIgnored) {
  Params params;
  params.MaxTb = 3;
  params.NumHomes = 5;
  params.NumPlaces = 6;
  SwapBench b(params);
  Inputs k = in_place_kernel(3, 2, 6);
  b.start(k);
  EntryFields e;
  e.register_line = e.shared_line = 63;
  e.simt_line = 63 * 4096;
  b.run(job_in(1, e.pack()));
  EXPECT_EQ(b.entered[0].out.enter_rhome, 63);
  EXPECT_EQ(b.engine.probes().free_rhomes, 0b11010U);  // the context's home 1 has become spare
  EXPECT_EQ(b.engine.probes().free_places, 0b111111U);
  b.run(job_in(1, e.pack()));
  EXPECT_EQ(b.engine.probes().free_rhomes, 0b11010U);
  b.run(job_out(0, 1));
  ASSERT_EQ(b.engine.probes().free_places, 0b111110U);
  e.simt_line = U64{64} * 4096;  // not place 0
  b.run(job_in(1, e.pack()));
  EXPECT_EQ(b.engine.probes().free_places, 0b111110U);
}

TEST(TbSwapPlace, ATbThatComesFromMemoryFreesNoPlace) {
  SwapBench b;
  b.start(in_place_kernel(2, 1, 1));
  b.run(job_out(0, 10));  // to place 0
  b.run(job_out(1, 11));  // to the image at line 0x100
  b.run(job_in(1, b.last_entry()));
  EXPECT_EQ(b.entered.back().out.enter_free, 1);
  EXPECT_EQ(b.engine.probes().free_places, 0U);
}

// Two jobs of one context break the rules.
TEST(TbSwapPlace, TheEntryFollowsTheHomesOfTheContext) {
  SwapBench b;
  b.start(in_place_kernel(2, 2, 2));
  EntryFields away;
  away.registers = away.shared = Location::kMemory;
  away.simt_in_memory = true;
  away.simt_line = 0x200;
  b.load_latency = 200;
  b.parked_ready = false;
  b.jobs = {job_in(1, away.pack()), job_out(0, 20)};
  while (b.engine.settle(b.in).parked_valid == 0) b.step();
  b.parked_ready = true;
  b.step();
  b.parked_ready = false;
  b.jobs.push_back(job_out(0, 21));
  while (b.engine.settle(b.in).parked_valid == 0) b.step();
  EXPECT_EQ(register_line(b.engine.settle(b.in).parked_entry), 0U);
  b.steps(400);
  ASSERT_EQ(b.engine.probes().rhome[0], 2);
  EXPECT_EQ(register_line(b.engine.settle(b.in).parked_entry), 2U);
  EXPECT_EQ(shared_line(b.engine.settle(b.in).parked_entry), 2U);
}

TEST(TbSwapPlace, TheEntryNamesTheSm) {
  SwapBench b;
  b.sm_id = 0xa5;
  b.start(small_kernel());
  b.run(job_out(0, 0xffffff));
  EXPECT_EQ(b.last_entry().word(2), 0xffffffa5U);
}

}  // namespace
}  // namespace castor::tb_swap::test::engine_place_test
