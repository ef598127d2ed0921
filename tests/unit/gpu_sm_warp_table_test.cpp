#include <algorithm>
#include <random>

#include "castor/gpu/sm/warp_table.h"
#include "unit/gpu_sm_parts_support.h"

// Tests of warp slots: the start of a warp, its control flow, and the age order.

namespace castor::gpu::gpu_sm_warp_table_test {
namespace {

using namespace test;

TEST(AgeOrder, OldestIsOfTheThreadBlockThatStartedFirstThenTheLowestSlot) {
  std::mt19937_64 random(3);
  const auto one_in_eight = [&random] {
    WarpMask bits = random();
    for (int i = 0; i < 2; ++i) bits &= random();
    return bits;
  };
  AgeOrder ages;
  WarpMask there = 0;
  std::vector<WarpMask> blocks;  // in the order of their start
  for (unsigned step = 0; step < 5000; ++step) {
    if (!blocks.empty() && random() % 2 == 0) {
      const std::size_t leaves = random() % blocks.size();
      there &= ~blocks[leaves];
      blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(leaves));
    } else if (const WarpMask starts = one_in_eight() & ~there; starts != 0) {
      ages.started(starts, there);
      there |= starts;
      blocks.push_back(starts);
    }
    const WarpMask asked = there & random();
    if (asked == 0) continue;
    const auto first = std::find_if(blocks.begin(), blocks.end(), [&](WarpMask block) { return (block & asked) != 0; });
    ASSERT_EQ(ages.oldest(asked), lowest(*first & asked));
  }
}

TEST(WarpTable, WarpBeginsAtTheFirstRecordWithZeroedRegisters) {
  const Machine machine = part_machine();
  WarpTable table(machine, 2);
  PartKernel kernel(machine, Code().add(3, 1, 2).exit(), 40);
  const WarpMask first = start_warps(table, kernel);
  set_lanes(table, 1, 31, 7);
  table.view(1).predicates[4] = 3;
  table.stop(first);
  table.release(first);
  EXPECT_EQ(table.live() | table.used(), 0U);

  EXPECT_EQ(start_warps(table, kernel, 5), 3U);
  EXPECT_EQ(table.live(), 3U);
  EXPECT_EQ(table.used(), 3U);
  const WarpState& warp = table[1];
  EXPECT_EQ(warp.pc, 0U);
  EXPECT_EQ(warp.active, 0xffU);  // 40 threads: 8 are in the second warp
  EXPECT_EQ(warp.stack.live(), 0xffU);
  EXPECT_EQ(warp.predicates[4], 0U);
  EXPECT_EQ(lane_of(table, 1, 31, 0), 0U);
  EXPECT_EQ(warp.tb, 5U);
  EXPECT_EQ(warp.warp_in_tb, 1U);
  EXPECT_EQ(warp.identity.first_warp, 1U);
  EXPECT_EQ(warp.identity.sm, 2U);
  EXPECT_EQ(warp.identity.tid[0][3], 35U);
  EXPECT_EQ(warp.code_size, 2U);
  EXPECT_EQ(warp.wakes, base::kForever);
}

TEST(WarpTable, AWarpSeesGridAndParametersOfItsItem) {
  const Machine machine = part_machine();
  WarpTable table(machine, 0);
  PartKernel kernel(machine, Code().exit(), 32);
  kernel.context.grid = {100, 1, 1};
  kernel.context.parameters = 0x1000;
  table.start(0, {&kernel.context, &kernel.decoded, {{3, 2, 4}, 0x2000}, {1, 0, 3}, 0, 0});
  const isa::WarpContext& seen = table[0].identity;
  EXPECT_EQ(seen.nctaid[0], 3U);
  EXPECT_EQ(seen.nctaid[2], 4U);
  EXPECT_EQ(seen.ctaid[2], 3U);
  EXPECT_EQ(seen.parameter_base, 0x2000U);
}

TEST(WarpTable, WarpsOfDeviceCodeAreMarkedUntilTheyLeave) {
  const Machine machine = part_machine();
  WarpTable table(machine, 0);
  PartKernel kernel(machine, Code().exit(), 64);
  table.start(0, {&kernel.context, &kernel.decoded, {}, {}, 0, 0});
  table.start(1, {&kernel.context, &kernel.decoded, {}, {}, 0, 1});
  table.admit(3, true);
  EXPECT_EQ(table.device(), 3U);
  table.stop(3);
  EXPECT_EQ(table.device(), 3U);
  table.release(3);
  EXPECT_EQ(table.device(), 0U);
}

TEST(WarpTable, PathsOfABranchMeet) {
  const Machine machine = part_machine();
  WarpTable table(machine, 0);
  // Program: record 0 branches to 2 if p0; record 1 runs only if the branch is not taken; 2 only if it is taken; 3 in
  // both cases.
  PartKernel kernel(machine, Code().branch(2, 3, if_true(0)).nop().nop().exit(), 32);
  start_warps(table, kernel);
  const WarpState& warp = table[0];
  EXPECT_FALSE(table.transfer(0, warp.records[0], 0xf));
  EXPECT_EQ(warp.pc, 2U);
  EXPECT_EQ(warp.active, 0xfU);
  EXPECT_EQ(warp.identity.active, 0xfU);
  EXPECT_EQ(warp.meeting, 3U);
  EXPECT_TRUE(table.step(0));  // the taken path is over
  EXPECT_EQ(warp.pc, 1U);
  EXPECT_EQ(warp.active, 0xfffffff0U);
  EXPECT_FALSE(table.step(0));
  EXPECT_TRUE(table.step(0));
  EXPECT_EQ(warp.pc, 3U);
  EXPECT_EQ(warp.active, 0xffffffffU);
}

TEST(WarpTable, WarpWithoutLanesDoesNotLive) {
  const Machine machine = part_machine();
  WarpTable table(machine, 0);
  PartKernel kernel(machine, Code().exit(if_true(0)).exit(), 32);
  start_warps(table, kernel);
  const WarpState& warp = table[0];
  EXPECT_FALSE(table.transfer(0, warp.records[0], 0));  // no lane takes the branch
  EXPECT_EQ(warp.pc, 1U);
  EXPECT_FALSE(table.transfer(0, warp.records[1], 0xffff));
  EXPECT_EQ(warp.active, 0xffff0000U);
  EXPECT_EQ(table.live(), 1U);
  EXPECT_FALSE(table.transfer(0, warp.records[1], 0xffff0000));
  EXPECT_EQ(table.live(), 0U);
  EXPECT_EQ(warp.identity.live, 0U);
  EXPECT_EQ(table.used(), 1U);
}

TEST(WarpTable, FaultLeavesTheWarpWhereItIs) {
  const Machine machine = part_machine();
  WarpTable table(machine, 0);
  PartKernel kernel(machine, Code().nop().branch_indirect(4, {0, 2}, 2).exit(), 32);
  start_warps(table, kernel);
  table.step(0);
  set_lanes(table, 0, 4, 2);  // an index beyond the table
  const auto fault = table.transfer(0, table[0].records[1], 0xffffffff);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->kind, FaultKind::kIllegalInstruction);
  EXPECT_EQ(table[0].pc, 1U);
  EXPECT_EQ(table[0].active, 0xffffffffU);
  set_lanes(table, 0, 4, 1);
  EXPECT_FALSE(table.transfer(0, table[0].records[1], 0xffffffff));
  EXPECT_EQ(table[0].pc, 2U);
}

}  // namespace
}  // namespace castor::gpu::gpu_sm_warp_table_test
