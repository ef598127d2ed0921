// Tests of the front end's hooks: their inputs and the cycles of these, null adapters, vetoes of governors, refused
// compositions.
#include "castor/base/error.h"
#include "castor/gpu/front_end/composition.h"
#include "common/hook_fails.h"
#include "common/null_hooks.h"
#include "gpu_front_end_hooks_support.h"

namespace castor::gpu::gpu_front_end_hooks_test {
namespace {

using namespace test::hooks;
using test::load;
using test::Logged;
using test::Rig;

void submit_some(Rig& rig) {
  base::Xoshiro256 random(11);
  Cycle visible = kSubmit;
  for (unsigned i = 0; i < 30; ++i) {
    visible += random.below(200);
    rig.submit(
        static_cast<unsigned>(random.below(6)),
        Rig::kernel(
            rig.program("k", 10 + static_cast<unsigned>(random.below(40)), static_cast<unsigned>(random.below(20000))),
            1 + static_cast<std::uint32_t>(random.below(60)), 1 + static_cast<std::uint32_t>(random.below(1000))),
        visible);
  }
}

std::vector<Logged> sorted(std::vector<Logged> events) {
  std::sort(events.begin(), events.end());
  return events;
}

TEST(FrontEndHooks, NullAdaptersChangeNoCycle) {
  const auto events = [](const Hooks& hooks, bool every_cycle) {
    Rig::Options options;
    options.hooks = hooks;
    options.every_cycle = every_cycle;
    options.service = [](const KernelContext& kernel, std::uint64_t gid) -> Cycle {
      return 50 + (kernel.ticket * 31 + gid * 17) % 400;
    };
    Rig rig(load({"chip.sms=5"}), options);
    submit_some(rig);
    rig.run();
    EXPECT_TRUE(rig.front_end->idle());
    return sorted(rig.log.events);
  };
  const auto plain = events({}, false);
  ASSERT_GT(plain.size(), 1000U);
  for (const bool every_cycle : {false, true}) {
    Governor governor;
    Fcfs policy;
    RoundRobin scheduler;
    Hooks one;
    one.governors = {&governor};
    EXPECT_TRUE(events(one, every_cycle) == plain);
    Hooks two;
    two.dispatch = &policy;
    EXPECT_TRUE(events(two, every_cycle) == plain);
    Hooks three;
    three.job_scheduler = &scheduler;
    EXPECT_TRUE(events(three, every_cycle) == plain);
    Governor other;
    Fcfs other_policy;
    RoundRobin other_scheduler;
    Hooks all;
    all.governors = {&governor, &other};
    all.dispatch = &other_policy;
    all.job_scheduler = &other_scheduler;
    governor.reset();
    EXPECT_TRUE(events(all, every_cycle) == plain);
  }
}

TEST(FrontEndHooks, AQuietHookIsClockedOnlyWhenSomethingHappensAndLosesNoEdge) {
  Governor governor;
  governor.quiet_edges = kForever;
  Cycle clocked = 0;
  governor.see = [&](const GovernIn& /*in*/) { ++clocked; };
  Rig::Options options;
  options.hooks.governors = {&governor};
  Rig rig(load(), options);
  rig.service = 5000;
  const Ticket ticket = rig.submit(0, Rig::kernel(rig.program("k"), 3, 32), kSubmit);
  rig.run();
  EXPECT_GT(governor.edges, 5000U);  // edge(now) has checked that they are consecutive
  EXPECT_LT(clocked, 100U);
  EXPECT_GT(governor.edges, rig.log.cycle("completed", ticket));
}

TEST(FrontEndHooks, GovernorSeesPulsesOneCycleLateAndATbInFlightThenResident) {
  Governor governor;
  governor.quiet_edges = 1000;
  std::vector<GovernIn> seen;
  std::map<Cycle, std::pair<SmLoad, SmPulse>> by_cycle;
  std::map<Cycle, bool> waiting;
  governor.see = [&](const GovernIn& in) {
    by_cycle[in.now] = {in.load[0], in.pulse[0]};
    waiting[in.now] = in.waiting;
  };
  Rig::Options options;
  options.hooks.governors = {&governor};
  Rig rig(load(), options);
  rig.service = 50;
  const Ticket ticket = rig.submit(0, Rig::kernel(rig.program("k"), 1, 96), kSubmit);
  rig.run();
  const Cycle placed = rig.log.cycle("placed", ticket);
  EXPECT_FALSE(by_cycle[placed].first.in_flight);
  EXPECT_EQ(by_cycle[placed].first.warps, 0);
  ASSERT_EQ(by_cycle.count(placed + 1), 1U);
  EXPECT_TRUE(by_cycle[placed + 1].first.in_flight);
  EXPECT_EQ(by_cycle[placed + 1].first.warps, 0);
  ASSERT_EQ(by_cycle.count(placed + 2), 1U);
  EXPECT_FALSE(by_cycle[placed + 2].first.in_flight);
  EXPECT_EQ(by_cycle[placed + 2].first.warps, 3);
  EXPECT_EQ(by_cycle[placed + 2].first.tbs, 1);
  // The SM starts the TB in placed + 1, and its pulse is sent as a message.
  EXPECT_EQ(by_cycle[placed + 1].second.lanes, 0);
  EXPECT_EQ(by_cycle[placed + 2].second.lanes, 1);
  EXPECT_TRUE(waiting[kSubmit + 1]);  // in a queue, then in its lane
  EXPECT_FALSE(waiting[placed + 1]);
}

TEST(FrontEndHooks, ASleepingFrontEndMissesNoChangeOfWhatGovernorsSee) {
  // A governor that digests all its inputs. Runs with and without skipped edges must have the same digest.
  class Digest : public Governor {
   public:
    void idle(Cycle n) override {
      Governor::idle(n);
      for (Cycle i = 0; i < n; ++i) hash = base::mix(hash ^ level);
    }
    void clock(const GovernIn& in) override {
      Governor::clock(in);
      base::Hash now;
      for (const SmPulse& pulse : in.pulse) now.add(pulse.lanes);
      for (const SmLoad& load : in.load) now.add(load.warps).add(load.tbs).add(load.in_flight);
      now.add(std::hash<SmMask>{}(in.fits_head)).add(in.ready).add(in.waiting);
      level = now.value();
      hash = base::mix(hash ^ level);
      if (in.ev.placed) hash = base::mix(hash + in.ev.placed->gid);
      if (in.ev.done) hash = base::mix(hash + 7 * in.ev.done->gid);
      at[in.now] = hash;
    }
    std::uint64_t hash = 0, level = 0;
    std::map<Cycle, std::uint64_t> at;
  };
  std::map<Cycle, std::uint64_t> digests[2];
  for (const bool every_cycle : {false, true}) {
    Digest governor;
    governor.quiet_edges = kForever;
    Rig::Options options;
    options.hooks.governors = {&governor};
    options.every_cycle = every_cycle;
    Rig rig(load({"chip.sms=3"}), options);
    rig.service = 700;
    submit_some(rig);
    rig.run();
    digests[every_cycle ? 1 : 0] = governor.at;
  }
  EXPECT_LT(digests[0].size(), digests[1].size());
  for (const auto& [cycle, hash] : digests[0]) {
    ASSERT_EQ(digests[1].count(cycle), 1U);
    ASSERT_EQ(digests[1][cycle], hash) << "cycle " << cycle;
  }
}

TEST(FrontEndHooks, SmsWakeNobodyWhileNoGovernorWantsPulses) {
  std::uint64_t ticks[2], sum[2] = {0, 0};
  for (const bool wanted : {false, true}) {
    Governor governor;
    governor.out.pulses = wanted;
    governor.quiet_edges = kForever;
    governor.see = [&](const GovernIn& in) {
      for (const SmPulse& pulse : in.pulse) sum[wanted ? 1 : 0] += pulse.lanes;
    };
    Rig::Options options;
    options.hooks.governors = {&governor};
    Rig rig(load({"done_fifo=1"}), options);
    rig.service = 700;
    rig.submit(0, Rig::kernel(rig.program("k"), 100, 32), kSubmit);
    rig.run();
    ticks[wanted ? 1 : 0] = rig.ticks;
  }
  EXPECT_EQ(sum[0], 0U);
  EXPECT_GT(sum[1], 0U);
  EXPECT_LE(ticks[0], ticks[1]);
}

// GovernIn::waiting means the same under every dispatch policy: the digests of all inputs of governors are equal.
TEST(FrontEndHooks, GovernorsSeeTheSameUnderThePolicyOfTheMachineAndOneBehindAHook) {
  for (const char* bypass : {"dispatch.bypass=off", "dispatch.bypass=sticky"}) {
    for (const bool preempts : {false, true}) {
      // With bypass the null policy would offer TBs of preempted queues.
      if (preempts && std::string(bypass) == "dispatch.bypass=sticky") continue;
      std::vector<std::uint64_t> seen;
      bool waited = false, full = false;
      for (const bool hook : {false, true}) {
        test::NullGovernor governor;
        governor.sleeps = false;
        test::NullDispatchPolicy policy;
        RoundRobin scheduler;
        Governor watcher;
        watcher.see = [&](const GovernIn& in) {
          waited = waited || in.waiting;
          full = full || in.fits_head == 0;
          EXPECT_TRUE(in.waiting || in.fits_head == 0x1f) << in.now;
        };
        Rig::Options options;
        options.hooks.governors = {&governor, &watcher};
        if (hook) options.hooks.dispatch = &policy;
        if (preempts) options.hooks.job_scheduler = &scheduler;
        Rig rig(load({"chip.sms=5", bypass}), options);
        rig.service = 900;
        rig.before = [&](Cycle now) { scheduler.out.preempt[0] = preempts && now / 500 % 2 != 0; };
        submit_some(rig);
        rig.run();
        seen.push_back(governor.seen());
      }
      EXPECT_TRUE(waited && full);
      EXPECT_EQ(seen[0], seen[1]) << bypass << (preempts ? ", preemption" : "");
    }
  }
}

TEST(FrontEndHooks, ClosedSmsGetNothingAndTheOthersGoOn) {
  Governor even, upper;
  even.quiet_edges = upper.quiet_edges = 1000;
  even.out.open = 0x1555;
  upper.out.open = ~SmMask{0xf};
  Rig::Options options;
  options.hooks.governors = {&even, &upper};
  Rig rig(load(), options);
  rig.submit(0, Rig::kernel(rig.program("k"), 50, 32), kSubmit);
  rig.run();
  std::vector<std::uint64_t> expected;
  for (unsigned i = 0; i < 50; ++i) expected.push_back(4 + i % 5 * 2);
  std::vector<std::uint64_t> sms;
  for (const Logged& event : rig.log.of("placed")) sms.push_back(event.c);
  EXPECT_EQ(sms, expected);
}

TEST(FrontEndHooks, AllSmsClosedStopsPlacingUntilTheyOpen) {
  Governor governor;
  constexpr Cycle kOpen = 1000;
  governor.decide = [](Cycle now, GovernOut& out) { out.open = now < kOpen ? 0 : kAllSms; };
  Rig::Options options;
  options.hooks.governors = {&governor};
  Rig rig(load(), options);
  rig.submit(0, Rig::kernel(rig.program("k"), 2, 32), kSubmit);
  rig.run_until([&] { return rig.now >= 900; });
  EXPECT_THAT(rig.front_end->waiting(), testing::HasSubstr("closed or above quota"));
  rig.run();
  EXPECT_EQ(rig.log.of("placed")[0].cycle, kOpen);
  EXPECT_EQ(rig.statistic("front_end.closed_cycles"), kOpen - (kSubmit + 284));
}

TEST(FrontEndHooks, SmallestQuotaHolds) {
  Governor first, second;
  first.quiet_edges = second.quiet_edges = 1000;
  const Machine machine = load();
  std::vector<std::uint8_t> a(13 * 32, Quota::kUnlimited), b(13 * 32, Quota::kUnlimited);
  for (unsigned sm = 0; sm < 13; ++sm) {
    a[sm * 32] = 3;
    b[sm * 32] = sm == 5 ? 1 : 7;
  }
  const Quota qa{32, a.data()}, qb{32, b.data()};
  first.out.quota = &qa;
  second.out.quota = &qb;
  Rig::Options options;
  options.hooks.governors = {&first, &second};
  Rig rig(machine, options);
  rig.service = 10'000;
  rig.submit(0, Rig::kernel(rig.program("k"), 60, 32), kSubmit);
  rig.run_until([&] { return rig.now >= 5000; });
  EXPECT_EQ(rig.log.of("placed").size(), 12U * 3 + 1);
  rig.run();
  EXPECT_EQ(rig.log.of("placed").size(), 60U);
}

TEST(FrontEndHooks, ClockEnablesAreTheAndOfAllGovernors) {
  Governor first, second;
  first.quiet_edges = second.quiet_edges = kForever;
  first.out.clock_enable = 0b1011;
  second.out.clock_enable = 0b1110;
  Rig::Options options;
  options.hooks.governors = {&first, &second};
  Rig rig(load(), options);
  EXPECT_EQ(rig.front_end->mechanism<GovernorSide>().governors().clock_enable(), kAllSms);
  rig.step();
  EXPECT_EQ(rig.front_end->mechanism<GovernorSide>().governors().clock_enable(), SmMask{0b1010});
}

TEST(FrontEndHooks, WithoutUncoreOnlyGovernorsAreClocked) {
  Governor governor;
  governor.decide = [](Cycle now, GovernOut& out) { out.uncore_enable = now % 4 == 3; };
  Rig::Options options;
  options.hooks.governors = {&governor};
  Rig rig(load(), options);
  const Ticket ticket = rig.submit(0, Rig::kernel(rig.program("k"), 4, 32), kSubmit);
  rig.run();
  EXPECT_TRUE(rig.front_end->host().shown(ticket));
  // Settled in 4 n + 3: the uncore runs in 4 n + 4.
  for (const Logged& event : rig.log.of("placed")) EXPECT_EQ(event.cycle % 4, 0U);
  EXPECT_GT(governor.edges, rig.log.cycle("completed", ticket));
}

TEST(FrontEndHooks, PolicyThatTakesNoPushHoldsTheEntryBack) {
  Fcfs policy;
  policy.push_ready = false;
  Rig::Options options;
  options.hooks.dispatch = &policy;
  Rig rig(load(), options);
  const Ticket ticket = rig.submit(0, Rig::kernel(rig.program("k"), 2, 32), kSubmit);
  rig.before = [&](Cycle now) { policy.push_ready = now >= 700; };
  rig.run();
  EXPECT_EQ(rig.log.cycle("written", ticket), 700U);
}

TEST(FrontEndHooks, HoldBitKeepsAFinishedKernelInTheTable) {
  Fcfs policy;
  Rig::Options options;
  options.hooks.dispatch = &policy;
  Rig rig(load(), options);
  const Ticket ticket = rig.submit(0, Rig::kernel(rig.program("k"), 2, 32), kSubmit);
  rig.before = [&](Cycle now) {
    policy.hold.reset();
    policy.hold[0] = now < 2000;
  };
  rig.run_until([&] { return rig.now >= 1500; });
  EXPECT_THAT(rig.front_end->waiting(), testing::HasSubstr("held by the dispatch policy"));
  rig.run();
  EXPECT_EQ(rig.log.cycle("completed", ticket), 2000U);
}

TEST(FrontEndHooks, OfferToAClosedSmIsRefusedAndChangesNothing) {
  Fcfs policy;
  policy.always_offer = true;
  policy.sm = 3;
  Governor governor;
  governor.decide = [](Cycle now, GovernOut& out) { out.open = now < 700 ? ~SmMask{8} : kAllSms; };
  Rig::Options options;
  options.hooks.dispatch = &policy;
  options.hooks.governors = {&governor};
  Rig rig(load(), options);
  rig.submit(0, Rig::kernel(rig.program("k"), 3, 32), kSubmit);
  rig.run();
  const auto placed = rig.log.of("placed");
  ASSERT_EQ(placed.size(), 3U);
  for (unsigned i = 0; i < 3; ++i) {
    EXPECT_EQ(placed[i].c, 3U);
    EXPECT_EQ(placed[i].cycle, 700 + i);
  }
  // The entry is written and pushed 284 cycles after the doorbell, and offered from the next cycle on.
  EXPECT_EQ(rig.statistic("front_end.offers_refused"), 700U - (kSubmit + 285));
}

TEST(FrontEndHooks, EventsOfACycleAreWhatHappened) {
  RoundRobin scheduler;
  std::map<Cycle, std::string> events;
  scheduler.see = [&](const JobIn& in) {
    std::string& text = events[in.now];
    if (in.granted >= 0) text += "granted" + std::to_string(in.granted) + " ";
    if (in.ev.started) text += "started ";
    if (in.ev.pushed) text += "pushed" + std::to_string(in.ev.pushed->tbs) + " ";
    if (in.ev.placed) {
      text += "placed" + std::to_string(in.ev.placed->gid) + (in.ev.placed->first ? "f" : "") +
              (in.ev.placed->last ? "l" : "") + " ";
    }
    for (const TbEvent& event : in.ev.retired) text += "retired" + std::to_string(event.sm) + " ";
    if (in.ev.done) text += "done" + std::to_string(in.ev.done->gid) + " ";
    if (in.ev.completed) text += std::string("completed") + (in.ev.completed->queue_empty ? "e" : "") + " ";
    if (text.empty()) events.erase(in.now);
  };
  Rig::Options options;
  options.hooks.job_scheduler = &scheduler;
  options.service = [](const KernelContext& /*kernel*/, std::uint64_t gid) -> Cycle { return 100 - gid; };
  Rig rig(load(), options);
  rig.submit(7, Rig::kernel(rig.program("k"), 2, 32), kSubmit);
  rig.run();
  const Cycle c = kSubmit;
  const std::map<Cycle, std::string> expected = {
      {c + 1, "granted7 "},   {c + 284, "started pushed2 "},         {c + 285, "placed0f "},
      {c + 286, "placed1l "}, {c + 386, "retired0 retired1 done0 "}, {c + 387, "done1 completede "}};
  EXPECT_EQ(events, expected);
}

TEST(FrontEndHooks, PreemptedQueueIssuesNothing) {
  RoundRobin scheduler;
  Rig::Options options;
  options.hooks.job_scheduler = &scheduler;
  Rig rig(load({"dispatch.bypass=sticky"}), options);
  rig.service = 10;
  const Ticket a = rig.submit(0, Rig::kernel(rig.program("a"), 400, 32), kSubmit);
  const Ticket b = rig.submit(1, Rig::kernel(rig.program("b"), 5, 32), kSubmit);
  rig.before = [&](Cycle now) { scheduler.out.preempt[0] = now >= 400 && now < 1000; };
  rig.run();
  for (const Logged& event : rig.log.of("placed")) {
    EXPECT_TRUE(event.a != a || event.cycle <= 400 || event.cycle > 1000) << event;
  }
  EXPECT_LT(rig.log.cycle("completed", b), 450U);
}

TEST(FrontEndHooks, HookReadsAndWritesMemoryThroughItsClient) {
  class Reader : public Fcfs {
   public:
    void clock(const DispatchIn& in) override {
      Fcfs::clock(in);
      if (in.now == 20) {
        const std::uint32_t value = 0xcafe;
        site_.memory->write(address, &value, 4, 1);
        site_.memory->read(address, 64, 2);
      }
      if (in.reply) replies.push_back(*in.reply);
    }
    std::uint64_t address = 0;
    std::vector<MemoryReply> replies;
  };
  Reader policy;
  Rig::Options options;
  options.hooks.dispatch = &policy;
  Rig rig(load(), options);
  policy.address = rig.store.allocate(64, AllocationKind::kHeap).value();
  rig.run_until([&] { return rig.now >= 200; });
  ASSERT_EQ(policy.replies.size(), 2U);
  EXPECT_EQ(policy.replies[0].tag, 1U);
  EXPECT_EQ(policy.replies[0].bytes, 0);
  EXPECT_EQ(policy.replies[1].tag, 2U);
  EXPECT_EQ(policy.replies[1].bytes, 64);
  std::uint32_t value = 0;
  std::memcpy(&value, policy.replies[1].data.data(), 4);
  EXPECT_EQ(value, 0xcafeU);
}

TEST(FrontEndHooks, ADeadlockReportSaysWhoWaitsAtAHook) {
  class Keeper final : public Fcfs {
   public:
    const DispatchOut& settle(const DispatchIn& in) override {
      Fcfs::settle(in);
      out.place.reset();
      return out;
    }
    void waits(WaitGraph& graph) const override {
      graph.say("keeps the TBs of " + graph.kernel(items.front().item.kd) + " for ever");
      graph.add(graph.kernel(items.front().item.kd), "the keeper");
      graph.add("the keeper", graph.kernel(items.front().item.kd));
    }
    [[nodiscard]] const char* block() const override { return "keeper"; }
  };
  Keeper policy;
  policy.quiet_edges = kForever;
  Rig::Options options;
  options.hooks.dispatch = &policy;
  Rig rig(load(), options);
  rig.submit(0, Rig::kernel(rig.program("k"), 5, 32), kSubmit);
  rig.run(5000);
  EXPECT_FALSE(rig.front_end->idle());
  WaitGraph graph;
  rig.front_end->waits(graph);
  EXPECT_EQ(graph.said(), "dispatch_policy (block keeper): keeps the TBs of kernel k of entry 0 for ever\n");
  EXPECT_EQ(graph.cycle_text(), "cycle: kernel k of entry 0 -> the keeper -> kernel k of entry 0\n");
}

TEST(FrontEndHooks, ErrorOfAHookStopsTheKernels) {
  class Complaining : public RoundRobin {
   public:
    void clock(const JobIn& in) override {
      RoundRobin::clock(in);
      if (in.now == 400) site_.error(7, 99);
    }
  };
  Complaining scheduler;
  Rig::Options options;
  options.hooks.job_scheduler = &scheduler;
  Rig rig(load(), options);
  rig.service = 10'000;
  const Ticket ticket = rig.submit(0, Rig::kernel(rig.program("k"), 5, 32), kSubmit);
  rig.run();
  EXPECT_LT(rig.log.cycle("completed", ticket), 420U);
  const auto fault = rig.front_end->faults().take();
  ASSERT_TRUE(fault.has_value());
  EXPECT_THAT(fault->message, testing::HasSubstr("job_scheduler reports error 7 (information 99) in cycle 400"));
}

TEST(FrontEndHooksDeathTest, WrongPositionIsAnAssertion) {
  class Wrong : public Fcfs {
   public:
    const DispatchOut& settle(const DispatchIn& in) override {
      Fcfs::settle(in);
      if (out.place) out.place->position += 1;
      return out;
    }
  };
  EXPECT_HOOK_FAILS(
      {
        Wrong policy;
        Rig::Options options;
        options.hooks.dispatch = &policy;
        Rig rig(load(), options);
        rig.submit(0, Rig::kernel(rig.program("k"), 5, 32), kSubmit);
        rig.run();
      },
      "cycle 295.*offers position 1 of entry 0, 0 is next|offers position 1 of entry 0, 0 is next");
}

// --- Compositions ---------------------------------------------------------------------------------------------------

void expect_refused(const Machine& machine, const std::vector<std::string>& words, const Hooks& hooks = {}) {
  try {
    (void)checked(machine, hooks);
    ADD_FAILURE() << "accepted; expected to be refused with " << testing::PrintToString(words);
  } catch (const base::InputError& error) {
    for (const std::string& word : words) EXPECT_THAT(error.what(), testing::HasSubstr(word));
  }
}

TEST(Composition, MachineBeyondTheRecordsOfHooksIsRefused) {
  Machine machine = load();
  machine.chip.sms = 257;
  expect_refused(machine, {"chip.sms", "257", "at most 256"});
  expect_refused(load({"queue.count=129"}), {"queue.count", "at most 128"});
  expect_refused(load({"table.entries=257"}), {"table.entries", "at most 256"});
}

}  // namespace
}  // namespace castor::gpu::gpu_front_end_hooks_test
