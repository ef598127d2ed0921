// Tests of memory ordering at launches: between parent and child at the launch and at the wait, and between successive
// launches of one stream. On machines whose L1 keeps global data an old line must not be hit.

#include "tests/unit/gpu_launch_support.h"

namespace castor::gpu::launch_test::order {
namespace {

using Words = std::vector<std::uint32_t>;

// Returns the body of a kernel with as many blocks as SMs. The L1 of every SM gets an old copy of out[0]. The parent
// then writes out[0] and launches.
std::string warmed(const std::string& rest) {
  return "ld.global.ca.u32 %r10, [%rd0];\nadd.u32 %r10, %r10, 1;\nred.global.add.u32 [%rd0+512], %r10;\n"
         "setp.ne.u32 %p1, %r2, 0;\n@%p1 bra END;\n" +
         rest + "END:\n";
}

void child_sees_stores(const std::string& name, const std::vector<std::string>& overrides = {}) {
  const std::string text =
      kernel("child", "ld.global.ca.u32 %r4, [%rd0];\n" + word("%rd5", "%r0") + "st.global.u32 [%rd5+1024], %r4;") +
      kernel("parent", warmed("W:\nld.volatile.global.u32 %r4, [%rd0+512];\nmov.u32 %r5, %nctaid.x;\n"
                              "setp.lt.u32 %p2, %r4, %r5;\n@%p2 bra W;\nmov.u32 %r6, 1;\nAGAIN:\n" +
                              arguments("%rd4", "%rd0", "%r6") + "st.global.u32 [%rd0], %r6;\n" +
                              launch("%r4", "child", "%rd4") + "W2:\n" + word("%rd5", "%r6") +
                              "ld.volatile.global.u32 %r7, [%rd5+1024];\nsetp.ne.u32 %p3, %r7, %r6;\n" +
                              "add.u32 %r9, %r9, 1;\nsetp.lt.u32 %p4, %r9, 200000;\nand.pred %p3, %p3, %p4;\n" +
                              "@%p3 bra W2;\n" + "add.u32 %r6, %r6, 1;\nsetp.le.u32 %p2, %r6, 40;\n@%p2 bra AGAIN;\n"));
  Timed timed(machine(name, overrides), text);
  const std::uint64_t out = timed.host.words(1024);
  const unsigned sms = timed.device.machine().chip.sms;
  ASSERT_EQ(timed.host.run("parent", out, 0, sms), Outcome::kDone) << timed.host.said();
  Words expected;
  for (unsigned i = 1; i <= 40; ++i) expected.push_back(i);
  EXPECT_EQ(timed.host.values(out + 1028, 40), expected);
}
TEST(LaunchOrder, AChildSeesWhatItsParentStoredBefore) { child_sees_stores("kepler_k20c_study"); }
TEST(LaunchOrder, AChildSeesWhatItsParentStoredBeforeWithoutLatencies) { child_sees_stores("kepler_ideal"); }
TEST(LaunchOrder, AChildSeesWhatItsParentStoredBeforeWhereAnAcquireEmptiesL1) {
  child_sees_stores("kepler_ideal", {"acquire.mode=flush"});
}
TEST(LaunchOrder, AChildSeesWhatItsParentStoredBeforeOnATinyMachine) { child_sees_stores("tiny"); }

// Stores that a barrier orders before the launch, by another warp of the block.
TEST(LaunchOrder, AChildSeesWhatOtherWarpsStoredBeforeABarrier) {
  const std::string text =
      kernel("child", "ld.global.ca.u32 %r4, [%rd0+4];\nst.global.u32 [%rd0], %r4;") +
      kernel("parent",
             "setp.ne.u32 %p1, %r1, 32;\n@%p1 bra B;\nmov.u32 %r3, 9;\nst.global.u32 [%rd0+4], %r3;\nB:\n"
             "bar.sync 0;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra END;\n" +
                 arguments("%rd4", "%rd0", "0") + launch("%r4", "child", "%rd4") + "END:\n");
  Timed timed(machine("kepler_ideal"), text);
  const std::uint64_t out = timed.host.words(64);
  ASSERT_EQ(timed.host.run("parent", out, 0, 1, 64), Outcome::kDone) << timed.host.said();
  EXPECT_EQ(timed.host.values(out, 2), (Words{9, 9}));
}

// Checks that a parent reads what its child stored. The parent has an old copy of out[0] in its L1; its child writes
// out[0] on another SM.
void parent_sees_stores(const std::string& name) {
  const std::string text =
      kernel("child", "mov.u32 %r4, 7;\nst.global.u32 [%rd0], %r4;") +
      kernel("parent", "ld.global.ca.u32 %r3, [%rd0];\n" + arguments("%rd4", "%rd0", "%r3") +
                           launch("%r4", "child", "%rd4") +
                           "ld.global.ca.u32 %r5, [%rd0];\nst.global.u32 [%rd0+132], %r5;\n" + synchronize("%r5") +
                           "ld.global.ca.u32 %r6, [%rd0];\nst.global.u32 [%rd0+128], %r6;");
  Timed timed(machine(name), text);
  const std::uint64_t out = timed.host.words(64);
  ASSERT_EQ(timed.host.run("parent", out), Outcome::kDone) << timed.host.said();
  EXPECT_EQ(timed.host.value(out), 7U);
  EXPECT_EQ(timed.host.value(out, 32), 7U);
}
TEST(LaunchOrder, AParentSeesWhatItsChildStoredWhenItHasWaited) { parent_sees_stores("kepler_k20c_study"); }
TEST(LaunchOrder, AParentSeesWhatItsChildStoredWhenItHasWaitedWhereL1IsForLocalData) {
  parent_sees_stores("kepler_k20c");
}

// The child ends before the parent waits for it, so the call returns at once.
TEST(LaunchOrder, AParentSeesWhatItsChildStoredWhenThereIsNothingToWaitFor) {
  const std::string text =
      kernel("child", "mov.u32 %r4, 7;\nst.global.u32 [%rd0], %r4;") +
      kernel("parent", arguments("%rd4", "%rd0", "0") + launch("%r4", "child", "%rd4") +
                           "ld.global.ca.u32 %r5, [%rd0];\nst.global.u32 [%rd0+132], %r5;\n" + spend("60000", "L") +
                           synchronize("%r5") + "ld.global.ca.u32 %r6, [%rd0];\nst.global.u32 [%rd0+128], %r6;");
  Timed timed(machine("kepler_k20c_study"), text);
  const std::uint64_t out = timed.host.words(64);
  ASSERT_EQ(timed.host.run("parent", out), Outcome::kDone) << timed.host.said();
  EXPECT_EQ(timed.host.value(out, 32), 7U);
}

// Launches two kernels into one stream: the second must read what the first stored, whatever an SM's L1 has loaded
// meanwhile. Blocks of a third kernel load the word on every SM after the second launch's pointer was sent and before
// the first kernel stores.
void stream_order(const std::string& name) {
  const std::string text =
      kernel("first", spend("120000", "L") + "mov.u32 %r4, 7;\nst.global.u32 [%rd0], %r4;") +
      kernel("second", "ld.global.ca.u32 %r4, [%rd0];\nst.global.u32 [%rd0+128], %r4;") +
      kernel("parent", arguments("%rd4", "%rd0", "0") + launch("%r4", "first", "%rd4") +
                           arguments("%rd4", "%rd0", "0") + launch("%r4", "second", "%rd4")) +
      kernel("reader", spend("80000", "L") + "ld.global.ca.u32 %r4, [%rd0];\nred.global.add.u32 [%rd0+256], %r4;");
  Timed timed(machine(name), text);
  const std::uint64_t out = timed.host.words(128);
  const Ticket parent = timed.host.submit("parent", out);
  timed.host.submit("reader", out, 0, timed.device.machine().chip.sms, 32, 1);
  ASSERT_EQ(timed.device.advance_until(parent), Outcome::kDone) << timed.host.said();
  EXPECT_EQ(timed.host.value(out, 64), 0U) << "readers come before the first stores, else this tests nothing";
  EXPECT_EQ(timed.host.value(out, 32), 7U);
}
TEST(LaunchOrder, SecondLaunchOfAStreamSeesWhatTheFirstStored) { stream_order("kepler_k20c_study"); }
TEST(LaunchOrder, SecondLaunchOfAStreamSeesWhatTheFirstStoredOnATinyMachine) { stream_order("tiny"); }
TEST(LaunchOrder, SecondLaunchOfAStreamSeesWhatTheFirstStoredWhereL1IsForLocalData) { stream_order("kepler_k20c"); }

// Children that use the same table entry one after the other have local memory of their own, with frames of different
// sizes.
TEST(LaunchOrder, LocalMemoryOfAChildIsItsOwn) {
  const auto framed = [](const std::string& name, unsigned words) {
    return ".visible .entry " + name + "(.param .u64 out, .param .u32 number)\n{\n.local .align 4 .b8 frame[" +
           std::to_string(4 * words) + "];\n" +
           ".reg .b32 %r<20>; .reg .b64 %rd<20>; .reg .pred %p<8>;\n"
           "ld.param.u64 %rd0, [out]; ld.param.u32 %r0, [number]; mov.u32 %r1, %tid.x; mov.u32 %r5, 0;\n"
           "mov.u64 %rd1, frame;\nmov.u32 %r9, 0;\nmov.u32 %r2, " +
           std::to_string(words) +
           ";\nA:\nmad.lo.u32 %r3, %r0, 1000, %r5;\nadd.u32 %r3, %r3, %r1;\nmul.wide.u32 %rd2, %r5, 4;\n"
           "add.u64 %rd2, %rd2, %rd1;\nst.local.u32 [%rd2], %r3;\nadd.u32 %r5, %r5, 1;\nsetp.lt.u32 %p1, %r5, %r2;\n"
           "@%p1 bra A;\nmov.u32 %r5, 0;\nB:\nmul.wide.u32 %rd2, %r5, 4;\nadd.u64 %rd2, %rd2, %rd1;\n"
           "ld.local.u32 %r4, [%rd2];\nmad.lo.u32 %r3, %r0, 1000, %r5;\nadd.u32 %r3, %r3, %r1;\n"
           "sub.u32 %r4, %r4, %r3;\nor.b32 %r9, %r9, %r4;\nadd.u32 %r5, %r5, 1;\nsetp.lt.u32 %p1, %r5, %r2;\n"
           "@%p1 bra B;\nsetp.ne.u32 %p2, %r9, 0;\n@%p2 red.global.add.u32 [%rd0], 1;\n"
           "red.global.add.u32 [%rd0+4], 1;\nret;\n}\n";
  };
  const std::string text =
      framed("narrow", 9) + framed("wide", 60) +
      kernel("parent",
             "and.b32 %r5, %r1, 1;\nsetp.eq.u32 %p1, %r5, 0;\n" +
                 std::string("mul.wide.u32 %rd6, %r1, 8; add.u64 %rd6, %rd6, %rd0; add.u64 %rd6, %rd6, 256;\n") +
                 create_stream("%r7", "%rd6") + "ld.u64 %rd3, [%rd6];\n" + arguments("%rd4", "%rd0", "%r1") +
                 "@%p1 bra EVEN;\n" + launch("%r4", "narrow", "%rd4", {"2", "64", "0", "%rd3"}) + "bra END;\nEVEN:\n" +
                 launch("%r4", "wide", "%rd4", {"3", "32", "0", "%rd3"}) + "END:\n");
  for (const char* name : {"kepler_ideal", "kepler_k20c"}) {
    const std::string result = in_process([&] {
      Timed timed(machine(name, {"table.entries=5"}), text);
      const std::uint64_t out = timed.host.words(1024);
      const std::uint64_t before = timed.device.store().used(AllocationKind::kPool);
      for (int i = 0; i < 3; ++i) {
        if (timed.host.run("parent", out, 0, 1, 64) != Outcome::kDone) return timed.host.said();
      }
      if (timed.device.store().used(AllocationKind::kPool) != before) return std::string("buffers are left");
      return std::to_string(timed.host.value(out)) + ' ' + std::to_string(timed.host.value(out, 1));
    });
    EXPECT_EQ(result, "0 " + std::to_string(3 * 32 * (2 * 64 + 3 * 32))) << name;
  }
}

}  // namespace
}  // namespace castor::gpu::launch_test::order
