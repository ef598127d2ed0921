// Tests of the issue policy of an SM: its inputs, the effects of its outputs, and violations that stop Castor
// (docs/gpu/hooks.md, "Hooks").
#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "common/hook_fails.h"
#include "common/null_hooks.h"
#include "gpu_sm_support.h"

namespace castor::gpu::gpu_sm_hooks_test {
namespace {

using test::machine;
using test::NullIssuePolicy;
using test::Rig;

/// Greedy-then-oldest policy that lets a test observe and change its outputs.
class Policy final : public IssuePolicyHook {
 public:
  void attach(const HookSite& site) override {
    site_ = site;
    inner.attach(site);
  }
  void reset() override {}
  [[nodiscard]] Cycle quiet() const override { return sleeps ? inner.quiet() : 0; }
  void idle(Cycle n) override { inner.idle(n); }
  const IssueOut& settle(const IssueIn& in) override {
    out = inner.settle(in);
    if (change) change(in, out);
    return out;
  }
  void clock(const IssueIn& in) override {
    inner.clock(in);
    if (see) see(in);
  }
  NullIssuePolicy inner;
  bool sleeps = true;
  IssueOut out;
  std::function<void(const IssueIn&, IssueOut&)> change;
  std::function<void(const IssueIn&)> see;
  HookSite site_;
};

SmHooks hooks(IssuePolicyHook* issue) {
  SmHooks result;
  result.issue = issue;
  return result;
}

void settle_down(Rig& rig) {
  for (unsigned i = 0; i < 5; ++i) rig.cycle();
  rig.sm.count_until(rig.now + 1);
}

TEST(IssuePolicyHooks, AKernelsFirstBlockIsToldATickAfterItsStartAndOthersAtOnce) {
  Policy policy;
  std::map<Cycle, std::string> told;
  policy.see = [&](const IssueIn& in) {
    std::string text;
    if (in.kernel_start) text += "kernel ";
    if (in.start) text += "start" + std::to_string(in.start->tb) + " ";
    if (in.free) text += "free" + std::to_string(*in.free) + " ";
    if (!text.empty()) told[in.now] = text;
  };
  Rig rig(machine("kepler_k20c_study", {"icache.ideal=1"}), hooks(&policy));
  test::Kernel& kernel = rig.load("ret;", {3}, {64});
  rig.start(kernel, 0);
  rig.start(kernel, 1);
  ASSERT_TRUE(rig.run(2));
  settle_down(rig);
  ASSERT_EQ(rig.log.started.size(), 2U);
  ASSERT_EQ(rig.log.retired.size(), 2U);
  const Cycle first = rig.log.started[0].cycle;
  EXPECT_EQ(rig.log.started[1].cycle, first + 2) << "no other TB operation in the tick behind a kernel's start";
  std::map<Cycle, std::string> expected = {{first, "kernel "}, {first + 1, "start0 "}, {first + 2, "start1 "}};
  for (const auto& one : rig.log.retired) expected[one.cycle] += "free" + std::to_string(one.context) + " ";
  EXPECT_EQ(told, expected);
}

TEST(IssuePolicyHooks, BarriersAndExitsOfATickAreToldInIt) {
  Policy policy;
  std::vector<std::pair<Cycle, unsigned>> arrivals, exits;
  std::vector<std::pair<Cycle, WarpMask>> unblocked;
  policy.see = [&](const IssueIn& in) {
    EXPECT_LE(in.arrive.size + in.exit.size, 4U) << "one per scheduler";
    for (const BarrierArrival& one : in.arrive) arrivals.emplace_back(in.now, one.warp);
    for (const WarpExit& one : in.exit) exits.emplace_back(in.now, one.warp);
    if (in.unblock != 0) unblocked.emplace_back(in.now, in.unblock);
  };
  Rig rig(machine("kepler_k20c_study", {"icache.ideal=1"}), hooks(&policy));
  test::Kernel& kernel = rig.load("bar.sync 0; bar.arrive 1, 192; ret;", {1}, {192});
  rig.start(kernel);
  ASSERT_TRUE(rig.run(1));
  settle_down(rig);
  // Six warps on four schedulers. The warps that arrive in the last tick complete the barrier and do not wait; neither
  // does bar.arrive.
  Tick last = 0;
  for (unsigned warp = 0; warp < 6; ++warp) last = std::max(last, rig.log.at(warp, 0).at(0));
  ASSERT_EQ(arrivals.size(), 4U);
  ASSERT_EQ(exits.size(), 6U);
  for (const auto& [cycle, warp] : arrivals) {
    EXPECT_EQ(rig.log.at(warp, 0), std::vector<Tick>{cycle});
    EXPECT_LT(cycle, last) << "warp " << warp << " completes the barrier";
  }
  for (const auto& [cycle, warp] : exits) EXPECT_EQ(rig.log.ticks(warp).back(), cycle);
  ASSERT_EQ(unblocked.size(), 1U);
  EXPECT_EQ(unblocked[0].first, last);
  EXPECT_EQ(unblocked[0].second, 0x3fU);
}

TEST(IssuePolicyHooks, ASchedulerWithoutRoomForEventsIssuesNoBarrierAndNoExit) {
  Policy policy;
  policy.sleeps = false;
  Cycle now = 0;
  constexpr Cycle kOpen = 200;
  policy.change = [&](const IssueIn&, IssueOut& out) { out.barrier_ok = now < kOpen ? 0b1101 : 0b1111; };
  policy.see = [&](const IssueIn& in) { now = in.now + 1; };
  Rig rig(machine("kepler_k20c_study", {"icache.ideal=1"}), hooks(&policy));
  test::Kernel& kernel = rig.load("mov.u32 %r1, 1; add.u32 %r2, %r1, %r1; bar.sync 0; ret;", {1}, {128});
  rig.start(kernel);
  ASSERT_TRUE(rig.run(1));
  std::uint32_t barrier = 0;
  while (kernel.program->code[barrier].kind != isa::Kind::kBarrier) ++barrier;
  ASSERT_GE(barrier, 1U);
  for (unsigned w = 0; w < 4; ++w) {
    EXPECT_LT(rig.log.at(w, 0).at(0), 30U) << "other instructions go on";
    if (w == 1) {
      EXPECT_EQ(rig.log.at(w, barrier).at(0), kOpen);
    } else {
      EXPECT_LT(rig.log.at(w, barrier).at(0), 60U);
    }
  }
}

TEST(IssuePolicyHooks, OnlyPicksThatIssueAreAcknowledged) {
  // 16 warps and one unit for shared memory accesses: schedulers get in each other's way.
  Policy policy;
  std::uint64_t picked = 0, acknowledged = 0;
  std::map<Cycle, unsigned> issues;
  policy.see = [&](const IssueIn& in) {
    for (unsigned s = 0; s < 4; ++s) {
      picked += policy.out.pick[s][0] >= 0 ? 1 : 0;
      if ((in.ack[0] >> s & 1) == 0) continue;
      ASSERT_GE(policy.out.pick[s][0], 0);
      ++acknowledged;
      ++issues[in.now];
    }
  };
  Rig rig(machine("kepler_k20c_study", {"icache.ideal=1", "issue.per_warp=1"}), hooks(&policy));
  test::Kernel& kernel = rig.load(
      "mov.u32 %r1, buffer; ld.shared.u32 %r2, [%r1]; ld.shared.u32 %r3, [%r1+4]; st.shared.u32 [%r1], %r2; ret;", {1},
      {512}, 0, ".shared .align 4 .b8 buffer[64];");
  rig.start(kernel);
  ASSERT_TRUE(rig.run(1));
  EXPECT_EQ(acknowledged, rig.log.issues.size());
  EXPECT_GT(picked, acknowledged);
  std::map<Cycle, unsigned> seen;
  for (const auto& issue : rig.log.issues) ++seen[issue.cycle];
  EXPECT_EQ(seen, issues);
}

TEST(IssuePolicyHooks, MachinesThatIssueOneOfEachClassTellTheClassOfEveryHead) {
  Policy policy;
  std::set<unsigned> classes;
  policy.see = [&](const IssueIn& in) {
    WarpMask all = 0;
    for (unsigned j = 0; j < kMaxPicks; ++j) {
      EXPECT_EQ(all & in.issue_class[j] & in.valid, 0U) << "one class each";
      all |= in.issue_class[j];
      if ((in.issue_class[j] & in.valid) != 0) classes.insert(j);
    }
    EXPECT_EQ(in.valid & ~all, 0U);
  };
  Rig rig(machine("gcn_apu", {"icache.ideal=1"}), hooks(&policy));
  test::Kernel& kernel = rig.load("mov.u32 %r1, buffer; ld.shared.u32 %r2, [%r1]; membar.gl; bar.sync 0; ret;", {1},
                                  {256}, 0, ".shared .align 4 .b8 buffer[64];");
  rig.start(kernel);
  ASSERT_TRUE(rig.run(1));
  EXPECT_EQ(classes, (std::set<unsigned>{0, 2, 3, 4}));
}

TEST(SmHooksDeathTest, HooksThatBreakARuleAreNamedWithTheCycle) {
  const auto run = [](const SmHooks& what) {
    Rig rig(machine("kepler_k20c_study", {"icache.ideal=1"}), what);
    test::Kernel& kernel = rig.load("bar.sync 0; ret;", {1}, {64});
    rig.start(kernel);
    (void)rig.run(1);
  };
  {
    Policy policy;
    policy.change = [](const IssueIn& in, IssueOut& out) { out.barrier_ok = in.valid == 0 ? 0xff : 0; };
    EXPECT_HOOK_FAILS(run(hooks(&policy)), "cycle [0-9]+.*issue_policy of SM 0 changes barrier_ok after settle");
  }
  {
    Policy policy;
    policy.change = [](const IssueIn& in, IssueOut& out) { out.pick[0][0] = in.valid != 0 ? 8 : -1; };
    EXPECT_HOOK_FAILS(run(hooks(&policy)), "issue_policy of SM 0 picks warp 8 for scheduler 0, which is not ready");
  }
  {
    Policy policy;
    policy.see = [&](const IssueIn& in) {
      if (in.free) policy.site_.error(0x42, 7);
    };
    EXPECT_DEATH(run(hooks(&policy)), "issue_policy of SM 0 reports error 0x42, information 0x7");
  }
}

TEST(SmHooks, ErrorOfAHookStopsTheKernelAndSaysWhoseItIs) {
  Policy policy;
  policy.see = [&](const IssueIn& in) {
    if (in.arrive.size != 0) policy.site_.error(0x42, 7);
  };
  Rig rig(machine("kepler_k20c_study", {"icache.ideal=1"}), hooks(&policy));
  test::Kernel& kernel = rig.load("bar.sync 0; ret;", {1}, {256});
  rig.start(kernel);
  ASSERT_TRUE(rig.run(1));
  settle_down(rig);
  ASSERT_FALSE(rig.faults.empty());
  EXPECT_THAT(rig.faults[0].message, testing::HasSubstr("issue_policy of SM 0 reports error 0x42, information 0x7"));
}

}  // namespace
}  // namespace castor::gpu::gpu_sm_hooks_test
