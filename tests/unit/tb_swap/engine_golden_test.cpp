// The trace of docs/blocks/tb_swap.md, "Worked example": a TB leaves one SM for memory and comes back on another one.

#include "unit/tb_swap/engine_support.h"

namespace castor::tb_swap::test::engine_golden_test {
namespace {

RegBits registers_0_and_2() { return RegBits(0b101); }

struct Step {
  U64 cycle;
  const char* access;
};

void expect_accesses(const SwapBench& b, std::initializer_list<Step> steps) {
  ASSERT_EQ(b.accesses.size(), steps.size());
  auto seen = b.accesses.begin();
  for (const Step& step : steps) {
    EXPECT_EQ(seen->cycle, step.cycle) << step.access;
    EXPECT_EQ(text(seen->out), step.access);
    ++seen;
  }
}

TEST(TbSwapGolden, ATbLeavesForMemoryAndAnotherOneStarts) {
  SwapBench b;
  b.start(small_kernel());
  b.site(0, registers_0_and_2());
  b.cycle = 49;
  Inputs job = job_out(0, 0, 0);
  job.job_in_gid = 2;
  b.jobs.push_back(job);
  b.drain();
  EXPECT_EQ(b.accepted_jobs, std::vector<U64>{49});
  EXPECT_EQ(b.requests, std::vector<U64>{52});
  expect_accesses(b, {{54, "simt 0 > 100"}, {56, "w0 r0 h0 > 101"}, {57, "w0 r2 h0 > 102"}, {58, "s0 h0 > 103"}});
  ASSERT_EQ(b.parked.size(), 1U);
  EXPECT_EQ(b.parked[0].cycle, 59U);
  EXPECT_EQ(b.parked[0].out.parked_local, 0);
  EntryFields entry;
  entry.registers = entry.shared = Location::kMemory;
  entry.simt_in_memory = true;
  entry.register_line = 0x101;
  entry.shared_line = 0x103;
  entry.simt_line = 0x100;
  EXPECT_EQ(b.last_entry(), entry.pack());
  ASSERT_EQ(b.entered.size(), 1U);
  EXPECT_EQ(b.entered[0].cycle, 62U);
  EXPECT_EQ(b.entered[0].out.enter_new, 1);
  EXPECT_EQ(b.entered[0].out.enter_gid, 2U);
  EXPECT_EQ(b.entered[0].out.enter_free, 0);
}

TEST(TbSwapGolden, TheTbComesBackOnAnotherSm) {
  EntryFields entry;
  entry.registers = entry.shared = Location::kMemory;
  entry.simt_in_memory = true;
  entry.register_line = 0x101;
  entry.shared_line = 0x103;
  entry.simt_line = 0x100;
  SwapBench b;
  b.start(small_kernel());
  b.site(0, registers_0_and_2());
  b.cycle = 161;
  b.jobs.push_back(job_in(0, entry.pack()));
  b.drain();
  EXPECT_EQ(b.accepted_jobs, std::vector<U64>{161});
  EXPECT_TRUE(b.requests.empty());
  EXPECT_TRUE(b.parked.empty());
  expect_accesses(b, {{167, "simt 0 < 100"}, {169, "w0 r0 h0 < 101"}, {170, "w0 r2 h0 < 102"}, {171, "s0 h0 < 103"}});
  ASSERT_EQ(b.entered.size(), 1U);
  EXPECT_EQ(b.entered[0].cycle, 183U);
  EXPECT_EQ(b.entered[0].out.enter_new, 0);
  EXPECT_EQ(b.entered[0].out.enter_gid, 0U);
  EXPECT_EQ(b.entered[0].out.enter_free, 1);
  EXPECT_EQ(b.entered[0].out.enter_address, 0x100U);
}

TEST(TbSwapGolden, EntriesHaveTheirFieldsAtTheirBits) {
  EntryFields f;
  f.gid = 0xabcdef;
  f.sm = 0x5a;
  f.registers = Location::kPlace;
  f.shared = Location::kMemory;
  f.simt_in_memory = true;
  f.register_line = 0x1'2345'6789;
  f.site = 0x55;
  f.shared_line = 0x1'8765'4321;
  f.simt_line = 0x1'0fed'cba9;
  const Entry e = f.pack();
  const auto bits = [&e](unsigned high, unsigned low) {
    U64 value = 0;
    for (unsigned bit = high + 1; bit-- > low;) value = value << 1U | (e.test(bit) ? 1U : 0U);
    return value;
  };
  EXPECT_EQ(bits(159, 136), f.gid);
  EXPECT_EQ(bits(135, 128), f.sm);
  EXPECT_EQ(bits(127, 126), 1U);
  EXPECT_EQ(bits(125, 124), 2U);
  EXPECT_EQ(bits(123, 120), 8U);
  EXPECT_EQ(bits(119, 87), f.register_line);
  EXPECT_EQ(bits(86, 80), f.site);
  EXPECT_EQ(bits(79, 47), f.shared_line);
  EXPECT_EQ(bits(46, 40), 0U);
  EXPECT_EQ(bits(39, 7), f.simt_line);
  EXPECT_EQ(bits(6, 0), 0U);
  EXPECT_EQ(register_location(e), f.registers);
  EXPECT_EQ(shared_location(e), f.shared);
  EXPECT_TRUE(simt_in_memory(e));
  EXPECT_EQ(register_line(e), f.register_line);
  EXPECT_EQ(site_of(e), f.site);
  EXPECT_EQ(shared_line(e), f.shared_line);
  EXPECT_EQ(simt_line(e), f.simt_line);
}

}  // namespace
}  // namespace castor::tb_swap::test::engine_golden_test
