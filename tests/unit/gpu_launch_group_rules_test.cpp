// Tests of groups of thread blocks that device code launches: errors, limits, order, waiting, faults, determinism.

#include "castor/base/error.h"
#include "tests/unit/gpu_launch_group_programs.h"

namespace castor::gpu::launch_test::groups {
namespace {

// --- Errors, limits, order ------------------------------------------------------------------------------------------

// The test fails if a check is left out or has another priority, or if a failing launch consumes its buffer.
TEST(LaunchGroups, ErrorsInTheirOrder) {
  unsigned kept = 0;
  const auto keep = [&] { return "st.global.u32 [%rd0+" + std::to_string(4 * kept++) + "], %r4;\n"; };
  const auto group = [&](const std::string& kernel, const std::string& buffer, const GroupShape& shape) {
    return launch_group("%r4", kernel, buffer, shape) + keep();
  };
  const GroupShape one = flat("1", "1"), zero = flat("0", "1");
  std::string body = get_buffer("%rd5", "32") + get_buffer("%rd7", "11") + arguments("%rd4", "%rd0", "63");
  Words codes;
  const auto expect = [&](std::uint32_t code, const std::string& text) {
    body += text;
    codes.push_back(code);
  };
  expect(0, group("count", "%rd4", one));
  expect(1, group("count", "%rd4", one));                                // launched before
  expect(1, launch("%r4", "count", "%rd4") + keep());                    // launched before, so not as a kernel either
  expect(1, group("count", "0", one));                                   // null
  expect(1, group("count", "%rd0", one));                                // no buffer
  expect(1, "add.u64 %rd6, %rd5, 8;\n" + group("count", "%rd6", one));   // an address inside a buffer
  expect(1, "sub.u64 %rd6, %rd5, 64;\n" + group("count", "%rd6", one));  // an address before a buffer
  expect(1, group("count", "%rd7", one));                                // too small
  body += "st.u64 [%rd5], %rd0;\nmov.u32 %r8, 63;\nst.u32 [%rd5+8], %r8;\n";
  expect(1, group("%rd0", "%rd5", one));   // no kernel
  expect(1, group("%rd0", "%rd5", zero));  // no kernel, no dimensions
  expect(1, group("count", "0", zero));    // no buffer, no dimensions
  for (const GroupShape& shape :
       std::vector<GroupShape>{zero,
                               {{"1", "0", "1"}, {"1", "1", "1"}, "0"},
                               {{"1", "1", "0"}, {"1", "1", "1"}, "0"},
                               {{"1", "1", "1"}, {"0", "1", "1"}, "0"},
                               {{"1", "1", "1"}, {"1", "0", "1"}, "0"},
                               {{"1", "1", "1"}, {"1", "1", "0"}, "0"},
                               {{"1", "65536", "1"}, {"1", "1", "1"}, "0"},
                               {{"1", "1", "65536"}, {"1", "1", "1"}, "0"},
                               {{"65538", "65535", "1"}, {"1", "1", "1"}, "0"},  // 2^32 + 65534 blocks
                               {{"65535", "65535", "65535"}, {"1", "1", "1"}, "0"},
                               flat("1", "1025"),
                               {{"1", "1", "1"}, {"32", "33", "1"}, "0"},
                               {{"1", "1", "1"}, {"1", "1", "65"}, "0"},
                               {{"1", "1", "1"}, {"1", "1", "1"}, "49153"},
                               {{"1", "1", "1"}, {"1", "1", "1"}, "65536"}}) {
    expect(9, group("count", "%rd5", shape));
  }
  expect(0, group("count", "%rd5", one));  // the refused launches have lost no buffer
  expect(1, group("count", "%rd5", one));
  body += arguments("%rd4", "%rd0", "63");
  expect(0, launch("%r4", "count", "%rd4") + keep());
  expect(1, group("count", "%rd4", one));  // launched as a kernel
  expect(0, group("none", "%rd7", one));   // the small one is large enough for no parameters
  const std::string none = ".visible .entry none()\n{\nret;\n}\n";
  on_all_machines(kCount + none + kernel("parent", body), [&](const GroupRun& run) {
    const std::uint64_t out = run.host.words(64);
    const Outcome outcome = run.host.run("parent", out);
    std::string number = "right";
    if (run.timed != nullptr) number = equal("groups", run.timed->groups(), 3);
    return first_wrong({done(run, outcome), compared(run.host.values(out, codes.size()), codes),
                        equal("children", run.host.value(out, 63), 3), number});
  });
}

// Odd lanes fail. The test fails if a failing lane launches a group, or spoils its own buffer or those of other lanes.
TEST(LaunchGroups, ALaneThatFailsLeavesNothing) {
  const std::string text =
      kCount +
      kernel("parent", arguments("%rd4", "%rd0", "%r1") + "and.b32 %r5, %r1, 1;\nsetp.eq.u32 %p1, %r5, 0;\n" +
                           "selp.u32 %r6, 1, 0, %p1;\n" + launch_group("%r4", "count", "%rd4", flat("%r6", "1")) +
                           word("%rd5", "%r1") + "st.global.u32 [%rd5+256], %r4;\n@%p1 bra END;\n" +
                           launch_group("%r4", "count", "%rd4", flat("1", "1")) +
                           "st.global.u32 [%rd5+512], %r4;\nEND:\n");
  on_all_machines(text, [](const GroupRun& run) {
    const std::uint64_t out = run.host.words(256);
    run.host.set(out + 512, Words(32, 5));
    const Outcome outcome = run.host.run("parent", out, 0, 1, 32);
    Words codes, again_codes;
    for (unsigned i = 0; i < 32; ++i) {
      codes.push_back(i % 2 == 0 ? 0 : 9);
      again_codes.push_back(i % 2 == 0 ? 5 : 0);
    }
    std::string number = "right";
    if (run.timed != nullptr) number = equal("groups", run.timed->groups(), 32);
    if (run.block) number = first_wrong({number, equal("commands", run.timed->block("commands"), 2)});
    return first_wrong({done(run, outcome), compared(run.host.values(out + 256, 32), codes),
                        compared(run.host.values(out + 512, 32), again_codes),
                        compared(run.host.values(out, 32), Words(32, 1)), number});
  });
}

// The test fails if the error of a group's launch does not become the last error of its thread.
TEST(LaunchGroups, AnErrorIsTheLastErrorOfItsThread) {
  const std::string last = "{ .param .b32 r; call.uni (r), cudaGetLastError, (); ld.param.b32 %r6, [r+0]; }\n";
  const std::string text =
      kCount +
      kernel("parent", arguments("%rd4", "%rd0", "%r1") + "setp.eq.u32 %p1, %r1, 3;\n" + "selp.u32 %r7, 0, 1, %p1;\n" +
                           launch_group("%r4", "count", "%rd4", flat("%r7", "1")) + last + word("%rd5", "%r1") +
                           "st.global.u32 [%rd5+256], %r6;\n" + last +
                           "st.global.u32 [%rd5+512], %r6;\n@!%p1 bra END;\n" +
                           launch_group("%r4", "count", "%rd4", flat("1", "1")) + "END:\n");
  on_all_machines(text, [](const GroupRun& run) {
    const std::uint64_t out = run.host.words(256);
    const Outcome outcome = run.host.run("parent", out, 0, 1, 8);
    Words errors(8, 0);
    errors[3] = 9;
    return first_wrong({done(run, outcome), compared(run.host.values(out + 256, 8), errors),
                        compared(run.host.values(out + 512, 8), Words(8, 0))});
  });
}

// The test fails if groups count against the limit of pending launches and get error 69. Kernels launched beside them
// do count.
TEST(LaunchGroups, ThePendingLimitDoesNotLimitThem) {
  const std::string text =
      kCount + kernel("parent", arguments("%rd4", "%rd0", "%r1") +
                                    launch_group("%r4", "count", "%rd4", flat("1", "1")) + add("%rd0+4096", "%r4") +
                                    go_unless_equal("%r1", "0", "END") + arguments("%rd4", "%rd0", "%r1") +
                                    launch("%r4", "count", "%rd4") + "st.global.u32 [%rd0+4100], %r4;\n" +
                                    launch_group("%r4", "count", "%rd4", flat("1", "1")) + "END:\n");
  on_all_machines(text, [](const GroupRun& run) {
    run.device.launcher().set_limits({0, 2});
    const std::uint64_t out = run.host.words(2048);
    const Outcome outcome = run.host.run("parent", out, 0, 1, 256);
    Words expected(256, 1);
    expected[0] = 2;
    return first_wrong({done(run, outcome), equal("errors", run.host.value(out, 1024), 0),
                        equal("the kernel's launch", run.host.value(out, 1025), 69),
                        compared(run.host.values(out, 256), expected)});
  });
}

// The run would never end if a group waited for its thread's earlier launches, or if later launches waited for the
// group. The first group and the kernel behind it wait for the last launch.
TEST(LaunchGroups, AreOrderedWithNothing) {
  const std::string text =
      kernel("wait", await("%rd0", "3", "W") + add("%rd0+4", "1")) + kernel("free", add("%rd0", "1")) +
      kernel("parent", arguments("%rd4", "%rd0", "0") + launch_group("%r4", "wait", "%rd4", flat("1", "1")) +
                           arguments("%rd4", "%rd0", "0") + launch("%r4", "free", "%rd4") +
                           arguments("%rd4", "%rd0", "0") + launch_group("%r4", "free", "%rd4", flat("1", "1")) +
                           arguments("%rd4", "%rd0", "0") + launch("%r4", "wait", "%rd4") +
                           arguments("%rd4", "%rd0", "0") + launch_group("%r4", "free", "%rd4", flat("1", "1")));
  on_all_machines(text, [](const GroupRun& run) {
    const std::uint64_t out = run.host.words(64);
    const Outcome outcome = run.host.run("parent", out);
    return first_wrong({done(run, outcome), compared(run.host.values(out, 2), {3, 2})});
  });
}

// --- Waiting --------------------------------------------------------------------------------------------------------

// cudaDeviceSynchronize beside groups. out[0] counts the end of the child, out[1] the ends of groups. out[2] and out[3]
// are the counts that the parent found, out[4] is the result of the call.
const std::string kWaits =
    kernel("child", spend("8000", "L") + add("%rd0", "1")) + kernel("group", spend("30000", "L") + add("%rd0+4", "1")) +
    kernel("parent", arguments("%rd4", "%rd0", "0") + launch_group("%r4", "group", "%rd4", flat("2", "1")) +
                         arguments("%rd4", "%rd0", "0") + launch("%r4", "child", "%rd4") + synchronize("%r6") +
                         "ld.volatile.global.u32 %r7, [%rd0];\nst.global.u32 [%rd0+8], %r7;\n" +
                         "ld.volatile.global.u32 %r7, [%rd0+4];\nst.global.u32 [%rd0+12], %r7;\n" +
                         "st.global.u32 [%rd0+16], %r6;");
Outcome run_waiting(const GroupRun& run, const std::string& kernel, std::uint64_t out, std::uint32_t number) {
  if (run.timed != nullptr) run.timed->blocks_leave = true;
  return run.host.run(kernel, out, number);
}
// The test fails if the wait does not cover the kernels that a block launched beside groups.
TEST(LaunchGroups, AWaitBesideGroupsWaitsForKernels) {
  on_all_machines(kWaits, [](const GroupRun& run) {
    const std::uint64_t out = run.host.words(64);
    const Outcome outcome = run_waiting(run, "parent", out, 0);
    return first_wrong({done(run, outcome), compared(run.host.values(out, 3), {1, 2, 1}),
                        equal("what the call gave", run.host.value(out, 4), 0)});
  });
}
// A group is an open launch of its block. The test fails if the wait ends before the group.
TEST(LaunchGroups, AWaitEndsWhenTheBlocksGroupsHaveEnded) {
  on_all_machines(kWaits, [](const GroupRun& run) {
    const std::uint64_t out = run.host.words(64);
    const Outcome outcome = run_waiting(run, "parent", out, 0);
    return first_wrong({done(run, outcome), equal("blocks of groups that had ended", run.host.value(out, 3), 2)});
  });
}
// The test fails if a group does not count as a level below its launcher: a wait at the third level must return error
// 68 at once.
TEST(LaunchGroups, AWaitDeeperThanTheLimitGives68) {
  const std::string text =
      kernel("nest", go_if_equal("%r0", "0", "END") + "sub.u32 %r4, %r0, 1;\n" + arguments("%rd4", "%rd0", "%r4") +
                         launch_group("%r5", "nest", "%rd4", flat("1", "1")) + synchronize("%r6") +
                         word("%rd5", "%r0") + "st.global.u32 [%rd5], %r6;\nEND:\n" + add("%rd0+256", "1"));
  on_all_machines(text, [](const GroupRun& run) {
    const std::uint64_t out = run.host.words(128);
    const Outcome outcome = run_waiting(run, "nest", out, 4);
    return first_wrong({done(run, outcome), compared(run.host.values(out, 5), {0, 68, 68, 0, 0}),
                        equal("blocks", run.host.value(out, 64), 5)});
  });
}

// --- Faults, resets -------------------------------------------------------------------------------------------------

// Checks a device after a fault or a reset: all launches have ended, and the device still works.
std::string works_again(GroupTimed& timed) {
  if (!timed.device.gpu().idle()) return "something goes on";
  timed.device.reset();
  if (timed.device.fault()) return "the fault stays";
  if (timed.device.store().used(AllocationKind::kPool) != 0) return "buffers are left";
  const std::uint64_t out = timed.host.words(2048);
  if (timed.host.run("tree", out, 1, 1, 32) != Outcome::kDone) return "does not work again: " + timed.host.said();
  Words expected(256, 32);
  expected[0] = 0;
  timed.device.gpu().check_invariants();
  if (!timed.device.gpu().idle()) return "something goes on afterwards";
  if (timed.device.store().used(AllocationKind::kPool) != 0) return "buffers are left afterwards";
  return compared(timed.host.values(out, 256), expected);
}
const std::vector<GroupMachine>& fault_machines() {
  static const std::vector<GroupMachine> all = {
      {"tiny", {"parse.latency=0", "launch.buffer_warp=0", "launch.buffer_lane=0"}},
      {"kepler_k20c", {}},
      // Groups arrive while blocks of the kernel that they join wait.
      {"tiny", {"blocks.dtbl.enable=1", "parse.latency=0", "launch.buffer_warp=0", "launch.buffer_lane=0"}},
      {"tiny",
       {"blocks.dtbl.enable=1", "blocks.dtbl.agt_size=1", "run.shuffle=1", "launch.buffer_warp=0",
        "launch.buffer_lane=0"}},
      {"kepler_ideal", {"blocks.dtbl.enable=1"}},
      {"kepler_k20c", {"blocks.dtbl.enable=1"}},
  };
  return all;
}
// Checks that all submitted launches of the host end after one of them traps in `where`.
std::string ends_with_a_trap(GroupTimed& timed, const std::vector<Ticket>& tickets, const std::string& where) {
  bool fault = false;
  for (const Ticket ticket : tickets) {
    Outcome outcome = timed.device.advance_until(ticket);
    if (outcome == Outcome::kFault && !fault) {
      fault = true;
      if (timed.device.fault()->kind != FaultKind::kTrap || timed.device.fault()->kernel != where) {
        return "another fault: " + timed.host.said();
      }
      outcome = timed.device.advance_until(ticket);
    }
    if (outcome != Outcome::kDone) return "a launch does not end: " + timed.host.said();
  }
  return fault ? "right" : "no fault";
}
void on_fault_machines(const std::string& text, const std::function<std::string(GroupTimed&)>& work) {
  for (const GroupMachine& one : fault_machines()) {
    const std::string result = in_process([&] {
      GroupTimed timed(one.name, one.overrides, kTree + text);
      return first_wrong({work(timed), works_again(timed)});
    });
    EXPECT_EQ(result, "right") << one.said();
  }
}
// A kernel of another tree that must not be stopped.
const std::string kBeside = kernel("beside", spend("100000", "L") + add("%rd0", "1"));

// The test fails if groups that wait or run behind a block with a fault kept the machine busy, or if another queue's
// kernel ended with them.
TEST(LaunchGroups, AFaultInABlockOfAGroup) {
  const std::string text =
      kBeside +
      kernel("root", native_or_work() + arguments("%rd4", "%rd0", "%r1") +
                         launch_group("%r4", "root", "%rd4", flat("9", "32")) + spend("3000", "L") +
                         "bra END;\nWORK:\n" + spend("2000", "M") + go_unless_equal("%r0", "5", "END") +
                         go_unless_equal("%r2", "2", "END") + go_unless_equal("%r1", "7", "END") + "trap;\nEND:\n");
  on_fault_machines(text, [](GroupTimed& timed) {
    const std::uint64_t out = timed.host.words(64), other = timed.host.words(64);
    const Ticket root = timed.host.submit("root", out, kNativeNumber, 1, 32);
    const Ticket beside = timed.host.submit("beside", other, 0, 1, 1, 1);
    return first_wrong({ends_with_a_trap(timed, {root, beside}, "root"), equal("beside", timed.host.value(other), 1)});
  });
}

// The kernel that groups are to join has many slow blocks of its own, which precede the groups. Its block 3 traps when
// out[68] is set. out[0] counts its own blocks, out[1] those of groups.
const std::string kJoined =
    kernel("joined", native_or_work() + put("%rd0+64", "1") + go_unless_equal("%r1", "0", "END") +
                         go_unless_equal("%r2", "3", "SPEND") + "mov.u64 %rd20, %clock64;\nW:\n" +
                         "ld.volatile.global.u32 %r5, [%rd0+68];\nsetp.ne.u32 %p1, %r5, 0;\n@%p1 trap;\n" +
                         "mov.u64 %rd21, %clock64;\nsub.u64 %rd21, %rd21, %rd20;\nsetp.lt.u64 %p2, %rd21, 200000;\n" +
                         "@%p2 bra W;\nSPEND:\n" + spend("2000", "L") + add("%rd0", "1") + "bra END;\nWORK:\n" +
                         spend("20000", "M") + go_unless_equal("%r1", "0", "END") + add("%rd0+4", "1") + "END:\n");
const std::string kLaunching = await("%rd0+64", "1", "A") + arguments("%rd4", "%rd0", "%r1") +
                               launch_group("%r4", "joined", "%rd4", flat("3", "32"));

// The test fails if the launcher's fault stops the kernel that its groups joined, which belongs to another tree, or if
// ended groups of the faulting tree keep that kernel in the table for ever.
TEST(LaunchGroups, AFaultInTheLauncherWhileItsGroupsWait) {
  const std::string text = kBeside + kJoined + kernel("parent", kLaunching + spend("500", "B") + "trap;\n");
  on_fault_machines(text, [](GroupTimed& timed) {
    const std::uint64_t out = timed.host.words(64), other = timed.host.words(64);
    const Ticket joined = timed.host.submit("joined", out, kNativeNumber, 100, 32, 1);
    const Ticket parent = timed.host.submit("parent", out, 0, 1, 32);
    const Ticket beside = timed.host.submit("beside", other, 0, 1, 1, 2);
    const std::string ended = ends_with_a_trap(timed, {parent, joined, beside}, "parent");
    if (timed.host.value(out, 1) > 96) return std::string("groups run more than once");
    return first_wrong({ended, equal("own blocks of the kernel that was joined", timed.host.value(out), 100),
                        equal("beside", timed.host.value(other), 1)});
  });
}

// The run never ends if the launcher waits for groups that were stopped with the kernel they had joined.
TEST(LaunchGroups, AFaultInTheKernelThatGroupsHaveJoined) {
  const std::string text = kBeside + kJoined +
                           kernel("parent", kLaunching + spend("500", "B") + put("%rd0+68", "1") +
                                                go_unless_equal("%r1", "0", "END") + add("%rd0+8", "1") + "END:\n");
  on_fault_machines(text, [](GroupTimed& timed) {
    const std::uint64_t out = timed.host.words(64), other = timed.host.words(64);
    const Ticket joined = timed.host.submit("joined", out, kNativeNumber, 100, 32, 1);
    const Ticket parent = timed.host.submit("parent", out, 0, 1, 32);
    const Ticket beside = timed.host.submit("beside", other, 0, 1, 1, 2);
    const std::string ended = ends_with_a_trap(timed, {joined, parent, beside}, "joined");
    if (timed.host.value(out, 1) > 96) return std::string("groups run more than once");
    return first_wrong({ended, equal("beside", timed.host.value(other), 1)});
  });
}

// The run would never end if a stopped kernel still got groups: a thread that launches while its kernel is being
// stopped would wait for ever.
TEST(LaunchGroups, LaunchesWhileTheKernelIsBeingStopped) {
  const std::string text =
      kernel("self", native_or_work() + "mov.u32 %r5, 0;\nMORE:\n" + arguments("%rd4", "%rd0", "%r1") +
                         launch_group("%r4", "self", "%rd4", flat("1", "32")) +
                         "add.u32 %r5, %r5, 1;\nsetp.lt.u32 %p1, %r5, 40;\n@%p1 bra MORE;\nbra END;\nWORK:\n" +
                         "setp.ne.u32 %p2, %r1, 0;\n@%p2 bra END;\natom.global.add.u32 %r6, [%rd0], 1;\n" +
                         go_unless_equal("%r6", "300", "END") + "trap;\nEND:\n");
  on_fault_machines(text, [](GroupTimed& timed) {
    const std::uint64_t out = timed.host.words(64);
    return ends_with_a_trap(timed, {timed.host.submit("self", out, kNativeNumber, 4, 32)}, "self");
  });
}

// When the device is reset there are groups in every state: being sent, attached, in the table, in memory, becoming
// kernels. The test fails if some run after the reset, or stay in the table, the records or the command queues.
const std::string kEndless =
    kernel("endless", add("%rd0", "1") + get_buffer("%rd4", "16") + "setp.eq.u64 %p1, %rd4, 0;\n@%p1 bra WAIT;\n" +
                          "st.u64 [%rd4], %rd0;\nst.u32 [%rd4+8], %r1;\n" +
                          launch_group("%r4", "endless", "%rd4", flat("1", "32")) + "WAIT:\n" + spend("700", "L"));
void reset_after(const GroupMachine& one, Cycle cycles) {
  const std::string result = in_process([&] {
    GroupTimed timed(one.name, one.overrides, kTree + kEndless);
    const std::uint64_t out = timed.host.words(2048);
    for (int round = 0; round < 2; ++round) {
      const Ticket ticket = timed.host.submit("endless", out, 0, 20, 32);
      const Outcome outcome = timed.device.advance_to(timed.device.now() + timed.device.gpu().clock().time_of(cycles));
      if (outcome != Outcome::kDone) return "does not run: " + timed.host.said();
      timed.device.reset();
      if (!timed.device.complete(ticket)) return std::string("the ticket is open");
      // Gives L2 time to finish its write-backs.
      static_cast<void>(timed.device.advance_to(timed.device.now() + timed.device.gpu().clock().time_of(1000)));
      if (!timed.device.gpu().idle()) return std::string("something goes on");
      const std::uint32_t before = timed.host.value(out);
      const std::string works = works_again(timed);
      if (works != "right") return works;
      if (timed.host.value(out) != before) return std::string("something has started after the reset");
    }
    return std::string("right");
  });
  EXPECT_EQ(result, "right") << one.said() << " after " << cycles;
}
TEST(LaunchGroups, ResetInTheMiddle) {
  for (Cycle cycles = 300; cycles < 12000; cycles = cycles * 3 / 2 + 1) {
    reset_after({"tiny",
                 {"blocks.dtbl.enable=1", "blocks.dtbl.agt_size=16", "parse.latency=0", "launch.buffer_warp=0",
                  "launch.buffer_lane=0"}},
                cycles);
    reset_after({"kepler_ideal", {"blocks.dtbl.enable=1"}}, cycles);
  }
}
TEST(LaunchGroups, ResetInTheMiddleOfFallbacks) {
  for (Cycle cycles = 9000; cycles < 90000; cycles += 9001) {
    reset_after({"kepler_k20c", {}}, cycles);
    reset_after({"kepler_k20c", {"blocks.dtbl.enable=1"}}, cycles);
  }
}

// --- Determinism ----------------------------------------------------------------------------------------------------

// The test fails if results depend on sleeping or on the order in which units tick.
TEST(LaunchGroups, OrderOfUnitsAndSleepingChangeNothing) {
  const auto hash = [](std::vector<std::string> overrides, const std::vector<std::string>& more) {
    overrides.insert(overrides.end(), more.begin(), more.end());
    return in_process([&] {
      GroupTimed timed("tiny", overrides, kConserved, false, true);
      const std::string said =
          run_conserved({timed.device, timed.host, &timed, overrides[0] == "blocks.dtbl.enable=1"});
      std::uint64_t events = 0;
      for (const GroupEvents::Event& event : timed.events.history) {
        if (event[0] > 3) continue;  // SMs may tick in any order within a cycle
        for (const std::uint64_t part : event) events = events * 1000003 + part;
      }
      return said + ' ' + std::to_string(timed.device.gpu().statistics().hash()) + ' ' + std::to_string(events);
    });
  };
  for (const std::vector<std::string>& overrides :
       {std::vector<std::string>{"blocks.dtbl.enable=1", "blocks.dtbl.agt_size=16"},
        {"launch.launch_warp=100", "launch.launch_lane=3"}}) {
    const std::string first = hash(overrides, {});
    EXPECT_EQ(first.substr(0, 6), "right ") << first;
    EXPECT_EQ(hash(overrides, {}), first) << "a second run";
    for (const std::vector<std::string>& more :
         {std::vector<std::string>{"run.sleep=0"}, {"run.shuffle=1"}, {"run.shuffle=1", "run.seed=7", "run.sleep=0"}}) {
      EXPECT_EQ(hash(overrides, more), first) << overrides[0] << ' ' << more[0];
    }
  }
}

// --- Machines that cannot have it -----------------------------------------------------------------------------------

void refused(const std::string& name, const std::vector<std::string>& overrides) {
  EXPECT_THROW(
      {
        const platforms::LoadedMachine loaded = platforms::load_machine(name, overrides);
        TimingDevice::Options options;
        platforms::plug_blocks(loaded, options);
      },
      base::InputError)
      << name << ' ' << overrides.back();
}
TEST(LaunchGroups, SettingsThatAreRefused) {
  const auto with = [](const std::string& key) { return std::vector<std::string>{"blocks.dtbl.enable=1", key}; };
  for (const char* key : {"blocks.dtbl.agt_size=0", "blocks.dtbl.agt_size=3", "blocks.dtbl.agt_size=4096",
                          "blocks.dtbl.hash_mode=2", "launch.commands=0", "launch.commands=9"}) {
    refused("kepler_k20c", with(key));
  }
  // Machines that do not have launches by device code.
  refused("kepler_replay4", {"blocks.dtbl.enable=1"});
  refused("gcn_apu", {"blocks.dtbl.enable=1"});
}

}  // namespace
}  // namespace castor::gpu::launch_test::groups
