// Tests of the watchdogs' reports (docs/gpu/faults.md, "Who waits for whom"): every reason with its numbers, and the
// cycle of waits if there is one; and the limits of a run.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "castor/gpu/wait_graph.h"
#include "platform/timing/rig.h"

namespace castor::gpu::timing_test::waiting_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kMachine = "tiny";

TEST(WaitGraph, NamesTheNodesOfACycleAndNothingElse) {
  WaitGraph graph;
  graph.add("a", "b");
  graph.add("b", "c");
  graph.add("a", "d");
  EXPECT_TRUE(graph.cycle().empty());
  EXPECT_EQ(graph.cycle_text(), "");
  graph.add("d", "e");
  graph.add("e", "d");
  EXPECT_EQ(graph.cycle(), (std::vector<std::string>{"d", "e", "d"}));
  EXPECT_EQ(graph.cycle_text(), "cycle: d -> e -> d\n");
  WaitGraph self;
  self.add("x", "x");
  EXPECT_EQ(self.cycle_text(), "cycle: x -> x\n");
}

/// Runs a kernel for some cycles from the start of its first block on and says who waits for whom then.
std::string waiting_after(Rig& rig, Cycle cycles, const std::string& body, Dim3 grid, Dim3 block,
                          const std::vector<std::uint64_t>& parameters, const std::string& declarations = {}) {
  const ProgramHandle kernel = rig.load(body, static_cast<unsigned>(parameters.size()), declarations);
  const std::size_t started = rig.recorder.started.size();
  rig.submit(kernel, grid, block, parameters);
  const base::Clock& clock = rig.device->gpu().clock();
  for (unsigned i = 0; i < 1000 && rig.recorder.started.size() == started; ++i) {
    EXPECT_EQ(rig.device->advance_to(rig.device->now() + clock.time_of(50)), Outcome::kDone);
  }
  EXPECT_EQ(rig.device->advance_to(rig.device->now() + clock.time_of(cycles)), Outcome::kDone);
  return rig.device->gpu().waiting();
}

TEST(Waiting, WarpsAtDifferentBarriersAreACycle) {
  Rig rig(kMachine);
  const ProgramHandle kernel = rig.load(R"(
  mov.u32 %r0, %tid.x;
  setp.ge.u32 %p0, %r0, 32;
  @%p0 bra OTHER;
  bar.sync 1, 64;
  ret;
OTHER:
  bar.sync 2, 64;
  ret;
)");
  const Ticket ticket = rig.submit(kernel, {}, {64});
  EXPECT_EQ(rig.device->advance_until(ticket), Outcome::kDeadlock);
  ASSERT_TRUE(rig.device->fault());
  EXPECT_EQ(rig.device->fault()->kind, FaultKind::kDeadlock);
  const std::string& text = rig.device->fault()->message;
  EXPECT_THAT(text, HasSubstr("deadlock: nothing can proceed\nhost: waits for ticket 1, kernel k of entry 0\n"));
  EXPECT_THAT(text, HasSubstr("warp 0 (slot 0) waits at barrier 1: 1 of 2 warps have arrived, missing: 1, kernel 'k' "
                              "(micro.ptx:"));
  EXPECT_THAT(text, HasSubstr("warp 1 (slot 1) waits at barrier 2: 1 of 2 warps have arrived, missing: 0,"));
  EXPECT_THAT(text, HasSubstr("cycle: warp of slot 0 (SM 0) -> warp of slot 1 (SM 0) -> warp of slot 0 (SM 0)\n"));
  // The device stays deadlocked, and the first report is kept.
  EXPECT_EQ(rig.device->advance_until(ticket), Outcome::kDeadlock);
  EXPECT_EQ(rig.device->fault()->message, text);
}

TEST(Waiting, BarrierThatNobodyIsLeftToReach) {
  Rig rig(kMachine);
  const ProgramHandle kernel = rig.load("bar.sync 3, 64;\nret;");
  EXPECT_EQ(rig.device->advance_until(rig.submit(kernel, {}, {64})), Outcome::kDone);
  // The barrier counts two warps, one of which has exited.
  const ProgramHandle alone = rig.load(R"(
  mov.u32 %r0, %tid.x;
  setp.ge.u32 %p0, %r0, 32;
  @%p0 ret;
  bar.sync 3, 64;
  ret;
)");
  EXPECT_EQ(rig.device->advance_until(rig.submit(alone, {}, {64})), Outcome::kDeadlock);
  EXPECT_THAT(rig.device->fault()->message,
              HasSubstr("waits at barrier 3: 1 of 2 warps have arrived, and no other warp of the block can arrive"));
  EXPECT_THAT(rig.device->fault()->message, Not(HasSubstr("cycle:")));
}

TEST(Waiting, QueuesThatWaitForEachOthersEventsAreACycle) {
  Rig rig(kMachine);
  Device& device = *rig.device;
  device.submit(0, EventWaitPacket{1, 1});
  const Ticket last = device.submit(0, EventRecordPacket{2, 1});
  device.submit(1, EventWaitPacket{2, 1});
  device.submit(1, EventRecordPacket{1, 1});
  EXPECT_EQ(device.advance_until(last), Outcome::kDeadlock);
  const std::string& text = device.fault()->message;
  EXPECT_THAT(text, HasSubstr("host: waits for ticket 2, in queue 0, 1 packets before it\n"));
  EXPECT_THAT(text,
              HasSubstr("queue 0: 2 packets, head event wait (ticket 1) waits for event 1 to reach 1, which is at 0, "
                        "recorded by a packet of queue 1\n"));
  EXPECT_THAT(text, HasSubstr("cycle: queue 0 -> queue 1 -> queue 0\n"));
}

TEST(Waiting, EventThatNothingRecords) {
  Rig rig(kMachine);
  EXPECT_EQ(rig.device->advance_until(rig.device->submit(5, EventWaitPacket{9, 3})), Outcome::kDeadlock);
  EXPECT_THAT(
      rig.device->fault()->message,
      HasSubstr("queue 5: 1 packets, head event wait (ticket 1) waits for event 9 to reach 3, which is at 0, no "
                "packet records that\n"));
}

TEST(Waiting, FullQueueThatNothingEmptiesIsADeadlockAndNoException) {
  Rig rig(kMachine, {"queue.depth=2"});
  Device& device = *rig.device;
  for (unsigned i = 0; i < 2; ++i) device.submit(0, EventWaitPacket{9, 3});
  const Ticket dropped = device.submit(0, EventWaitPacket{9, 3});
  ASSERT_TRUE(device.fault());
  EXPECT_EQ(device.fault()->kind, FaultKind::kDeadlock);
  EXPECT_THAT(device.fault()->message,
              HasSubstr("deadlock: queue 0 stays full, and nothing can proceed\nqueue 0: 2 packets"));
  EXPECT_TRUE(device.complete(dropped));
  device.reset();
  EXPECT_FALSE(device.fault());
  EXPECT_EQ(device.advance_until(device.submit(0, EventRecordPacket{1, 1})), Outcome::kDone);
}

TEST(Waiting, InterruptOfAFullQueueEndsTheNextAdvance) {
  Rig rig(kMachine, {"queue.depth=1"});
  Device& device = *rig.device;
  const ProgramHandle kernel = rig.load("L:\nadd.u32 %r0, %r0, 1;\nsetp.ne.u32 %p0, %r0, 0;\n@%p0 bra L;\nret;");
  rig.submit(kernel, {}, {1});
  ASSERT_EQ(device.advance_to(rig.device->gpu().clock().time_of(1000)), Outcome::kDone);  // the kernel runs now
  rig.submit(kernel, {}, {1});
  device.interrupt();
  const Ticket dropped = device.submit(0, EventRecordPacket{1, 1});
  EXPECT_TRUE(device.complete(dropped));
  EXPECT_EQ(device.advance_to(device.now() + 1000), Outcome::kInterrupted);
}

TEST(Waiting, LoadsAreNamedWithTheirLine) {
  Rig rig(kMachine, {"dram.extra_latency=5000"});
  const std::uint64_t data = rig.buffer(256);
  const std::string text = waiting_after(
      rig, 2000, "ld.global.u32 %r1, [%rd0];\nadd.u32 %r2, %r1, 1;\nst.global.u32 [%rd0], %r2;\nret;", {}, {1}, {data});
  char line[32];
  std::snprintf(line, sizeof line, "0x%llx", static_cast<unsigned long long>(data));
  EXPECT_THAT(text, HasSubstr(": load of global line " + std::string(line) + ", requested in cycle "));
  EXPECT_THAT(text, HasSubstr("(MSHR 0), kernel 'k' (micro.ptx:"));
  EXPECT_THAT(text, testing::ContainsRegex("warp 0 \\(slot 0\\) waits for r[0-9]+: load of"));
}

TEST(Waiting, StoresHoldFencesAndRetiresBack) {
  Rig rig(kMachine, {"dram.extra_latency=5000"});
  const std::uint64_t data = rig.buffer(1024);
  // The store covers a part of a sector, so the line must be fetched first.
  const std::string store = "mov.u32 %r1, 1;\nst.global.u8 [%rd0], %r1;\nst.global.u8 [%rd0+512], %r1;\n";
  const std::string fence = waiting_after(rig, 2000, store + "membar.gl;\nret;", {}, {1}, {data});
  EXPECT_THAT(fence, HasSubstr("warp 0 (slot 0) waits in a fence: 2 stores not acknowledged, 0 loads not returned"));
  rig.device->reset();
  const std::string retire = waiting_after(rig, 2000, store + "ret;", {}, {1}, {rig.buffer(1024)});
  EXPECT_THAT(retire, HasSubstr("block 0 of k: all warps have exited, memory accesses in flight"));
}

TEST(Waiting, FetchesAreNamedWithTheirLine) {
  Rig rig(kMachine, {"icache.ideal=0", "dram.extra_latency=5000"});
  const std::string text = waiting_after(rig, 2000, "ret;", {}, {1}, {});
  EXPECT_THAT(text, HasSubstr("warp 0 (slot 0) waits for its instruction fetch, line 0x1"));
}

TEST(Waiting, SleepersPipelinesAndCallsSaySo) {
  Rig rig(kMachine);
  EXPECT_THAT(waiting_after(rig, 2000, "mov.u32 %r1, 100000;\nnanosleep.u32 %r1;\nret;", {}, {1}, {}),
              HasSubstr("warp 0 (slot 0) sleeps (nanosleep), kernel 'k' (micro.ptx:"));
  rig.device->reset();
  // Divisions of 330 ticks run one after the other: the end is somewhere in between.
  std::string body = ".reg .f64 %fd<3>;\nmov.f64 %fd1, 0d4008000000000000;\nmov.f64 %fd2, 0d3ff8000000000000;\n";
  for (unsigned i = 0; i < 40; ++i) body += "div.rn.f64 %fd1, %fd1, %fd2;\n";
  EXPECT_THAT(waiting_after(rig, 3000, body + "st.global.f64 [%rd0], %fd1;\nret;", {}, {1}, {rig.buffer(8)}),
              testing::ContainsRegex("warp 0 \\(slot 0\\) waits for r[0-9]+ r[0-9]+: in a pipeline"));
}

TEST(Waiting, DeviceThatSleepsCanBeReset) {
  Rig rig(kMachine);
  const ProgramHandle kernel = rig.load("mov.u32 %r1, 100000;\nnanosleep.u32 %r1;\nret;");
  rig.submit(kernel, {}, {1});
  ASSERT_EQ(rig.device->advance_to(rig.device->gpu().clock().time_of(20'000)), Outcome::kDone);
  rig.device->reset();
  EXPECT_TRUE(rig.device->gpu().idle());
  EXPECT_LT(rig.device->gpu().now(), 40'000U) << "it does not sleep to the end";
  EXPECT_NO_THROW(rig.run(kernel, {}, {1}));
}

TEST(Waiting, UndispatchedBlocksNameWhatIsShortAndQueuesTheirKernel) {
  // Every block takes all shared memory of its SM: two run, the third waits; a second kernel waits behind it.
  Rig rig(kMachine, {"table.entries=2", "dispatch.bypass=off"});
  const std::string spin = "mov.u32 %r1, 1000000;\nnanosleep.u32 %r1;\nret;";
  const ProgramHandle kernel = rig.load(spin);
  const unsigned all = rig.machine().sm.max_tb_smem;
  rig.submit(kernel, {3}, {32}, {}, all, 0);
  rig.submit(kernel, {1}, {32}, {}, all, 1);
  rig.submit(kernel, {1}, {32}, {}, all, 2);
  rig.submit(kernel, {1}, {32}, {}, all, 0);
  ASSERT_EQ(rig.device->advance_to(rig.device->gpu().clock().time_of(3000)), Outcome::kDone);
  const std::string text = rig.device->gpu().waiting();
  EXPECT_THAT(text,
              HasSubstr("kernel k (ticket 1, entry 0, queue 0): 1 TBs not placed, 2 placed and not complete; no SM "
                        "has the free resources: SM 0 lacks shared memory, SM 1 lacks shared memory\n"));
  EXPECT_THAT(text, HasSubstr("kernel k (ticket 2, entry 1, queue 1): 1 TBs not placed, 0 placed and not complete; "
                              "behind kernel k of entry 0\n"));
  EXPECT_THAT(text,
              HasSubstr("queue 0: 1 packets, head kernel (ticket 4) waits for the kernel or copy before it: kernel "
                        "k of entry 0\n"));
  EXPECT_THAT(text, HasSubstr("queue 2: 1 packets, head kernel (ticket 3) waits for a kernel table entry\n"));
  EXPECT_THAT(text, Not(HasSubstr("cycle:")));
}

TEST(Waiting, CopiesOverTheLinkSaySo) {
  Rig rig(kMachine);
  std::vector<std::byte> host(1 << 20);
  const std::uint64_t data = rig.buffer(host.size());
  const Ticket copy = rig.device->submit(0, CopyPacket{host.data(), data, host.size()});
  rig.device->submit(0, EventRecordPacket{1, 1});
  ASSERT_EQ(rig.device->advance_to(rig.device->gpu().clock().time_of(3000)), Outcome::kDone);
  ASSERT_FALSE(rig.device->complete(copy));
  EXPECT_THAT(rig.device->gpu().waiting(),
              HasSubstr("queue 0: 1 packets, head event record (ticket 2) waits for the kernel or copy before it\n"));
  EXPECT_THAT(rig.device->gpu().waiting(), testing::ContainsRegex("copy.*ticket 1"));
}

// --- Limits ---------------------------------------------------------------------------------------------------------

constexpr const char* kEndless = "L:\nadd.u32 %r0, %r0, 1;\nsetp.ne.u32 %p0, %r0, 0xffffffff;\n@%p0 bra L;\nret;";

TEST(Limits, CycleLimitEndsTheRunInItsCycleAndSaysWhatWasRunning) {
  Rig rig(kMachine, {"run.max_cycles=5000"});
  const ProgramHandle kernel = rig.load(kEndless);
  const Ticket ticket = rig.submit(kernel, {2}, {32});
  EXPECT_EQ(rig.device->advance_until(ticket), Outcome::kLimit);
  EXPECT_EQ(rig.device->gpu().now(), 5000U);
  ASSERT_TRUE(rig.device->fault());
  EXPECT_EQ(rig.device->fault()->kind, FaultKind::kCycleLimit);
  EXPECT_THAT(rig.device->fault()->message, HasSubstr("cycle limit reached: run.max_cycles = 5000"));
  EXPECT_THAT(rig.device->fault()->message, HasSubstr("SM 0: block 0 of k\n  warp 0 (slot 0) "));
  EXPECT_THAT(rig.device->fault()->message, HasSubstr("SM 1: block 1 of k\n"));
  // No more time passes, and a reset still drops everything.
  EXPECT_EQ(rig.device->advance_until(ticket), Outcome::kLimit);
  rig.device->reset();
  EXPECT_TRUE(rig.device->gpu().idle());
}

TEST(Limits, InstructionLimitEndsTheRun) {
  Rig rig(kMachine, {"run.max_instructions=3000"});
  const ProgramHandle kernel = rig.load(kEndless);
  EXPECT_EQ(rig.device->advance_until(rig.submit(kernel, {4}, {64})), Outcome::kLimit);
  ASSERT_TRUE(rig.device->fault());
  EXPECT_EQ(rig.device->fault()->kind, FaultKind::kInstructionLimit);
  EXPECT_THAT(rig.device->fault()->message, HasSubstr("run.max_instructions = 3000 warp instructions"));
  // The limit is checked every 1024 cycles; two SMs issue at most this many instructions in between.
  const std::uint64_t most = 3000 + 1024ULL * 2 * rig.machine().schedulers * rig.machine().issue.per_warp;
  EXPECT_GE(rig.device->gpu().warp_instructions(), 3000U);
  EXPECT_LE(rig.device->gpu().warp_instructions(), most);
}

TEST(Limits, EndTheRunInTheSameCycleWhoeverSleeps) {
  for (const char* limit : {"run.max_instructions=300", "run.max_cycles=7001"}) {
    std::vector<std::vector<std::uint64_t>> results;
    for (const char* variant : {"run.sleep=0", "run.sleep=1"}) {
      results.push_back(in_child([&] {
        // Loads run one after the other from a slow memory: the device sleeps most of the time.
        Rig rig(kMachine, {limit, variant, "dram.extra_latency=700", "parse.latency=10"});
        const ProgramHandle kernel = rig.load(
            "L:\nld.volatile.global.u32 %r1, [%rd0];\nadd.u32 %r2, %r2, %r1;\nadd.u32 %r2, %r2, 1;\n"
            "add.u64 %rd0, %rd0, 4096;\nadd.u64 %rd0, %rd0, %rd1;\nbra L;",
            2);
        const Outcome outcome =
            rig.device->advance_until(rig.submit(kernel, {}, {1}, {rig.buffer(std::uint64_t{1} << 24), 0}));
        return std::vector<std::uint64_t>{static_cast<std::uint64_t>(outcome), rig.device->gpu().now(),
                                          rig.device->gpu().warp_instructions(), rig.device->now(),
                                          rig.device->gpu().statistics().hash()};
      }));
    }
    EXPECT_EQ(results[0], results[1]) << limit;
    EXPECT_EQ(results[0][0], static_cast<std::uint64_t>(Outcome::kLimit)) << limit;
  }
}

TEST(Limits, RunStopsAfterSoManyKernels) {
  Rig rig(kMachine, {"run.stop_after=3"});
  const ProgramHandle kernel = rig.load("ret;");
  for (unsigned i = 0; i < 3; ++i) EXPECT_NO_THROW(rig.run(kernel, {2}, {32}));
  EXPECT_EQ(rig.device->kernels().size(), 3U);
  EXPECT_FALSE(rig.device->fault());
  EXPECT_EQ(rig.device->advance_until(rig.submit(kernel, {2}, {32})), Outcome::kStopped);
  EXPECT_EQ(rig.device->advance_to(rig.device->now() + 1'000'000), Outcome::kStopped);
  EXPECT_EQ(rig.device->kernels().size(), 3U);
  EXPECT_FALSE(rig.device->fault());
}

TEST(Limits, RunStopsAfterSoManyCyclesWithCompleteStatisticsWhoeverSleeps) {
  std::vector<std::vector<std::uint64_t>> results;
  for (const char* variant : {"run.sleep=0", "run.sleep=1"}) {
    results.push_back(in_child([&] {
      Rig rig(kMachine, {"run.stop_at=7001", variant, "dram.extra_latency=700", "parse.latency=10"});
      const ProgramHandle kernel =
          rig.load("L:\nld.volatile.global.u32 %r1, [%rd0];\nadd.u64 %rd0, %rd0, 4096;\nbra L;", 1);
      const Ticket ticket = rig.submit(kernel, {3}, {32}, {rig.buffer(std::uint64_t{1} << 24)});
      const Outcome outcome = rig.device->advance_until(ticket);
      const Outcome again = rig.device->advance_to(rig.device->now() + 1'000'000);
      const auto report = nlohmann::json::parse(rig.device->report_json());
      const bool says = report["stopped"]["reason"] == "stopped after 7001 core cycles, as run.stop_at says";
      const auto& unfinished = report["unfinished"];
      return std::vector<std::uint64_t>{static_cast<std::uint64_t>(outcome),
                                        static_cast<std::uint64_t>(again),
                                        rig.device->fault() ? 1U : 0U,
                                        report["cycles"].get<std::uint64_t>(),
                                        says ? 1U : 0U,
                                        report["kernels"].size(),
                                        unfinished.size(),
                                        unfinished[0]["thread_blocks"].get<std::uint64_t>(),
                                        unfinished[0]["thread_blocks_running"].get<std::uint64_t>(),
                                        rig.device->gpu().statistics().hash()};
    }));
  }
  EXPECT_EQ(results[0], results[1]);
  results[0].pop_back();
  const auto stopped = static_cast<std::uint64_t>(Outcome::kStopped);
  EXPECT_EQ(results[0], (std::vector<std::uint64_t>{stopped, stopped, 0, 7001, 1, 0, 1, 3, 3}));
}

TEST(Limits, RunStopsAfterSoManyKernelsInTheMiddleOfAWait) {
  Rig rig(kMachine, {"run.stop_after=2"});
  const ProgramHandle kernel = rig.load("ret;");
  for (unsigned i = 0; i < 5; ++i) rig.submit(kernel, {1}, {32});
  EXPECT_EQ(rig.device->advance_until(rig.submit(kernel, {1}, {32})), Outcome::kStopped);
  EXPECT_EQ(rig.device->kernels().size(), 2U);
}

}  // namespace
}  // namespace castor::gpu::timing_test::waiting_test
