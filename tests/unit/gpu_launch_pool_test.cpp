// Tests of launches by device code that wait for the kernel table: the window, the list in memory behind it, and their
// order.

#include "tests/unit/gpu_launch_support.h"

namespace castor::gpu::launch_test::pool {
namespace {

// One thread launches `number` times into its default stream, whose first child runs for a long time, and then once
// into a new stream. out[0] counts launches of the default stream, out[1] the other one.
const std::string kBlocked =
    kernel("slow", spend("400000", "L") + "red.global.add.u32 [%rd0], 1;") +
    kernel("short", "red.global.add.u32 [%rd0], 1;") + kernel("free", "red.global.add.u32 [%rd0+4], 1;") +
    kernel("parent", "add.u64 %rd2, %rd0, 64;\n" + create_stream("%r3", "%rd2") + "ld.u64 %rd3, [%rd2];\n" +
                         arguments("%rd4", "%rd0", "%r0") + launch("%r4", "slow", "%rd4") +
                         "mov.u32 %r5, 0;\nAGAIN:\n" + arguments("%rd4", "%rd0", "%r0") +
                         launch("%r4", "short", "%rd4") +
                         "add.u32 %r5, %r5, 1;\nsetp.lt.u32 %p1, %r5, %r0;\n@%p1 bra AGAIN;\n" +
                         arguments("%rd4", "%rd0", "%r0") + launch("%r4", "free", "%rd4", {"1", "1", "0", "%rd3"}));

struct Ends {
  Cycle slow = 0, first_short = 0, free = 0;
};

Ends run_blocked(unsigned blocked, const std::vector<std::string>& overrides = {}) {
  Timed timed(machine("kepler_ideal", overrides), kBlocked);
  const std::uint64_t out = timed.host.words(64);
  EXPECT_EQ(timed.host.run("parent", out, blocked), Outcome::kDone) << timed.host.said();
  EXPECT_EQ(timed.host.values(out, 2), (std::vector<std::uint32_t>{blocked + 1, 1}));
  EXPECT_EQ(timed.launches(), blocked + 2);
  EXPECT_EQ(timed.granted(), blocked + 2);
  return {timed.events.of("slow").at(0).completed, timed.events.of("short").at(0).granted,
          timed.events.of("free").at(0).granted};
}

// Launches that wait for other launches are queued behind those and not in the pool. Their number and the size of the
// window do not matter.
class Blocked : public testing::TestWithParam<std::pair<unsigned, const char*>> {};

TEST_P(Blocked, KeepNoFreeLaunchWaiting) {
  const Ends ends = run_blocked(GetParam().first, {GetParam().second});
  EXPECT_LT(ends.free, ends.slow);
  EXPECT_GT(ends.first_short, ends.slow);
}

INSTANTIATE_TEST_SUITE_P(Launches, Blocked,
                         testing::Values(std::pair(1U, "pool.window=1"), std::pair(7U, "pool.window=8"),
                                         std::pair(8U, "pool.window=8"), std::pair(9U, "pool.window=8"),
                                         std::pair(40U, "pool.window=8")));

// Children occupy the whole table. 40 more of one block follow; the window holds some of them, memory the rest.
TEST(LaunchPool, LaunchesInMemoryAreTakenInTheOrderOfTheirArrival) {
  const std::string text =
      kernel("hold", spend("300000", "L")) + kernel("count", "red.global.add.u32 [%rd0], 1;") +
      kernel("parent", "add.u64 %rd2, %rd0, 64;\nmov.u32 %r5, 0;\nAGAIN:\n" + create_stream("%r3", "%rd2") +
                           "ld.u64 %rd3, [%rd2];\n" + arguments("%rd4", "%rd0", "%r5") +
                           "setp.ge.u32 %p1, %r5, 2;\n@%p1 bra OTHER;\n" +
                           launch("%r4", "hold", "%rd4", {"1", "1", "0", "%rd3"}) + "bra NEXT;\nOTHER:\n" +
                           launch("%r4", "count", "%rd4", {"1", "1", "0", "%rd3"}) +
                           "NEXT:\nadd.u32 %r5, %r5, 1;\nsetp.lt.u32 %p1, %r5, %r0;\n@%p1 bra AGAIN;\n" +
                           "mov.u32 %r6, 1;\nst.u32 [%rd0+128], %r6;");
  Timed timed(machine("kepler_ideal", {"table.entries=3"}), text);
  const std::uint64_t out = timed.host.words(64);
  // The table has three entries: the parent, and two kernels that hold theirs. The parent ends before they do, so one
  // entry is left for the rest.
  ASSERT_EQ(timed.host.run("parent", out, 202), Outcome::kDone) << timed.host.said();
  EXPECT_EQ(timed.host.value(out), 200U);
  const auto children = timed.events.of("count");
  ASSERT_EQ(children.size(), 200U);
  for (std::size_t i = 1; i < children.size(); ++i) {
    EXPECT_LT(children[i - 1].ticket, children[i].ticket) << "one warp's pointers leave in order";
    EXPECT_LT(children[i - 1].granted, children[i].granted);
  }
  EXPECT_EQ(timed.launches(), 202U);
  EXPECT_EQ(timed.granted(), 202U);
}

// Lets each of 1000 threads launch once.
void burst(const std::string& name, const std::vector<std::string>& overrides) {
  Timed timed(machine(name, overrides), kBurst);
  const std::uint64_t out = timed.host.words(8192);
  ASSERT_EQ(timed.host.run("parent", out, 0, 20, 50), Outcome::kDone) << timed.host.said();
  const std::vector<std::uint32_t> ones(1000, 1), zeros(1000, 0);
  EXPECT_EQ(timed.host.values(out, 1000), ones);
  EXPECT_EQ(timed.host.values(out + 8192, 1000), zeros);
  EXPECT_EQ(timed.launches(), 1000U);
  EXPECT_EQ(timed.granted(), 1000U);
  EXPECT_EQ(timed.dropped(), 0U);
  const auto children = timed.events.of("count");
  ASSERT_EQ(children.size(), 1000U);
  for (const Events::Of& child : children) {
    EXPECT_EQ(child.tbs, 1U);
    EXPECT_EQ(child.started, 1U);
    EXPECT_EQ(child.retired, 1U);
  }
}

TEST(LaunchPool, ABurstOf1000IsRunOnce) { burst("kepler_ideal", {}); }
TEST(LaunchPool, ABurstOf1000IsRunOnceByASerialDispatcher) {
  burst("kepler_ideal", {"parse.latency=283", "parse.interval=283"});
}
TEST(LaunchPool, ABurstOf1000IsRunOnceByATableOfOneEntryBesideTheParent) { burst("kepler_ideal", {"table.entries=2"}); }
TEST(LaunchPool, ABurstOf1000IsRunOnceWithTheTimesOfAK20c) { burst("kepler_k20c", {}); }
TEST(LaunchPool, ABurstOf1000IsRunOnceWithAWindowOfOne) { burst("kepler_ideal", {"pool.window=1"}); }
TEST(LaunchPool, ABurstOf1000IsRunOnceOnATinyMachine) { burst("tiny", {"parse.latency=0"}); }

TEST(LaunchPool, PendingIsAdmittedAndNotGranted) {
  Timed timed(machine("kepler_ideal"), kBurst);
  const std::uint64_t out = timed.host.words(8192);
  ASSERT_EQ(timed.host.run("parent", out, 0, 20, 50), Outcome::kDone) << timed.host.said();
  const std::uint64_t peak = timed.statistic("front_end.device_launches.pending_peak");
  EXPECT_GT(peak, 32U);
  EXPECT_LE(peak, 1000U);
}

TEST(LaunchPool, ASerialDispatcherGrantsOneIn283CyclesAndAQueueHasItsTurn) {
  Timed timed(machine("kepler_ideal", {"parse.latency=283", "parse.interval=283"}), kBurst);
  const std::uint64_t out = timed.host.words(8192);
  const Ticket parent = timed.host.submit("parent", out, 0, 20, 50);
  ASSERT_EQ(timed.device.advance_to(timed.device.gpu().clock().time_of(60000)), Outcome::kDone);
  ASSERT_FALSE(timed.device.complete(parent));
  const Cycle submitted = timed.device.gpu().now();
  const Ticket host = timed.host.submit("count", out + 8192, 0, 1, 1, 5);
  ASSERT_EQ(timed.device.advance_until(parent), Outcome::kDone) << timed.host.said();
  const Events::Of beside = timed.events.kernels.at(host);
  // All sources share one round robin, so a host kernel waits for at most one launch of the pool.
  EXPECT_LE(beside.granted, submitted + 2 * 283 + 2);
  std::vector<Cycle> grants;
  for (const Ticket ticket : timed.events.order) grants.push_back(timed.events.kernels.at(ticket).granted);
  ASSERT_EQ(grants.size(), 1002U);
  for (std::size_t i = 1; i < grants.size(); ++i) EXPECT_GE(grants[i], grants[i - 1] + 283) << i;
  // 1000 launches run one after the other; the pool is never empty in between.
  EXPECT_EQ(grants[900], grants[100] + 800 * 283);
}

TEST(LaunchPool, ADispatcherThatOverlapsKeepsALaneForEachEntry) {
  // 31 or 32 lanes work at once: 283 / 32 = 8.8 cycles per launch at best.
  Timed timed(machine("kepler_ideal", {"parse.latency=283"}), kBurst);
  const std::uint64_t out = timed.host.words(8192);
  ASSERT_EQ(timed.host.run("parent", out, 0, 20, 50), Outcome::kDone) << timed.host.said();
  std::vector<Cycle> written;
  for (const Events::Of& child : timed.events.of("count")) {
    EXPECT_GE(child.written, child.granted + 283);
    written.push_back(child.written);
  }
  std::sort(written.begin(), written.end());
  EXPECT_EQ(std::adjacent_find(written.begin(), written.end()), written.end()) << "one entry is written per cycle";
  EXPECT_GE(written[900] - written[100], 800U * 283 / 32);
}

// Lets every lane of every warp of a block launch into the block's default stream. Pointers of the warps arrive
// interleaved: the first of warp 0, the first of warp 1, ..., then the second of warp 0. A launch is runnable if every
// launch of its stream that *arrived* earlier is closed, so there is always one. A launch may not wait for one whose
// pointer arrives later: with more than eight warps such launches would fill the window for ever.
void mixed_warps(const std::string& name, unsigned warps) {
  const std::string text = kCount + kernel("parent", arguments("%rd4", "%rd0", "%r1") + launch("%r4", "count", "%rd4") +
                                                         word("%rd5", "%r1") + "st.u32 [%rd5+4096], %r4;");
  Timed timed(machine(name), text);
  const std::uint64_t out = timed.host.words(4096);
  ASSERT_EQ(timed.host.run("parent", out, 0, 1, 32 * warps), Outcome::kDone) << timed.host.said();
  EXPECT_EQ(timed.host.values(out, std::size_t{32} * warps), std::vector<std::uint32_t>(std::size_t{32} * warps, 1));
  EXPECT_EQ(timed.granted(), 32U * warps);
}

TEST(LaunchPool, EightWarpsOfABlockLaunchIntoItsDefaultStream) { mixed_warps("kepler_k20c", 8); }
TEST(LaunchPool, NineWarpsOfABlockLaunchIntoItsDefaultStream) { mixed_warps("kepler_k20c", 9); }
TEST(LaunchPool, AllWarpsOfABlockLaunchIntoItsDefaultStream) { mixed_warps("kepler_k20c", 32); }
TEST(LaunchPool, AllWarpsOfABlockLaunchIntoItsDefaultStreamWithoutLatencies) { mixed_warps("kepler_ideal", 32); }

// Warp 0 launches with all lanes, then ten others with one each, into the block's default stream.
TEST(LaunchPool, AWarpOfManyLaunchesAndOthersOfOneShareAStream) {
  const std::string text =
      kCount + kernel("parent", "setp.lt.u32 %p1, %r1, 32;\nand.b32 %r5, %r1, 31;\nsetp.eq.u32 %p2, %r5, 0;\n" +
                                    std::string("or.pred %p3, %p1, %p2;\n@!%p3 bra END;\n") +
                                    arguments("%rd4", "%rd0", "%r1") + "@%p1 bra CALL;\n" + spend("4900", "L") +
                                    "CALL:\n" + launch("%r4", "count", "%rd4") + "END:\n");
  Timed timed(machine("kepler_k20c"), text);
  const std::uint64_t out = timed.host.words(4096);
  ASSERT_EQ(timed.host.run("parent", out, 0, 1, 11 * 32), Outcome::kDone) << timed.host.said();
  EXPECT_EQ(timed.granted(), 42U);
  for (unsigned i = 0; i < 11 * 32; ++i) EXPECT_EQ(timed.host.value(out, i), i < 32 || i % 32 == 0 ? 1U : 0U) << i;
}

// Lets lanes launch children into the block's default stream, each of which launches one kernel itself. A stream
// resumes when the tree of its launch is closed, and the tree's own launches arrive after the rest of the stream. The
// launches of the first child must overtake the launches that wait for it, or the run never ends. Each launched child
// must complete.
void trees_in_a_stream(const std::string& name, unsigned lanes) {
  const std::string text = kCount +
                           kernel("middle", arguments("%rd4", "%rd0", "%r0") + launch("%r4", "count", "%rd4")) +
                           kernel("parent", arguments("%rd4", "%rd0", "%r1") + launch("%r4", "middle", "%rd4"));
  Timed timed(machine(name), text);
  const std::uint64_t out = timed.host.words(64);
  ASSERT_EQ(timed.host.run("parent", out, 0, 1, lanes), Outcome::kDone) << timed.host.said();
  EXPECT_EQ(timed.host.values(out, lanes), std::vector<std::uint32_t>(lanes, 1));
  EXPECT_EQ(timed.granted(), 2 * lanes);
}
TEST(LaunchPool, EightLaunchesOfAStreamHaveChildren) { trees_in_a_stream("kepler_k20c", 8); }
TEST(LaunchPool, LaunchesOfAStreamHaveChildren) { trees_in_a_stream("kepler_k20c", 32); }
TEST(LaunchPool, LaunchesOfAStreamHaveChildrenWithoutLatencies) { trees_in_a_stream("kepler_ideal", 32); }

}  // namespace
}  // namespace castor::gpu::launch_test::pool
