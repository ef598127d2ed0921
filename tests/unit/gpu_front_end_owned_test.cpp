// Tests of kernels that own the machine: they have more thread blocks than fit, and a hub starts the remaining ones
// after the fill (docs/gpu/sync-network.md, "Kernels that own the machine").
#include <functional>

#include "castor/base/error.h"
#include "castor/gpu/front_end/composition.h"
#include "castor/gpu/front_end/front_end_steps.h"
#include "castor/gpu/wait_graph.h"
#include "common/hook_fails.h"
#include "gpu_front_end_owned_support.h"

namespace castor::gpu::gpu_front_end_owned_test {
namespace {

using test::load;
using test::Rig;
using test::hooks::Governor;
using test::hooks::kSubmit;
using test::owned::every_cycle;
using test::owned::kNever;
using test::owned::kSms;
using test::owned::numbers;
using test::owned::SwapRig;
using test::sync::Agents;

TEST(OwnedKernels, RunMoreTbsThanFitAndEachRetiresOnce) {
  std::string first;
  for (const bool polls : {true, false}) {
    SwapRig one(every_cycle(polls));
    const Ticket ticket = one.submit_owned(0, 40, kSubmit);
    one.rig->run(50'000);
    // The dispatcher fills the SMs, one TB per cycle.
    const std::vector<test::Logged> placed = one.rig->log.of("placed");
    ASSERT_EQ(placed.size(), kSms);
    EXPECT_EQ(placed.back().cycle, placed.front().cycle + kSms - 1);
    EXPECT_EQ(one.tbs_of("placed", ticket), numbers(0, kSms));
    ASSERT_EQ(one.hub.launches.size(), 1U);
    EXPECT_TRUE(one.hub.launches[0].owned);
    const Cycle completed = one.rig->log.cycle("completed", ticket);
    EXPECT_EQ(one.hub.fills,
              (std::vector<std::pair<Cycle, bool>>{{0, false}, {placed.back().cycle, true}, {completed, false}}));
    // The hub starts the others in ascending order.
    EXPECT_EQ(one.hub.popped, (std::vector<std::uint32_t>{13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26,
                                                          27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39}));
    std::vector<std::uint64_t> retired = one.tbs_of("retired", ticket);
    std::sort(retired.begin(), retired.end());
    EXPECT_EQ(retired, numbers(0, 40));
    EXPECT_EQ(one.tbs_of("started", ticket).size(), 40U + 27U) << "27 TBs come back";
    // The hub reports the end of all TBs, and the kernel is complete in the same cycle.
    EXPECT_EQ(one.hub.dones, std::vector<Cycle>{completed});
    EXPECT_EQ(one.rig->statistic("front_end.tb_placed"), 40U);
    EXPECT_EQ(one.rig->statistic("front_end.tb_retired"), 40U);
    const auto& rows = one.rig->front_end->releases().kernels();
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0].warp_instructions, 400U);
    one.expect_clean();
    std::string text;
    for (const test::Logged& event : one.rig->log.events) text += (std::ostringstream() << event << "\n").str();
    if (first.empty()) first = text;
    EXPECT_EQ(text, first) << "sleeping changes the run";
  }
}

TEST(OwnedKernels, AreReleasedWhenTheHubSaysSo) {
  SwapRig one(every_cycle(false));
  one.hub.delay = 2000;
  const Ticket ticket = one.submit_owned(0, 30, kSubmit);
  one.rig->run_until([&] { return one.tbs_of("retired", ticket).size() == 30; });
  const Cycle retired = one.rig->now;
  one.rig->run_until([&] { return one.rig->now >= retired + 500; }, retired + 500);
  EXPECT_FALSE(one.rig->front_end->idle());
  EXPECT_THAT(one.rig->front_end->waiting(),
              testing::HasSubstr("waits until the synchronisation hub says that all its TBs have ended"));
  one.rig->run(50'000);
  ASSERT_EQ(one.hub.dones.size(), 1U);
  EXPECT_GT(one.hub.dones[0], retired + 1500);
  EXPECT_EQ(one.rig->log.cycle("completed", ticket), one.hub.dones[0]);
  one.expect_clean();
}

TEST(OwnedKernels, RoomThatATbLeavesDuringTheFillIsNotGivenToThePolicy) {
  SwapRig::Options options = every_cycle(false);
  options.barrier = false;
  options.run = [](std::uint64_t tb) { return tb < 3 ? 1 : 200; };  // three end before the fill is over
  SwapRig one(options);
  const Ticket ticket = one.submit_owned(0, 40, kSubmit);
  one.rig->run(50'000);
  EXPECT_EQ(one.tbs_of("placed", ticket), numbers(0, kSms));
  const auto placed = one.rig->log.of("placed");
  const auto retired = one.rig->log.of("retired");
  ASSERT_FALSE(retired.empty());
  EXPECT_LT(retired.front().cycle, placed.back().cycle) << "no TB ends before the fill is over";
  std::vector<std::uint64_t> all = one.tbs_of("retired", ticket);
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all, numbers(0, 40));
  one.expect_clean();
}

TEST(OwnedKernels, HaveTheMachineToThemselves) {
  for (const bool polls : {true, false}) {
    SwapRig one(every_cycle(polls));
    one.service = 1500;
    const Ticket before = one.submit_plain(2, 4, kSubmit);
    const Ticket owner = one.submit_owned(1, 40, 500);
    const Ticket behind = one.submit_plain(3, 4, 501);
    const Ticket second = one.submit_owned(0, 20, 502);
    const Ticket last = one.submit_plain(4, 4, 503);
    one.rig->run_until([&] { return one.rig->now >= 1200; }, 1200);
    EXPECT_THAT(one.rig->front_end->waiting(),
                testing::AllOf(testing::HasSubstr("needs the machine to itself and waits until all other kernels"),
                               testing::HasSubstr("waits behind the kernel of queue 1, which needs the machine")));
    WaitGraph graph;
    one.rig->front_end->waits(graph);
    one.rig->run_until([&] { return one.owner() != nullptr; }, 50'000);
    EXPECT_THAT(
        one.rig->front_end->waiting(),
        testing::HasSubstr("waits until kernel owner of entry 0, which has the machine to itself, is complete"));
    one.rig->run(100'000);
    const test::Log& log = one.rig->log;
    EXPECT_GT(log.cycle("granted", owner), log.cycle("completed", before));
    EXPECT_LE(log.cycle("granted", owner), log.cycle("completed", before) + 2);
    // The two waiting kernels are granted in the order of their submission, not by queue number.
    EXPECT_GT(log.cycle("granted", second), log.cycle("completed", owner));
    for (const Ticket other : {behind, last}) EXPECT_GT(log.cycle("granted", other), log.cycle("completed", second));
    one.expect_clean();
  }
}

TEST(OwnedKernels, ADeadlockReportNamesTheOwner) {
  SwapRig one(every_cycle(false));
  one.hub.deaf = true;
  one.submit_owned(1, 40, kSubmit);
  one.submit_plain(0, 4, 600);
  one.rig->run(20'000);
  EXPECT_FALSE(one.rig->front_end->idle());
  EXPECT_TRUE(one.rig->front_end->rests());
  const std::string waiting = one.rig->front_end->waiting();
  EXPECT_THAT(waiting,
              testing::HasSubstr("27 TBs not placed, 13 placed and not complete; the synchronisation hub gives "
                                 "out the others"));
  EXPECT_THAT(waiting, testing::HasSubstr("waits until kernel owner of entry 0, which has the machine to itself"));
  WaitGraph graph;
  one.rig->front_end->waits(graph);
  EXPECT_THAT(graph.said(), testing::HasSubstr("0 blocks have arrived"));
  graph.add(sync_hub_node(), queue_node(0));  // closes the cycle through the edges that are expected
  EXPECT_THAT(graph.cycle_text(), testing::AllOf(testing::HasSubstr("queue 0"), testing::HasSubstr("owner"),
                                                 testing::HasSubstr(sync_hub_node())));
}

// --- Governors -------------------------------------------------------------------------------------------------------

TEST(OwnedKernels, TheFillWaitsForSmsThatAreClosed) {
  for (const bool polls : {true, false}) {
    Governor governor;
    governor.quiet_edges = 0;
    governor.decide = [](Cycle now, GovernOut& out) { out.open = now < 3000 ? SmMask(0x1fefU) : kAllSms; };
    SwapRig::Options options = every_cycle(polls);
    options.governors = {&governor};
    SwapRig one(options);
    const Ticket ticket = one.submit_owned(0, 40, kSubmit);
    one.rig->run_until([&] { return one.rig->now >= 2900; }, 2900);
    EXPECT_EQ(one.tbs_of("placed", ticket).size(), kSms - 1);
    EXPECT_TRUE(one.hub.popped.empty());
    EXPECT_THAT(one.rig->front_end->waiting(), testing::HasSubstr("SMs with room are closed or above quota"));
    one.rig->run(60'000);
    const auto placed = one.rig->log.of("placed");
    ASSERT_EQ(placed.size(), kSms);
    EXPECT_EQ(placed.back().c, 4U);
    EXPECT_GE(placed.back().cycle, 3000U);
    EXPECT_EQ(one.tbs_of("retired", ticket).size(), 40U);
    one.expect_clean();
  }
}

TEST(OwnedKernels, AQuotaEndsTheFillUnlessMoreAreLeftThanCanBeSwappedOut) {
  for (const std::uint64_t away : {30, 29}) {
    Governor governor;
    // No TB may be placed on SMs 10 to 12 until cycle 3000.
    std::vector<std::uint8_t> allowed(kSms * load().table.entries, Quota::kUnlimited);
    const auto entries = static_cast<unsigned>(allowed.size() / kSms);
    for (unsigned sm = 10; sm < kSms; ++sm) allowed[sm * entries] = 0;
    const Quota quota{entries, allowed.data()};
    governor.decide = [&](Cycle now, GovernOut& out) { out.quota = now < 3000 ? &quota : nullptr; };
    SwapRig::Options options = every_cycle(false);
    options.governors = {&governor};
    options.limits.away = away;
    SwapRig one(options);
    const Ticket ticket = one.submit_owned(0, 40, kSubmit);
    one.rig->run_until([&] { return one.rig->now >= 2900; }, 2900);
    EXPECT_EQ(one.tbs_of("placed", ticket), numbers(0, 10));
    EXPECT_EQ(one.hub.popped.empty(), away < 30);
    one.rig->run(60'000);
    EXPECT_EQ(one.tbs_of("placed", ticket), numbers(0, away < 30 ? 13 : 10));
    EXPECT_EQ(one.tbs_of("retired", ticket).size(), 40U);
    one.expect_clean();
  }
}

// --- Faults, resets --------------------------------------------------------------------------------------------------

/// Runs an owned kernel, stops it in `cycle`, and runs another one.
void stop_at(Cycle cycle, bool by_fault) {
  SCOPED_TRACE(cycle);
  SwapRig one(every_cycle(false));
  const Ticket ticket = one.submit_owned(0, 40, kSubmit);
  one.at(cycle, [&](Cycle now) {
    if (const KernelContext* const kernel = one.owner(); by_fault && kernel != nullptr) {
      one.rig->sms[0]->fault_now(*kernel, "stop", now);
    }
  });
  one.rig->run_until([&] { return one.rig->now >= cycle + 1; }, cycle + 1);
  if (!by_fault) one.rig->front_end->abandon();
  one.rig->run(50'000);
  EXPECT_TRUE(one.rig->front_end->idle()) << one.rig->front_end->waiting();
  if (one.rig->log.of("written").empty()) return;
  EXPECT_LE(one.hub.stops.size(), 1U);
  EXPECT_EQ(one.hub.dones.size(), one.hub.launches.size());
  one.expect_clean();
  EXPECT_EQ(one.rig->statistic("front_end.tb_placed") + one.rig->statistic("front_end.tb_dropped"), 40U);
  EXPECT_EQ(one.rig->statistic("front_end.tb_placed"), one.rig->statistic("front_end.tb_retired"));
  EXPECT_GT(one.rig->log.cycle("completed", ticket), 0U);
  if (!by_fault) one.rig->front_end->reset();
  const Ticket next = one.submit_owned(2, 30, one.rig->now + 10);
  one.rig->run(one.rig->now + 50'000);
  EXPECT_EQ(one.tbs_of("retired", next).size(), 30U);
  EXPECT_GT(one.rig->log.cycle("completed", next), 0U);
  one.expect_clean();
}

TEST(OwnedKernels, LeaveACleanMachineWhenTheyAreStoppedInAnyState) {
  Cycle written = 0, completed = 0;
  {
    SwapRig whole(every_cycle(false));
    const Ticket ticket = whole.submit_owned(0, 40, kSubmit);
    whole.rig->run(50'000);
    written = whole.rig->log.cycle("written", ticket);
    completed = whole.rig->log.cycle("completed", ticket);
  }
  ASSERT_LT(written, completed);
  for (Cycle cycle = written - 5; cycle < completed + 3; cycle += 11) {
    stop_at(cycle, true);
    stop_at(cycle, false);
  }
}

TEST(OwnedKernels, AHubThatSleepsSeesTheNextTbAfterEachThatItTakes) {
  for (const bool polls : {true, false}) {
    Agents agents(kSms);
    test::sync::Hub hub;
    hub.sleeps = true;
    std::vector<std::pair<Cycle, std::uint32_t>> taken;
    bool left = true;
    hub.decide = [&](const HubIn& in, HubOut& out) { out.pop = in.next_tb.has_value(); };
    hub.see = [&](const HubIn& in) {
      if (hub.out.pop) taken.emplace_back(in.now, *in.next_tb);
      left = !in.none_left;
    };
    Machine machine = load();
    machine.chip.sync.swaps = true;
    Rig rig(machine, test::sync::options(hub, agents, polls));
    rig.service = kNever;
    KernelPacket packet = Rig::kernel(rig.program("owner", 16, 49152), 40, 64);
    packet.synchronises = packet.owned = true;
    rig.submit(0, packet, kSubmit);
    rig.run_until([&] { return rig.now >= 5000; }, 5000);
    ASSERT_EQ(taken.size(), 40U - kSms);
    for (std::uint32_t i = 0; i < taken.size(); ++i) {
      EXPECT_EQ(taken[i], std::make_pair(rig.log.of("placed").back().cycle + 1 + i, kSms + i));
    }
    EXPECT_FALSE(left);
  }
}

TEST(OwnedKernels, TbsThatHaveRetiredAndAreNotCountedYetAreNoneThatAreAway) {
  Agents agents(kSms);
  test::sync::Hub hub;
  Cycle stopped = kForever;
  hub.see = [&](const HubIn& in) { stopped = in.stopped ? in.now : stopped; };
  // All TBs retire in one cycle and are counted one by one. The hub is done before the last one is counted.
  hub.decide = [&](const HubIn& in, HubOut& out) { out.done = stopped != kForever && in.now == stopped + 4; };
  Machine machine = load();
  machine.chip.sync.swaps = true;
  Rig rig(machine, test::sync::options(hub, agents));
  rig.service = kNever;
  KernelPacket packet = Rig::kernel(rig.program("owner", 16, 49152), 40, 64);
  packet.synchronises = packet.owned = true;
  const Ticket ticket = rig.submit(0, packet, kSubmit);
  rig.pins.insert(3000);
  rig.before = [&](Cycle now) {
    if (now == 3000) rig.sms[0]->fault_now(rig.front_end->table()[0].context(), "stop", now);
  };
  rig.run(20'000);
  EXPECT_EQ(stopped, 3001U);
  EXPECT_TRUE(rig.front_end->idle());
  EXPECT_EQ(rig.log.of("retired").size(), kSms);
  EXPECT_EQ(rig.statistic("front_end.tb_retired"), kSms);
  EXPECT_GT(rig.log.cycle("completed", ticket), stopped + 4 + 5);
  EXPECT_EQ(rig.front_end->table().records().live(), 0U);
  EXPECT_EQ(rig.front_end->ledger().resident_total(), 0U);
}

/// A part of the front end that drops the job of queue 0 in the cycle in which the entry of a kernel is written.
class Dropping : public FrontEndMechanism {
 public:
  explicit Dropping(const FrontEndParts& parts) : dispatcher_(parts.dispatcher) {}
  [[nodiscard]] bool clocked() const { return true; }
  void started(const KernelEvent& kernel) { drops_ = drops_ || kernel.queue == 0; }
  void clock(Cycle /*now*/) {
    if (drops_) kernels += dispatcher_.cancel(0);
    drops_ = false;
  }
  unsigned kernels = 0;

 private:
  Dispatcher& dispatcher_;
  bool drops_ = false;
};

TEST(OwnedKernels, TheHubIsToldThatTheJobWasDropped) {
  Agents agents(kSms);
  test::sync::Hub hub;
  std::vector<Cycle> launches, stops;
  hub.see = [&](const HubIn& in) {
    if (in.launch) launches.push_back(in.now);
    if (in.stopped) stops.push_back(in.now);
  };
  hub.decide = [&](const HubIn& in, HubOut& out) { out.done = !stops.empty() && in.now == stops.back() + 300; };
  using DroppingRig = test::BasicRig<BasicFrontEnd<FrontEndMechanisms::With<Dropping>>>;
  DroppingRig::Options options;
  options.hooks = test::sync::hooks(hub, agents);
  Machine machine = load();
  machine.chip.sync.swaps = true;
  DroppingRig rig(machine, options);
  KernelPacket packet = DroppingRig::kernel(rig.program("owner", 16, 49152), 40, 64);
  packet.synchronises = packet.owned = true;
  const Ticket dropped = rig.submit(0, packet, kSubmit);
  const Ticket next = rig.submit(1, DroppingRig::kernel(rig.program("plain"), 2, 32), kSubmit);
  rig.run(20'000);
  EXPECT_TRUE(rig.front_end->idle());
  EXPECT_EQ(rig.front_end->mechanism<Dropping>().kernels, 1U);
  const Cycle written = rig.log.cycle("written", dropped);
  EXPECT_EQ(launches, std::vector<Cycle>{written});
  EXPECT_EQ(stops, std::vector<Cycle>{written});
  EXPECT_EQ(rig.log.cycle("completed", dropped), written + 300);
  EXPECT_GT(rig.log.cycle("granted", next), written + 300);
  EXPECT_EQ(rig.log.of("placed").size(), 2U);
}

// --- Rules -----------------------------------------------------------------------------------------------------------

/// Runs a hub that breaks one rule in the cycle after the fill.
void wrong(const std::function<void(const HubIn&, HubOut&)>& act, std::uint32_t tbs = 40) {
  Agents agents(kSms);
  test::sync::Hub hub;
  hub.decide = act;
  Machine machine = load();
  machine.chip.sync.swaps = true;
  Rig rig(machine, test::sync::options(hub, agents));
  rig.service = 100'000;
  KernelPacket packet = Rig::kernel(rig.program("owner", 16, 49152), tbs, 64);
  packet.synchronises = packet.owned = true;
  rig.submit(0, packet, kSubmit);
  rig.run(20'000);
}

TEST(OwnedKernelsDeathTest, WhatTheHubCannotSayIsTheBlocksFault) {
  EXPECT_HOOK_FAILS(wrong([](const HubIn& in, HubOut& out) { out.pop = !in.next_tb; }),
                    "sync_hub takes a TB, but none is offered");
  EXPECT_HOOK_FAILS(wrong([](const HubIn& in, HubOut& out) { out.done = in.now == 10'000; }),
                    "sync_hub says that all TBs have ended, but 27 TBs of entry 0 are not placed");
}

TEST(OwnedKernels, ThePolicyOfABlockIsRefusedBesideThem) {
  Agents agents(kSms);
  test::sync::Hub hub;
  test::hooks::Fcfs policy;
  Hooks hooks = test::sync::hooks(hub, agents);
  hooks.dispatch = &policy;
  Machine machine = load();
  EXPECT_NO_THROW((void)checked(machine, hooks));
  machine.chip.sync.swaps = true;
  try {
    (void)checked(machine, hooks);
    ADD_FAILURE() << "accepted";
  } catch (const base::InputError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("cannot be combined with a DispatchPolicy"));
  }
}

}  // namespace
}  // namespace castor::gpu::gpu_front_end_owned_test
