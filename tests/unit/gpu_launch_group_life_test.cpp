// Tests of groups of thread blocks that device code launches: lifetime of kernels and groups, and memory.

#include "castor/base/error.h"
#include "tests/unit/gpu_launch_group_programs.h"

namespace castor::gpu::launch_test::groups {
namespace {

// --- Time of life ---------------------------------------------------------------------------------------------------

// Each block launches the next one with lane 0. out[number] counts threads.
const std::string kChain =
    kernel("chain", word("%rd1", "%r0") + add("%rd1", "1") + go_if_equal("%r0", "0", "END") +
                        go_unless_equal("%r1", "0", "WAIT") + "sub.u32 %r3, %r0, 1;\n" +
                        arguments("%rd4", "%rd0", "%r3") + launch_group("%r4", "chain", "%rd4", flat("1", "32")) +
                        add("%rd0+4096", "%r4") + "WAIT:\n" + spend("300", "L") + "END:\n");

// The test fails if a kernel is released while its groups run, so that a later group finds none, or if levels above 15
// do not stay at 15.
TEST(LaunchGroups, AKernelWhoseOwnBlocksAreLongGoneLivesOnWhileGroupsCome) {
  on_all_machines(kChain, [](const GroupRun& run) {
    const std::uint64_t out = run.host.words(2048);
    const Outcome outcome = run.host.run("chain", out, 120, 1, 32);
    std::string kernels = "right";
    if (run.block) {
      const auto chains = run.timed->events.all.of("chain");
      kernels = first_wrong({equal("kernels", chains.size(), 1), equal("blocks", chains.at(0).tbs, 121),
                             equal("remarks", run.timed->block("remarks"), 120)});
    }
    return first_wrong({done(run, outcome), equal("errors", run.host.value(out, 1024), 0),
                        compared(run.host.values(out, 121), Words(121, 32)), launched(run, 120, 0), kernels});
  });
}

// Nesting deeper than a level can represent, for groups below groups that became kernels. The block size alternates
// with the depth.
TEST(LaunchGroups, NestDeeperThan15OverKernelsAndGroups) {
  const std::string text = kernel(
      "deep",
      word("%rd1", "%r0") + go_unless_equal("%r1", "0", "END") + add("%rd1", "1") + go_if_equal("%r0", "0", "END") +
          "sub.u32 %r3, %r0, 1;\nand.b32 %r5, %r3, 1;\nadd.u32 %r5, %r5, 32;\n" + arguments("%rd4", "%rd0", "%r3") +
          launch_group("%r4", "deep", "%rd4", {{"1", "1", "1"}, {"%r5", "1", "1"}, "0"}) + add("%rd0+4096", "%r4") +
          "END:\n");
  on_all_machines(text, [](const GroupRun& run) {
    const std::uint64_t out = run.host.words(2048);
    const Outcome outcome = run.host.run("deep", out, 40, 1, 32);
    return first_wrong({done(run, outcome), equal("errors", run.host.value(out, 1024), 0),
                        compared(run.host.values(out, 41), Words(41, 1))});
  });
}

// The test fails if the kernel's own blocks wait for groups that arrived later.
TEST(LaunchGroups, OwnBlocksOfAKernelGoFirst) {
  const std::string text =
      kernel("self", native_or_work() + go_unless_equal("%r2", "0", "WAIT") + arguments("%rd4", "%rd0", "%r1") +
                         launch_group("%r4", "self", "%rd4", flat("2", "32")) + put("%rd0+4096", "1") + "WAIT:\n" +
                         spend("5000", "L") + "bra END;\nWORK:\n" + word("%rd1", "%r0") + add("%rd1", "1") + "END:\n");
  GroupTimed timed("tiny", {"blocks.dtbl.enable=1", "parse.latency=0", "launch.buffer_warp=0", "launch.buffer_lane=0"},
                   text, true);
  const std::uint64_t out = timed.host.words(2048);
  ASSERT_EQ(timed.host.run("self", out, kNativeNumber, 200, 32), Outcome::kDone) << timed.host.said();
  EXPECT_EQ(timed.host.values(out, 32), Words(32, 64));
  const Cycle returned = timed.call("self").next.cycle;
  Cycle last_own = 0, first_group = 0;
  std::vector<std::uint32_t> order;
  for (const GroupEvents::Placed& tb : timed.events.placed) {
    if (tb.group == kNoGroup) {
      last_own = tb.cycle;
      EXPECT_TRUE(order.empty()) << "own block " << tb.gid << " behind a group";
    } else {
      if (order.empty()) first_group = tb.cycle;
      order.push_back(tb.group);
    }
  }
  EXPECT_GT(last_own, returned + 1000) << "own blocks waited when the groups came, else this tests nothing";
  EXPECT_GT(first_group, last_own);
  ASSERT_EQ(order.size(), 64U);
  // Entries of one warp are in the order of its lanes, and blocks of a group are consecutive.
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

// The test fails if the next kernel of the queue, or an event, which both wait for the host's launch, resumes while its
// groups run.
TEST(LaunchGroups, QueuesAndEventsOfTheHostWaitForAllGroups) {
  const std::string text =
      kernel("slow", native_or_work() + arguments("%rd4", "%rd0", "0") +
                         launch_group("%r4", "slow", "%rd4", flat("2", "32")) + "bra END;\nWORK:\n" +
                         spend("20000", "L") + go_unless_equal("%r1", "0", "END") + add("%rd0", "1") + "END:\n") +
      kernel("see", "ld.volatile.global.u32 %r5, [%rd0];\n" + word("%rd5", "%r0") + "st.global.u32 [%rd5], %r5;");
  on_all_machines(text, [](const GroupRun& run) {
    const std::uint64_t out = run.host.words(64);
    const Ticket slow = run.host.submit("slow", out, kNativeNumber, 1, 32);
    run.device.submit(0, EventRecordPacket{7, 1});
    const Ticket same = run.host.submit("see", out, 1);
    run.device.submit(2, EventWaitPacket{7, 1});
    const Ticket after = run.host.submit("see", out, 2, 1, 1, 2);
    Outcome outcome = run.device.advance_until(slow);
    const std::uint32_t at_end = run.host.value(out);
    if (outcome == Outcome::kDone) outcome = run.device.advance_until(same);
    if (outcome == Outcome::kDone) outcome = run.device.advance_until(after);
    return first_wrong({done(run, outcome), equal("blocks when the launch was complete", at_end, 64),
                        compared(run.host.values(out, 3), {64, 64, 64})});
  });
}

// The test fails if a kernel is complete before the groups of another queue's launch that are attached to it.
TEST(LaunchGroups, TheQueueOfTheKernelThatGroupsJoinedWaitsForThem) {
  const std::string text =
      kernel("host", native_or_work() + put("%rd0+64", "1") + await("%rd0+68", "1", "W") + "bra END;\nWORK:\n" +
                         spend("30000", "L") + go_unless_equal("%r1", "0", "END") + add("%rd0", "1") + "END:\n") +
      kernel("parent", await("%rd0+64", "1", "W") + arguments("%rd4", "%rd0", "0") +
                           launch_group("%r4", "host", "%rd4", flat("1", "32")) + spend("500", "M") +
                           put("%rd0+68", "1")) +
      kernel("see", "ld.volatile.global.u32 %r5, [%rd0];\nst.global.u32 [%rd0+4], %r5;");
  GroupTimed timed("kepler_ideal", {"blocks.dtbl.enable=1"}, text);
  const std::uint64_t out = timed.host.words(64);
  const Ticket joined = timed.host.submit("host", out, kNativeNumber, 1, 32, 1);
  const Ticket behind = timed.host.submit("see", out, 0, 1, 1, 1);
  const Ticket parent = timed.host.submit("parent", out, 0, 1, 32);
  for (const Ticket ticket : {joined, behind, parent}) {
    ASSERT_EQ(timed.device.advance_until(ticket), Outcome::kDone) << timed.host.said();
  }
  EXPECT_EQ(timed.block("kde_hits"), 32U);
  EXPECT_EQ(timed.host.values(out, 2), (Words{32, 32}));
  EXPECT_EQ(timed.left(), "");
}

// The test fails if the host's launch is complete while a group of its tree runs in another queue's kernel.
TEST(LaunchGroups, TheQueueOfTheLaunchWaitsForGroupsInAnotherKernel) {
  const std::string text =
      kernel("host", native_or_work() + put("%rd0+64", "1") + await("%rd0", "32", "W") + "bra END;\nWORK:\n" +
                         spend("30000", "L") + go_unless_equal("%r1", "0", "END") + add("%rd0", "1") + "END:\n") +
      kernel("parent", await("%rd0+64", "1", "W") + arguments("%rd4", "%rd0", "0") +
                           launch_group("%r4", "host", "%rd4", flat("1", "32"))) +
      kernel("see", "ld.volatile.global.u32 %r5, [%rd0];\nst.global.u32 [%rd0+4], %r5;");
  on_all_machines(text, [](const GroupRun& run) {
    const std::uint64_t out = run.host.words(64);
    const Ticket joined = run.host.submit("host", out, kNativeNumber, 1, 32, 1);
    const Ticket parent = run.host.submit("parent", out, 0, 1, 32);
    const Ticket behind = run.host.submit("see", out);
    Outcome outcome = run.device.advance_until(parent);
    for (const Ticket ticket : {behind, joined}) {
      if (outcome == Outcome::kDone) outcome = run.device.advance_until(ticket);
    }
    return first_wrong({done(run, outcome), compared(run.host.values(out, 2), {32, 32})});
  });
}

// The last block of a kernel ends around the cycles in which a group searches for the kernel, finds it and is attached.
// The test fails if a kernel is released between match and attachment, so that the group is lost or joins another
// kernel. The times of both kernels vary over the tries; the machine decides in which tries the kernel is found.
TEST(LaunchGroups, OfAKernelThatEndsWhileTheyLookForIt) {
  const std::string text =
      kernel("ending", "setp.lt.u32 %p1, %r0, 0x10000;\n@%p1 bra WORK;\nand.b32 %r5, %r0, 0xffff;\n" +
                           put("%rd0+64", "1") + await("%rd0+68", "1", "W") + "cvt.u64.u32 %rd20, %r5;\n" +
                           spend("%rd20", "L") + "bra END;\nWORK:\n" + word("%rd1", "%r2") + add("%rd1", "1") +
                           "END:\n") +
      kernel("other", await("%rd0+72", "1", "W")) +
      kernel("parent", await("%rd0+64", "1", "W") + arguments("%rd4", "%rd0", "0") + put("%rd0+68", "1") +
                           "cvt.u64.u32 %rd20, %r0;\n" + spend("%rd20", "L") +
                           launch_group("%r4", "ending", "%rd4", flat("2", "32")) + put("%rd0+72", "1"));
  const GroupWork work = [](const GroupRun& run) {
    std::vector<std::string> all;
    for (unsigned i = 0; i < 300; ++i) {
      const std::uint64_t out = run.host.words(64);
      // Another kernel runs as well, so that a freed entry is reused.
      const Ticket other = run.host.submit("other", out, 0, 1, 32, 3);
      const Ticket ending = run.host.submit("ending", out, 0x10000 + i * 37 % 700, 1, 32, 1);
      const Ticket parent = run.host.submit("parent", out, i * 53 % 97, 1, 1);
      const Ticket behind = run.host.submit("other", out, 0, 1, 32, 1);
      for (const Ticket ticket : {parent, ending, other, behind}) {
        all.push_back(done(run, run.device.advance_until(ticket)));
      }
      all.push_back(compared(run.host.values(out, 3), {32, 32, 0}));
    }
    if (run.timed->block("kde_hits") == 0 || run.timed->block("kde_misses") == 0) all.push_back("no race");
    all.push_back(equal("hits + misses", run.timed->block("kde_hits") + run.timed->block("kde_misses"), 300));
    return first_wrong(all);
  };
  for (const std::vector<std::string>& overrides :
       {std::vector<std::string>{"blocks.dtbl.enable=1"},
        {"blocks.dtbl.enable=1", "blocks.dtbl.agt_size=1", "table.entries=4"}}) {
    const GroupMachine one = {"kepler_ideal", overrides};
    EXPECT_EQ(on_machine(one, text, work), "right") << one.said();
  }
}

// --- Memory ---------------------------------------------------------------------------------------------------------

// Gives the L1 of every SM an old copy of out[0]. The first block stores 1, 2, ... there and launches a group each
// time. Each group must read the stored value.
void group_sees_stores(const std::string& name, const std::vector<std::string>& overrides) {
  const std::string text =
      kernel("self", "ld.global.ca.u32 %r10, [%rd0];\n" + native_or_work() + go_unless_equal("%r1", "0", "END") +
                         "add.u32 %r10, %r10, 1;\n" + add("%rd0+512", "%r10") + go_unless_equal("%r2", "0", "STAY") +
                         "mov.u32 %r5, %nctaid.x;\n" + await("%rd0+512", "%r5", "W") + "mov.u32 %r6, 1;\nAGAIN:\n" +
                         arguments("%rd4", "%rd0", "%r6") + "st.global.u32 [%rd0], %r6;\n" +
                         launch_group("%r4", "self", "%rd4", flat("1", "32")) + word("%rd5", "%r6") +
                         await("%rd5+1024", "1", "V") + "add.u32 %r6, %r6, 1;\nsetp.le.u32 %p2, %r6, 12;\n" +
                         "@%p2 bra AGAIN;\n" + put("%rd0+256", "1") + "STAY:\n" + await("%rd0+256", "1", "X") +
                         "bra END;\nWORK:\n" + go_unless_equal("%r1", "0", "END") + word("%rd5", "%r0") +
                         "add.u32 %r10, %r10, 1;\nst.volatile.global.u32 [%rd5+1024], %r10;\nEND:\n");
  const std::string result = in_process([&] {
    GroupTimed timed(name, overrides, text);
    const std::uint64_t out = timed.host.words(1024);
    const unsigned sms = timed.device.machine().chip.sms;
    if (timed.host.run("self", out, kNativeNumber, sms, 32) != Outcome::kDone) return timed.host.said();
    Words expected;
    for (unsigned i = 1; i <= 12; ++i) expected.push_back(i + 1);
    return compared(timed.host.values(out + 1028, 12), expected);
  });
  EXPECT_EQ(result, "right") << name;
}
const std::vector<const char*> kWithL1 = {"kepler_k20c_study", "kepler_ideal", "tiny"};
TEST(LaunchGroups, SeeWhatTheirLauncherStoredBefore) {
  for (const char* name : kWithL1) group_sees_stores(name, {"blocks.dtbl.enable=1"});
}
TEST(LaunchGroups, SeeWhatTheirLauncherStoredBeforeFromMemory) {
  for (const char* name : kWithL1) group_sees_stores(name, {"blocks.dtbl.enable=1", "blocks.dtbl.agt_size=1"});
}
TEST(LaunchGroups, SeeWhatTheirLauncherStoredBeforeWhereAnAcquireEmptiesL1) {
  for (const char* name : kWithL1) group_sees_stores(name, {"blocks.dtbl.enable=1", "acquire.mode=flush"});
}
TEST(LaunchGroups, SeeWhatTheirLauncherStoredBeforeAsKernels) {
  for (const char* name : kWithL1) group_sees_stores(name, {});
}

// A barrier orders the stores of other warps before the call. The test fails if the group starts before the stores have
// arrived.
TEST(LaunchGroups, SeeWhatOtherWarpsStoredBeforeABarrier) {
  const std::string text =
      kernel("self", native_or_work() + "mad.lo.u32 %r3, %r1, 32, 64;\n" + word("%rd5", "%r3") + put("%rd5", "9") +
                         "bar.sync 0;\n" + go_unless_equal("%r1", "0", "WAIT") + arguments("%rd4", "%rd0", "0") +
                         launch_group("%r4", "self", "%rd4", flat("1", "256")) + "WAIT:\n" + spend("3000", "L") +
                         "bra END;\nWORK:\nmad.lo.u32 %r3, %r1, 32, 64;\n" + word("%rd5", "%r3") +
                         "ld.global.u32 %r4, [%rd5];\n" + add("%rd0", "%r4") + "END:\n");
  on_all_machines(text, [](const GroupRun& run) {
    const std::uint64_t out = run.host.words(16384);
    const Outcome outcome = run.host.run("self", out, kNativeNumber, 1, 256);
    return first_wrong({done(run, outcome), equal("sum", run.host.value(out), 256 * 9)});
  });
}

// 64 threads request buffers of 16 MiB each before any launches. A thread without a buffer does the work itself. Faults
// that this finds: ended groups keep their buffers, or a null pointer is launched.
TEST(LaunchGroups, WhoGetsNoBufferWorksHimself) {
  const std::string text =
      kernel("self", native_or_work() + get_buffer("%rd4", "16777216") + "bar.sync 0;\nsetp.eq.u64 %p1, %rd4, 0;\n" +
                         "@%p1 bra ALONE;\nst.u64 [%rd4], %rd0;\nst.u32 [%rd4+8], %r1;\n" +
                         launch_group("%r4", "self", "%rd4", flat("1", "64")) + add("%rd0+2048", "%r4") +
                         "bra END;\nALONE:\n" + word("%rd5", "%r1") + add("%rd5", "64") + add("%rd0+1024", "1") +
                         "bra END;\nWORK:\n" + word("%rd5", "%r0") + add("%rd5", "1") + "END:\n");
  on_all_machines(text, [](const GroupRun& run) {
    std::vector<std::uint32_t> alone;
    std::vector<std::string> all;
    for (int round = 0; round < 2; ++round) {
      const std::uint64_t out = run.host.words(1024);
      all.push_back(done(run, run.host.run("self", out, kNativeNumber, 1, 64)));
      all.push_back(equal("errors", run.host.value(out, 512), 0));
      all.push_back(compared(run.host.values(out, 64), Words(64, 64)));
      alone.push_back(run.host.value(out, 256));
    }
    if (alone[0] == 0 || alone[0] == 64) return "memory is not what this wants: " + std::to_string(alone[0]);
    all.push_back(equal("threads without a buffer the second time", alone[1], alone[0]));
    return first_wrong(all);
  });
}

}  // namespace
}  // namespace castor::gpu::launch_test::groups
