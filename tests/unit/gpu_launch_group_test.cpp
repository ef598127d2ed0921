// Tests of groups of thread blocks that device code launches (cudaLaunchAggGroup): the same results on both machines,
// with and without the block that attaches groups to kernels. The first lines of each case name the errors that it
// would find.

#include "castor/base/error.h"
#include "tests/unit/gpu_launch_group_programs.h"

namespace castor::gpu::launch_test::groups {
namespace {

// --- Attaching ------------------------------------------------------------------------------------------------------

// The test fails if a group is lost or runs twice, or if a group of the launching kernel does not find it.
TEST(LaunchGroups, OfTheKernelThatLaunchesThem) {
  on_all_machines(kTree, [](const GroupRun& run) {
    const std::uint64_t out = run.host.words(2048);
    const Outcome outcome = run.host.run("tree", out, 1, 1, 32);
    Words expected(256, 32);
    expected[0] = 0;
    std::string kernels = "right";
    if (run.timed != nullptr) {
      kernels = equal("kernels", run.timed->events.all.of("tree").size(), run.block ? 1 : 255);
    }
    return first_wrong({done(run, outcome), equal("errors", run.host.value(out, 1024), 0),
                        compared(run.host.values(out, 256), expected), launched(run, 254, 0), kernels});
  });
}

// The test fails if a governor sees no waiting TB between the launch of a group and the placement of its block, or sees
// one afterwards, or if waves leave groups out.
TEST(LaunchGroups, WaitFromTheirLaunchToTheirPlacement) {
  class Watcher final : public ClockedHook<GovernIn, GovernOut> {
   public:
    void attach(const HookSite& /*site*/) override {}
    void reset() override {}
    [[nodiscard]] Cycle quiet() const override { return 0; }
    void idle(Cycle /*n*/) override {}
    const GovernOut& settle(const GovernIn& /*in*/) override { return out_; }
    void clock(const GovernIn& in) override { see(in); }
    std::function<void(const GovernIn&)> see;

   private:
    GovernOut out_;
  } watcher;
  class Shown final : public Waves {
   public:
    bool add_dump(std::string_view, const std::string&, std::function<const std::string&()>) override { return false; }
    [[nodiscard]] bool traced(std::string_view) const override { return true; }
    std::map<std::string, std::function<std::uint64_t()>> signals;

   private:
    bool add_signal(std::string_view, std::string_view name, unsigned, Source source, base::ValueNames) override {
      if (source.function) signals[std::string(name)] = source.function;
      return true;
    }
  } shown;
  GroupTimed timed("kepler_ideal", {"blocks.dtbl.enable=1"}, kTree, false, false, &watcher);
  timed.device.gpu().front_end().add_waves(shown, "");
  std::uint64_t groups_wait = 0, nothing_waits = 0, in_waves = 0;
  watcher.see = [&](const GovernIn& in) {
    const std::size_t placed = timed.events.placed.size();
    if (placed == 0) return;
    const std::uint64_t launched = timed.groups();
    ASSERT_EQ(in.waiting, launched + 1 > placed) << "cycle " << in.now << ", " << launched << " groups, " << placed;
    ++(in.waiting ? groups_wait : nothing_waits);
    EXPECT_TRUE(in.waiting || in.fits_head == timed.device.gpu().front_end().ledger().all()) << "cycle " << in.now;
    const std::uint64_t left = shown.signals.at("tbs_left")();
    EXPECT_EQ(left != 0, shown.signals.at("table_waiting")() != 0);
    EXPECT_LE(left, launched + 1 - placed);
    in_waves += left != 0 ? 1 : 0;
  };
  const std::uint64_t out = timed.host.words(2048);
  ASSERT_EQ(timed.host.run("tree", out, 1, 1, 32), Outcome::kDone) << timed.host.said();
  EXPECT_EQ(timed.events.of_groups().size(), 254U);
  EXPECT_GT(groups_wait, 0U);
  EXPECT_GT(nothing_waits, 0U);
  EXPECT_GT(in_waves, 0U);
}

// A kernel that is resident in another queue. Its own launch stores at out[8000] that it runs, and stays until
// out[8002], which counts groups, equals out[8001]. Group `number` counts its threads in out[16 * number + block].
const std::string kService =
    kernel("service", native_or_work() + put("%rd0+32000", "1") + "ld.volatile.global.u32 %r6, [%rd0+32008];\n" +
                          await("%rd0+32004", "%r6", "W") + "bra END;\nWORK:\nmad.lo.u32 %r3, %r0, 16, %r2;\n" +
                          word("%rd1", "%r3") + add("%rd1", "1") + go_unless_equal("%r1", "0", "END") +
                          add("%rd0+32004", "1") + "END:\n");
constexpr std::size_t kFlags = 8000;

// The test fails if groups do not attach to the resident kernel, or attach to one with another key.
TEST(LaunchGroups, OfAKernelThatIsResidentInAnotherQueue) {
  const std::string text =
      kService +
      kernel("parent", await("%rd0+32000", "1", "W") + arguments("%rd4", "%rd0", "%r1") +
                           launch_group("%r4", "service", "%rd4", flat("2", "32")) + add("%rd0+32012", "%r4"));
  on_all_machines(text, [](const GroupRun& run) {
    const std::uint64_t out = run.host.words(16384);
    run.host.set(out + 4 * (kFlags + 2), {128});
    const Ticket service = run.host.submit("service", out, kNativeNumber, 1, 32, 1);
    const Ticket parent = run.host.submit("parent", out, 0, 1, 64);
    const Outcome first = run.device.advance_until(parent), second = run.device.advance_until(service);
    Words expected(1024, 0);
    for (std::size_t i = 0; i < 64; ++i) expected[16 * i] = expected[16 * i + 1] = 32;
    std::string kernels = "right";
    if (run.timed != nullptr) {
      const auto services = run.timed->events.all.of("service");
      kernels = run.block
                    ? first_wrong({equal("kernels", services.size(), 1), equal("blocks", services.at(0).tbs, 129)})
                    : equal("kernels", services.size(), 65);
    }
    return first_wrong({done(run, first), done(run, second), equal("errors", run.host.value(out, kFlags + 3), 0),
                        compared(run.host.values(out, 1024), expected), launched(run, 64, 0), kernels});
  });
}

// The test fails if the lowest entry does not get all groups.
TEST(LaunchGroups, TwoResidentKernelsWithOneKeyTheLowerEntryGetsAll) {
  const std::string text =
      kService + kernel("parent", await("%rd0+32000", "1", "W") + arguments("%rd4", "%rd0", "%r1") +
                                      launch_group("%r4", "service", "%rd4", flat("1", "32")));
  GroupTimed timed("kepler_ideal", {"blocks.dtbl.enable=1"}, text);
  const std::uint64_t out = timed.host.words(16384), other = timed.host.words(16384);
  timed.host.set(out + 4 * (kFlags + 2), {32});
  timed.host.set(other + 4 * (kFlags + 2), {1});
  const Ticket first = timed.host.submit("service", out, kNativeNumber, 1, 32, 1);
  const Ticket second = timed.host.submit("service", other, kNativeNumber, 1, 32, 2);
  // The parent starts when both kernels are resident.
  while (timed.host.value(out, kFlags) == 0 || timed.host.value(other, kFlags) == 0) {
    ASSERT_EQ(timed.device.advance_to(timed.device.now() + 1000000), Outcome::kDone) << timed.host.said();
  }
  const Ticket parent = timed.host.submit("parent", out, 0, 1, 32);
  ASSERT_EQ(timed.device.advance_until(parent), Outcome::kDone) << timed.host.said();
  timed.host.set(other + 4 * (kFlags + 1), {1});
  ASSERT_EQ(timed.device.advance_until(first), Outcome::kDone) << timed.host.said();
  ASSERT_EQ(timed.device.advance_until(second), Outcome::kDone) << timed.host.said();
  const auto placed = timed.events.of_groups();
  ASSERT_EQ(placed.size(), 32U);
  const Ticket lower = timed.events.entries.at(first) < timed.events.entries.at(second) ? first : second;
  for (const GroupEvents::Placed& tb : placed) EXPECT_EQ(tb.ticket, lower);
}

// --- What a thread block of a group sees ----------------------------------------------------------------------------

// Group `number` has dimensions derived from it, and blocks of (8, 2, 2). Each of its blocks stores, in tables of 2048
// words: the group's dimensions, the sum of its threads' numbers, the block's dimensions, and the number of its grid.
const std::string kShape = kernel(
    "shape",
    "mov.u32 %r5, %tid.y; mov.u32 %r6, %tid.z; mov.u32 %r7, %ntid.x; mov.u32 %r8, %ntid.y; mov.u32 %r9, %ntid.z;\n"
    "mad.lo.u32 %r10, %r6, %r8, %r5;\nmad.lo.u32 %r10, %r10, %r7, %r1;\n" +
        native_or_work() +
        "rem.u32 %r22, %r10, 4;\nadd.u32 %r22, %r22, 1;\nrem.u32 %r23, %r10, 3;\nadd.u32 %r23, %r23, 1;\n"
        "shr.u32 %r24, %r10, 4;\nadd.u32 %r24, %r24, 1;\n" +
        arguments("%rd4", "%rd0", "%r10") +
        launch_group("%r4", "shape", "%rd4", {{"%r22", "%r23", "%r24"}, {"8", "2", "2"}, "0"}) +
        add("%rd0+40000", "%r4") + spend("3000", "L") + "bra END;\nWORK:\n" +
        "mov.u32 %r11, %ctaid.y; mov.u32 %r12, %ctaid.z;\n"
        "mov.u32 %r13, %nctaid.x; mov.u32 %r14, %nctaid.y; mov.u32 %r15, %nctaid.z;\n"
        "mad.lo.u32 %r16, %r12, %r14, %r11;\nmad.lo.u32 %r16, %r16, %r13, %r2;\nmad.lo.u32 %r17, %r0, 64, %r16;\n" +
        word("%rd5", "%r17") + "add.u32 %r18, %r10, 1;\n" + add("%rd5+8192", "%r18") +
        go_unless_equal("%r10", "0", "END") +
        "mad.lo.u32 %r19, %r14, 256, %r13;\nmad.lo.u32 %r19, %r15, 65536, %r19;\n" + add("%rd5", "%r19") +
        "mad.lo.u32 %r20, %r8, 256, %r7;\nmad.lo.u32 %r20, %r9, 65536, %r20;\n" + add("%rd5+16384", "%r20") +
        "mov.u64 %rd6, %gridid;\ncvt.u32.u64 %r21, %rd6;\nadd.u32 %r21, %r21, 1;\n" + add("%rd5+24576", "%r21") +
        "END:\n");

// The test fails if a block of a group sees dimensions or indices of the kernel to which the group is attached, or runs
// with an index that the group does not have.
TEST(LaunchGroups, SeeTheirOwnDimensionsInAllThree) {
  on_all_machines(kShape, [](const GroupRun& run) {
    const std::uint64_t out = run.host.words(16384);
    const Ticket ticket = submit_shape(run.device, run.host, "shape", out, kNativeNumber, {1, 1, 1}, {8, 2, 2});
    const Outcome outcome = run.device.advance_until(ticket);
    Words expected(3 * 2048, 0);
    std::string grids = "right";
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      const std::uint32_t x = 1 + lane % 4, y = 1 + lane % 3, z = 1 + lane / 16;
      const std::uint32_t grid = run.host.value(out, 3 * 2048 + 64 * lane);
      for (std::uint32_t b = 0; b < 64; ++b) {
        const bool there = b < x * y * z;
        const std::size_t at = 64 * lane + b;
        expected[at] = there ? x + 256 * y + 65536 * z : 0;
        expected[2048 + at] = there ? 32 * 33 / 2 : 0;
        expected[4096 + at] = there ? 8 + 256 * 2 + 65536 * 2 : 0;
        if (run.host.value(out, 3 * 2048 + at) != (there ? grid : 0)) grids = "blocks of a group differ in %gridid";
      }
    }
    return first_wrong({done(run, outcome), equal("errors", run.host.value(out, 10000), 0),
                        compared(run.host.values(out, expected.size()), expected), grids, launched(run, 32, 0)});
  });
}

// The test fails if a group gets the parameters of the kernel or of another group.
TEST(LaunchGroups, HaveParametersOfTheirOwn) {
  const std::string text = kernel(
      "deal", native_or_work() +
                  "mul.wide.u32 %rd7, %r1, 256;\nadd.u64 %rd7, %rd7, %rd0;\n"
                  "mad.lo.u32 %r3, %r1, 37, 11;\n" +
                  arguments("%rd4", "%rd7", "%r3") + launch_group("%r4", "deal", "%rd4", flat("3", "64")) +
                  spend("3000", "L") + "bra END;\nWORK:\n" + word("%rd1", "%r2") + add("%rd1", "%r0") + "END:\n");
  on_all_machines(text, [](const GroupRun& run) {
    const std::uint64_t out = run.host.words(8192);
    const Outcome outcome = run.host.run("deal", out, kNativeNumber, 1, 64);
    Words expected(64 * 64, 0);
    for (std::uint32_t i = 0; i < 64; ++i) {
      for (std::size_t b = 0; b < 3; ++b) expected[64 * i + b] = 64 * (37 * i + 11);
    }
    return first_wrong(
        {done(run, outcome), compared(run.host.values(out, expected.size()), expected), launched(run, 64, 0)});
  });
}

// Lanes of one call launch two kernels, and blocks of two sizes. The test fails if a group joins a kernel of another
// type or block size.
TEST(LaunchGroups, OfOneCallMayBeOfSeveralKernelsAndSizes) {
  const std::string text =
      kernel("one", word("%rd1", "%r0") + add("%rd1", "1")) + kernel("ten", word("%rd1", "%r0") + add("%rd1", "10")) +
      kernel("parent",
             "mov.u64 %rd20, one;\nmov.u64 %rd21, ten;\nand.b32 %r5, %r1, 1;\nsetp.eq.u32 %p1, %r5, 0;\n"
             "selp.b64 %rd22, %rd20, %rd21, %p1;\nrem.u32 %r6, %r1, 3;\nsetp.eq.u32 %p2, %r6, 0;\n"
             "selp.u32 %r7, 32, 48, %p2;\n" +
                 arguments("%rd4", "%rd0", "%r1") +
                 launch_group("%r4", "%rd22", "%rd4", {{"2", "1", "1"}, {"%r7", "1", "1"}, "0"}) +
                 add("%rd0+4096", "%r4"));
  on_all_machines(text, [](const GroupRun& run) {
    const std::uint64_t out = run.host.words(2048);
    const Outcome outcome = run.host.run("parent", out, 0, 2, 64);
    Words expected(64, 0);
    for (std::uint32_t i = 0; i < 64; ++i) expected[i] = 2 * 2 * (i % 3 == 0 ? 32 : 48) * (i % 2 == 0 ? 1 : 10);
    return first_wrong({done(run, outcome), equal("errors", run.host.value(out, 1024), 0),
                        compared(run.host.values(out, 64), expected)});
  });
}

// Lane 1 requests one byte of shared memory more than the kernel has; lane 2 requests the same number of threads in
// another shape.
const std::string kSizes =
    kernel("sizes", native_or_work() + "setp.ge.u32 %p1, %r1, 4;\n@%p1 bra WAIT;\nsetp.eq.u32 %p2, %r1, 2;\n" +
                        "selp.u32 %r20, 16, 32, %p2;\nselp.u32 %r21, 2, 1, %p2;\nsetp.eq.u32 %p3, %r1, 1;\n" +
                        "selp.u32 %r22, 1, 0, %p3;\n" + arguments("%rd4", "%rd0", "%r1") +
                        launch_group("%r4", "sizes", "%rd4", {{"2", "1", "1"}, {"%r20", "%r21", "1"}, "%r22"}) +
                        add("%rd0+64", "%r4") + "WAIT:\n" + spend("3000", "L") + "bra END;\nWORK:\n" +
                        word("%rd1", "%r0") + "mov.u32 %r5, %ntid.y;\n" + add("%rd1", "%r5") + "END:\n");

// The test fails if the key leaves out the shape of the block or its shared bytes: two groups too many are attached
// then.
TEST(LaunchGroups, WithOtherBlocksOrSharedBytesBecomeKernels) {
  on_all_machines(kSizes, [](const GroupRun& run) {
    const std::uint64_t out = run.host.words(64);
    const Outcome outcome = run.host.run("sizes", out, kNativeNumber, 1, 32);
    return first_wrong({done(run, outcome), equal("errors", run.host.value(out, 16), 0),
                        compared(run.host.values(out, 4), {64, 64, 128, 64}), launched(run, 2, 2)});
  });
}

// --- The table of groups --------------------------------------------------------------------------------------------

// Returns a kernel each thread of which launches `times` groups that run for `ticks`. out[number] counts the threads of
// the groups.
std::string again(unsigned times, unsigned threads, const std::string& ticks) {
  const std::string of = std::to_string(threads);
  return kernel("again", native_or_work() + "mov.u32 %r5, 0;\nMORE:\nmad.lo.u32 %r3, %r5, " + of + ", %r1;\n" +
                             arguments("%rd4", "%rd0", "%r3") + launch_group("%r4", "again", "%rd4", flat("1", of)) +
                             add("%rd0+4096", "%r4") + "add.u32 %r5, %r5, 1;\nsetp.lt.u32 %p1, %r5, " +
                             std::to_string(times) + ";\n@%p1 bra MORE;\n" + spend("3000", "L") + "bra END;\nWORK:\n" +
                             spend(ticks, "M") + word("%rd1", "%r0") + add("%rd1", "1") + "END:\n");
}

// The test fails if a thread that launches again lost its first group, or took over its entry in the table.
TEST(LaunchGroups, ThreadsThatLaunchSeveralTimes) {
  on_all_machines(again(5, 32, "1000"), [](const GroupRun& run) {
    const std::uint64_t out = run.host.words(2048);
    const Outcome outcome = run.host.run("again", out, kNativeNumber, 1, 32);
    return first_wrong({done(run, outcome), equal("errors", run.host.value(out, 1024), 0),
                        compared(run.host.values(out, 160), Words(160, 32)), launched(run, 160, 0)});
  });
}

// Table entries are selected by thread. The first groups keep them until they end; all others stay in memory and are
// read there.
TEST(LaunchGroups, AThreadHasOneEntryOfTheTable) {
  GroupTimed timed("kepler_ideal", {"blocks.dtbl.enable=1"}, again(5, 32, "15000"));
  const std::uint64_t out = timed.host.words(2048);
  ASSERT_EQ(timed.host.run("again", out, kNativeNumber, 1, 32), Outcome::kDone) << timed.host.said();
  EXPECT_EQ(timed.host.values(out, 160), Words(160, 32));
  EXPECT_EQ(timed.block("commands"), 5U);
  EXPECT_EQ(timed.block("agt_hits"), 32U);
  EXPECT_EQ(timed.block("agt_misses"), 128U);
  EXPECT_EQ(timed.block("offchip_loads"), 128U);
}

// The table has one entry. The test fails if its holder is not the first group, or if a second group gets it, too.
TEST(LaunchGroups, ATableOfOneEntryHoldsOneGroup) {
  GroupTimed timed("kepler_ideal", {"blocks.dtbl.enable=1", "blocks.dtbl.agt_size=1"}, again(1, 64, "15000"));
  const std::uint64_t out = timed.host.words(2048);
  ASSERT_EQ(timed.host.run("again", out, kNativeNumber, 1, 64), Outcome::kDone) << timed.host.said();
  EXPECT_EQ(timed.host.values(out, 64), Words(64, 64));
  EXPECT_EQ(timed.block("commands"), 2U);
  EXPECT_EQ(timed.block("agt_hits"), 1U);
  EXPECT_EQ(timed.block("agt_misses"), 63U);
  EXPECT_EQ(timed.block("offchip_loads"), 63U);
}

// Without the SM in the hash of the table index 13 SMs share one entry. With it none do.
TEST(LaunchGroups, ThePlaceInTheTableKnowsTheSmIfAsked) {
  const std::string text = kernel(
      "spread", native_or_work() + go_unless_equal("%r1", "0", "WAIT") + arguments("%rd4", "%rd0", "%r2") +
                    launch_group("%r4", "spread", "%rd4", flat("1", "32")) + "WAIT:\n" + spend("3000", "L") +
                    "bra END;\nWORK:\n" + spend("15000", "M") + word("%rd1", "%r0") + add("%rd1", "1") + "END:\n");
  for (const char* mode : {"0", "1"}) {
    const std::string result = in_process([&] {
      GroupTimed timed("kepler_ideal", {"blocks.dtbl.enable=1", std::string("blocks.dtbl.hash_mode=") + mode}, text);
      const std::uint64_t out = timed.host.words(64);
      if (timed.host.run("spread", out, kNativeNumber, 13, 32) != Outcome::kDone) return timed.host.said();
      return compared(timed.host.values(out, 13), Words(13, 32)) + ' ' + std::to_string(timed.block("agt_hits")) + ' ' +
             std::to_string(timed.block("agt_misses"));
    });
    EXPECT_EQ(result, *mode == '0' ? "right 1 12" : "right 13 0");
  }
}

// The test fails if a block of a group does not run, or runs twice.
TEST(LaunchGroups, EveryBlockOfEveryGroupRunsOnce) { on_all_machines(kConserved, run_conserved); }

// There are more groups than table entries. The test fails if links between records in memory and entries on the chip
// lose or duplicate groups.
TEST(LaunchGroups, EveryBlockOfEveryGroupRunsOnceWithASmallTable) {
  for (const char* size : {"1", "2", "8", "64"}) {
    for (const char* mode : {"0", "1"}) {
      const GroupMachine one = {"kepler_ideal",
                                {"blocks.dtbl.enable=1", std::string("blocks.dtbl.agt_size=") + size,
                                 std::string("blocks.dtbl.hash_mode=") + mode}};
      EXPECT_EQ(on_machine(one, kConserved, run_conserved), "right") << one.said();
    }
  }
}

// 96 groups all wait for each other. The run never ends if groups occupy entries of the kernel table, which has 32 or
// 2, or wait for the end of earlier groups.
TEST(LaunchGroups, MoreRunAtOnceThanTheKernelTableHasEntries) {
  const std::string text =
      kernel("meet", native_or_work() + arguments("%rd4", "%rd0", "%r1") +
                         launch_group("%r4", "meet", "%rd4", flat("1", "96")) + spend("3000", "L") +
                         "bra END;\nWORK:\n" + go_unless_equal("%r1", "0", "END") + add("%rd0", "1") +
                         await("%rd0", "96", "W") + add("%rd0+4", "1") + "END:\n");
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{"table.entries=32"}, {"table.entries=2"}, {"blocks.dtbl.agt_size=1"}}) {
    const GroupMachine one = {"kepler_ideal", {"blocks.dtbl.enable=1", more[0]}};
    const GroupWork work = [](const GroupRun& run) {
      const std::uint64_t out = run.host.words(64);
      const Outcome outcome = run.host.run("meet", out, kNativeNumber, 1, 96);
      return first_wrong({done(run, outcome), compared(run.host.values(out, 2), {96, 96}), launched(run, 96, 0)});
    };
    EXPECT_EQ(on_machine(one, text, work), "right") << one.said();
  }
}

}  // namespace
}  // namespace castor::gpu::launch_test::groups
