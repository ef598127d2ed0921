// Tests of the governors' part alone: the combined decision of several governors, their inputs about SMs, and when they
// are clocked.
#include "castor/gpu/front_end/governors.h"
#include "common/hook_fails.h"
#include "gpu_front_end_parts.h"

namespace castor::gpu::gpu_front_end_governors_test {
namespace {

using test::FakeSm;
using test::load;
using test::PartRig;

class Governor : public test::Scripted<GovernIn, GovernOut> {
 public:
  [[nodiscard]] int window() const override { return served; }
  int served = -1;
};

class GovernorRig : public PartRig {
 public:
  explicit GovernorRig(unsigned governors, Machine m = load({"chip.sms=4", "table.entries=8"}),
                       const std::vector<int>& windows = {})
      : PartRig(std::move(m)), ledger(machine), events(governors != 0, machine.chip.sms), hooks(governors) {
    for (std::size_t i = 0; i < windows.size(); ++i) hooks[i].served = windows[i];
    std::vector<SmGovernor*> all;
    for (Governor& governor : hooks) all.push_back(&governor);
    for (unsigned i = 0; i < machine.chip.sms; ++i) {
      sms.push_back(std::make_unique<FakeSm>(machine, i, [](const KernelContext&, std::uint64_t) { return 1; }));
      units.push_back(sms.back().get());
    }
    part = std::make_unique<Governors>(all, place(), units, ledger, events);
  }
  Ledger ledger;
  HookEvents events;
  std::vector<Governor> hooks;
  std::vector<std::unique_ptr<FakeSm>> sms;
  std::vector<SmUnit*> units;
  std::unique_ptr<Governors> part;
};

TEST(Governors, WithoutAnyEverythingIsOpen) {
  GovernorRig rig(0);
  rig.part->begin(1);
  rig.part->settle(1);
  EXPECT_FALSE(rig.part->any());
  EXPECT_EQ(rig.part->open(), kAllSms);
  EXPECT_EQ(rig.part->clock_enable(), kAllSms);
  EXPECT_EQ(rig.part->quota(), nullptr);
  EXPECT_TRUE(rig.part->uncore_enable());
  EXPECT_FALSE(rig.part->stirred());
  EXPECT_TRUE(rig.part->inert());
  EXPECT_EQ(rig.part->next(1), kForever);
}

TEST(Governors, AllOfThemHaveToAgree) {
  GovernorRig rig(3);
  std::vector<std::uint8_t> few(32, 3), many(32, Quota::kUnlimited);
  few[5] = Quota::kUnlimited;
  many[6] = 2;
  const Quota quotas[] = {{8, few.data()}, {8, many.data()}};
  rig.hooks[0].out = {0x7, &quotas[0], 0xe, true};
  rig.hooks[1].out = {0xd, &quotas[1], 0xf, true};
  rig.part->settle(1);
  EXPECT_EQ(rig.part->open(), 0x5U);
  EXPECT_EQ(rig.part->clock_enable(), 0xeU);
  EXPECT_TRUE(rig.part->uncore_enable());
  ASSERT_NE(rig.part->quota(), nullptr);
  EXPECT_EQ(rig.part->quota()->allowed[4], 3);
  EXPECT_EQ(rig.part->quota()->allowed[5], Quota::kUnlimited);
  EXPECT_EQ(rig.part->quota()->allowed[6], 2);
  rig.hooks[0].out.quota = nullptr;
  rig.hooks[2].out.uncore_enable = false;
  rig.part->settle(2);
  EXPECT_EQ(rig.part->quota(), &quotas[1]);
  EXPECT_FALSE(rig.part->uncore_enable());
}

TEST(Governors, ATbIsInFlightOneCycleAfterItsPlacementAndHereFromTheNextOn) {
  GovernorRig rig(1);
  SmLoad seen[4];
  rig.hooks[0].see = [&](const GovernIn& in) { std::copy(in.load.begin(), in.load.end(), seen); };
  rig.ledger.debit(2, 0, {3, 96, 1, 0}, 10);
  for (Cycle now = 11; now < 14; ++now) {
    rig.part->begin(now);
    EXPECT_EQ(rig.part->stirred(), now == 11);
    rig.part->settle(now);
    rig.part->clock(false, now);
    EXPECT_EQ(seen[2].in_flight, now == 11);
    EXPECT_EQ(seen[2].tbs, now == 11 ? 0 : 1);
    EXPECT_EQ(seen[2].warps, now == 11 ? 0 : 3);
    EXPECT_EQ(seen[1].tbs, 0);
  }
}

TEST(Governors, SeeWhatTheDispatcherShowsUntilItIsToldAnew) {
  GovernorRig rig(1);
  GovernIn seen;
  rig.hooks[0].see = [&](const GovernIn& in) { seen = in; };
  rig.part->show({0x5, 0x2, true, true});
  for (Cycle now = 1; now < 3; ++now) {
    rig.part->clock(false, now);
    EXPECT_EQ(seen.now, now);
    EXPECT_EQ(seen.fits_head, 0x5U);
    EXPECT_EQ(seen.bound_wait, 0x2U);
    EXPECT_TRUE(seen.ready);
    EXPECT_TRUE(seen.waiting);
  }
  rig.part->show({});
  rig.part->clock(true, 3);
  EXPECT_FALSE(seen.ready);
  EXPECT_TRUE(seen.waiting);
  rig.part->clock(false, 4);
  EXPECT_FALSE(seen.waiting);
}

TEST(Governors, PulsesAreReadWhileOneOfThemWantsThem) {
  GovernorRig rig(2);
  SmPulse seen;
  rig.hooks[0].see = [&](const GovernIn& in) { seen = in.pulse[2]; };
  for (auto& hook : rig.hooks) hook.quiet_edges = kForever;
  const auto cycle = [&](Cycle now) {
    rig.part->begin(now);
    rig.part->settle(now);
    rig.part->clock(false, now);
    rig.sms[2]->set_activity(static_cast<std::uint16_t>(now), now);
  };
  for (Cycle now = 1; now < 40; ++now) {
    rig.hooks[0].out.pulses = now == 10;
    rig.hooks[1].out.pulses = now >= 11 && now < 20;
    cycle(now);
    // Requested in cycles 10 to 19: measured in 11 to 20, read in 12 to 20.
    EXPECT_EQ(seen.lanes, now >= 12 && now <= 19 ? now - 1 : 0) << now;
    EXPECT_EQ(rig.part->next(now), now >= 11 && now <= 19 ? now + 1 : kForever) << now;
  }
}

TEST(Governors, AnAccessToARegisterIsSeenAtTheEdgeAndAnsweredFromTheNextCycleOn) {
  GovernorRig rig(2, load({"chip.sms=4", "table.entries=8"}), {-1, 9});
  rig.registers.access({9, false, 4, 0}, 5, true);
  bool other = false;
  rig.hooks[0].see = [&](const GovernIn& in) { other = other || in.ev.reg; };
  Maybe<RegisterAccess> seen;
  rig.hooks[1].see = [&](const GovernIn& in) { seen = in.ev.reg; };
  rig.hooks[1].decide = [&](const GovernIn& /*in*/, GovernOut& out) {
    out.reg.reset();
    if (seen) out.reg = RegisterReply{RegisterError::kNone, 77};
  };
  for (Cycle now = 4; now < 9; ++now) {
    rig.registers.begin(now);
    rig.part->begin(now);
    rig.part->settle(now);
    rig.part->clock(false, now);
    EXPECT_EQ(seen.has_value(), now == 5 || now == 6) << now;
    EXPECT_EQ(rig.part->stirred(), now == 5 || now == 6) << now;
    if (now == 6) {
      EXPECT_EQ(rig.registers.reply(1)->value, 77U);
      seen.reset();
    }
  }
  EXPECT_FALSE(other);
}

TEST(Governors, AreClockedAgainWhenTheQuietestCallsForIt) {
  GovernorRig rig(2);
  rig.hooks[0].quiet_edges = 7;
  rig.hooks[1].quiet_edges = kForever;
  rig.part->begin(10);
  EXPECT_EQ(rig.part->next(10), 18U);
  EXPECT_FALSE(rig.part->inert());
  rig.hooks[0].quiet_edges = kForever;
  EXPECT_EQ(rig.part->next(10), kForever);
  EXPECT_TRUE(rig.part->inert());
  rig.part->idle(5);
  EXPECT_EQ(rig.hooks[0].idled, 5U);
  EXPECT_EQ(rig.hooks[1].idled, 5U);
}

TEST(Governors, AreClosedWhileTbsWaitAndNoSmMayTakeOne) {
  GovernorRig rig(1, load({"chip.sms=4", "watchdog.cycles=1000"}));
  rig.hooks[0].out.open = 0;
  rig.hooks[0].quiet_edges = kForever;
  rig.part->settle(1);
  rig.part->check_open(1);
  EXPECT_FALSE(rig.part->closed());  // nothing waits
  rig.ledger.watch(0, {1, 32, 1, 0});
  rig.part->check_open(20);
  EXPECT_TRUE(rig.part->closed());
  rig.part->begin(20);
  EXPECT_EQ(rig.part->next(20), 1020U);
  rig.ledger.debit(1, 0, {1, 32, 1, 0}, 500);
  rig.part->check_open(500);
  EXPECT_FALSE(rig.part->closed());  // running TBs may end, which opens the SMs
}

TEST(GovernorsDeathTest, ThatCloseAllSmsForAWindowAreNamed) {
  GovernorRig rig(2, load({"chip.sms=4", "watchdog.cycles=1000"}));
  rig.hooks[1].out.open = kAllSms << 4;
  rig.ledger.watch(0, {1, 32, 1, 0});
  rig.part->settle(1);
  rig.part->check_open(1);
  rig.part->check_open(1000);
  EXPECT_HOOK_FAILS(rig.part->check_open(1001), "governor1: all SMs have been closed for 1000 cycles");
}

TEST(GovernorsDeathTest, ThatChangeTheirMindAreAnAssertionInRunsThatCheck) {
  GovernorRig rig(1, load({"chip.sms=4", "run.sleep=0"}));
  rig.part->settle(1);
  rig.hooks[0].out.open = 1;
  EXPECT_HOOK_FAILS(rig.part->clock(false, 1), "governor0 changes an output after settle");
}

}  // namespace
}  // namespace castor::gpu::gpu_front_end_governors_test
