// Tests of the preemptor alone: saved TBs, the times of the mover, and restored TBs.
#include "castor/gpu/front_end/preemptor.h"
#include "gpu_front_end_dispatch_parts.h"

namespace castor::gpu::gpu_front_end_preemptor_test {
namespace {

using test::DispatcherRig;

constexpr TbNeed kNeed{2, 64, 6, 4};

class PreemptorRig : public DispatcherRig {
 public:
  explicit PreemptorRig(const std::vector<std::string>& more = {})
      : DispatcherRig({keys(more), {}, nullptr, true}),
        preemptor(machine, sms.units, table, ledger, dispatcher, retire, events) {}
  static std::vector<std::string> keys(const std::vector<std::string>& more) {
    std::vector<std::string> all = {"chip.sms=4", "context.mover=rate", "context.bytes_per_cycle=100"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  /// Returns the cycles that moving the context of a TB of `kNeed` takes: bytes / rate, rounded up.
  [[nodiscard]] Cycle move() const {
    const std::uint64_t bytes = std::uint64_t{kNeed.reg_units} * machine.sm.reg_alloc_unit * 4 +
                                std::uint64_t{kNeed.smem_units} * machine.sm.smem_alloc_unit;
    return (bytes + 99) / 100;
  }
  static QueueMask only(unsigned queue) {
    QueueMask queues;
    queues[queue] = true;
    return queues;
  }
  /// Places `tbs` TBs, one per cycle from `now` on.
  void place(unsigned tbs, Cycle now) {
    for (unsigned i = 0; i < tbs; ++i) {
      step(now + i);
      for (unsigned sm = 0; sm < machine.chip.sms; ++sm) static_cast<void>(sms[sm].started());
    }
  }
  /// Takes the start message of the saved TB that was sent back to the SM last.
  TbStartMessage sent(unsigned sm) {
    const auto message = sms[sm].started();
    EXPECT_TRUE(message && message->saved != nullptr) << sm;
    return message.value_or(TbStartMessage{});
  }
  /// Runs step F2 in the cycles from `now` on, in which dropped TBs are counted as complete. Returns the number of
  /// dropped TBs as hooks see it.
  unsigned dropped(Cycle now) {
    unsigned tbs = 0;
    for (; retire.busy(); ++now) {
      events.begin(now);
      retire.drain(now);
      EXPECT_EQ(events.all().retired.size, 1U);
      EXPECT_TRUE(events.all().done);
      if (events.all().done->group != kNoGroup) {
        EXPECT_TRUE(retire.take_group_tb());
      }
      ++tbs;
    }
    return tbs;
  }
  Preemptor preemptor;
};

TEST(Preemptor, TbsOfAGridThatMustBeResidentAtOnceStay) {
  PreemptorRig rig;
  KernelContext& context = rig.reserve(0, 3, 7);
  context.need = kNeed;
  context.all_resident = true;
  ASSERT_TRUE(rig.table.write(0, 0));
  rig.dispatcher.push(0);
  rig.push(1, 2, kNeed, 7);
  rig.place(5, 1);
  EXPECT_EQ(rig.ledger.resident_total(), 5U);
  rig.preemptor.preempt(PreemptorRig::only(7), 100);
  for (unsigned sm = 0; sm < 4; ++sm) {
    for (const SwapOutRequest& request : rig.sms[sm].swaps) EXPECT_EQ(request.kernel->entry, 1U) << sm;
  }
  EXPECT_FALSE(rig.sms[3].swaps.empty());
}

TEST(Preemptor, TbsOfAKernelThatOwnsTheMachineStay) {
  PreemptorRig rig;
  KernelContext& context = rig.reserve(0, 3, 7);
  context.need = kNeed;
  context.owned = true;
  ASSERT_TRUE(rig.table.write(0, 0));
  rig.dispatcher.push(0);
  rig.place(3, 1);
  EXPECT_EQ(rig.ledger.resident_total(), 3U);
  rig.preemptor.preempt(PreemptorRig::only(7), 100);
  for (unsigned sm = 0; sm < 4; ++sm) EXPECT_TRUE(rig.sms[sm].swaps.empty()) << sm;
}

TEST(Preemptor, SwapEnginesMoveContextsInTheirOwnTime) {
  PreemptorRig rig({"context.mover=engine"});
  rig.push(0, 10, kNeed, 7);
  rig.place(7, 1);
  rig.preemptor.preempt(PreemptorRig::only(7), 100);
  for (unsigned sm = 0; sm < 4; ++sm) {
    ASSERT_EQ(rig.sms[sm].swaps.size(), 1U) << sm;
    const SwapOutRequest& request = rig.sms[sm].swaps.front();
    EXPECT_EQ(request.visible, 101U);
    EXPECT_EQ(request.first, 0U);
    EXPECT_EQ(request.each, 0U);
  }
}

TEST(Preemptor, ATbThatComesBackIsPlacedNextUnlessItsQueueIsPreempted) {
  PreemptorRig rig;
  rig.push(0, 10, kNeed, 7);
  rig.place(7, 1);
  DispatchState waiting;
  rig.preemptor.add_waiting(waiting);
  EXPECT_FALSE(waiting.waiting);
  EXPECT_EQ(waiting.fits_head, kAllSms);
  rig.preemptor.preempt(PreemptorRig::only(7), 100);
  rig.sms[0].give_up(rig.table[0].context(), 0, 110);
  rig.preemptor.accept_messages(110);
  waiting = {};
  rig.preemptor.add_waiting(waiting);
  EXPECT_TRUE(waiting.waiting);
  EXPECT_EQ(waiting.fits_head, kAllSms);
  rig.preemptor.preempt({}, 120);
  for (unsigned sm = 1; sm < 3; ++sm) rig.ledger.debit(sm, 5, {60, 1920, 1, 0}, 121);
  rig.preemptor.add_waiting(waiting);
  EXPECT_EQ(waiting.fits_head, 0x9U);
}

TEST(Preemptor, ContextsMoveOneBehindTheOtherSmBySm) {
  PreemptorRig rig;
  rig.push(0, 10, kNeed, 7);
  rig.place(7, 1);  // 2, 2, 2, 1
  ASSERT_GT(rig.move(), 1U);
  rig.preemptor.preempt(PreemptorRig::only(7), 100);
  Cycle first = 0;
  for (unsigned sm = 0; sm < 4; ++sm) {
    ASSERT_EQ(rig.sms[sm].swaps.size(), 1U);
    const SwapOutRequest& save = rig.sms[sm].swaps[0];
    EXPECT_EQ(save.visible, 101U);
    EXPECT_EQ(save.kernel, &rig.table[0].context());
    EXPECT_EQ(save.ticket, rig.table[0].context().ticket);
    EXPECT_EQ(save.each, rig.move());
    EXPECT_EQ(save.first, first) << sm;
    first += 2 * rig.move();
  }
  // As long as the preemption level stays set, no TB is requested twice.
  rig.preemptor.preempt(PreemptorRig::only(7), 101);
  EXPECT_EQ(rig.sms[0].swaps.size(), 1U);
}

TEST(Preemptor, TheMoverIsOneForAllQueues) {
  PreemptorRig rig;
  rig.push(0, 1, kNeed, 7);
  rig.push(1, 1, kNeed, 8);
  rig.place(2, 1);
  rig.preemptor.preempt(PreemptorRig::only(7), 100);
  rig.preemptor.preempt(PreemptorRig::only(7) | PreemptorRig::only(8), 101);
  EXPECT_EQ(rig.sms[0].swaps.size(), 1U);
  ASSERT_EQ(rig.sms[1].swaps.size(), 1U);
  EXPECT_EQ(rig.sms[1].swaps[0].visible, 102U);
  EXPECT_EQ(rig.sms[1].swaps[0].first, rig.move() - 1);  // the move starts one cycle after the request
}

TEST(Preemptor, SmsWithoutTbsOfTheQueueAreNotAsked) {
  PreemptorRig rig;
  rig.push(0, 2, kNeed, 7);
  rig.place(2, 1);
  rig.preemptor.preempt(PreemptorRig::only(7), 100);
  EXPECT_EQ(rig.sms[0].swaps.size(), 1U);
  EXPECT_EQ(rig.sms[1].swaps.size(), 1U);
  EXPECT_TRUE(rig.sms[2].swaps.empty());
}

TEST(Preemptor, ASavedTbGivesItsRoomBackAndComesBackFirstWhenItsQueueMay) {
  PreemptorRig rig;
  const KernelContext& kernel = rig.push(0, 10, kNeed, 7);
  rig.place(2, 1);
  rig.preemptor.preempt(PreemptorRig::only(7), 10);
  rig.sms[1].give_up(kernel, 1, 20);
  rig.sms[0].give_up(kernel, 0, 30);
  EXPECT_EQ(rig.preemptor.next_work(11), 20U);
  for (Cycle now = 19; now < 31; ++now) rig.preemptor.accept_messages(now);
  EXPECT_EQ(rig.ledger.resident_total(), 0U);
  EXPECT_EQ(rig.table[0].saved, 2U);
  EXPECT_EQ(rig.preemptor.next_work(31), kForever);
  EXPECT_FALSE(rig.preemptor.can_restore());  // still preempted
  rig.preemptor.restore(31);
  EXPECT_EQ(rig.statistic("tb_restored"), 0U);

  // This is later than the cycle in which the mover has finished the saves.
  rig.preemptor.preempt({}, 500);
  EXPECT_TRUE(rig.preemptor.can_restore());
  for (Cycle now = 501; now < 503; ++now) {
    rig.preemptor.restore(now);
    rig.step(now);
    EXPECT_EQ(rig.table[0].started, 2U) << "it took the placement of the cycle";
  }
  // TBs return one after the other through the mover, to the SMs after the last placement: 2, then 3.
  const TbStartMessage first = rig.sent(2), second = rig.sent(3);
  EXPECT_EQ(first.gid, 1U);  // TB 1 was the first to leave
  EXPECT_EQ(first.saved->gid, 1U);
  EXPECT_EQ(first.kernel, &kernel);
  EXPECT_EQ(first.visible, 502U);
  EXPECT_EQ(first.acquire, 501U);
  EXPECT_EQ(first.load, rig.move());
  EXPECT_EQ(second.gid, 0U);
  EXPECT_EQ(second.visible, 503U);
  EXPECT_EQ(second.load, 2 * rig.move() - 1);
  EXPECT_EQ(rig.table[0].running, 2U);
  EXPECT_FALSE(rig.preemptor.can_restore());
  EXPECT_EQ(rig.placed_on(503), std::optional<unsigned>(0));
}

TEST(Preemptor, ATbWaitsUntilAnSmHasRoomForIt) {
  PreemptorRig rig;
  const KernelContext& kernel = rig.push(0, 1, kNeed, 7);
  rig.place(1, 1);
  rig.preemptor.preempt(PreemptorRig::only(7), 10);
  rig.sms[0].give_up(kernel, 0, 20);
  rig.preemptor.accept_messages(20);
  rig.preemptor.preempt({}, 21);
  for (unsigned sm = 0; sm < 4; ++sm) rig.ledger.debit(sm, 5, {64, 2048, 1, 0}, 21);
  EXPECT_FALSE(rig.preemptor.can_restore());
  rig.ledger.credit(3, 5, {64, 2048, 1, 0});
  EXPECT_TRUE(rig.preemptor.can_restore());
  rig.preemptor.restore(22);
  EXPECT_EQ(rig.sent(3).gid, 0U);
}

TEST(Preemptor, SavedTbsOfAStoppedKernelAreItsEnd) {
  PreemptorRig rig;
  const KernelContext& kernel = rig.push(0, 2, kNeed, 7);
  rig.place(2, 1);
  rig.preemptor.preempt(PreemptorRig::only(7), 10);
  rig.sms[0].give_up(kernel, 0, 20);
  rig.sms[1].give_up(kernel, 1, 25);
  rig.preemptor.accept_messages(20);
  rig.table.kill(0);
  rig.dispatcher.stop(0);
  rig.preemptor.stopped(0);
  EXPECT_TRUE(rig.table.finished().none());  // one is still leaving
  rig.preemptor.accept_messages(25);
  EXPECT_EQ(rig.table[0].running, 2U);
  EXPECT_EQ(rig.dropped(26), 2U);
  EXPECT_TRUE(rig.table.finished()[0]);
  rig.preemptor.preempt({}, 28);
  EXPECT_FALSE(rig.preemptor.can_restore());
  EXPECT_EQ(rig.statistic("tb_retired"), 2U);
  EXPECT_EQ(rig.statistic("tb_saved"), 2U);
}

// Two SMs swap out a TB without a request: each TB is restored at once, and its context moves without the mover.
TEST(Preemptor, TbsThatLeaveAtRandomComeBackWithoutTheMover) {
  PreemptorRig rig;
  const KernelContext& kernel = rig.push(0, 2, kNeed, 7);
  rig.place(2, 1);
  for (unsigned sm = 0; sm < 2; ++sm) rig.sms[sm].give_up(kernel, sm, 20, SwapReason::kRandom);
  rig.preemptor.accept_messages(20);
  EXPECT_TRUE(rig.preemptor.can_restore());
  EXPECT_EQ(rig.preemptor.next_work(20), 21U);
  for (Cycle now = 21; now < 23; ++now) rig.preemptor.restore(now);
  const TbStartMessage first = rig.sent(2), second = rig.sent(3);
  EXPECT_EQ(first.load, rig.move());
  EXPECT_EQ(second.load, rig.move());
  EXPECT_EQ(rig.table[0].running, 2U);
}

TEST(Preemptor, ATbThatHasCalledTheDeviceRuntimeEndsThereTooWhenItsKernelIsStopped) {
  PreemptorRig rig;
  const KernelContext& kernel = rig.push(0, 2, kNeed, 7);
  rig.place(2, 1);
  rig.sms[0].give_up(kernel, 0, 20, SwapReason::kRandom, 44);
  rig.sms[1].give_up(kernel, 1, 20, SwapReason::kRandom);
  rig.preemptor.accept_messages(20);
  EXPECT_TRUE(rig.retire.take_callers().empty());
  rig.table.kill(0);
  rig.dispatcher.stop(0);
  rig.preemptor.stopped(0);
  EXPECT_EQ(rig.retire.take_callers(), std::vector<BlockId>{44});
  EXPECT_EQ(rig.dropped(21), 2U);
  EXPECT_TRUE(rig.table.finished()[0]);
}

// --- Thread blocks of groups -----------------------------------------------------------------------------------------

constexpr std::uint32_t kGroup = 9;

/// A kernel in entry 0 with a group of three TBs, two of which are on SM 1.
class GroupRig : public PreemptorRig {
 public:
  GroupRig() {
    push(0, 1, kNeed, 7);
    place(1, 1);
    record.level = 3;
    record.parent_sm = 2;
    record.context.ticket = 500;
    record.context.grid = {3, 1, 1};
    table.attach(0, kGroup, record, false);
    for (Cycle now = 10; now < 12; ++now) {
      ledger.debit(1, 0, kNeed, now);
      table.place(0, now, kGroup);
    }
  }
  LaunchRecord& record = trees.records().take();
};

TEST(Preemptor, ATbOfAGroupComesBackAsOneOfItsGroup) {
  GroupRig rig;
  rig.sms[1].give_up(rig.record.context, 1, 20, SwapReason::kRandom);
  rig.preemptor.accept_messages(20);
  EXPECT_EQ(rig.table[0].saved, 1U);
  rig.preemptor.restore(21);
  const TbStartMessage back = rig.sent(1);
  EXPECT_EQ(back.group, kGroup);
  EXPECT_EQ(back.gid, 1U);
  EXPECT_EQ(back.level, 3U);
  EXPECT_EQ(back.parent_sm, 2U);
  EXPECT_EQ(back.kernel, &rig.record.context);
}

// The kernel to which the group is attached continues.
TEST(Preemptor, SavedTbsOfAGroupAreDroppedWithItsTree) {
  GroupRig rig;
  rig.sms[0].give_up(rig.table[0].context(), 0, 20, SwapReason::kRandom);
  rig.sms[1].give_up(rig.record.context, 0, 20, SwapReason::kRandom);
  rig.sms[1].give_up(rig.record.context, 1, 30, SwapReason::kRandom);
  rig.preemptor.accept_messages(20);
  rig.preemptor.tree_stopped(rig.record);
  rig.table.groups().at(kGroup).stopped = true;
  EXPECT_EQ(rig.table[0].saved, 1U);
  EXPECT_EQ(rig.dropped(21), 1U);
  // One TB was being swapped out when its tree was stopped.
  rig.preemptor.accept_messages(30);
  EXPECT_EQ(rig.table[0].saved, 1U);
  EXPECT_EQ(rig.dropped(31), 1U);
  rig.preemptor.restore(32);
  EXPECT_FALSE(rig.preemptor.can_restore());
  EXPECT_EQ(rig.table[0].running, 3U) << "the launch unit counts those of the group";
}

TEST(Preemptor, SavedTbsOfAGroupAreDroppedWithTheKernelThatTheyRunWith) {
  GroupRig rig;
  rig.sms[1].give_up(rig.record.context, 0, 20, SwapReason::kRandom);
  rig.preemptor.accept_messages(20);
  rig.table.kill(0);
  rig.dispatcher.stop(0);
  rig.preemptor.stopped(0);
  EXPECT_EQ(rig.table[0].saved, 0U);
  EXPECT_EQ(rig.dropped(21), 1U);
}

// Without a mover, TBs of a preempted queue run to their end. A TB that was swapped out at random is restored for that.
TEST(Preemptor, WithoutAMoverTbsOfAPreemptedQueueRunToTheirEnd) {
  PreemptorRig rig({"context.mover=drain"});
  const KernelContext& kernel = rig.push(0, 2, kNeed, 7);
  rig.place(2, 1);
  rig.preemptor.preempt(PreemptorRig::only(7), 10);
  EXPECT_TRUE(rig.preemptor.changed());
  for (unsigned sm = 0; sm < 4; ++sm) EXPECT_TRUE(rig.sms[sm].swaps.empty());
  rig.sms[1].give_up(kernel, 1, 20, SwapReason::kRandom);
  rig.preemptor.accept_messages(20);
  rig.preemptor.preempt(PreemptorRig::only(7), 20);
  EXPECT_FALSE(rig.preemptor.changed());
  EXPECT_TRUE(rig.preemptor.can_restore());
  rig.preemptor.restore(21);
  EXPECT_EQ(rig.sent(2).gid, 1U);
}

TEST(PreemptorDeathTest, ATbThatIsNotThereIsAnAssertion) {
  PreemptorRig rig;
  const KernelContext& kernel = rig.push(0, 2, kNeed, 7);
  rig.sms[1].give_up(kernel, 0, 5);
  EXPECT_DEATH(rig.preemptor.accept_messages(5), "SM 1 swaps out a TB of k, which has no TB on an SM");
}

}  // namespace
}  // namespace castor::gpu::gpu_front_end_preemptor_test
