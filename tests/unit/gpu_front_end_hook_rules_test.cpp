// Tests of the front end's communication with hooks other than placement, and of hooks that break a rule.
#include "castor/base/error.h"
#include "castor/gpu/front_end/composition.h"
#include "common/hook_fails.h"
#include "common/null_hooks.h"
#include "gpu_front_end_support.h"

namespace castor::gpu::gpu_front_end_hook_rules_test {
namespace {

using test::load;
using test::NullHooks;
using test::Rig;

constexpr Cycle kSubmit = 10;

/// A hook whose behaviour is a function, clocked in every cycle.
template <class In, class Out, class Hook = ClockedHook<In, Out>>
class Scripted : public Hook {
 public:
  void attach(const HookSite& site) override { site_ = site; }
  void reset() override {}
  [[nodiscard]] Cycle quiet() const override { return quiet_edges; }
  void idle(Cycle n) override { edges += n; }
  const Out& settle(const In& in) override {
    if (decide) decide(in, out);
    return out;
  }
  void clock(const In& in) override {
    ++edges;
    if (see) see(in);
  }
  Out out;
  Cycle quiet_edges = 0, edges = 0;
  std::function<void(const In&, Out&)> decide;
  std::function<void(const In&)> see;
  HookSite site_;
};
using Jobs = Scripted<JobIn, JobOut, JobScheduler>;
using Policy = Scripted<DispatchIn, DispatchOut>;
using Governor = Scripted<GovernIn, GovernOut>;

TEST(FrontEndHookRules, DispatchPolicyHoldsAnEntry) {
  class Holding final : public ClockedHook<DispatchIn, DispatchOut> {
   public:
    void attach(const HookSite& site) override { inner.attach(site); }
    void reset() override {}
    [[nodiscard]] Cycle quiet() const override { return 0; }
    void idle(Cycle) override {}
    const DispatchOut& settle(const DispatchIn& in) override {
      out = inner.settle(in);
      out.hold[0] = in.now < 2000;
      return out;
    }
    void clock(const DispatchIn& in) override { inner.clock(in); }
    test::NullDispatchPolicy inner;
    DispatchOut out;
  };
  Holding policy;
  Rig::Options options;
  options.hooks.dispatch = &policy;
  Rig rig(load(), options);
  const Ticket ticket = rig.submit(0, Rig::kernel(rig.program("k"), 2, 32), kSubmit);
  rig.run_until([&] { return rig.now >= 1500; });
  EXPECT_THAT(rig.front_end->waiting(), testing::HasSubstr("held by the dispatch policy"));
  rig.run();
  EXPECT_EQ(rig.log.cycle("completed", ticket), 2000U);
}

TEST(FrontEndHookRules, JobEndsAreCountedAndTheInterruptIsALevel) {
  Jobs jobs;
  jobs.decide = [](const JobIn& in, JobOut& out) {
    EXPECT_FALSE(in.beat.has_value());
    EXPECT_FALSE(in.verdict_ready);
    out.end.reset();
    if (in.now == 20 || in.now == 30) out.end = JobEnd{3, in.now == 30};
    out.irq = in.now >= 40;
  };
  Rig::Options options;
  options.hooks.job_scheduler = &jobs;
  Rig rig(load(), options);
  rig.run_until([&] { return rig.now >= 39; });
  EXPECT_FALSE(rig.front_end->mechanism<JobSide>().irq());
  rig.run_until([&] { return rig.now >= 45; });
  EXPECT_TRUE(rig.front_end->mechanism<JobSide>().irq());
  EXPECT_EQ(rig.statistic("front_end.jobs_ended"), 2U);
  EXPECT_EQ(rig.statistic("front_end.jobs_met"), 1U);
}

TEST(FrontEndHookRules, WorkWaitsWithoutAGapFromItsDoorbellToItsPlacement) {
  for (const bool policy : {false, true}) {
    NullHooks adapters(13);
    Governor governor;
    std::map<Cycle, bool> waiting;
    governor.see = [&](const GovernIn& in) { waiting[in.now] = in.waiting; };
    governor.decide = [](const GovernIn& in, GovernOut& out) { out.open = in.now < 900 ? 0 : kAllSms; };
    Rig::Options options;
    options.hooks = adapters.hooks(policy ? unsigned{NullHooks::kDispatchPolicy} : 0U);
    options.hooks.governors = {&governor};
    Rig rig(load(), options);
    rig.submit(0, Rig::kernel(rig.program("k"), 2, 32), kSubmit);
    rig.run();
    EXPECT_EQ(rig.log.of("placed").back().cycle, 901U);
    for (Cycle c = kSubmit; c <= 900; ++c) EXPECT_TRUE(waiting[c]) << "cycle " << c << ", policy " << policy;
    EXPECT_FALSE(waiting[902]);
  }
}

TEST(FrontEndHookRules, RetireWiresAreKnownWhenHooksSettle) {
  Jobs jobs;
  std::map<Cycle, std::size_t> settled;
  jobs.decide = [&](const JobIn& in, JobOut& out) {
    settled[in.now] = in.ev.retired.size;
    out.pick = (*in.eligible)[0] ? 0 : -1;
  };
  Rig::Options options;
  options.hooks.job_scheduler = &jobs;
  Rig rig(load(), options);
  rig.service = 50;
  rig.submit(0, Rig::kernel(rig.program("k"), 2, 32), kSubmit);
  rig.run();
  const auto placed = rig.log.of("placed");
  ASSERT_EQ(placed.size(), 2U);
  for (const auto& one : placed) EXPECT_EQ(settled[one.cycle + 51], 1U);
}

TEST(FrontEndHookRules, WithoutUncoreOtherHooksStandStill) {
  Governor governor;
  governor.decide = [](const GovernIn& in, GovernOut& out) { out.uncore_enable = in.now < 50 || in.now >= 150; };
  for (const bool every_cycle : {false, true}) {
    governor.edges = 0;
    governor.quiet_edges = 0;
    NullHooks adapters(13);
    Policy policy;
    policy.quiet_edges = kForever;
    Rig::Options options;
    options.every_cycle = every_cycle;
    options.hooks.dispatch = &policy;
    options.hooks.governors = {&governor};
    Rig rig(load(), options);
    rig.run_until([&] { return rig.now >= 1000; });
    // The output of cycle 50 switches the clock off from 51 to 150.
    EXPECT_EQ(governor.edges, rig.now);
    EXPECT_EQ(policy.edges, governor.edges - 100);
  }
}

TEST(FrontEndHookRulesDeathTest, OfferWhereATbDoesNotFitIsAnAssertion) {
  EXPECT_HOOK_FAILS(
      {
        Policy policy;
        std::uint32_t next = 0;
        bool here = false;
        policy.decide = [&](const DispatchIn&, DispatchOut& out) {
          out.place.reset();
          if (!here) return;
          out.place = Placement{};
          out.place->sm = 3;
          out.place->position = next;
        };
        policy.see = [&](const DispatchIn& in) {
          if (in.taken) ++next;
          if (in.push) here = true;
        };
        Rig::Options options;
        options.hooks.dispatch = &policy;
        Rig rig(load(), options);
        rig.service = 300;
        rig.submit(0, Rig::kernel(rig.program("k", 16, 49152), 3, 32), kSubmit);
        rig.run();
      },
      "cycle 296.*dispatch policy offers a TB of entry 0 to SM 3, where it does not fit");
}

TEST(FrontEndHookRulesDeathTest, GovernorsThatCloseAllSmsForEverAreNamed) {
  EXPECT_HOOK_FAILS(
      {
        Governor idle;
        Governor closes;
        idle.quiet_edges = closes.quiet_edges = kForever;
        closes.out.open = 0;
        Rig::Options options;
        options.hooks.governors.push_back(&idle);
        options.hooks.governors.push_back(&closes);
        Rig rig(load({"watchdog.cycles=5000"}), options);
        rig.submit(0, Rig::kernel(rig.program("k"), 3, 32), kSubmit);
        rig.run();
      },
      "governor1: all SMs have been closed for 5000 cycles while none holds a TB and TBs wait");
}

TEST(FrontEndHookRulesDeathTest, GovernorThatChangesItsMindAfterSettleIsAnAssertionInRunsThatCheck) {
  EXPECT_HOOK_FAILS(
      {
        Governor governor;
        governor.decide = [](const GovernIn&, GovernOut& out) { out.open ^= 1; };
        Rig::Options options;
        options.hooks.governors = {&governor};
        Rig rig(load({"run.sleep=0"}), options);
        rig.step();
      },
      "governor0 changes an output after settle");
}

TEST(FrontEndHookRulesDeathTest, PolicyWhoseEarlyOutputsFollowItsInputsIsAnAssertionInRunsThatCheck) {
  EXPECT_HOOK_FAILS(
      {
        Policy policy;
        policy.decide = [](const DispatchIn& in, DispatchOut& out) { out.push_ready = in.open != 0; };
        Rig::Options options;
        options.hooks.dispatch = &policy;
        Rig rig(load({"run.sleep=0"}), options);
        rig.step();
      },
      "dispatch policy changes push_ready, attach_ready or hold after settle");
}

// --- What a machine must have ----------------------------------------------------------------------------------------

void expect_refused(const Machine& machine, const Hooks& hooks, const std::vector<std::string>& words) {
  try {
    (void)checked(machine, hooks);
    ADD_FAILURE() << "accepted; expected to be refused with " << testing::PrintToString(words);
  } catch (const base::InputError& error) {
    for (const std::string& word : words) EXPECT_THAT(error.what(), testing::HasSubstr(word));
  }
}

TEST(HooksOnMachines, AFetchFilterNeedsAMachineThatFetchesForOneWarp) {
  NullHooks adapters(13);
  const Hooks hooks = adapters.hooks(NullHooks::kFetchFilter);
  EXPECT_NO_THROW((void)checked(load({"fetch.warps=1", "fetch.insns=4"}), hooks));
  expect_refused(load({"fetch.warps=2"}), hooks, {"FetchFilter", "fetch.warps is 2"});
  expect_refused(load({"fetch.warps=1", "fetch.insns=5", "ibuffer.entries=8"}), hooks,
                 {"FetchFilter", "fetch.insns is 5", "at most 4"});
  expect_refused(load({"fetch.warps=1", "ibuffer.refill=slot"}), hooks, {"FetchFilter", "ibuffer.refill is slot"});
}

TEST(HooksOnMachines, HooksInsideSmsAreOnePerSm) {
  NullHooks adapters(12);
  expect_refused(load(), adapters.hooks(NullHooks::kIssuePolicy), {"IssuePolicy", "12 SMs of 13"});
  Hooks none;
  none.issue.assign(13, nullptr);
  expect_refused(load(), none, {"IssuePolicy", "some of these hooks are null"});
  Hooks governors;
  governors.governors = {nullptr};
  expect_refused(load(), governors, {"SmGovernor"});
}

// Machines with any hook may swap out thread blocks. Filters with studies are refused when they attach.
TEST(HooksOnMachines, HooksStandBesideBlocksThatMove) {
  NullHooks adapters(13);
  for (const std::string key : {"context.random=1", "context.mover=rate"}) {
    const Machine machine = load({"fetch.warps=1", "fetch.insns=4", "ibuffer.refill=empty", key});
    for (unsigned which = 1; which <= NullHooks::kAll; which *= 2) {
      EXPECT_NO_THROW((void)checked(machine, adapters.hooks(which))) << key << ", hook " << which;
    }
  }
  const auto with = [](const char* mover) {
    return load({"fetch.warps=1", "fetch.insns=4", "ibuffer.refill=empty", std::string("context.mover=") + mover});
  };
  const Hooks swap = adapters.hooks(NullHooks::kSwap);
  Machine engine = with("engine");
  expect_refused(engine, swap, {"context.mover: engine", "has no images for contexts", "drain or rate"});
  SwapLimits& limits = engine.chip.sync.limits;
  limits.images = true;
  limits.warp_bytes = 80;
  limits.predicate_bytes = 31;
  expect_refused(engine, swap, {"context.mover: engine", "111 bytes of control state per warp, at least 112"});
  limits.predicate_bytes = 32;
  EXPECT_NO_THROW((void)checked(engine, swap));
  // Agents beside an engine are its only source of jobs.
  const Hooks both = adapters.hooks(NullHooks::kSwap | NullHooks::kSync);
  expect_refused(engine, both, {"context.mover: engine", "a SyncHub", "jobs to the swap engines of SwapEngine"});
  for (const char* const mover : {"drain", "rate"}) {
    Machine machine = with(mover);
    EXPECT_NO_THROW((void)checked(machine, both)) << mover;
    machine.context.random = 7;
    expect_refused(machine, both, {"context.random: 7", "a SyncHub", "jobs to the swap engines of SwapEngine"});
    EXPECT_NO_THROW((void)checked(machine, adapters.hooks(NullHooks::kSync))) << mover;
    EXPECT_NO_THROW((void)checked(machine, adapters.hooks(NullHooks::kSwap))) << mover;
  }
  expect_refused(with("engine"), {}, {"context.mover: engine", "no block of this machine moves contexts"});
  for (const char* const mover : {"rate", "engine"})
    expect_refused(with(mover), adapters.hooks(NullHooks::kSwap | NullHooks::kFetchFilter), {"FetchFilter"});
}

}  // namespace
}  // namespace castor::gpu::gpu_front_end_hook_rules_test
