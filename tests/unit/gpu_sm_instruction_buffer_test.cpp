#include "castor/gpu/sm/instruction_buffer.h"
#include "unit/gpu_sm_parts_support.h"

// Tests of instruction buffers: their contents, and the needs of their heads.

namespace castor::gpu::gpu_sm_instruction_buffer_test {
namespace {

using namespace test;

struct Bench {
  Bench(Code code, unsigned threads, const std::vector<std::string>& overrides = {})
      : machine(part_machine(overrides)),
        warps(machine, 0),
        pipelines(machine, wheel, pipeline_counters),
        board(machine, pipelines, wheel),
        buffer(machine, warps, board),
        kernel(machine, std::move(code), threads) {
    for (WarpMask left = start_warps(warps, kernel); left != 0; left &= left - 1) {
      board.start(lowest(left));
      buffer.start(lowest(left));
    }
  }
  /// Lets warp `w` issue an instruction that is no control transfer.
  void issue(unsigned w) {
    buffer.take(w);
    if (warps.step(w)) buffer.reopen(w);
    buffer.update_head(w);
  }

  Machine machine;
  WarpTable warps;
  EventWheel wheel;
  PipelineCounters pipeline_counters;
  Pipelines pipelines;
  Scoreboard board;
  InstructionBuffer buffer;
  PartKernel kernel;
};

TEST(InstructionBuffer, HeadIsTheInstructionAtThePc) {
  Bench bench(Code().add(3, 1, 2).add(4, 3, 3).exit(), 64);
  EXPECT_EQ(bench.buffer.head(1), nullptr);
  bench.buffer.fill(1, 2, false);
  EXPECT_EQ(bench.buffer.valid(), 2U);
  EXPECT_EQ(bench.buffer.head(1), &bench.warps[1].decoded[0]);
  EXPECT_EQ(bench.board.clear(), 2U);  // the new head was judged
  bench.issue(1);
  EXPECT_EQ(bench.buffer.size(1), 1U);
  EXPECT_EQ(bench.buffer.head(1), &bench.warps[1].decoded[1]);
  bench.issue(1);
  EXPECT_EQ(bench.buffer.valid(), 0U);
  EXPECT_EQ(bench.buffer.head(1), nullptr);
}

TEST(InstructionBuffer, FullWithAllEntriesTaken) {
  Bench bench(Code().nop().nop().nop().nop().exit(), 32, {"ibuffer.entries=2"});
  bench.buffer.fill(0, 1, false);
  EXPECT_EQ(bench.buffer.full(), 0U);
  bench.buffer.fill(0, 1, false);
  EXPECT_EQ(bench.buffer.full(), 1U);
  bench.issue(0);
  EXPECT_EQ(bench.buffer.full(), 0U);
}

TEST(InstructionBuffer, NothingIsFetchedBehindAnEndUntilTheWarpHasGoneOn) {
  Bench bench(Code().nop().branch(0, isa::kNoPc), 32);
  bench.buffer.fill(0, 2, true);
  EXPECT_EQ(bench.buffer.full(), 1U);
  bench.issue(0);
  EXPECT_EQ(bench.buffer.full(), 1U);
  bench.buffer.take(0);
  bench.buffer.flush(0);
  EXPECT_FALSE(bench.warps.transfer(0, bench.warps[0].records[1], bench.warps.all_lanes()));
  bench.buffer.update_head(0);
  EXPECT_EQ(bench.buffer.full(), 0U);
  EXPECT_EQ(bench.buffer.valid(), 0U);
}

TEST(InstructionBuffer, WarpsStandWithThePoolOfTheirHead) {
  Bench bench(Code().add(3, 1, 2).load(4, 6).fence(isa::FenceScope::kDevice).exit(), 64);
  bench.buffer.fill(0, 4, true);
  bench.buffer.fill(1, 4, true);
  EXPECT_EQ(bench.buffer.of(UnitPool::kSp), 3U);  // no unit of its own for integers
  bench.issue(0);
  EXPECT_EQ(bench.buffer.of(UnitPool::kSp), 2U);
  EXPECT_EQ(bench.buffer.of(UnitPool::kMemory), 1U);
  bench.issue(0);
  EXPECT_EQ(bench.buffer.of(UnitPool::kSync), 1U);
  EXPECT_EQ(bench.buffer.pool(0), UnitPool::kSync);
  bench.issue(0);
  EXPECT_EQ(bench.buffer.of(UnitPool::kControl), 1U);
  EXPECT_EQ(bench.buffer.meets(), 1U);  // exit
}

TEST(InstructionBuffer, ReturnMeetsOthersInTheKernelsOwnFrameOnly) {
  Code code;
  code.nop().exit().nop().exit();
  code.program.code[0].kind = isa::Kind::kCall;
  code.program.code[0].branch = {2, isa::kNoPc};
  code.program.code[1].kind = code.program.code[3].kind = isa::Kind::kReturn;
  code.program.functions[0].count = 2;
  code.program.functions.push_back({"callee", 2, 2});
  Bench bench(std::move(code), 32);
  const WarpState& warp = bench.warps[0];
  EXPECT_FALSE(bench.warps.transfer(0, warp.records[0], bench.warps.all_lanes()));
  bench.buffer.fill(0, 2, true);
  bench.issue(0);
  ASSERT_EQ(warp.pc, 3U);
  EXPECT_EQ(bench.buffer.meets(), 0U);
  bench.buffer.take(0);
  bench.buffer.flush(0);
  EXPECT_FALSE(bench.warps.transfer(0, warp.records[3], bench.warps.all_lanes()));
  ASSERT_EQ(warp.pc, 1U);
  bench.buffer.fill(0, 1, true);
  EXPECT_EQ(bench.buffer.meets(), 1U);
}

TEST(InstructionBuffer, ReleaseDrainsOlderAccesses) {
  Code code;
  code.store(4, 6).exit();
  code.program.code[0].memory.ordering = isa::Ordering::kRelease;
  code.program.code[0].memory.scope = isa::FenceScope::kDevice;
  Bench bench(std::move(code), 32);
  bench.buffer.fill(0, 2, true);
  EXPECT_EQ(bench.buffer.drains(), 1U);
  bench.issue(0);
  EXPECT_EQ(bench.buffer.drains(), 0U);
}

TEST(InstructionBuffer, StopEmptiesIt) {
  Bench bench(Code().nop().nop().exit(), 64);
  bench.buffer.fill(0, 3, true);
  bench.buffer.fill(1, 3, true);
  bench.buffer.stop(1);
  EXPECT_EQ(bench.buffer.valid(), 2U);
  EXPECT_EQ(bench.buffer.full(), 2U);
  EXPECT_EQ(bench.buffer.size(0), 0U);
}

}  // namespace
}  // namespace castor::gpu::gpu_sm_instruction_buffer_test
