// Tests of faults in trees of launches, and of resets while such trees run.

#include "tests/unit/gpu_launch_support.h"

namespace castor::gpu::launch_test::fault {
namespace {

using Words = std::vector<std::uint32_t>;

// Runs on any device. out[0..number) are 1 afterwards.
const std::string kGood =
    kCount + kernel("good",
                    "mad.lo.u32 %r3, %r2, 32, %r1;\nmul.wide.u32 %rd6, %r3, 8; add.u64 %rd6, %rd6, %rd0;\n"
                    "add.u64 %rd6, %rd6, 8192;\n" +
                        create_stream("%r5", "%rd6") + "ld.u64 %rd3, [%rd6];\n" + arguments("%rd4", "%rd0", "%r3") +
                        launch("%r4", "count", "%rd4", {"1", "1", "0", "%rd3"}));
// Runs for %r0 x 1000 ticks in another queue.
const std::string kPass =
    kernel("pass", "mul.wide.u32 %rd20, %r0, 1000;\n" + spend("%rd20", "L") + "red.global.add.u32 [%rd0], 1;");

// Checks that the machine still works: 25 blocks of 32 lanes make 800 launches, all of which complete.
void works_again(Timed& timed) {
  const std::uint64_t out = timed.host.words(8192);
  const std::uint64_t before = timed.launches();
  ASSERT_EQ(timed.host.run("good", out, 0, 25, 32), Outcome::kDone) << timed.host.said();
  EXPECT_EQ(timed.host.values(out, 800), Words(800, 1));
  EXPECT_EQ(timed.launches(), before + 800);
  EXPECT_EQ(timed.launches(), timed.granted() + timed.dropped());
  timed.device.gpu().check_invariants();
  EXPECT_TRUE(timed.device.gpu().idle());
}

// --- Faults ---------------------------------------------------------------------------------------------------------

// The root's first child traps when the second one spins. The root spins, too. A third child waits in a stream behind
// the second. A fourth, launched by the trapping child, waits behind a grandchild that spins. out[8] counts those that
// have started.
const std::string kFamily =
    kGood + kPass +
    kernel("spin",
           "red.global.add.u32 [%rd0+32], 1;\nW:\nld.volatile.global.u32 %r4, [%rd0+64];\n"
           "setp.eq.u32 %p1, %r4, 0;\n@%p1 bra W;\nred.global.add.u32 [%rd0+36], 1;") +
    kernel("never", "red.global.add.u32 [%rd0+40], 1;") +
    kernel("trapping", arguments("%rd4", "%rd0", "0") + launch("%r4", "spin", "%rd4") + arguments("%rd4", "%rd0", "0") +
                           launch("%r4", "never", "%rd4") + "red.global.add.u32 [%rd0+32], 1;\n" +
                           "W:\nld.volatile.global.u32 %r4, [%rd0+32];\nsetp.lt.u32 %p1, %r4, 4;\n@%p1 bra W;\n" +
                           "setp.ne.u32 %p2, %r1, 0;\n@%p2 bra END;\ntrap;\nEND:\n") +
    kernel("root", "add.u64 %rd2, %rd0, 128;\n" + create_stream("%r3", "%rd2") + "ld.u64 %rd3, [%rd2];\n" +
                       arguments("%rd4", "%rd0", "0") + launch("%r4", "trapping", "%rd4", {"1", "1", "0", "%rd3"}) +
                       arguments("%rd4", "%rd0", "0") + launch("%r4", "spin", "%rd4") + arguments("%rd4", "%rd0", "0") +
                       launch("%r4", "never", "%rd4") + "mov.u32 %r9, 0;\nMORE:\n" + arguments("%rd4", "%rd0", "0") +
                       launch("%r4", "never", "%rd4") + "add.u32 %r9, %r9, 1;\nsetp.lt.u32 %p2, %r9, %r0;\n" +
                       "@%p2 bra MORE;\nred.global.add.u32 [%rd0+32], 1;\n" +
                       "W:\nld.volatile.global.u32 %r4, [%rd0+64];\nsetp.eq.u32 %p1, %r4, 0;\n@%p1 bra W;\n" +
                       "red.global.add.u32 [%rd0+36], 1;");

void family(const std::string& name, const std::vector<std::string>& overrides, unsigned pending) {
  Timed timed(machine(name, overrides), kFamily);
  const std::uint64_t pool = timed.device.store().used(AllocationKind::kPool);
  const std::uint64_t out = timed.host.words(64), other = timed.host.words(8), tree = timed.host.words(8192);
  const Ticket root = timed.host.submit("root", out, pending);
  const Ticket pass = timed.host.submit("pass", other, 1500, 1, 1, 1);
  const Ticket good = timed.host.submit("good", tree, 0, 3, 32, 2);
  ASSERT_EQ(timed.device.advance_until(root), Outcome::kFault) << timed.host.said();
  EXPECT_EQ(timed.device.fault()->kind, FaultKind::kTrap);
  EXPECT_EQ(timed.device.fault()->kernel, "trapping");
  // The whole tree ends; kernels of other queues continue.
  EXPECT_EQ(timed.device.advance_until(root), Outcome::kDone) << timed.host.said();
  EXPECT_EQ(timed.device.advance_until(pass), Outcome::kDone) << timed.host.said();
  EXPECT_EQ(timed.device.advance_until(good), Outcome::kDone) << timed.host.said();
  EXPECT_EQ(timed.host.value(other), 1U);
  EXPECT_EQ(timed.host.values(tree, 96), Words(96, 1));
  EXPECT_EQ(timed.host.value(out, 8), 4U);
  EXPECT_EQ(timed.host.value(out, 9), 0U) << "nobody that spun came to his end";
  EXPECT_EQ(timed.host.value(out, 10), 0U) << "nothing that was pending has started";
  EXPECT_EQ(timed.launches(), timed.granted() + timed.dropped());
  EXPECT_EQ(timed.dropped(), pending + 2U);
  EXPECT_TRUE(timed.device.gpu().idle());
  timed.device.reset();
  EXPECT_FALSE(timed.device.fault());
  EXPECT_EQ(timed.device.store().used(AllocationKind::kPool), pool);
  works_again(timed);
  EXPECT_EQ(timed.host.value(out, 10), 0U);
}

TEST(LaunchFaults, AFaultInAChildStopsItsTree) { family("kepler_k20c", {}, 3); }
TEST(LaunchFaults, AFaultInAChildStopsItsTreeWithoutLatencies) { family("kepler_ideal", {}, 3); }
TEST(LaunchFaults, AFaultInAChildStopsItsTreeWithALongList) { family("kepler_ideal", {}, 100); }
TEST(LaunchFaults, AFaultInAChildStopsItsTreeWithOtherOrderOfUnits) { family("kepler_ideal", {"run.shuffle=1"}, 20); }
TEST(LaunchFaults, AFaultInAChildStopsItsTreeWhileBlocksMove) {
  for (const char* const random : {"context.random=1", "context.random=2", "context.random=3"}) {
    EXPECT_EQ(in_process([&] {
                family("kepler_ideal", {random}, 20);
                return std::string(testing::Test::HasFailure() ? "failed" : "good");
              }),
              "good")
        << random;
  }
}
TEST(LaunchFaults, AFaultInAChildStopsItsTreeOnATinyMachine) { family("tiny", {}, 10); }

// One child recurses without end; the other one faults after a while. The whole tree ends.
TEST(LaunchFaults, AFaultEndsEndlessRecursion) {
  const std::string text =
      kGood +
      kernel("again", "red.global.add.u32 [%rd0], 1;\n" + arguments("%rd4", "%rd0", "0") +
                          launch("%r4", "again", "%rd4") + arguments("%rd4", "%rd0", "0") +
                          launch("%r4", "again", "%rd4")) +
      kernel("trapping", spend("60000", "L") + "trap;") +
      kernel("root", "add.u64 %rd2, %rd0, 128;\n" + create_stream("%r3", "%rd2") + "ld.u64 %rd3, [%rd2];\n" +
                         arguments("%rd4", "%rd0", "0") + launch("%r4", "trapping", "%rd4", {"1", "1", "0", "%rd3"}) +
                         arguments("%rd4", "%rd0", "0") + launch("%r4", "again", "%rd4"));
  Timed timed(machine("kepler_ideal"), text);
  const std::uint64_t out = timed.host.words(64);
  const Ticket root = timed.host.submit("root", out);
  ASSERT_EQ(timed.device.advance_until(root), Outcome::kFault) << timed.host.said();
  ASSERT_EQ(timed.device.advance_until(root), Outcome::kDone) << timed.host.said();
  EXPECT_GT(timed.dropped(), 0U);
  EXPECT_EQ(timed.launches(), timed.granted() + timed.dropped());
  timed.device.reset();
  works_again(timed);
}

// One warp makes the first call of its kernel, a launch, while another warp traps. In whatever cycle the fault is seen,
// the launch is stopped with its tree or not admitted. `take` gets the buffer before.
const std::string kRace =
    kGood + kPass + kernel("take", arguments("%rd4", "%rd0", "1") + "st.global.u64 [%rd0+64], %rd4;");
std::string race(unsigned tens, unsigned pairs) {
  const auto steps = [](unsigned number) {
    std::string adds;
    for (unsigned i = 0; i < number; ++i) adds += "mad.lo.u32 %r19, %r19, %r1, 3;\n";
    return adds;
  };
  // The delay consists of steps of ten ticks on a machine of the Kepler type, and pairs of moves of three ticks, so any
  // number of ticks can be reached.
  std::string moves, use;
  for (unsigned i = 0; i < 2 * pairs; ++i) moves += "mov.u32 %r" + std::to_string(20 + i) + ", %r1;\n";
  for (unsigned i = 0; i < 2 * pairs; ++i) use += "xor.b32 %r19, %r19, %r" + std::to_string(20 + i) + ";\n";
  return kernel("race",
                "ld.global.u64 %rd4, [%rd0+64];\nsetp.eq.u64 %p1, %rd4, 0;\n@%p1 bra END;\n"
                "bar.sync 0;\nsetp.ge.u32 %p2, %r1, 32;\n@%p2 bra TRAP;\n" +
                    steps(12) + launch("%r4", "count", "%rd4") + "W:\nld.volatile.global.u32 %r5, [%rd0+128];\n" +
                    "setp.eq.u32 %p3, %r5, 0;\n@%p3 bra W;\nbra END;\nTRAP:\nsetp.ne.u32 %p9, %r1, 9999;\n" +
                    steps(tens) + moves + "@%p9 trap;\n" + use + "st.global.u32 [%rd0+256], %r19;\nEND:\n") +
         kCount;
}

// Delays around the one at which a fault and the first call of its kernel fall into the same cycle.
constexpr unsigned kFirstDelay = 160, kDelays = 40;

// Returns the number of delays at which the child ran, and all statistics.
std::string races(const std::vector<std::string>& overrides) {
  return in_process([&] {
    std::vector<std::string> all = overrides;
    all.push_back("icache.ideal=1");
    Timed timed(machine("kepler_ideal", all), kRace);
    std::string ran;
    unsigned admitted = 0;
    for (unsigned delay = kFirstDelay; delay < kFirstDelay + kDelays; ++delay) {
      const std::uint64_t out = timed.host.words(128);
      if (timed.host.run("take", out) != Outcome::kDone) return timed.host.said();
      // The racing kernel has a module of its own, so it names its own child.
      Host racing(timed.device, race(delay / 10, delay % 10));
      const std::uint64_t before = timed.launches();
      const Ticket ticket = racing.submit("race", out, 0, 1, 64);
      if (timed.device.advance_until(ticket) != Outcome::kFault) return std::string("no fault");
      const std::uint64_t other = timed.host.words(2);
      if (timed.device.advance_until(timed.host.submit("pass", other, 20, 1, 1, 1)) != Outcome::kDone)
        return timed.host.said();
      if (!timed.device.complete(ticket)) return "delay " + std::to_string(delay) + " does not end";
      if (racing.value(out, 1) != 0) ran += std::to_string(delay) + ' ';
      admitted += timed.launches() != before ? 1 : 0;
      if (timed.launches() != timed.granted() + timed.dropped()) return std::string("launches are lost");
      timed.device.reset();
    }
    if (admitted == 0 || admitted == kDelays) return "no race: " + std::to_string(admitted) + " admitted";
    return "ran: " + ran + "hash " + std::to_string(timed.device.gpu().statistics().hash());
  });
}

TEST(LaunchFaults, AFaultInTheCycleOfTheFirstCallStopsWhatItLaunches) {
  EXPECT_THAT(races({}), testing::StartsWith("ran: hash"));
}
TEST(LaunchFaults, OrderOfUnitsDoesNotDecideTheRace) {
  const std::string first = races({});
  EXPECT_EQ(races({"run.shuffle=1", "run.seed=1"}), first);
  EXPECT_EQ(races({"run.sleep=0"}), first);
}

// --- Resets ---------------------------------------------------------------------------------------------------------

const std::string kMany =
    kGood + kernel("slow", spend("20000", "L") + word("%rd5", "%r0") + "red.global.add.u32 [%rd5], 1;") +
    kernel("many",
           "mad.lo.u32 %r3, %r2, 50, %r1;\nmul.wide.u32 %rd6, %r3, 8; add.u64 %rd6, %rd6, %rd0;\n"
           "add.u64 %rd6, %rd6, 8192;\n" +
               create_stream("%r5", "%rd6") + "ld.u64 %rd3, [%rd6];\n" + arguments("%rd4", "%rd0", "%r3") +
               launch("%r4", "slow", "%rd4", {"1", "1", "0", "%rd3"}));

void reset_after(const std::string& name, Cycle cycles, const std::vector<std::string>& overrides = {}) {
  const std::string result = in_process([&] {
    Timed timed(machine(name, overrides), kMany);
    const std::uint64_t pool = timed.device.store().used(AllocationKind::kPool);
    const std::uint64_t out = timed.host.words(8192);
    for (int round = 0; round < 2; ++round) {
      const Ticket ticket = timed.host.submit("many", out, 0, 20, 50);
      if (timed.device.advance_to(timed.device.now() + timed.device.gpu().clock().time_of(cycles)) != Outcome::kDone)
        return std::string("not in the middle");
      timed.device.reset();
      if (!timed.device.complete(ticket)) return std::string("the ticket is open");
      if (!timed.device.gpu().idle()) return std::string("something goes on");
      if (timed.launches() != timed.granted() + timed.dropped()) return std::string("launches are lost");
      if (timed.device.store().used(AllocationKind::kPool) != pool) return std::string("buffers are left");
    }
    const Words before = timed.host.values(out, 1000);
    works_again(timed);
    if (timed.host.values(out, 1000) != before) return std::string("something has started after the reset");
    if (testing::Test::HasFailure()) return std::string("does not work again");
    return std::string("right");
  });
  EXPECT_EQ(result, "right") << name << " after " << cycles;
}

TEST(LaunchFaults, ResetInTheMiddleOf1000Launches) {
  for (Cycle cycles = 300; cycles < 60000; cycles = cycles * 5 / 4 + 1) reset_after("kepler_ideal", cycles);
}
TEST(LaunchFaults, ResetWhileLanesCountDown) {
  for (Cycle cycles = 8000; cycles < 100000; cycles += 6131) reset_after("kepler_k20c", cycles);
}
TEST(LaunchFaults, ResetWithASerialDispatcherAndOtherOrder) {
  for (Cycle cycles = 500; cycles < 30000; cycles += 3001) {
    reset_after("kepler_ideal", cycles, {"parse.latency=283", "parse.interval=283", "run.shuffle=1"});
  }
}

TEST(LaunchFaults, ResetEndsEndlessRecursion) {
  const std::string text = kGood + kernel("again", "red.global.add.u32 [%rd0], 1;\n" + arguments("%rd4", "%rd0", "0") +
                                                       launch("%r4", "again", "%rd4"));
  for (Cycle cycles = 2000; cycles < 2400; cycles += 13) {
    const std::string result = in_process([&] {
      Timed timed(machine("kepler_ideal"), text);
      const std::uint64_t out = timed.host.words(64);
      static_cast<void>(timed.host.submit("again", out));
      if (timed.device.advance_to(timed.device.gpu().clock().time_of(cycles)) != Outcome::kDone)
        return timed.host.said();
      timed.device.reset();
      const std::uint32_t before = timed.host.value(out);
      works_again(timed);
      if (timed.host.value(out) != before || testing::Test::HasFailure()) return std::string("goes on");
      return std::string("right");
    });
    EXPECT_EQ(result, "right") << cycles;
  }
}

}  // namespace
}  // namespace castor::gpu::launch_test::fault
