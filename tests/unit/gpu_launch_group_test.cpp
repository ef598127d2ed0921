// Groups of thread blocks that device code launches (cudaLaunchAggGroup): the same results on both machines, with and
// without the block that attaches groups to kernels. In each case the first lines say what would be wrong.

#include "castor/base/error.h"
#include "tests/unit/gpu_launch_group_support.h"

namespace castor::gpu::launch_test::groups {
namespace {

using Words = std::vector<std::uint32_t>;

// Number of a launch of the host; groups have others.
const std::string kNative = "0xffff";
constexpr std::uint32_t kNativeNumber = 0xffff;
// The kernel's own launch goes on, groups go to WORK.
std::string native_or_work() { return go_unless_equal("%r0", kNative, "WORK"); }

// With the block, `hits` groups found a kernel and `misses` did not; without it all became kernels.
std::string launched(const GroupRun& run, std::uint64_t hits, std::uint64_t misses) {
  if (run.timed == nullptr) return "right";
  GroupTimed& timed = *run.timed;
  if (!run.block) {
    return first_wrong(
        {equal("groups", timed.groups(), hits + misses), equal("fallbacks", timed.fallbacks(), hits + misses)});
  }
  return first_wrong({equal("groups", timed.groups(), hits + misses), equal("fallbacks", timed.fallbacks(), misses),
                      equal("the block's groups", timed.block("groups"), hits + misses),
                      equal("kde_hits", timed.block("kde_hits"), hits),
                      equal("kde_misses", timed.block("kde_misses"), misses),
                      equal("agt_hits + agt_misses", timed.block("agt_hits") + timed.block("agt_misses"), hits)});
}
std::string done(const GroupRun& run, Outcome outcome) {
  return outcome == Outcome::kDone ? "right" : "not done: " + run.host.said();
}

// --- Attaching ------------------------------------------------------------------------------------------------------

// A binary tree of groups of one kernel: node n launches 2n and 2n + 1. out[n] counts threads, out[1024] errors.
const std::string kTree =
    kernel("tree", word("%rd1", "%r0") + add("%rd1", "1") + "setp.ge.u32 %p1, %r0, 128;\n@%p1 bra END;\n" +
                       "setp.ge.u32 %p1, %r1, 2;\n@%p1 bra WAIT;\nmad.lo.u32 %r3, %r0, 2, %r1;\n" +
                       arguments("%rd4", "%rd0", "%r3") + launch_group("%r4", "tree", "%rd4", flat("1", "32")) +
                       add("%rd0+4096", "%r4") + "WAIT:\n" + spend("300", "L") + "END:\n");

// A group is lost or runs twice; a group of the kernel that launches does not find it.
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

// A governor sees no TB that waits between the launch of a group and the placement of its block, or sees one
// afterwards; waves leave groups out.
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

// A kernel that is resident in another queue: its own launch says at out[8000] that it is there and stays until
// out[8001], which groups count, is out[8002]. Group `number`: out[16 * number + block] counts threads.
const std::string kService =
    kernel("service", native_or_work() + put("%rd0+32000", "1") + "ld.volatile.global.u32 %r6, [%rd0+32008];\n" +
                          await("%rd0+32004", "%r6", "W") + "bra END;\nWORK:\nmad.lo.u32 %r3, %r0, 16, %r2;\n" +
                          word("%rd1", "%r3") + add("%rd1", "1") + go_unless_equal("%r1", "0", "END") +
                          add("%rd0+32004", "1") + "END:\n");
constexpr std::size_t kFlags = 8000;

// Groups go elsewhere than to the resident kernel, or to one that is not theirs.
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

// The lowest entry is not the one that gets the groups, or both get some.
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
  // The parent starts when both are there.
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

// Group `number` with dimensions that follow from it, of blocks of (8, 2, 2). Per block of it, in tables of 2048
// words: the group's dimensions, its threads' numbers added up, the block's dimensions, its grid's number.
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

// A block of a group sees dimensions or indices of the kernel that the group is attached to, or a block runs with an
// index that the group does not have.
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

// A group gets the parameters of the kernel, of another group, or both their pointers' memory.
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

// Lanes of one call launch two kernels, and blocks of two sizes: a group becomes one of the wrong kernel or size.
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

// Lane 1 wants one byte of shared memory more than the kernel, lane 2 the same number of threads in another shape.
const std::string kSizes =
    kernel("sizes", native_or_work() + "setp.ge.u32 %p1, %r1, 4;\n@%p1 bra WAIT;\nsetp.eq.u32 %p2, %r1, 2;\n" +
                        "selp.u32 %r20, 16, 32, %p2;\nselp.u32 %r21, 2, 1, %p2;\nsetp.eq.u32 %p3, %r1, 1;\n" +
                        "selp.u32 %r22, 1, 0, %p3;\n" + arguments("%rd4", "%rd0", "%r1") +
                        launch_group("%r4", "sizes", "%rd4", {{"2", "1", "1"}, {"%r20", "%r21", "1"}, "%r22"}) +
                        add("%rd0+64", "%r4") + "WAIT:\n" + spend("3000", "L") + "bra END;\nWORK:\n" +
                        word("%rd1", "%r0") + "mov.u32 %r5, %ntid.y;\n" + add("%rd1", "%r5") + "END:\n");

// The key leaves out the shape of the block or its shared bytes: two groups too many are attached.
TEST(LaunchGroups, WithOtherBlocksOrSharedBytesBecomeKernels) {
  on_all_machines(kSizes, [](const GroupRun& run) {
    const std::uint64_t out = run.host.words(64);
    const Outcome outcome = run.host.run("sizes", out, kNativeNumber, 1, 32);
    return first_wrong({done(run, outcome), equal("errors", run.host.value(out, 16), 0),
                        compared(run.host.values(out, 4), {64, 64, 128, 64}), launched(run, 2, 2)});
  });
}

// --- The table of groups --------------------------------------------------------------------------------------------

// Each thread launches `times` groups that take `ticks`: out[number] counts threads.
std::string again(unsigned times, unsigned threads, const std::string& ticks) {
  const std::string of = std::to_string(threads);
  return kernel("again", native_or_work() + "mov.u32 %r5, 0;\nMORE:\nmad.lo.u32 %r3, %r5, " + of + ", %r1;\n" +
                             arguments("%rd4", "%rd0", "%r3") + launch_group("%r4", "again", "%rd4", flat("1", of)) +
                             add("%rd0+4096", "%r4") + "add.u32 %r5, %r5, 1;\nsetp.lt.u32 %p1, %r5, " +
                             std::to_string(times) + ";\n@%p1 bra MORE;\n" + spend("3000", "L") + "bra END;\nWORK:\n" +
                             spend(ticks, "M") + word("%rd1", "%r0") + add("%rd1", "1") + "END:\n");
}

// A thread that launches again loses its first group, or takes its place in the table.
TEST(LaunchGroups, ThreadsThatLaunchSeveralTimes) {
  on_all_machines(again(5, 32, "1000"), [](const GroupRun& run) {
    const std::uint64_t out = run.host.words(2048);
    const Outcome outcome = run.host.run("again", out, kNativeNumber, 1, 32);
    return first_wrong({done(run, outcome), equal("errors", run.host.value(out, 1024), 0),
                        compared(run.host.values(out, 160), Words(160, 32)), launched(run, 160, 0)});
  });
}

// Entries by thread: the first groups have them until they have ended, all others stay in memory and are read there.
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

// A table of one entry: who holds it is not the first, or a second group gets it too.
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

// Without the SM in the place 13 SMs share an entry, with it none does.
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

// 384 groups of 1 to 5 blocks by 192 threads twice, and one more of each eighth: out[8 * number + block] counts
// threads, whatever table and room there are.
constexpr std::uint32_t kMany = 384;
const std::string kConserved = kernel(
    "many",
    "mul.lo.u32 %r9, %r0, 7;\nmov.u32 %r8, " + std::to_string(kMany) + ";\n" + native_or_work() +
        "mad.lo.u32 %r5, %r2, 64, %r1;\nmul.lo.u32 %r5, %r5, 2;\nmov.u32 %r7, 0;\nMORE:\nadd.u32 %r6, %r5, %r7;\n" +
        "mul.lo.u32 %r10, %r6, 7;\nrem.u32 %r10, %r10, 5;\nadd.u32 %r10, %r10, 1;\n" +
        arguments("%rd4", "%rd0", "%r6") + launch_group("%r4", "many", "%rd4", flat("%r10", "64")) +
        add("%rd0+28000", "%r4") + "add.u32 %r7, %r7, 1;\nsetp.lt.u32 %p1, %r7, 2;\n@%p1 bra MORE;\nbra END;\nWORK:\n" +
        "mad.lo.u32 %r3, %r0, 8, %r2;\n" + word("%rd1", "%r3") + add("%rd1", "1") + go_unless_equal("%r1", "0", "END") +
        go_unless_equal("%r2", "0", "END") + "setp.ge.u32 %p1, %r0, %r8;\n@%p1 bra END;\nand.b32 %r5, %r0, 7;\n" +
        go_unless_equal("%r5", "0", "END") + "add.u32 %r6, %r0, %r8;\nmul.lo.u32 %r10, %r6, 7;\n" +
        "rem.u32 %r10, %r10, 5;\nadd.u32 %r10, %r10, 1;\n" + arguments("%rd4", "%rd0", "%r6") +
        launch_group("%r4", "many", "%rd4", flat("%r10", "64")) + add("%rd0+28000", "%r4") + "END:\n");
Words conserved() {
  Words expected(std::size_t{16} * kMany, 0);
  for (std::uint32_t n = 0; n < 2 * kMany; ++n) {
    if (n >= kMany && n % 8 != 0) continue;
    for (std::size_t b = 0; b < 1 + n * 7 % 5; ++b) expected[8 * n + b] = 64;
  }
  return expected;
}
std::string run_conserved(const GroupRun& run) {
  const std::uint64_t out = run.host.words(8192);
  const Outcome outcome = run.host.run("many", out, kNativeNumber, 3, 64);
  std::string number = "right";
  if (run.timed != nullptr) number = equal("groups", run.timed->groups(), kMany + kMany / 8);
  if (run.block) {
    GroupTimed& timed = *run.timed;
    number = first_wrong(
        {number, equal("hits + misses", timed.block("kde_hits") + timed.block("kde_misses"), kMany + kMany / 8),
         equal("fallbacks", timed.fallbacks(), timed.block("kde_misses")),
         equal("loads of records", timed.block("offchip_loads"), timed.block("agt_misses"))});
  }
  return first_wrong({done(run, outcome), equal("errors", run.host.value(out, 7000), 0),
                      compared(run.host.values(out, std::size_t{16} * kMany), conserved()), number});
}

// A block of a group does not run, or runs twice.
TEST(LaunchGroups, EveryBlockOfEveryGroupRunsOnce) { on_all_machines(kConserved, run_conserved); }

// More groups than entries: links between records in memory and entries on the chip lose or double groups.
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

// 96 groups that all wait for each other: groups take entries of the kernel table, of which there are 32 or 2, or wait
// for the end of those before them.
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

// --- Time of life ---------------------------------------------------------------------------------------------------

// Each block launches the next, lane 0 by itself: out[number] counts threads.
const std::string kChain =
    kernel("chain", word("%rd1", "%r0") + add("%rd1", "1") + go_if_equal("%r0", "0", "END") +
                        go_unless_equal("%r1", "0", "WAIT") + "sub.u32 %r3, %r0, 1;\n" +
                        arguments("%rd4", "%rd0", "%r3") + launch_group("%r4", "chain", "%rd4", flat("1", "32")) +
                        add("%rd0+4096", "%r4") + "WAIT:\n" + spend("300", "L") + "END:\n");

// A kernel is released though groups of it run: a later group finds none. Levels above 15 are not kept at 15.
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

// Nesting beyond what a level can say, of groups below groups that became kernels: every other one has another block.
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

// The kernel's own blocks wait for groups that came later.
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
  // One warp's entries are in the order of its lanes; blocks of a group follow each other.
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

// What waits for the launch of the host goes on though its groups run: the next kernel of its queue, an event.
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

// The kernel to which groups of another queue's launch are attached is complete before they are.
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

// The launch of the host is complete though a group of its tree, in another queue's kernel, runs.
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

// The last block of a kernel ends around the cycles in which a group looks for it, finds it and is attached. A kernel
// is released between match and attachment, and the group is lost, joins nothing or another kernel. Both kernels' times
// vary from try to try; which tries find the kernel is the machine's.
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
      // Another kernel is there as well, so that an entry that is given away is given to someone.
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

// A block on every SM has an old copy of out[0] in its L1. The first one stores 1, 2, ... there and launches a group
// each time, which must read what was stored.
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

// A barrier orders the stores of other warps before the call: the group starts before they have arrived.
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

// 64 threads ask for buffers of 16 MiB each before anyone launches: who gets none works himself. Groups that have ended
// keep their buffers, or a null pointer is launched.
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

// --- Errors, limits, order ------------------------------------------------------------------------------------------

// A check is left out or comes in another order; a launch that fails uses its buffer up.
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
  expect(1, launch("%r4", "count", "%rd4") + keep());                    // nor as a kernel
  expect(1, group("count", "0", one));                                   // null
  expect(1, group("count", "%rd0", one));                                // no buffer
  expect(1, "add.u64 %rd6, %rd5, 8;\n" + group("count", "%rd6", one));   // inside of one
  expect(1, "sub.u64 %rd6, %rd5, 64;\n" + group("count", "%rd6", one));  // in front of one
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
  expect(0, group("count", "%rd5", one));  // nothing of it was lost
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

// Odd lanes fail: a lane that fails launches something, spoils its buffer or those of its neighbours.
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

// The error of a group's launch is not that of the thread.
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

// Groups count against the limit of pending launches: they get 69. Kernels beside them do.
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

// A group waits for what its thread launched before, or what is launched behind it waits for it: nothing would end.
// The first group, and the kernel behind it, wait for what comes last.
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

// cudaDeviceSynchronize beside groups: out[0] counts the child's end, out[1] those of groups; [2], [3] what the parent
// found, [4] what the call gave.
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
// The kernels that a block launched beside groups are not waited for.
TEST(LaunchGroups, AWaitBesideGroupsWaitsForKernels) {
  on_all_machines(kWaits, [](const GroupRun& run) {
    const std::uint64_t out = run.host.words(64);
    const Outcome outcome = run_waiting(run, "parent", out, 0);
    return first_wrong({done(run, outcome), compared(run.host.values(out, 3), {1, 2, 1}),
                        equal("what the call gave", run.host.value(out, 4), 0)});
  });
}
// A group is an open launch of its block: the wait ends before it does.
TEST(LaunchGroups, AWaitEndsWhenTheBlocksGroupsHaveEnded) {
  on_all_machines(kWaits, [](const GroupRun& run) {
    const std::uint64_t out = run.host.words(64);
    const Outcome outcome = run_waiting(run, "parent", out, 0);
    return first_wrong({done(run, outcome), equal("blocks of groups that had ended", run.host.value(out, 3), 2)});
  });
}
// A group is not a level below its launcher where waits are counted: the third level gives 68, at once.
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

// A device that has had a fault, or was reset in the middle: everything has ended, and it works.
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
      // Groups come while blocks of the kernel that they join wait.
      {"tiny", {"blocks.dtbl.enable=1", "parse.latency=0", "launch.buffer_warp=0", "launch.buffer_lane=0"}},
      {"tiny",
       {"blocks.dtbl.enable=1", "blocks.dtbl.agt_size=1", "run.shuffle=1", "launch.buffer_warp=0",
        "launch.buffer_lane=0"}},
      {"kepler_ideal", {"blocks.dtbl.enable=1"}},
      {"kepler_k20c", {"blocks.dtbl.enable=1"}},
  };
  return all;
}
// The launches of the host are all submitted; one of them ends with a trap in `where`, all of them end.
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

// Groups that wait or run behind a block with a fault keep the machine, or another queue's kernel ends with them.
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

// The kernel that groups are to join has many slow blocks of its own, which go first. Its block 3 traps when
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

// The launcher's fault stops the kernel that its groups joined, which is another tree's, or groups of the tree that
// ended keep that kernel for ever.
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

// The launcher waits for ever for groups that went with the kernel they had joined.
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

// A stopped kernel still gets groups: whoever launches while it dies waits for ever.
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

// Groups in every state when the device is reset: being sent, attached, in the table, in memory, becoming kernels. Some
// run afterwards, or the table, the records or the queues of commands keep them.
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
      // L2 may still write back.
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

// The order in which units tick, or sleeping, decides something.
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
