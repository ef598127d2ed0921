#include "castor/gpu/sm/fetch_stage.h"
#include "unit/gpu_lsu_support.h"
#include "unit/gpu_sm_parts_support.h"

// Tests of fetch and decode: which warps are fetched, how many instructions, and the effects of a miss.

namespace castor::gpu::gpu_sm_fetch_stage_test {
namespace {

using namespace test;

/// A fetch stage with buffers and a memory side. `tick` runs one tick of an SM that is otherwise idle.
struct Bench {
  Bench(Code code, unsigned threads, const std::vector<std::string>& overrides = {})
      : machine(part_machine(overrides)),
        warps(machine, 0),
        pipelines(machine, wheel, pipeline_counters),
        board(machine, pipelines, wheel),
        buffer(machine, warps, board),
        rig(machine),
        fetch(machine, warps, buffer, rig.lsu, wheel, counters),
        kernel(machine, std::move(code), threads) {
    rig.sleeping = false;
    for (WarpMask left = start_warps(warps, kernel); left != 0; left &= left - 1) {
      fetch.start(lowest(left));
      buffer.start(lowest(left));
    }
  }
  void tick() {
    const Tick now = rig.now;
    const WarpMask eligible = fetch.eligible();
    (void)wheel.take(now, [this](const SmEvent& event) { fetch.resume(event.payload); });
    fetch.take_lines();
    rig.begin();
    for (; lines < rig.fetched_lines.size(); ++lines) fetch.line_arrived(rig.fetched_lines[lines].second);
    if (fetch.due() != 0) fetch.decode(fetch.take_due());
    if (eligible != 0) fetch.fetch(eligible & warps.live());
    rig.finish();
  }

  Machine machine;
  WarpTable warps;
  EventWheel wheel;
  PipelineCounters pipeline_counters;
  Pipelines pipelines;
  Scoreboard board;
  InstructionBuffer buffer;
  LsuRig rig;
  FetchCounters counters;
  FetchStage fetch;
  PartKernel kernel;
  std::size_t lines = 0;
};

const std::vector<std::string> kIdeal = {"icache.ideal=1", "fetch.warps=2", "fetch.insns=4", "ibuffer.entries=4"};

Code nops(unsigned count) {
  Code code;
  for (unsigned i = 0; i < count; ++i) code.nop();
  return code.exit();
}

TEST(FetchStage, LooseRoundRobinOverEligibleWarps) {
  Bench bench(nops(30), 160, kIdeal);  // 5 warps
  EXPECT_EQ(bench.fetch.eligible(), 0x1fU);
  bench.tick();
  EXPECT_EQ(bench.fetch.out(), 0x3U);
  bench.tick();  // both records are decoded, the next two are fetched
  EXPECT_EQ(bench.buffer.valid(), 0x3U);
  EXPECT_EQ(bench.fetch.out(), 0xcU);
  bench.tick();
  EXPECT_EQ(bench.fetch.out(), 0x10U);
  bench.tick();
  EXPECT_EQ(bench.buffer.valid(), 0x1fU);
  EXPECT_EQ(bench.fetch.eligible(), 0U);
  EXPECT_EQ(bench.counters.fetches, 5U);
  EXPECT_EQ(bench.counters.wasted_fetches, 0U);
}

TEST(FetchStage, FetchEndsWithItsLineAndDecodeWithAControlTransfer) {
  Bench bench(nops(17), 32, kIdeal);  // lines of 16 instructions
  for (unsigned i = 0; i < 14; ++i) bench.warps.step(0);
  bench.tick();
  EXPECT_EQ(bench.fetch.fetching(0), 2U);
  bench.tick();
  EXPECT_EQ(bench.buffer.size(0), 2U);
  EXPECT_EQ(bench.buffer.full(), 0U);
  bench.buffer.take(0);
  bench.buffer.take(0);
  bench.warps.step(0);
  bench.warps.step(0);
  bench.buffer.update_head(0);
  bench.tick();
  EXPECT_EQ(bench.fetch.fetching(0), 2U);  // a nop and the exit: the code ends
  bench.tick();
  EXPECT_EQ(bench.buffer.size(0), 2U);
  EXPECT_EQ(bench.buffer.full(), 1U);
}

TEST(FetchStage, InstructionsBehindAControlTransferAreDropped) {
  Bench bench(Code().nop().branch(0, isa::kNoPc).nop().nop().exit(), 32, kIdeal);
  bench.tick();
  EXPECT_EQ(bench.fetch.fetching(0), 4U);
  bench.tick();
  EXPECT_EQ(bench.buffer.size(0), 2U);
  EXPECT_EQ(bench.counters.wasted_fetches, 2U);
}

TEST(FetchStage, DecodeEndsWherePathsMeet) {
  Bench bench(Code().branch(3, 3, if_true(0)).nop().nop().nop().nop().exit(), 32, kIdeal);
  EXPECT_FALSE(bench.warps.transfer(0, bench.warps[0].records[0], 0xff));  // record 1 with the others, up to 3
  bench.tick();
  bench.tick();
  EXPECT_EQ(bench.buffer.size(0), 2U);
  EXPECT_EQ(bench.buffer.full(), 1U);
}

TEST(FetchStage, MissWaitsForItsLineAndOthersJoin) {
  Bench bench(nops(30), 64, {"icache.ideal=0", "fetch.warps=2"});
  bench.tick();
  bench.tick();  // both miss
  EXPECT_EQ(bench.counters.icache_misses, 2U);
  EXPECT_EQ(bench.fetch.out(), 3U);
  unsigned ticks = 0;
  for (; bench.rig.fetched_lines.empty() && ticks < 1000; ++ticks) bench.tick();
  EXPECT_EQ(bench.rig.memory.seen.size(), 1U);
  EXPECT_EQ(bench.buffer.valid(), 0U);
  EXPECT_TRUE(bench.fetch.decodes_next());
  bench.tick();
  EXPECT_EQ(bench.buffer.valid(), 3U);
  EXPECT_EQ(bench.fetch.out(), 0U);
  EXPECT_EQ(bench.counters.fetches, 2U);
}

TEST(FetchStage, FetchIsDroppedWithoutAnMshr) {
  Bench bench(nops(30), 64, {"icache.ideal=0", "fetch.warps=2", "icache.mshrs=1"});
  for (unsigned i = 0; i < 16; ++i) bench.warps.step(1);  // another line
  bench.tick();
  bench.tick();
  EXPECT_EQ(bench.counters.icache_misses, 2U);
  EXPECT_EQ(bench.fetch.out(), 1U);
  EXPECT_EQ(bench.fetch.eligible(), 2U);
}

// After an operation of n ticks that begins in tick t, the warp can be fetched in t + n.
TEST(FetchStage, WarpIsHeldBackForTheTicksOfItsBranch) {
  for (const Tick ticks : {1, 2, 5}) {
    Bench bench(nops(30), 32, kIdeal);
    bench.tick();  // so that tick 0 is over
    bench.tick();
    bench.buffer.take(0);
    bench.buffer.flush(0);
    bench.buffer.update_head(0);
    const Tick branch = bench.rig.now - 1;
    bench.fetch.hold_back(1, branch, ticks);
    const auto fetches = bench.counters.fetches;
    while (bench.counters.fetches == fetches) bench.tick();
    EXPECT_EQ(bench.rig.now - 1, branch + ticks);
  }
}

TEST(FetchStage, StopForgetsWhatIsOut) {
  Bench bench(nops(30), 64, {"icache.ideal=0", "fetch.warps=2"});
  bench.tick();
  bench.tick();
  bench.warps.stop(1);
  bench.fetch.stop(1);
  EXPECT_EQ(bench.fetch.out(), 2U);
  for (unsigned i = 0; i < 100; ++i) bench.tick();
  EXPECT_EQ(bench.buffer.valid(), 2U);
}

TEST(FetchStage, RefillsFreeSlotsWhereTheMachineDoes) {
  Bench bench(nops(30), 32, {"icache.ideal=1", "ibuffer.refill=slot", "ibuffer.entries=4", "fetch.insns=2"});
  bench.tick();
  bench.tick();
  EXPECT_EQ(bench.buffer.size(0), 2U);
  EXPECT_EQ(bench.fetch.eligible(), 1U);  // two entries are free
  bench.tick();
  bench.tick();
  EXPECT_EQ(bench.buffer.size(0), 4U);
  EXPECT_EQ(bench.fetch.eligible(), 0U);
}

}  // namespace
}  // namespace castor::gpu::gpu_sm_fetch_stage_test
