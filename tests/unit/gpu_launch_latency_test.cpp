// Tests of the cost of a device runtime call and of the start of a child: the table and the timelines of a K20c.

#include "tests/unit/gpu_launch_support.h"

namespace castor::gpu::launch_test::latency {
namespace {

using isa::RuntimeCall;

// Each thread creates a stream, gets a buffer and launches. out[64 + 2 * thread] holds the handle of its stream.
const std::string kLaunching =
    kCount + kernel("parent", R"(
  mul.wide.u32 %rd2, %r1, 8; add.u64 %rd2, %rd2, %rd0; add.u64 %rd2, %rd2, 256;
)" + create_stream("%r3", "%rd2") +
                                  "ld.u64 %rd3, [%rd2];\n" + arguments("%rd4", "%rd0", "%r1") +
                                  launch("%r4", "count", "%rd4", {"1", "1", "0", "%rd3"}) + "add.u32 %r5, %r4, %r3;" +
                                  word("%rd5", "%r1") + "st.u32 [%rd5+1024], %r5;");

struct Cost {
  Tick stream = 0, buffer = 0, launch = 0;
};

Cost cost(unsigned lanes) {
  Cost cost;
  const std::string text = in_process([&] {
    Timed timed(machine("kepler_k20c"), kLaunching, true);
    const std::uint64_t out = timed.host.words(1024);
    if (timed.host.run("parent", out, 0, 1, lanes) != Outcome::kDone) return timed.host.said();
    std::string all;
    for (const RuntimeCall call : {RuntimeCall::kStreamCreate, RuntimeCall::kBuffer, RuntimeCall::kLaunch}) {
      const auto steps = timed.events.steps("parent", timed.host.loaded.calls("parent", call).at(0));
      if (steps.size() != 1) return std::string("not one issue");
      all += std::to_string(steps[0].next.tick - steps[0].call.tick) + ' ';
    }
    for (unsigned i = 0; i < lanes; ++i) {
      if (timed.host.value(out, i) != 1 || timed.host.value(out, 256 + i) != 0) return "lane " + std::to_string(i);
    }
    return all;
  });
  EXPECT_EQ(std::sscanf(text.c_str(), "%lu %lu %lu", &cost.stream, &cost.buffer, &cost.launch), 3) << text;
  return cost;
}

TEST(LaunchLatency, ACallByAnyNumberOfLanesKeepsTheWarpForExactlyItsTime) {
  for (unsigned lanes = 1; lanes <= 32; ++lanes) {
    const Cost took = cost(lanes);
    EXPECT_EQ(took.stream, 7165U) << lanes;
    EXPECT_EQ(took.buffer, 8023U + 129 * lanes) << lanes;
    EXPECT_EQ(took.launch, 12187U + 1592 * lanes) << lanes;
  }
}

TEST(LaunchLatency, TableOfTheWholeSequence) {
  // Stream, buffer, launch and 283 cycles of dispatch.
  const std::map<unsigned, Tick> table = {{1, 29379}, {2, 31100}, {4, 34542}, {8, 41426}, {16, 55194}, {32, 82730}};
  for (const auto& [lanes, total] : table) {
    const Cost took = cost(lanes);
    EXPECT_EQ(took.stream + took.buffer + took.launch + 283, total) << lanes;
  }
}

// Launch forms that first store the launch configuration in the buffer: their calls take as long as the others.
TEST(LaunchLatency, FormsThatDescribeTheLaunchFirst) {
  const std::string text = kCount + kernel("parent", R"(
  mov.u64 %rd2, count;
  { .param .b64 k; st.param.b64 [k+0], %rd2;
    .param .align 4 .b8 g[12]; st.param.b32 [g+0], 2; st.param.b32 [g+4], 1; st.param.b32 [g+8], 1;
    .param .align 4 .b8 b[12]; st.param.b32 [b+0], 3; st.param.b32 [b+4], 1; st.param.b32 [b+8], 1;
    .param .b32 s; st.param.b32 [s+0], 0; .param .b64 r;
    call.uni (r), cudaGetParameterBufferV2, (k, g, b, s); ld.param.b64 %rd3, [r+0]; }
  st.u64 [%rd3], %rd0; st.u32 [%rd3+8], %r1;
  { .param .b64 p; st.param.b64 [p+0], %rd3; .param .b64 q; st.param.b64 [q+0], 0; .param .b32 r;
    call.uni (r), cudaLaunchDeviceV2, (p, q); ld.param.b32 %r4, [r+0]; }
)" + word("%rd5", "%r1") + "st.u32 [%rd5+1024], %r4;");
  Timed timed(machine("kepler_k20c"), text, true);
  const std::uint64_t out = timed.host.words(1024);
  ASSERT_EQ(timed.host.run("parent", out, 0, 1, 7), Outcome::kDone) << timed.host.said();
  EXPECT_EQ(timed.host.values(out, 8), (std::vector<std::uint32_t>{6, 6, 6, 6, 6, 6, 6, 0}));
  EXPECT_EQ(timed.host.values(out + 1024, 7), std::vector<std::uint32_t>(7, 0));
  const std::map<RuntimeCall, Tick> expected = {{RuntimeCall::kDescribedBuffer, 8023 + 129 * 7},
                                                {RuntimeCall::kDescribedLaunch, 12187 + 1592 * 7}};
  for (const auto& [call, ticks] : expected) {
    const auto steps = timed.events.steps("parent", timed.host.loaded.calls("parent", call).at(0));
    ASSERT_EQ(steps.size(), 1U);
    EXPECT_EQ(steps[0].next.tick - steps[0].call.tick, ticks);
  }
}

// Lanes below `number` launch; the others skip the calls.
const std::string kDiverged =
    kCount + kernel("parent", "setp.ge.u32 %p1, %r1, %r0;\n@%p1 bra OTHER;\n" + arguments("%rd4", "%rd0", "%r1") +
                                  launch("%r4", "count", "%rd4") + "bra END;\nOTHER:\nadd.u32 %r6, %r1, 100;\n" +
                                  arguments("%rd4", "%rd0", "%r6") + launch("%r4", "count", "%rd4") +
                                  "END:\nadd.u32 %r7, %r1, 7;\nxor.b32 %r7, %r7, %r4;\nst.u32 [%rd0+4], %r7;");

TEST(LaunchLatency, ADivergedWarpCallsOncePerPath) {
  Timed timed(machine("kepler_k20c"), kDiverged, true);
  const std::uint64_t out = timed.host.words(256);
  ASSERT_EQ(timed.host.run("parent", out, 5, 1, 32), Outcome::kDone) << timed.host.said();
  std::vector<Tick> took;
  for (const std::uint32_t pc : timed.host.loaded.calls("parent", RuntimeCall::kLaunch)) {
    for (const Events::Step& step : timed.events.steps("parent", pc)) took.push_back(step.next.tick - step.call.tick);
  }
  EXPECT_THAT(took, testing::UnorderedElementsAre(12187U + 1592 * 5, 12187U + 1592 * 27));
  EXPECT_EQ(timed.launches(), 32U);
}

TEST(LaunchLatency, ALaneThatFailsCountsInTheTimeAndLeavesNothing) {
  // Odd lanes pass no buffer and get error 1, but the call still counts 32 lanes. Pointers count admitted lanes only.
  Timed timed(
      machine("kepler_k20c"),
      kCount + kernel("parent", arguments("%rd4", "%rd0", "%r1") + "and.b32 %r5, %r1, 1;\nsetp.ne.u32 %p1, %r5, 0;\n" +
                                    "selp.b64 %rd4, %rd0, %rd4, %p1;\n" + launch("%r4", "count", "%rd4") +
                                    word("%rd5", "%r1") + "st.u32 [%rd5+256], %r4;"),
      true);
  const std::uint64_t out = timed.host.words(256);
  ASSERT_EQ(timed.host.run("parent", out, 0, 1, 32), Outcome::kDone) << timed.host.said();
  const auto steps = timed.events.steps("parent", timed.host.loaded.calls("parent", RuntimeCall::kLaunch).at(0));
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_EQ(steps[0].next.tick - steps[0].call.tick, 63131U);
  EXPECT_EQ(timed.launches(), 16U);
  for (unsigned i = 0; i < 32; ++i) {
    EXPECT_EQ(timed.host.value(out, 64 + i), i % 2) << i;
    EXPECT_EQ(timed.host.value(out, i), 1 - i % 2) << i;
  }
  const auto children = timed.events.of("count");
  ASSERT_EQ(children.size(), 16U);
  EXPECT_EQ(children[0].granted, steps[0].call.cycle + 12187 + 1592 + 2) << "the first admitted lane";
}

// One stream per lane, so that no child waits for another.
class Timeline : public testing::TestWithParam<unsigned> {};

TEST_P(Timeline, OfEachLane) {
  const unsigned lanes = GetParam();
  Timed timed(machine("kepler_k20c"), kLaunching, true);
  const std::uint64_t out = timed.host.words(1024);
  const Ticket ticket = timed.host.submit("parent", out, 0, 1, lanes);
  ASSERT_EQ(timed.device.advance_until(ticket), Outcome::kDone) << timed.host.said();
  const auto steps = timed.events.steps("parent", timed.host.loaded.calls("parent", RuntimeCall::kLaunch).at(0));
  ASSERT_EQ(steps.size(), 1U);
  const Cycle t = steps[0].call.cycle;
  const auto children = timed.events.of("count");
  ASSERT_EQ(children.size(), lanes);
  for (unsigned k = 1; k <= lanes; ++k) {
    const Cycle leaves = t + 12187 + 1592 * k;
    const Events::Of& child = children[k - 1];
    EXPECT_EQ(child.granted, leaves + 2) << "lane " << k;
    EXPECT_EQ(child.written, leaves + 2 + 283) << "lane " << k;
    EXPECT_EQ(child.placed, leaves + 2 + 283 + 1) << "lane " << k;
  }
  EXPECT_EQ(children[0].placed, t + 14065);
  if (lanes >= 2) {
    EXPECT_EQ(children[1].written, t + 15656);
  }
  // The host's kernel reads its descriptor from cold memory, which takes longer than the 283 cycles.
  const auto parents = timed.events.of("parent");
  ASSERT_EQ(parents.size(), 1U);
  EXPECT_GE(parents[0].written, parents[0].granted + 283);
  EXPECT_EQ(parents[0].placed, parents[0].written + 1);
  EXPECT_GE(timed.completed(ticket), children.back().completed) << "the host's is complete with its tree";
}
INSTANTIATE_TEST_SUITE_P(Lanes, Timeline, testing::Values(1U, 2U, 32U));

TEST(LaunchLatency, FixedOverheadIsAddedOnceToTheFirstLaunch) {
  Timed timed(machine("kepler_k20c", {"pool.fixed_overhead=600000"}), kLaunching, true);
  const std::uint64_t out = timed.host.words(1024);
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(timed.host.run("parent", out), Outcome::kDone) << timed.host.said();
  }
  const auto steps = timed.events.steps("parent", timed.host.loaded.calls("parent", RuntimeCall::kLaunch).at(0));
  ASSERT_EQ(steps.size(), 2U);
  const auto children = timed.events.of("count");
  ASSERT_EQ(children.size(), 2U);
  EXPECT_EQ(children[0].placed, steps[0].call.cycle + 14065 + 600000);
  EXPECT_EQ(children[1].placed, steps[1].call.cycle + 14065);
}

TEST(LaunchLatency, WithoutLatenciesOnlyMessagesRemain) {
  // A pointer is sent when the write of its record is acknowledged, so only a bound is known. The call returns after
  // the reply.
  Timed timed(machine("kepler_ideal"), kLaunching, true);
  const std::uint64_t out = timed.host.words(1024);
  ASSERT_EQ(timed.host.run("parent", out, 0, 1, 32), Outcome::kDone) << timed.host.said();
  // The request is made in t + 1 and answered one cycle later. Buffers take one cycle per lane.
  const std::map<RuntimeCall, Tick> expected = {
      {RuntimeCall::kStreamCreate, 3}, {RuntimeCall::kBuffer, 34}, {RuntimeCall::kLaunch, 3}};
  for (const auto& [call, ticks] : expected) {
    const auto steps = timed.events.steps("parent", timed.host.loaded.calls("parent", call).at(0));
    ASSERT_EQ(steps.size(), 1U);
    EXPECT_EQ(steps[0].next.tick - steps[0].call.tick, ticks) << static_cast<int>(call);
  }
  for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(timed.host.value(out, i), 1U) << i;
}

TEST(LaunchLatency, ALaunchBehindAnUnsentPointerBeginsWhenThatHasLeft) {
  // Without latencies the call of a warp returns long before its pointer has been sent. The warp's next launch is
  // refused until then.
  Timed timed(machine("kepler_ideal"),
              kCount + kernel("parent", arguments("%rd4", "%rd0", "%r1") + arguments("%rd5", "%rd0", "%r1") +
                                            launch("%r4", "count", "%rd4") + launch("%r5", "count", "%rd5") +
                                            "add.u32 %r4, %r4, %r5;\nst.u32 [%rd0+4], %r4;"),
              true);
  const std::uint64_t out = timed.host.words(64);
  ASSERT_EQ(timed.host.run("parent", out), Outcome::kDone) << timed.host.said();
  EXPECT_EQ(timed.host.values(out, 2), (std::vector<std::uint32_t>{2, 0}));
  const auto calls = timed.host.loaded.calls("parent", RuntimeCall::kLaunch);
  ASSERT_EQ(calls.size(), 2U);
  const auto second = timed.events.steps("parent", calls[1]).at(0);
  const auto children = timed.events.of("count");
  ASSERT_EQ(children.size(), 2U);
  // The pointer of the first launch is granted two cycles after it was sent. The second call returns at least three
  // ticks later.
  EXPECT_GE(second.next.cycle, children[0].granted - 2 + 3);
}

}  // namespace
}  // namespace castor::gpu::launch_test::latency
