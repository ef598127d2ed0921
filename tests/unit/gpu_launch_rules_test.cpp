// Tests of the rules of launches by device code: limits, errors, order, ends of trees.

#include "tests/common/sanitized.h"
#include "tests/unit/gpu_launch_support.h"

namespace castor::gpu::launch_test::rules {
namespace {

using isa::RuntimeCall;
using Words = std::vector<std::uint32_t>;

// --- Limits ---------------------------------------------------------------------------------------------------------

TEST(LaunchRules, FiveBelowTheLimitFiveOf32LanesSucceed) {
  // Lane 0 launches a long-running child and seven more behind it in the stream. All 32 lanes then launch. Those that
  // are refused launch the same buffers again when nothing is pending.
  const std::string text =
      kernel("slow", spend("700000", "L") + "red.global.add.u32 [%rd0], 1;") +
      kernel("count", "red.global.add.u32 [%rd0], 1;") +
      kernel("parent", "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra TOGETHER;\n" + arguments("%rd4", "%rd0", "0") +
                           launch("%r4", "slow", "%rd4") + "mov.u32 %r5, 0;\nAGAIN:\n" +
                           arguments("%rd4", "%rd0", "0") + launch("%r4", "count", "%rd4") +
                           "add.u32 %r5, %r5, 1;\nsetp.lt.u32 %p2, %r5, 7;\n@%p2 bra AGAIN;\n" +
                           "TOGETHER:\nbar.warp.sync 0xffffffff;\n" + arguments("%rd4", "%rd0", "0") +
                           launch("%r4", "count", "%rd4") + word("%rd5", "%r1") + "st.u32 [%rd5+256], %r4;\n" +
                           "{ .param .b32 r; call.uni (r), cudaGetLastError, (); ld.param.b32 %r6, [r+0]; }\n" +
                           "st.u32 [%rd5+512], %r6;\n" +
                           "WAIT:\nld.volatile.global.u32 %r7, [%rd0];\nsetp.lt.u32 %p3, %r7, 13;\n@%p3 bra WAIT;\n" +
                           "setp.eq.u32 %p4, %r4, 0;\n@%p4 bra END;\n" + launch("%r4", "count", "%rd4") +
                           "st.u32 [%rd5+768], %r4;\nEND:\n");
  Timed timed(machine("kepler_k20c"), text, true);
  timed.device.launcher().set_limits({12, 2});
  const std::uint64_t out = timed.host.words(512);
  ASSERT_EQ(timed.host.run("parent", out, 0, 1, 32), Outcome::kDone) << timed.host.said();
  Words codes(32, 69), again(32, 69);
  for (unsigned i = 0; i < 5; ++i) codes[i] = again[i] = 0;
  for (unsigned i = 5; i < 17; ++i) again[i] = 0;
  EXPECT_EQ(timed.host.values(out + 256, 32), codes);
  EXPECT_EQ(timed.host.values(out + 512, 32), codes) << "cudaGetLastError";
  EXPECT_EQ(timed.host.values(out + 768, 32), again);
  EXPECT_EQ(timed.host.value(out), 1U + 7 + 5 + 12);
  const auto calls = timed.host.loaded.calls("parent", RuntimeCall::kLaunch);
  ASSERT_EQ(calls.size(), 4U);
  const auto steps = timed.events.steps("parent", calls[2]);
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_EQ(steps[0].next.tick - steps[0].call.tick, 63131U);
  EXPECT_EQ(timed.launches(), 25U);
  EXPECT_EQ(timed.granted(), 25U);
  EXPECT_EQ(timed.statistic("front_end.device_launches.pending_peak"), 12U);
}

TEST(LaunchRules, PendingIsNeverAboveTheLimit) {
  // 1024 threads of a machine without latencies launch at once. A thread whose launch is refused counts for itself.
  Timed timed(
      machine("kepler_ideal"),
      kCount + kernel("parent", "mad.lo.u32 %r3, %r2, 256, %r1;\n" + arguments("%rd4", "%rd0", "%r3") +
                                    launch("%r4", "count", "%rd4") + "setp.eq.u32 %p1, %r4, 0;\n" + "@%p1 bra END;\n" +
                                    word("%rd5", "%r3") + "red.global.add.u32 [%rd5], 1;\nadd.u32 %r3, %r3, 1024;\n" +
                                    word("%rd5", "%r3") + "st.u32 [%rd5], %r4;\nEND:\n"));
  timed.device.launcher().set_limits({37, 2});
  const std::uint64_t out = timed.host.words(2048);
  ASSERT_EQ(timed.host.run("parent", out, 0, 4, 256), Outcome::kDone) << timed.host.said();
  EXPECT_EQ(timed.host.values(out, 1024), Words(1024, 1));
  unsigned refused = 0;
  for (const std::uint32_t code : timed.host.values(out + 4096, 1024)) {
    EXPECT_TRUE(code == 0 || code == 69) << code;
    refused += code == 69 ? 1 : 0;
  }
  EXPECT_GT(refused, 0U);
  EXPECT_EQ(timed.launches(), 1024U - refused);
  EXPECT_LE(timed.statistic("front_end.device_launches.pending_peak"), 37U);
}

TEST(LaunchRules, The33rdKernelWaitsForAnEntry) {
  const std::string text =
      kernel("slow", spend("100000", "L") + "red.global.add.u32 [%rd0], 1;") +
      kernel("parent", "mul.wide.u32 %rd6, %r1, 8; add.u64 %rd6, %rd6, %rd0; add.u64 %rd6, %rd6, 256;\n" +
                           create_stream("%r5", "%rd6") + "ld.u64 %rd3, [%rd6];\n" + arguments("%rd4", "%rd0", "0") +
                           launch("%r4", "slow", "%rd4", {"1", "1", "0", "%rd3"}));
  Timed timed(machine("kepler_ideal"), text);
  const std::uint64_t out = timed.host.words(256);
  ASSERT_EQ(timed.host.run("parent", out, 0, 1, 40), Outcome::kDone) << timed.host.said();
  EXPECT_EQ(timed.host.value(out), 40U);
  const auto children = timed.events.of("slow");
  ASSERT_EQ(children.size(), 40U);
  // The parent leaves the kernel table long before the first child ends: 32 children occupy all of its entries.
  std::vector<Cycle> ends(children.size());
  std::transform(children.begin(), children.end(), ends.begin(),
                 [](const Events::Of& child) { return child.completed; });
  std::sort(ends.begin(), ends.end());
  EXPECT_LT(children[31].granted, ends[0]);
  for (unsigned i = 32; i < 40; ++i) EXPECT_EQ(children[i].granted, ends[i - 32] + 1) << i;
}

// --- Errors ---------------------------------------------------------------------------------------------------------

TEST(LaunchRules, BuffersThatCannotBeLaunchedGive1) {
  // Word i of out is the result of launch i. The child counts in out[63].
  const auto keep = [](unsigned i) { return "st.u32 [%rd0+" + std::to_string(4 * i) + "], %r4;\n"; };
  const std::string text =
      kCount + kernel("none", "") +
      kernel("parent",
             get_buffer("%rd5", "32") + get_buffer("%rd7", "11") + arguments("%rd4", "%rd0", "63") +
                 launch("%r4", "count", "%rd4") + keep(0) +                                // 0
                 launch("%r4", "count", "%rd4") + keep(1) +                                // launched twice
                 launch("%r4", "count", "0") + keep(2) +                                   // null
                 launch("%r4", "count", "%rd0") + keep(3) +                                // foreign
                 "add.u64 %rd6, %rd5, 8;\n" + launch("%r4", "count", "%rd6") + keep(4) +   // an address inside a buffer
                 "sub.u64 %rd6, %rd5, 64;\n" + launch("%r4", "count", "%rd6") + keep(5) +  // its record
                 launch("%r4", "count", "%rd7") + keep(6) +                                // too small
                 "WAIT:\nld.volatile.global.u32 %r7, [%rd0+252];\nsetp.eq.u32 %p1, %r7, 0;\n@%p1 bra WAIT;\n" +
                 spend("2000", "L") + launch("%r4", "count", "%rd4") + keep(7) +  // the buffer was freed with its child
                 launch("%r4", "%rd0", "%rd5") + keep(8) +                        // no kernel
                 "st.u64 [%rd5], %rd0;\nmov.u32 %r8, 63;\nst.u32 [%rd5+8], %r8;\n" +
                 launch("%r4", "count", "%rd5", {"0"}) + keep(9) + launch("%r4", "count", "%rd5", {"1", "1025"}) +
                 keep(10) + launch("%r4", "count", "%rd5", {"1", "1", "65536"}) + keep(11) +
                 launch("%r4", "count", "%rd5", {"1", "1", "0", "77"}) + keep(12) +  // a foreign stream
                 launch("%r4", "count", "%rd5") + keep(13));                         // the refused launches have lost
                                                                                     // no buffer
  for (const char* name : {"kepler_k20c", "kepler_ideal", "tiny"}) {
    const std::string result = in_process([&] {
      Timed timed(machine(name), text);
      const std::uint64_t out = timed.host.words(64);
      if (timed.host.run("parent", out) != Outcome::kDone) return timed.host.said();
      std::string all;
      for (const std::uint32_t code : timed.host.values(out, 14)) all += std::to_string(code) + ' ';
      return all + std::to_string(timed.host.value(out, 63)) + ' ' + std::to_string(timed.launches());
    });
    EXPECT_EQ(result, "0 1 1 1 1 1 1 1 1 9 9 9 400 0 2 2") << name;
  }
}

void faults(const std::string& body) {
  for (const char* name : {"kepler_ideal", "kepler_k20c"}) {
    const std::string result = in_process([&] {
      Timed timed(machine(name), kCount + kernel("parent", body));
      const std::uint64_t out = timed.host.words(64);
      const Outcome outcome = timed.host.run("parent", out);
      if (outcome != Outcome::kFault) return std::string("no fault");
      return std::to_string(static_cast<int>(timed.device.fault()->kind)) + ' ' + std::to_string(timed.launches());
    });
    EXPECT_EQ(result.substr(0, 2), std::to_string(static_cast<int>(FaultKind::kIllegalAddress)) + ' ') << name;
  }
}
TEST(LaunchRules, AStoreToTheRecordInFrontOfABufferFaults) {
  faults(arguments("%rd4", "%rd0", "63") + "mov.u32 %r5, 5;\nst.u32 [%rd4+-4], %r5;");
}
TEST(LaunchRules, AStoreToTheBeginningOfTheRecordFaults) {
  faults(arguments("%rd4", "%rd0", "63") + "mov.u32 %r5, 5;\nst.u32 [%rd4+-64], %r5;");
}
TEST(LaunchRules, ALoadOfTheRecordFaults) {
  faults(arguments("%rd4", "%rd0", "63") + "ld.u32 %r5, [%rd4+-64];\nst.u32 [%rd0], %r5;");
}
TEST(LaunchRules, AStoreToABufferThatIsLaunchedFaults) {
  faults(arguments("%rd4", "%rd0", "63") + launch("%r4", "count", "%rd4") + "st.u32 [%rd4], %r4;");
}
TEST(LaunchRules, AStoreBehindABufferFaults) {
  faults(arguments("%rd4", "%rd0", "63") + "mov.u32 %r5, 5;\nst.u32 [%rd4+16], %r5;");
}

// --- Depth ----------------------------------------------------------------------------------------------------------

// Each kernel launches a child with depth `number` minus one. out[0] counts by plain loads and stores; out[1 + depth]
// records that the depth ran. A kernel passes on the value that it has read, so a child that reads an old value is
// detected.
const std::string kDeep = kernel(
    "deep", "ld.global.u32 %r3, [%rd0];\nadd.u32 %r3, %r3, 1;\nst.global.u32 [%rd0], %r3;\n" + word("%rd5", "%r0") +
                "st.global.u32 [%rd5+4], %r3;\nsetp.eq.u32 %p1, %r0, 0;\n@%p1 bra END;\n" + "sub.u32 %r4, %r0, 1;\n" +
                arguments("%rd4", "%rd0", "%r4") + launch("%r5", "deep", "%rd4") + "END:\n");

void recursion(const std::string& name, unsigned depth, const std::vector<std::string>& overrides = {}) {
  Timed timed(machine(name, overrides), kDeep);
  const std::uint64_t out = timed.host.words(depth + 2);
  ASSERT_EQ(timed.host.run("deep", out, depth), Outcome::kDone) << timed.host.said();
  EXPECT_EQ(timed.host.value(out), depth + 1);
  for (unsigned d = 0; d <= depth; ++d) EXPECT_EQ(timed.host.value(out, 1 + d), depth + 1 - d) << d;
  EXPECT_EQ(timed.launches(), depth);
  EXPECT_EQ(timed.granted(), depth);
  // A row for each level, then the host's.
  const std::vector<KernelStatistics>& rows = timed.device.kernels();
  ASSERT_EQ(rows.size(), depth + 1);
  std::map<std::uint64_t, std::uint64_t> by_level;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::map<std::string, std::uint64_t> counts;
    for (const auto& [key, value] : rows[i].counts) counts[std::string(key)] = value;
    EXPECT_EQ(rows[i].thread_blocks, 1U) << i;
    EXPECT_EQ(counts["device_launches"], i == depth ? 0U : 1U) << i;
    ++by_level[counts["level"]];
  }
  EXPECT_EQ(by_level.size(), depth + 1) << "each level once";
}

TEST(LaunchRules, RecursionToDepth30) { recursion("kepler_k20c", 30); }
TEST(LaunchRules, RecursionToDepth30WhereL1KeepsGlobalData) { recursion("kepler_k20c_study", 30); }
TEST(LaunchRules, RecursionToDepth30OnATinyMachine) { recursion("tiny", 30); }
TEST(LaunchRules, RecursionToDepth30WithATableOfTwo) { recursion("kepler_ideal", 30, {"table.entries=2"}); }
TEST(LaunchRules, RecursionToDepth255) { recursion("kepler_ideal", 255); }
TEST(LaunchRules, RecursionToDepth300) { recursion("kepler_ideal", 300); }

// --- Order ----------------------------------------------------------------------------------------------------------

// The parent ends after its launch. A second kernel waits in its queue, a third one in another queue.
TEST(LaunchRules, ParentExitsAndItsQueueIsBlockedUntilTheChildEnds) {
  const std::string text = kernel("slow", spend("100000", "L") + "red.global.add.u32 [%rd0], 1;") +
                           kernel("parent", arguments("%rd4", "%rd0", "0") + launch("%r4", "slow", "%rd4")) +
                           kernel("same", "ld.global.u32 %r4, [%rd0];\nst.global.u32 [%rd0+4], %r4;") +
                           kernel("other", "red.global.add.u32 [%rd0+8], 1;");
  Timed timed(machine("kepler_k20c"), text);
  const std::uint64_t out = timed.host.words(64);
  const Ticket parent = timed.host.submit("parent", out);
  const Ticket same = timed.host.submit("same", out);
  const Ticket other = timed.host.submit("other", out, 0, 1, 1, 1);
  ASSERT_EQ(timed.device.advance_until(other), Outcome::kDone) << timed.host.said();
  EXPECT_FALSE(timed.device.complete(parent));
  ASSERT_EQ(timed.device.advance_until(parent), Outcome::kDone) << timed.host.said();
  EXPECT_FALSE(timed.device.complete(same));
  ASSERT_EQ(timed.device.advance_until(same), Outcome::kDone) << timed.host.said();
  EXPECT_EQ(timed.host.values(out, 3), (Words{1, 1, 1}));
  const auto parents = timed.events.of("parent"), slow = timed.events.of("slow"), second = timed.events.of("same");
  EXPECT_LT(parents[0].completed, slow[0].placed);
  // The kernel completes in c and its launch is closed in c + 1. The parent's launch is closed one cycle later, as it
  // is one level higher. The queue may then be granted.
  EXPECT_GT(second[0].granted, slow[0].completed);
  EXPECT_LE(second[0].granted, slow[0].completed + 4);
  EXPECT_GE(timed.completed(parent), slow[0].completed);
}

TEST(LaunchRules, TreesCloseOneLevelPerCycle) {
  // Each further level delays the grant of the queue's next kernel by one cycle.
  const auto gap = [](unsigned depth) -> Cycle {
    const std::string text = in_process([&] {
      Timed timed(machine("kepler_ideal"), kDeep + kernel("same", ""));
      const std::uint64_t out = timed.host.words(64);
      timed.host.submit("deep", out, depth);
      if (timed.device.advance_until(timed.host.submit("same", out)) != Outcome::kDone) return timed.host.said();
      return std::to_string(timed.events.of("same").at(0).granted - timed.events.of("deep").back().completed);
    });
    return std::stoul(text);
  };
  const Cycle first = gap(1);
  EXPECT_LE(first, 4U);
  EXPECT_EQ(gap(2), first + 1);
  EXPECT_EQ(gap(20), first + 19);
}

// Launches two kernels into one stream. The first child's own child runs for a long time.
void one_stream(const std::string& name) {
  const std::string text =
      kernel("slow", spend("100000", "L") + "red.global.add.u32 [%rd0], 1;") +
      kernel("first", arguments("%rd4", "%rd0", "0") + launch("%r4", "slow", "%rd4")) +
      kernel("second", "ld.volatile.global.u32 %r4, [%rd0];\nst.global.u32 [%rd0+4], %r4;") +
      kernel("beside", "red.global.add.u32 [%rd0+8], 1;") +
      kernel("parent", "add.u64 %rd2, %rd0, 64;\n" + create_stream("%r3", "%rd2") + "ld.u64 %rd3, [%rd2];\n" +
                           arguments("%rd4", "%rd0", "0") + launch("%r4", "first", "%rd4", {"1", "1", "0", "%rd3"}) +
                           arguments("%rd4", "%rd0", "0") + launch("%r4", "second", "%rd4", {"1", "1", "0", "%rd3"}) +
                           arguments("%rd4", "%rd0", "0") + launch("%r4", "beside", "%rd4"));
  Timed timed(machine(name), text);
  const std::uint64_t out = timed.host.words(64);
  ASSERT_EQ(timed.host.run("parent", out), Outcome::kDone) << timed.host.said();
  EXPECT_EQ(timed.host.values(out, 3), (Words{1, 1, 1}));
  const auto slow = timed.events.of("slow"), second = timed.events.of("second"), beside = timed.events.of("beside");
  EXPECT_GT(second.at(0).granted, slow.at(0).completed);
  EXPECT_LT(beside.at(0).completed, slow.at(0).completed);
}
TEST(LaunchRules, SecondLaunchOfAStreamStartsAfterTheTreeOfTheFirst) { one_stream("kepler_k20c"); }
TEST(LaunchRules, SecondLaunchOfAStreamStartsAfterTheTreeOfTheFirstWithoutLatencies) { one_stream("kepler_ideal"); }

TEST(LaunchRules, DefaultStreamsOfTwoBlocksAreTwo) {
  // Each block launches a child that waits for the other block's child. If the kernel had one stream for all blocks,
  // the run would never end.
  const std::string text = kernel("meet",
                                  "red.global.add.u32 [%rd0], 1;\nW:\nld.volatile.global.u32 %r4, [%rd0];\n"
                                  "setp.lt.u32 %p1, %r4, 2;\n@%p1 bra W;\n") +
                           kernel("parent", arguments("%rd4", "%rd0", "0") + launch("%r4", "meet", "%rd4"));
  Timed timed(machine("kepler_ideal"), text);
  const std::uint64_t out = timed.host.words(64);
  ASSERT_EQ(timed.host.run("parent", out, 0, 2), Outcome::kDone) << timed.host.said();
}

TEST(LaunchRules, AnEventHoldsALaunchOfAnotherStream) {
  const std::string text =
      kernel("slow", spend("100000", "L") + "red.global.add.u32 [%rd0], 1;") +
      kernel("second", "ld.volatile.global.u32 %r4, [%rd0];\nst.global.u32 [%rd0+4], %r4;") +
      kernel(
          "parent",
          "add.u64 %rd2, %rd0, 64;\n" + create_stream("%r3", "%rd2") + "ld.u64 %rd3, [%rd2];\n" +
              create_stream("%r3", "%rd2") + "ld.u64 %rd5, [%rd2];\n" +
              "{ .param .b64 a; st.param.b64 [a+0], %rd2; .param .b32 b; st.param.b32 [b+0], 2; .param .b32 r;\n" +
              " call.uni (r), cudaEventCreateWithFlags, (a, b); }\nld.u64 %rd6, [%rd2];\n" +
              arguments("%rd4", "%rd0", "0") + launch("%r4", "slow", "%rd4", {"1", "1", "0", "%rd3"}) +
              "{ .param .b64 a; st.param.b64 [a+0], %rd6; .param .b64 b; st.param.b64 [b+0], %rd3; .param .b32 r;\n" +
              " call.uni (r), cudaEventRecord, (a, b); ld.param.b32 %r7, [r+0]; }\n" +
              "{ .param .b64 a; st.param.b64 [a+0], %rd5; .param .b64 b; st.param.b64 [b+0], %rd6;\n" +
              " .param .b32 c; st.param.b32 [c+0], 0; .param .b32 r;\n" +
              " call.uni (r), cudaStreamWaitEvent, (a, b, c); ld.param.b32 %r8, [r+0]; }\n" +
              "or.b32 %r7, %r7, %r8;\nst.u32 [%rd0+8], %r7;\n" + arguments("%rd4", "%rd0", "0") +
              launch("%r4", "second", "%rd4", {"1", "1", "0", "%rd5"}));
  Timed timed(machine("kepler_ideal"), text);
  const std::uint64_t out = timed.host.words(64);
  ASSERT_EQ(timed.host.run("parent", out), Outcome::kDone) << timed.host.said();
  EXPECT_EQ(timed.host.values(out, 3), (Words{1, 1, 0}));
  EXPECT_GT(timed.events.of("second").at(0).granted, timed.events.of("slow").at(0).completed);
}

// --- Synchronisation ------------------------------------------------------------------------------------------------

// Each level launches the next one and waits. It stores the result of the wait in out[16 + number], and in out[number]
// whether the child had ended.
const std::string kNested = kernel(
    "nest", "setp.eq.u32 %p1, %r0, 0;\n@%p1 bra END;\nsub.u32 %r4, %r0, 1;\n" + arguments("%rd4", "%rd0", "%r4") +
                launch("%r5", "nest", "%rd4") + synchronize("%r6") + word("%rd5", "%r0") +
                "st.global.u32 [%rd5+64], %r6;\nld.volatile.global.u32 %r7, [%rd5+124];\n" +
                "st.global.u32 [%rd5], %r7;\nEND:\n" + spend("30000", "L") + word("%rd5", "%r0") +
                "mov.u32 %r8, 1;\nst.volatile.global.u32 [%rd5+128], %r8;");

TEST(LaunchRules, ASyncDeeperThanTheLimitGives68AtOnce) {
  Timed timed(machine("kepler_k20c"), kNested, true);
  const std::uint64_t out = timed.host.words(128);
  ASSERT_EQ(timed.host.run("nest", out, 4), Outcome::kDone) << timed.host.said();
  // Levels 0 and 1 (numbers 4, 3) may wait, levels 2 and 3 may not.
  EXPECT_EQ(timed.host.values(out + 64, 5), (Words{0, 68, 68, 0, 0}));
  EXPECT_EQ(timed.host.values(out, 5), (Words{0, 0, 0, 1, 1})) << "who waited finds its child over";
  const auto steps = timed.events.steps("nest", timed.host.loaded.calls("nest", RuntimeCall::kSynchronize).at(0));
  // Waiting blocks are swapped out, so the next instruction may issue on another SM.
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_LE(steps[0].next.tick - steps[0].call.tick, 3U);
  EXPECT_LE(steps[1].next.tick - steps[1].call.tick, 3U);
}

TEST(LaunchRules, TheDepthOfSyncsIsALimitThatCanBeSet) {
  Timed timed(machine("kepler_k20c"), kNested);
  timed.device.launcher().set_limits({2048, 3});
  const std::uint64_t out = timed.host.words(128);
  ASSERT_EQ(timed.host.run("nest", out, 4), Outcome::kDone) << timed.host.said();
  EXPECT_EQ(timed.host.values(out + 64, 5), (Words{0, 68, 0, 0, 0}));
  EXPECT_EQ(timed.host.values(out, 5), (Words{0, 0, 1, 1, 1}));
}

// Lets warp 1 wait from the first child on. Warp 0 launches a second child before the first has ended.
void meanwhile(const std::vector<std::string>& overrides) {
  const std::string text =
      kernel("slow", spend("100000", "L") + "red.global.add.u32 [%rd0], 1;") +
      kernel("parent", "setp.ge.u32 %p1, %r1, 32;\n@%p1 bra WAITS;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra END;\n" +
                           arguments("%rd4", "%rd0", "0") + launch("%r4", "slow", "%rd4") +
                           "mov.u32 %r5, 1;\nst.volatile.global.u32 [%rd0+64], %r5;\n" + spend("50000", "M") +
                           arguments("%rd4", "%rd0", "0") + launch("%r4", "slow", "%rd4") +
                           "bra END;\nWAITS:\nld.volatile.global.u32 %r5, [%rd0+64];\nsetp.eq.u32 %p2, %r5, 0;\n" +
                           "@%p2 bra WAITS;\n" + synchronize("%r6") +
                           "ld.volatile.global.u32 %r4, [%rd0];\nst.global.u32 [%rd0+4], %r4;\nEND:\n");
  Timed timed(machine("kepler_k20c", overrides), text);
  const std::uint64_t out = timed.host.words(64);
  ASSERT_EQ(timed.host.run("parent", out, 0, 1, 33), Outcome::kDone) << timed.host.said();
  EXPECT_EQ(timed.host.values(out, 2), (Words{2, 2}));
}
TEST(LaunchRules, ASyncWaitsForWhatOtherWarpsLaunchMeanwhile) { meanwhile({}); }

/// Runs `work` with random swaps of several seeds, each in a process of its own.
void with_random_swaps(const std::function<void(const std::vector<std::string>& overrides)>& work) {
  for (unsigned seed = 1; seed <= unless_sanitized(8U, 3U); ++seed) {
    EXPECT_EQ(in_process([&] {
                work({"context.random=" + std::to_string(seed)});
                return std::string(testing::Test::HasFailure() ? "failed" : "good");
              }),
              "good")
        << seed;
  }
}
// The block is swapped out many times while one of its warps waits. The last child may end at any of these times.
TEST(LaunchRules, ASyncWaitsForWhatOtherWarpsLaunchMeanwhileWhileItsBlockMoves) { with_random_swaps(meanwhile); }

TEST(LaunchRules, ASyncOfAllWarpsOfABlockBehindLaunchesOfEach) {
  // Each warp launches into a new stream, waits, and reads the sum of all its children.
  const std::string text =
      kCount +
      kernel("parent", "mul.wide.u32 %rd6, %r1, 8; add.u64 %rd6, %rd6, %rd0; add.u64 %rd6, %rd6, 8192;\n" +
                           create_stream("%r5", "%rd6") + "ld.u64 %rd3, [%rd6];\nshr.u32 %r7, %r1, 5;\n" +
                           arguments("%rd4", "%rd0", "%r7") + launch("%r4", "count", "%rd4", {"1", "1", "0", "%rd3"}) +
                           synchronize("%r6") + word("%rd5", "%r7") + "ld.volatile.global.u32 %r8, [%rd5];\n" +
                           word("%rd5", "%r1") + "st.global.u32 [%rd5+2048], %r8;");
  for (const char* name : {"kepler_ideal", "kepler_k20c"}) {
    const std::string result = in_process([&] {
      Timed timed(machine(name), text);
      const std::uint64_t out = timed.host.words(8192);
      if (timed.host.run("parent", out, 0, 1, 256) != Outcome::kDone) return timed.host.said();
      return timed.host.values(out + 2048, 256) == Words(256, 32) ? std::string("right") : std::string("wrong");
    });
    EXPECT_EQ(result, "right") << name;
  }
}

// Lets block 1 launch a child and block 0 none. Block 0 must not wait for the child of block 1.
void own_children(const std::vector<std::string>& overrides) {
  const std::string text =
      kernel("slow", spend("200000", "L") + "red.global.add.u32 [%rd0], 1;") +
      kernel("parent", "setp.ne.u32 %p1, %r2, 0;\n@%p1 bra LAUNCHES;\n" + spend("60000", "M") + synchronize("%r6") +
                           "ld.volatile.global.u32 %r4, [%rd0];\nst.global.u32 [%rd0+4], %r4;\nbra END;\nLAUNCHES:\n" +
                           arguments("%rd4", "%rd0", "0") + launch("%r4", "slow", "%rd4") + synchronize("%r6") +
                           "ld.volatile.global.u32 %r4, [%rd0];\nst.global.u32 [%rd0+8], %r4;\nEND:\n");
  Timed timed(machine("kepler_k20c", overrides), text);
  const std::uint64_t out = timed.host.words(64);
  ASSERT_EQ(timed.host.run("parent", out, 0, 2), Outcome::kDone) << timed.host.said();
  EXPECT_EQ(timed.host.values(out, 3), (Words{1, 0, 1}));
}
TEST(LaunchRules, ASyncWaitsForChildrenOfItsBlockOnly) { own_children({}); }
TEST(LaunchRules, ASyncWaitsForChildrenOfItsBlockOnlyWhileBlocksMove) { with_random_swaps(own_children); }

}  // namespace
}  // namespace castor::gpu::launch_test::rules
