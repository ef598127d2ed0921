#include "castor/gpu/sm/issue_counter.h"
#include "unit/gpu_sm_parts_support.h"

// Tests of the counters of issued instructions.

namespace castor::gpu::gpu_sm_issue_counter_test {
namespace {

using namespace test;

struct Seen : Observer {
  std::vector<Issue> issues;
  void issued(const Issue& event) override { issues.push_back(event); }
};

TEST(IssueCounter, CountsByClassEntryAndThreadBlock) {
  const Machine machine = part_machine();
  SmClock clock;
  TbCounters tb_counters;
  IssueCounters counters;
  ThreadBlocks tbs(machine, 0, tb_counters, nullptr);
  IssueCounter counter(machine, 0, clock, tbs, counters, nullptr);
  PartKernel first(machine, Code().add(3, 1, 2).load(4, 6).exit(), 32);
  PartKernel second(machine, Code().exit(), 32);
  second.context.entry = 1;
  TbStartMessage message;
  message.kernel = &first.context;
  message.item = first.context.item();
  ASSERT_EQ(tbs.start(message, 0, 0, 0), 0U);
  message.kernel = &second.context;
  message.item = second.context.item();
  ASSERT_EQ(tbs.start(message, 1, 2, 2), 1U);
  EXPECT_FALSE(counter.observed());
  counter.count(0, first.decoded.code[0], 32);
  counter.count(0, first.decoded.code[0], 7);
  counter.count(0, first.decoded.code[1], 1);
  counter.count(1, second.decoded.code[0], 0);
  const auto kind = [](InstructionClass one) { return static_cast<std::size_t>(one); };
  EXPECT_EQ(counters.instructions.warps[kind(InstructionClass::kInt)], 2U);
  EXPECT_EQ(counters.instructions.lanes[kind(InstructionClass::kInt)], 39U);
  EXPECT_EQ(counters.instructions.lanes[kind(InstructionClass::kLoadGlobal)], 1U);
  EXPECT_EQ(counter.of_entry(0).warps[kind(InstructionClass::kInt)], 2U);
  EXPECT_EQ(counter.of_entry(1).warps[kind(InstructionClass::kBranch)], 1U);
  EXPECT_EQ(counter.of_entry(0).register_reads, 4U + first.decoded.code[1].source_count);
  EXPECT_EQ(counter.of_entry(0).register_writes, 3U);
  EXPECT_EQ(counter.total(), 4U);
  EXPECT_EQ(tbs[0].warp_instructions, 3U);
  EXPECT_EQ(tbs[0].thread_instructions, 40U);
  counter.clear(0);
  EXPECT_EQ(counter.of_entry(0).warps[kind(InstructionClass::kInt)], 0U);
  EXPECT_EQ(counter.total(), 4U);
}

TEST(IssueCounter, TellsWhoObserves) {
  const Machine machine = part_machine();
  SmClock clock;
  clock.begin(77);
  TbCounters tb_counters;
  IssueCounters counters;
  Seen seen;
  ThreadBlocks tbs(machine, 4, tb_counters, &seen);
  IssueCounter counter(machine, 4, clock, tbs, counters, &seen);
  PartKernel kernel(machine, Code().add(3, 1, 2).exit(), 32);
  TbStartMessage message;
  message.kernel = &kernel.context;
  message.item = kernel.context.item();
  ASSERT_EQ(tbs.start(message, 0, 0, 0), 0U);
  WarpTable warps(machine, 4);
  start_warps(warps, kernel);
  ASSERT_TRUE(counter.observed());
  counter.tell(2, 0, warps[0], 0xff);
  ASSERT_EQ(seen.issues.size(), 1U);
  EXPECT_EQ(seen.issues[0].tick, 77U);
  EXPECT_EQ(seen.issues[0].sm, 4U);
  EXPECT_EQ(seen.issues[0].scheduler, 2U);
  EXPECT_EQ(seen.issues[0].pc, 0U);
  EXPECT_EQ(seen.issues[0].mask, 0xffU);
  EXPECT_EQ(seen.issues[0].kernel, &kernel.context);
}

}  // namespace
}  // namespace castor::gpu::gpu_sm_issue_counter_test
