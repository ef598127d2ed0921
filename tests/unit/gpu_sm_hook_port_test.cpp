#include <functional>

#include "castor/gpu/sm/hook_port.h"
#include "common/hook_fails.h"
#include "unit/gpu_sm_core_support.h"

// Tests of the port of an SM's issue policy: the policy's inputs and their times, and the outputs that the SM uses.

namespace castor::gpu::gpu_sm_hook_port_test {
namespace {

using namespace test;

/// Policy whose outputs a test sets, and that records its inputs.
struct Policy final : IssuePolicyHook {
  Policy() { none(); }
  void none() {
    for (auto& of_one : out.pick) std::fill(std::begin(of_one), std::end(of_one), std::int8_t{-1});
  }
  void attach(const HookSite& given) override { site = given; }
  void detach() override { ++detached; }
  void reset() override { ++resets; }
  Cycle quiet() const override { return quiet_for; }
  void idle(Cycle n) override { idled += n; }
  const IssueOut& settle(const IssueIn& in) override {
    settled.push_back(in);
    return out;
  }
  void clock(const IssueIn& in) override { clocked.push_back(in); }

  HookSite site;
  IssueOut out{};
  std::vector<IssueIn> settled, clocked;
  unsigned detached = 0, resets = 0;
  Cycle quiet_for = 0, idled = 0;
};

struct Bench : Core {
  explicit Bench(unsigned picks = 1) : Core(with_picks(picks), Code().exit(), 32) {
    parts.sm = 7;
    parts.hooks.issue = &policy;
    port = std::make_unique<HookPort>(parts);
    for (auto& of_one : picks_made) of_one.fill(-1);
    begin(10);
  }
  static Machine with_picks(unsigned picks) {
    Machine machine = part_machine();
    machine.issue.warps = picks;
    return machine;
  }
  /// Runs step S0 of a cycle.
  void begin(Cycle cycle) {
    clock.begin(cycle);
    port->begin_tick();
  }
  void edge(WarpMask refused = 0) { port->clock({}, {}, 0, refused); }

  Policy policy;
  std::unique_ptr<HookPort> port;
  Picks picks_made;
};

HookPort::Offer offer(WarpMask ready) {
  HookPort::Offer result;
  result.valid = 0xff;
  result.long_wait = 0x80;
  result.ready = result.offered = ready;
  return result;
}

TbStartEvent tb_start(unsigned context, WarpMask warps) {
  TbStartEvent event;
  event.tb = static_cast<std::uint8_t>(context);
  event.warps = warps;
  return event;
}

TEST(HookPort, WithoutAHookEverythingIsBuiltIn) {
  Bench bench;
  EXPECT_TRUE(HookPort::present(bench.parts));
  bench.parts.hooks.issue = nullptr;
  EXPECT_FALSE(HookPort::present(bench.parts));
}

TEST(HookPort, AttachesResetsAndDetaches) {
  Bench bench;
  EXPECT_EQ(bench.policy.site.sm, 7U);
  EXPECT_NE(bench.policy.site.statistics, nullptr);
  EXPECT_EQ(bench.policy.resets, 1U);
  bench.port.reset();
  EXPECT_EQ(bench.policy.detached, 1U);
}

TEST(HookPort, FirstStartOnAnEmptySmIsToldATickLater) {
  Bench bench;
  bench.port->started(tb_start(2, 0x3), true);
  bench.port->settle_early();
  bench.port->choose(offer(0), bench.picks_made);
  EXPECT_TRUE(bench.policy.settled[1].kernel_start);
  EXPECT_FALSE(bench.policy.settled[1].start);
  bench.port->clock();
  EXPECT_TRUE(bench.clock.stirred());
  bench.begin(11);
  bench.port->settle_early();
  bench.port->choose(offer(0), bench.picks_made);
  EXPECT_FALSE(bench.policy.settled[3].kernel_start);
  ASSERT_TRUE(bench.policy.settled[3].start);
  EXPECT_EQ(bench.policy.settled[3].start->tb, 2U);
  bench.edge();
  bench.begin(12);
  bench.port->started(tb_start(3, 0xc), false);
  bench.port->settle_early();
  bench.port->choose(offer(0), bench.picks_made);
  ASSERT_TRUE(bench.policy.settled[5].start);
  EXPECT_EQ(bench.policy.settled[5].start->tb, 3U);
  EXPECT_EQ(bench.policy.settled[5].tb[2], 3U);
  EXPECT_EQ(bench.policy.settled[5].age[2], 12U);
  EXPECT_EQ(bench.policy.settled[5].age[1], 10U);
}

TEST(HookPort, PicksAndTheirAcknowledges) {
  Bench bench;
  bench.policy.out.barrier_ok = 0x7;
  bench.port->settle_early();
  EXPECT_EQ(bench.port->barrier_ok(), 0x7);
  bench.policy.out.pick[0][0] = 4;
  bench.policy.out.pick[2][0] = 2;
  bench.port->choose(offer(0x16), bench.picks_made);
  EXPECT_EQ(bench.policy.settled[1].ready, 0x16U);
  EXPECT_EQ(bench.policy.settled[1].long_wait, 0x80U);
  EXPECT_EQ(bench.picks_made[0][0], 4);
  EXPECT_EQ(bench.picks_made[1][0], -1);
  EXPECT_EQ(bench.picks_made[2][0], 2);
  TbRetireMessage message;
  bench.port->retire(5, message);
  const WarpExit exit{1, 9, 3};
  bench.port->clock({}, {&exit, 1}, 0x40, 0x10);  // warp 4 was refused
  ASSERT_EQ(bench.policy.clocked.size(), 1U);
  const IssueIn& in = bench.policy.clocked[0];
  EXPECT_EQ(in.ack[0], 0x4U);
  EXPECT_EQ(in.free, 5);
  EXPECT_EQ(in.unblock, 0x40U);
  EXPECT_EQ(in.exit[0].warp, 9U);
}

TEST(HookPort, SleepsAsLongAsItsHooks) {
  Bench bench;
  bench.port->idle(6);
  EXPECT_EQ(bench.policy.idled, 6U);
  EXPECT_EQ(bench.port->wake(), 11U);
  bench.policy.quiet_for = 5;
  EXPECT_EQ(bench.port->wake(), 16U);
  bench.policy.quiet_for = kForever;
  EXPECT_EQ(bench.port->wake(), kForever);
}

TEST(HookPort, ErrorOfTheHookStopsAKernel) {
  Bench bench;
  bench.policy.site.error(3, 4);
  ASSERT_NE(bench.outbox.faults().head(11), nullptr);
  EXPECT_EQ(bench.outbox.faults().head(11)->kernel, &bench.kernel.context);
}

TEST(HookPortDeathTest, PickThatIsNotReadyIsAnAssertion) {
  Bench bench;
  bench.port->settle_early();
  bench.policy.out.pick[1][0] = 5;
  EXPECT_HOOK_FAILS(bench.port->choose(offer(0x1), bench.picks_made),
                    "picks warp 5 for scheduler 1, which is not ready");
  EXPECT_HOOK_FAILS(bench.port->choose(offer(0), bench.picks_made), "picks a warp where none is ready");
  bench.policy.out.pick[1][0] = 4;  // ready, and of another scheduler
  EXPECT_HOOK_FAILS(bench.port->choose(offer(0x10), bench.picks_made), "picks warp 4 for scheduler 1");
}

TEST(HookPortDeathTest, WarpIsPickedOnce) {
  Bench bench(2);
  bench.port->settle_early();
  bench.policy.out.pick[0][0] = bench.policy.out.pick[0][1] = 4;
  EXPECT_HOOK_FAILS(bench.port->choose(offer(0x10), bench.picks_made), "picks warp 4");
}

TEST(HookPortDeathTest, EarlyOutputHolds) {
  Bench bench;
  bench.port->settle_early();
  bench.policy.out.barrier_ok = 0;
  EXPECT_HOOK_FAILS(bench.port->choose(offer(0), bench.picks_made), "changes barrier_ok after settle");
}

TEST(HookPortDeathTest, PickIsOfItsClass) {
  Bench bench(kMaxPicks);
  bench.port->settle_early();
  bench.policy.out.pick[0][1] = 4;
  HookPort::Offer classes = offer(0x10);
  classes.issue_class[0] = 0x10;
  EXPECT_HOOK_FAILS(bench.port->choose(classes, bench.picks_made), "picks warp 4 for issue class 1");
}

}  // namespace
}  // namespace castor::gpu::gpu_sm_hook_port_test
