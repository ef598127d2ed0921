// Tests of the dispatcher alone: the SM of each TB, and reasons why a TB is not placed.
#include "common/hook_fails.h"
#include "gpu_front_end_dispatch_parts.h"

namespace castor::gpu::gpu_front_end_dispatcher_test {
namespace {

using test::DispatcherRig;
using test::ScriptedGovernor;
using test::ScriptedPolicy;

constexpr TbNeed kSmall{1, 32, 1, 0};
constexpr TbNeed kHalf{32, 1024, 1, 0};  // half of an SM's warps

TEST(Dispatcher, PlacesOneTbPerCycleAroundTheSms) {
  DispatcherRig rig;
  const KernelContext& kernel = rig.push(2, 30, kSmall, 0, 5);
  for (unsigned i = 0; i < 30; ++i) {
    const auto one = rig.placed(10 + i);
    ASSERT_TRUE(one.has_value());
    EXPECT_EQ(one->first, i % 13);
    EXPECT_EQ(one->second.kernel, &kernel);
    EXPECT_EQ(one->second.visible, 11 + i);
    EXPECT_EQ(one->second.gid, i);
    EXPECT_EQ(one->second.acquire, 5U);
    EXPECT_EQ(rig.dispatcher.rest(10 + i), DispatchWait::kNothing);
    EXPECT_EQ(rig.dispatcher.placeable(), i < 29);
  }
  EXPECT_EQ(rig.placed_on(40), std::nullopt);
  EXPECT_EQ(rig.ledger.resident_total(), 30U);
  EXPECT_TRUE(rig.ledger.watched().empty());
}

TEST(Dispatcher, FirstComeFirstServedSaysWhyItWaits) {
  DispatcherRig rig({{"chip.sms=2"}, {}, nullptr, false});
  rig.push(0, 6, kHalf);
  rig.push(1, 2, kSmall);
  EXPECT_EQ(rig.dispatcher.ahead_of(1), 0);
  EXPECT_EQ(rig.dispatcher.ahead_of(0), -1);
  for (Cycle now = 1; now <= 4; ++now) EXPECT_EQ(rig.placed_of(now), 0);
  // All warp slots of both SMs are occupied.
  EXPECT_EQ(rig.placed_of(5), -1);
  EXPECT_EQ(rig.dispatcher.rest(5), DispatchWait::kNoFit);
  EXPECT_FALSE(rig.dispatcher.placeable());
  // Now only the small TB fits.
  rig.ledger.credit(1, 0, {2, 64, 0, 0});
  EXPECT_EQ(rig.placed_of(6), -1);
  EXPECT_EQ(rig.dispatcher.rest(6), DispatchWait::kHeadBlocked);
  rig.ledger.credit(1, 0, {30, 960, 1, 0});
}

TEST(Dispatcher, StickyBypassGoesOnWithTheOneThatItChose) {
  DispatcherRig rig({{"chip.sms=1", "dispatch.bypass=sticky"}, {}, nullptr, false});
  rig.push(0, 3, kHalf);
  rig.push(1, 3, kSmall);
  rig.push(2, 3, kSmall);
  EXPECT_EQ(rig.placed_of(1), 0);
  rig.ledger.debit(0, 5, {30, 960, 1, 0}, 1);  // two warps are left
  EXPECT_EQ(rig.placed_of(2), 1);
  EXPECT_EQ(rig.placed_of(3), 1);
  EXPECT_EQ(rig.placed_of(4), -1);
  rig.ledger.credit(0, 5, {30, 960, 1, 0});
  EXPECT_EQ(rig.placed_of(5), 1);
  EXPECT_EQ(rig.placed_of(6), 2);  // the head does not fit
}

TEST(Dispatcher, ScanOffersTheOldestThatFittedWhenThePassBefore) {
  // 32 queues, 8 per cycle: passes of four cycles.
  DispatcherRig rig({{"dispatch.select_scan=8"}, {}, nullptr, false});
  rig.push(0, 3, kSmall);
  for (Cycle now = 8; now < 12; ++now) EXPECT_EQ(rig.placed_of(now), -1) << now;
  for (Cycle now = 12; now < 15; ++now) EXPECT_EQ(rig.placed_of(now), 0) << now;
}

TEST(Dispatcher, ClosedSmsAndQuotasAreKept) {
  ScriptedGovernor governor;
  std::vector<std::uint8_t> allowed(13 * 32, 2);
  DispatcherRig rig({{}, {&governor}, nullptr, false});
  const Quota quota{rig.machine.table.entries, allowed.data()};
  ASSERT_EQ(rig.machine.table.entries, 32U);
  governor.out.open = 0x12;  // SMs 1 and 4
  governor.out.quota = &quota;
  rig.push(0, 10, kSmall);
  std::vector<unsigned> sms;
  for (Cycle now = 1; now < 8; ++now) {
    if (const auto sm = rig.placed_on(now)) sms.push_back(*sm);
  }
  EXPECT_THAT(sms, testing::ElementsAre(1, 4, 1, 4));
  EXPECT_EQ(rig.dispatcher.rest(8), DispatchWait::kClosed);
  EXPECT_EQ(rig.dispatcher.takers(0), 0U);
}

TEST(Dispatcher, SmsBeyondAWordAreSearchedInCircle) {
  ScriptedGovernor governor;
  DispatcherRig rig({{"chip.sms=256"}, {&governor}, nullptr, false});
  governor.out.open = SmMask{}.set(63).set(64).set(127).set(200).set(255);
  rig.push(0, 11, kSmall);
  std::vector<unsigned> sms;
  for (Cycle now = 1; now < 12; ++now) {
    if (const auto sm = rig.placed_on(now)) sms.push_back(*sm);
  }
  EXPECT_THAT(sms, testing::ElementsAre(63, 64, 127, 200, 255, 63, 64, 127, 200, 255, 63));
}

TEST(Dispatcher, OfQueuesThatAreHeldNothingIsPlaced) {
  DispatcherRig rig;
  rig.push(0, 10, kSmall, 3);
  rig.push(1, 10, kSmall, 4);
  QueueMask held;
  held[3] = true;
  rig.dispatcher.hold_queues(held);
  EXPECT_EQ(rig.placed_of(1), -1);  // first come first served
  EXPECT_EQ(rig.dispatcher.takers(0), 0U);
  EXPECT_NE(rig.dispatcher.takers(1), 0U);
  EXPECT_FALSE(rig.dispatcher.show_fits()[0]);
  EXPECT_TRUE(rig.dispatcher.show_fits()[1]);
  rig.dispatcher.hold_queues({});
  EXPECT_EQ(rig.placed_of(2), 0);
}

TEST(Dispatcher, AKernelThatOwnsTheMachineIsNotHeldAndLeavesItsTbsWhenTheFillEnds) {
  DispatcherRig rig({{"chip.sms=2"}, {}, nullptr, false});
  KernelContext& context = rig.reserve(0, 10, 3);
  context.need = kHalf;
  context.owned = true;
  ASSERT_TRUE(rig.table.write(0, 0));
  rig.dispatcher.push(0);
  QueueMask held;
  held[3] = true;
  rig.dispatcher.hold_queues(held);
  for (Cycle now = 1; now <= 4; ++now) EXPECT_EQ(rig.placed_of(now), 0);
  EXPECT_EQ(rig.dispatcher.room_in_quota(0), 0U);
  rig.dispatcher.end_fill(0);
  for (unsigned i = 0; i < 4; ++i) rig.ledger.credit(i % 2, 0, kHalf);
  EXPECT_EQ(rig.placed_of(5), -1);
  EXPECT_EQ(rig.dispatcher.rest(5), DispatchWait::kNothing);
  EXPECT_FALSE(rig.dispatcher.state().waiting);
  EXPECT_EQ(rig.table[0].sequencer.left(), 6U);
  EXPECT_EQ(rig.table[0].sequencer.head(rig.table[0].context()), 4U);
}

TEST(Dispatcher, ATbThatComesBackTakesThePlacementOfTheCycle) {
  DispatcherRig rig;
  rig.push(0, 10, kSmall);
  rig.push(1, 1, kSmall);
  rig.table.place(1, 1);
  rig.table.save(1);
  EXPECT_EQ(rig.placed_on(4), 0U);
  EXPECT_EQ(rig.dispatcher.sms_for_restored(1), SmMask{0x1fff});
  EXPECT_EQ(rig.dispatcher.place_restored(1, 0x1f01, 5), 8U);
  EXPECT_EQ(rig.ledger.resident(8, 1), 1U);
  EXPECT_EQ(rig.placed_on(5), std::nullopt);
  EXPECT_EQ(rig.placed_on(6), 9U);  // the search continues with the next SM
}

TEST(Dispatcher, OffersOfAPolicyAreTakenWhereTheSmIsOpen) {
  ScriptedGovernor governor;
  ScriptedPolicy policy;
  DispatcherRig rig({{}, {&governor}, &policy, false});
  governor.out.open = 0xf;
  rig.push(3, 5, kSmall);
  EXPECT_TRUE(rig.events.all().pushed.has_value());
  std::uint32_t next = 0;
  policy.decide = [&](const DispatchIn& in, DispatchOut& out) {
    EXPECT_TRUE((*in.fits)[3]);
    EXPECT_EQ(in.open, 0xfU);
    out.place = Placement{3, static_cast<std::uint8_t>(next + 2), next, false};
  };
  policy.see = [&](const DispatchIn& in) { next += in.taken ? 1 : 0; };
  for (Cycle now = 1; now < 5; ++now) {
    EXPECT_EQ(rig.placed_on(now), now < 3 ? std::optional<unsigned>(now + 1) : std::nullopt);
    EXPECT_EQ(rig.events.all().placed.has_value(), now < 3);
    rig.policy.clock(now);
  }
  EXPECT_EQ(next, 2U);
  EXPECT_EQ(rig.statistic("offers_refused"), 2U);
}

TEST(Dispatcher, OffersOfAStoppedKernelAreDroppedAndCountedLater) {
  ScriptedPolicy policy;
  DispatcherRig rig({{}, {}, &policy, false});
  rig.push(3, 2, kSmall);
  rig.table.kill(3);
  rig.dispatcher.stop(3);
  EXPECT_TRUE(rig.dispatcher.show_fits()[3]);
  std::uint32_t next = 0;
  policy.decide = [&](const DispatchIn& /*in*/, DispatchOut& out) {
    out.place.reset();
    if (next < 2) out.place = Placement{3, Placement::kAnySm, next, false};
  };
  policy.see = [&](const DispatchIn& in) { next += in.taken ? 1 : 0; };
  for (Cycle now = 1; now < 6; ++now) {
    EXPECT_EQ(rig.placed_on(now), std::nullopt);
    rig.policy.clock(now);
    rig.events.begin(now + 1);
    rig.retire.drain(now + 1);
  }
  EXPECT_EQ(next, 2U);
  EXPECT_EQ(rig.ledger.resident_total(), 0U);
  EXPECT_TRUE(rig.table.finished()[3]);
}

TEST(Dispatcher, WithoutAPolicyAStoppedKernelDropsWhatIsLeftAtOnce) {
  DispatcherRig rig;
  rig.push(0, 10, kSmall);
  rig.push(1, 1, kSmall);
  EXPECT_EQ(rig.placed_of(1), 0);
  rig.table.kill(0);
  rig.dispatcher.stop(0);
  EXPECT_EQ(rig.statistic("tb_dropped"), 9U);
  EXPECT_EQ(rig.placed_of(2), 1);
}

TEST(Dispatcher, GivingUpAQueueFinishesItsKernels) {
  DispatcherRig rig;
  rig.push(0, 10, kSmall, 4);
  rig.push(1, 10, kSmall, 5);
  rig.reserve(2, 10, 4);
  EXPECT_EQ(rig.dispatcher.cancel(4), 2U);
  EXPECT_TRUE(rig.table.finished()[0]);
  EXPECT_TRUE(rig.table[2].killed);
  EXPECT_EQ(rig.placed_of(1), 1);
}

TEST(Dispatcher, ShowsGovernorsTheHeadOfTheList) {
  ScriptedGovernor governor;
  DispatcherRig rig({{"chip.sms=2"}, {&governor}, nullptr, true});
  EXPECT_FALSE(rig.dispatcher.state().waiting);
  EXPECT_EQ(rig.dispatcher.state().fits_head, kAllSms);
  rig.push(0, 5, kHalf);
  EXPECT_TRUE(rig.dispatcher.state().waiting);
  const SmMask fits[] = {0x3, 0x3, 0x3, 0x2, 0x0};  // before the placement of the cycle: two TBs fit on each SM
  for (Cycle now = 1; now <= 5; ++now) {
    rig.step(now);
    EXPECT_TRUE(rig.dispatcher.state().ready);
    EXPECT_TRUE(rig.dispatcher.state().waiting);
    EXPECT_EQ(rig.dispatcher.state().fits_head, fits[now - 1]) << now;
  }
  rig.ledger.credit(0, 0, kHalf);
  rig.step(6);
  EXPECT_FALSE(rig.dispatcher.state().waiting);
  rig.step(7);
  EXPECT_FALSE(rig.dispatcher.state().ready);
  EXPECT_EQ(rig.dispatcher.state().fits_head, kAllSms);
}

TEST(DispatcherDeathTest, PoliciesThatBreakTheRules) {
  ScriptedPolicy policy;
  DispatcherRig rig({{}, {}, &policy, false});
  policy.out.place = Placement{3, 0, 0, false};
  EXPECT_HOOK_FAILS(rig.step(1), "offers entry 3: not there");
  rig.push(3, 5, kSmall);
  policy.out.place = Placement{3, 0, 1, false};
  EXPECT_HOOK_FAILS(rig.step(1), "offers position 1 of entry 3, 0 is next");
  policy.out.place = Placement{3, 0, 0, false};
  rig.ledger.debit(0, 0, {64, 2048, 1, 0}, 1);
  EXPECT_HOOK_FAILS(rig.step(1), "offers a TB of entry 3 to SM 0, where it does not fit");
}

// The policy's description of a group's thread block must agree with the machine's state.
TEST(DispatcherDeathTest, PoliciesThatOfferGroupsWrong) {
  ScriptedPolicy policy;
  DispatcherRig rig({{}, {}, &policy, false});
  rig.push(3, 0, kSmall);
  LaunchRecord& record = rig.trees.records().take();
  record.context.grid = {2, 3, 1};
  record.context.parameters = 0x4040;
  rig.table.attach(3, 9, record, false);
  rig.dispatcher.attach(3);
  Placement offer{3, 0, 0, false};
  offer.group = 9;
  offer.grid = {2, 3, 1};
  offer.param = 0x4040;
  const auto wrong = [&](const auto& change, const char* message) {
    Placement other = offer;
    change(other);
    policy.out.place = other;
    EXPECT_HOOK_FAILS(rig.step(1), message);
  };
  wrong([](Placement& p) { p.group = 8; }, "offers group 8: not there");
  wrong([](Placement& p) { p.grid.y = 2; }, "offers group 9 with TBs or parameters that do not match");
  wrong([](Placement& p) { p.param = 0x4080; }, "offers group 9 with TBs or parameters that do not match");
  wrong([](Placement& p) { p.last_of_group = true; }, "offers group 9 with TBs or parameters that do not match");
  wrong([](Placement& p) { p.position = 1; }, "offers position 1 of entry 3, 0 is next");
  policy.out.place = offer;
  EXPECT_EQ(rig.placed_of(1), 3);
  EXPECT_EQ(rig.table.groups().at(9).next, 1U);
}

}  // namespace
}  // namespace castor::gpu::gpu_front_end_dispatcher_test
