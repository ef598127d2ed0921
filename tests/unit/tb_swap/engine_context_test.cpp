// Which lines of a context move: live registers by site, read-only segments, sizes at the ends of their ranges.

#include "unit/tb_swap/engine_support.h"

namespace castor::tb_swap::test::engine_context_test {
namespace {

using Lines = std::vector<std::string>;

TEST(TbSwapContext, AllWarpsMoveTheLiveRegistersOfTheSite) {
  Inputs k = small_kernel();
  k.cfg_warps = 3;
  k.cfg_regs = 256;
  k.cfg_simt = 2;
  SwapBench b;
  b.start(k);
  RegBits live;
  live.set(0);
  live.set(63);
  live.set(64);
  live.set(255);
  b.site(15, live);
  b.run(job_out(0, 1, 15));
  const Lines out{"simt 0 > 100",     "simt 1 > 101",    "w0 r0 h0 > 102",  "w0 r63 h0 > 103",  "w0 r64 h0 > 104",
                  "w0 r255 h0 > 105", "w1 r0 h0 > 106",  "w1 r63 h0 > 107", "w1 r64 h0 > 108",  "w1 r255 h0 > 109",
                  "w2 r0 h0 > 10a",   "w2 r63 h0 > 10b", "w2 r64 h0 > 10c", "w2 r255 h0 > 10d", "s0 h0 > 10e"};
  EXPECT_EQ(b.lines(), out);
  EXPECT_EQ(b.engine.counters().dead_registers, 3U * (256U - 4U));
  b.run(job_in(0, b.last_entry()));
  Lines back = out;
  for (std::string& line : back) line[line.find('>')] = '<';
  EXPECT_EQ(b.lines(), back);
  EXPECT_EQ(b.engine.counters().stored[0], 2U);
  EXPECT_EQ(b.engine.counters().loaded[1], 12U);
}

TEST(TbSwapContext, AnEmptyMaskMovesNoRegister) {
  SwapBench b;
  b.start(small_kernel());
  b.site(2, RegBits());
  b.run(job_out(0, 1, 2));
  EXPECT_EQ(b.lines(), (Lines{"simt 0 > 100", "s0 h0 > 101"}));
  EXPECT_EQ(register_line(b.last_entry()), 0x101U);  // behind the SIMT lines, never used
  EXPECT_EQ(shared_line(b.last_entry()), 0x101U);
  b.run(job_in(0, b.last_entry()));
  EXPECT_EQ(b.lines(), (Lines{"simt 0 < 100", "s0 h0 < 101"}));
}

TEST(TbSwapContext, AFullMaskMovesTheRegistersOfAThread) {
  SwapBench b;
  b.start(small_kernel());
  b.site(0, RegBits::ones(256));  // the kernel has three
  b.run(job_out(0, 1, 0));
  EXPECT_EQ(b.lines(), (Lines{"simt 0 > 100", "w0 r0 h0 > 101", "w0 r1 h0 > 102", "w0 r2 h0 > 103", "s0 h0 > 104"}));
}

TEST(TbSwapContext, ARegisterThatTheKernelDoesNotHaveIsNotLive) {
  SwapBench b;
  b.start(small_kernel());
  b.site(0, RegBits(0b1000));
  b.run(job_out(0, 1, 0));
  EXPECT_EQ(b.lines(), (Lines{"simt 0 > 100", "s0 h0 > 101"}));
}

TEST(TbSwapContext, SitesWithoutAMaskMoveAllRegisters) {
  struct Case {
    U8 site;
    bool live;
    unsigned registers;
  };
  for (const Case& c : {Case{5, true, 1}, Case{5, false, 3}, Case{6, true, 3}, Case{11, true, 3}, Case{12, true, 3},
                        Case{64, true, 3}, Case{126, true, 3}, Case{127, true, 3}}) {
    SCOPED_TRACE(c.site);
    Params params;
    params.NumSites = 11;
    SwapBench b(params);
    Inputs k = small_kernel();
    k.cfg_live = c.live ? 1 : 0;
    b.start(k);
    b.site(5, RegBits(0b010));
    for (const U8 beyond : {U8{11}, U8{12}, U8{64}, U8{69}, U8{126}, U8{127}}) b.site(beyond, RegBits());
    EXPECT_EQ(b.engine.probes().sites, U64{1} << 5U);
    b.run(job_out(0, 1, c.site));
    EXPECT_EQ(b.accesses.size(), 2U + c.registers);
    EXPECT_EQ(site_of(b.last_entry()), c.site);
    b.accesses.clear();
    b.run(job_in(0, b.last_entry()));
    EXPECT_EQ(b.accesses.size(), 2U + c.registers);
  }
}

TEST(TbSwapContext, WithoutSharedMemoryTheContextEndsWithTheRegisters) {
  Inputs k = small_kernel();
  k.cfg_smem = 0;
  k.cfg_regs = 1;
  SwapBench b;
  b.start(k);
  b.run(job_out(0, 1));
  EXPECT_EQ(b.lines(), (Lines{"simt 0 > 100", "w0 r0 h0 > 101"}));
  EXPECT_EQ(shared_location(b.last_entry()), Location::kNone);
  b.run(job_in(0, b.last_entry()));
  EXPECT_EQ(b.lines(), (Lines{"simt 0 < 100", "w0 r0 h0 < 101"}));
}

TEST(TbSwapContext, TheLargestContext) {
  Inputs k = small_kernel();
  k.cfg_warps = 32;
  k.cfg_regs = 256;
  k.cfg_simt = 63;
  k.cfg_smem = 2047;
  SwapBench b;
  b.load_latency = 12'000;  // all loads are outstanding at once
  b.page = 0x1'ffff'ff00;   // addresses wrap
  b.start(k);
  b.run(job_out(0, 1));
  const U64 lines = 63 + 32 * 256 + 2047;
  ASSERT_EQ(b.accesses.size(), lines);
  EXPECT_EQ(b.accesses[255].out.access_address, 0x1'ffff'ffffU);
  EXPECT_EQ(b.accesses[256].out.access_address, 0U);
  EXPECT_EQ(text(b.accesses.back().out), "s2046 h0 > 273d");
  b.accesses.clear();
  b.jobs.push_back(job_in(0, b.last_entry()));
  while (b.accesses.size() < lines) b.step();
  EXPECT_EQ(b.engine.probes().loads, lines);
  b.drain();
  EXPECT_EQ(text(b.accesses.back().out), "s2046 h0 < 273d");
}

struct Tag {
  U8 index;
  U16 lines, first;
};

// Moves a TB with eight lines of shared memory out and in; its segments equal the lines from 0x800 on. Returns the
// lines of shared memory that were stored and those that were loaded.
std::pair<Lines, Lines> moved(const std::vector<Tag>& tags, bool enabled = true) {
  Inputs k = small_kernel();
  k.cfg_smem = 8;
  k.cfg_regs = 1;
  k.cfg_read_only = enabled ? 1 : 0;
  k.cfg_slots = k.cfg_rhomes = k.cfg_shomes = 2;
  Params params;
  params.RoSegs = 3;
  SwapBench b(params);
  b.start(k);
  b.site(0, RegBits());
  const auto write = [&](U8 slot) {
    for (const Tag& t : tags) b.segment(slot, t.index, t.lines, t.first, 0x800U + t.first);
  };
  write(0);
  b.run(job_out(0, 1, 0));
  Lines out = b.lines();
  b.jobs.push_back(job_in(1, b.last_entry()));
  b.to_access();
  write(1);  // the SIMT lines bring the table back
  b.drain();
  Lines in = b.lines();
  out.erase(out.begin());
  in.erase(in.begin());
  return {out, in};
}

TEST(TbSwapContext, ReadOnlySegmentsAreNotSavedAndComeFromGlobalMemory) {
  const auto [out, in] = moved({{0, 1, 3}});
  EXPECT_EQ(out, (Lines{"s0 h0 > 101", "s1 h0 > 102", "s2 h0 > 103", "s4 h0 > 104", "s5 h0 > 105", "s6 h0 > 106",
                        "s7 h0 > 107"}));
  EXPECT_EQ(in, (Lines{"s0 h1 < 101", "s1 h1 < 102", "s2 h1 < 103", "ro3 h1 < 803", "s4 h1 < 104", "s5 h1 < 105",
                       "s6 h1 < 106", "s7 h1 < 107"}));
}

TEST(TbSwapContext, ReadOnlySegmentsAtBothEnds) {
  const auto [out, in] = moved({{0, 2, 6}, {1, 3, 0}});
  EXPECT_EQ(out, (Lines{"s3 h0 > 101", "s4 h0 > 102", "s5 h0 > 103"}));
  EXPECT_EQ(in, (Lines{"ro0 h1 < 800", "ro1 h1 < 801", "ro2 h1 < 802", "s3 h1 < 101", "s4 h1 < 102", "s5 h1 < 103",
                       "ro6 h1 < 806", "ro7 h1 < 807"}));
}

TEST(TbSwapContext, AdjacentReadOnlySegments) {
  const auto [out, in] = moved({{2, 3, 2}, {0, 2, 5}});
  EXPECT_EQ(out, (Lines{"s0 h0 > 101", "s1 h0 > 102", "s7 h0 > 103"}));
  EXPECT_EQ(in.size(), 8U);
  EXPECT_EQ(in[2], "ro2 h1 < 802");
  EXPECT_EQ(in[6], "ro6 h1 < 806");
  EXPECT_EQ(in[7], "s7 h1 < 103");
}

TEST(TbSwapContext, AllOfTheSharedMemoryIsReadOnly) {
  const auto [out, in] = moved({{1, 8, 0}});
  EXPECT_TRUE(out.empty());
  EXPECT_EQ(in.front(), "ro0 h1 < 800");
  EXPECT_EQ(in.back(), "ro7 h1 < 807");
  EXPECT_EQ(moved({{1, 2000, 0}}).first.size(), 0U);  // longer than the shared memory
  EXPECT_EQ(moved({{1, 2047, 2047}}).first.size(), 8U);
}

TEST(TbSwapContext, SegmentsThatAreDroppedOrDoNotCountAreSaved) {
  EXPECT_EQ(moved({{0, 4, 2}, {0, 0, 2}}).first.size(), 8U);  // dropped
  EXPECT_EQ(moved({{3, 4, 2}}).first.size(), 8U);             // no such segment
  const auto [out, in] = moved({{0, 4, 2}}, false);           // switched off
  EXPECT_EQ(out.size(), 8U);
  EXPECT_EQ(in[2], "s2 h1 < 103");
  EXPECT_EQ(moved({{0, 4, 2}}).first.size(), 4U);
}

TEST(TbSwapContext, ADroppedSegmentHasNoLinesAndNoAddress) {
  SwapBench b;
  b.start(small_kernel());
  b.segment(3, 1, 4, 2, 0x900);
  EXPECT_EQ(b.engine.probes().ro_first[7], 2);
  b.segment(3, 1, 0, 2, 0x900);
  EXPECT_EQ(b.engine.probes().ro_lines[7], 0);
  EXPECT_EQ(b.engine.probes().ro_first[7], 0);
  EXPECT_EQ(b.engine.probes().ro_address[7], 0U);
}

TEST(TbSwapContext, TheNextTbOfAContextHasNoSegments) {
  Inputs k = small_kernel();
  k.cfg_read_only = 1;
  SwapBench b;
  b.start(k);
  b.segment(0, 1, 1, 0, 0x900);
  EXPECT_EQ(b.engine.probes().ro_address[1], 0x900U);
  b.run(job_out(0, 1));
  EXPECT_EQ(b.engine.probes().ro_lines[1], 0);
  EXPECT_EQ(b.engine.probes().ro_address[1], 0U);
  EXPECT_EQ(b.engine.counters().skipped_lines, 1U);
}

TEST(TbSwapContext, ASegmentWrittenAsTheContextGetsItsNextTbStays) {
  Inputs k = small_kernel();
  k.cfg_read_only = 1;
  SwapBench b;
  b.start(k);
  b.jobs.push_back(job_out(0, 1));
  while (b.engine.probes().hand_valid == 0) b.step();
  b.segment(0, 0, 1, 0, 0x900);  // in the cycle in which the machine takes the job
  EXPECT_EQ(b.engine.probes().hand_valid, 0);
  EXPECT_EQ(b.engine.probes().ro_lines[0], 1);
}

TEST(TbSwapContext, SegmentsOfContextsThatDoNotExistAreIgnored) {
  Params params;
  params.MaxTb = 3;
  SwapBench b(params);
  b.start(small_kernel());
  b.segment(3, 0, 1, 0, 0x900);
  b.segment(2, 2, 1, 0, 0x900);
  for (unsigned row = 0; row < SegmentLines::kElements; ++row) EXPECT_EQ(b.engine.probes().ro_lines[row], 0) << row;
}

}  // namespace
}  // namespace castor::tb_swap::test::engine_context_test
