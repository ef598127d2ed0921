// The preemptor alone: what is saved, when the mover is free, and what comes back.
#include "castor/gpu/front_end/preemptor.h"
#include "gpu_front_end_dispatch_parts.h"

namespace castor::gpu::gpu_front_end_preemptor_test {
namespace {

using test::DispatcherRig;

constexpr TbNeed kNeed{2, 64, 6, 4};

/// An SM's side that remembers what it was asked.
class FakeSaver final : public TbSaver {
 public:
  void save(const TbSaveMessage& message) override { saves.push_back(message); }
  void restore(const TbRestoreMessage& message) override { restores.push_back(message); }
  /// A TB leaves.
  void give_up(const KernelContext& kernel, std::uint64_t gid, Cycle visible) {
    SavedTb tb;
    tb.visible = visible;
    tb.kernel = &kernel;
    tb.gid = gid;
    tb.rest = 1000 + gid;
    leave(tb);
  }
  std::vector<TbSaveMessage> saves;
  std::vector<TbRestoreMessage> restores;
};

class PreemptorRig : public DispatcherRig {
 public:
  /// `draining`: SMs that cannot give up TBs.
  explicit PreemptorRig(SmMask draining = 0, const std::vector<std::string>& more = {})
      : DispatcherRig({keys(more), {}, nullptr, true}),
        savers(machine.chip.sms),
        preemptor(machine, pointers(draining), table, ledger, dispatcher, events) {}
  static std::vector<std::string> keys(const std::vector<std::string>& more) {
    std::vector<std::string> all = {"chip.sms=4", "context.mover=analytic", "context.bytes_per_cycle=100"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  std::vector<TbSaver*> pointers(SmMask draining) {
    std::vector<TbSaver*> all;
    for (unsigned sm = 0; sm < savers.size(); ++sm) all.push_back(draining[sm] ? nullptr : &savers[sm]);
    return all;
  }
  /// Cycles that the context of a TB of `kNeed` takes: bytes / rate, rounded up.
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
  /// TBs of an entry are placed in the cycles from `now` on.
  void place(unsigned tbs, Cycle now) {
    for (unsigned i = 0; i < tbs; ++i) {
      step(now + i);
      for (unsigned sm = 0; sm < machine.chip.sms; ++sm) static_cast<void>(sms[sm].started());
    }
  }
  std::vector<FakeSaver> savers;
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
  for (const FakeSaver& saver : rig.savers) {
    for (const TbSaveMessage& message : saver.saves) EXPECT_EQ(message.kernel->entry, 1U);
  }
  EXPECT_FALSE(rig.savers[3].saves.empty());
}

TEST(Preemptor, ATbThatComesBackIsPlacedNextUnlessItsQueueIsPreempted) {
  PreemptorRig rig(0x2);
  rig.push(0, 10, kNeed, 7);
  rig.place(7, 1);
  DispatchState waiting;
  rig.preemptor.add_waiting(waiting);
  EXPECT_FALSE(waiting.waiting);
  EXPECT_EQ(waiting.fits_head, kAllSms);
  rig.preemptor.preempt(PreemptorRig::only(7), 100);
  rig.savers[0].give_up(rig.table[0].context(), 0, 110);
  rig.preemptor.accept_messages(110);
  waiting = {};
  rig.preemptor.add_waiting(waiting);
  EXPECT_TRUE(waiting.waiting);
  EXPECT_EQ(waiting.fits_head, kAllSms);
  rig.preemptor.preempt({}, 120);
  rig.preemptor.add_waiting(waiting);
  EXPECT_EQ(waiting.fits_head, 0xdU);  // TBs only drain on SM 1
}

TEST(Preemptor, ContextsMoveOneBehindTheOtherSmBySm) {
  PreemptorRig rig;
  rig.push(0, 10, kNeed, 7);
  rig.place(7, 1);  // 2, 2, 2, 1
  ASSERT_GT(rig.move(), 1U);
  rig.preemptor.preempt(PreemptorRig::only(7), 100);
  Cycle first = 0;
  for (unsigned sm = 0; sm < 4; ++sm) {
    ASSERT_EQ(rig.savers[sm].saves.size(), 1U);
    const TbSaveMessage& save = rig.savers[sm].saves[0];
    EXPECT_EQ(save.visible, 101U);
    EXPECT_EQ(save.kernel, &rig.table[0].context());
    EXPECT_EQ(save.ticket, rig.table[0].context().ticket);
    EXPECT_EQ(save.each, rig.move());
    EXPECT_EQ(save.first, first) << sm;
    first += 2 * rig.move();
  }
  // As long as the level stands nothing is asked again.
  rig.preemptor.preempt(PreemptorRig::only(7), 101);
  EXPECT_EQ(rig.savers[0].saves.size(), 1U);
}

TEST(Preemptor, TheMoverIsOneForAllQueues) {
  PreemptorRig rig;
  rig.push(0, 1, kNeed, 7);
  rig.push(1, 1, kNeed, 8);
  rig.place(2, 1);
  rig.preemptor.preempt(PreemptorRig::only(7), 100);
  rig.preemptor.preempt(PreemptorRig::only(7) | PreemptorRig::only(8), 101);
  EXPECT_EQ(rig.savers[0].saves.size(), 1U);
  ASSERT_EQ(rig.savers[1].saves.size(), 1U);
  EXPECT_EQ(rig.savers[1].saves[0].visible, 102U);
  EXPECT_EQ(rig.savers[1].saves[0].first, rig.move() - 1);  // counted from a cycle later
}

TEST(Preemptor, SmsThatCannotGiveUpTbsLetThemDrain) {
  PreemptorRig rig(0x2);
  rig.push(0, 4, kNeed, 7);
  rig.place(4, 1);
  rig.preemptor.preempt(PreemptorRig::only(7), 100);
  EXPECT_EQ(rig.savers[0].saves.size(), 1U);
  EXPECT_TRUE(rig.savers[1].saves.empty());
  EXPECT_EQ(rig.savers[2].saves[0].first, rig.move());
}

TEST(Preemptor, ASavedTbGivesItsRoomBackAndComesBackFirstWhenItsQueueMay) {
  PreemptorRig rig;
  const KernelContext& kernel = rig.push(0, 10, kNeed, 7);
  rig.place(2, 1);
  rig.preemptor.preempt(PreemptorRig::only(7), 10);
  rig.savers[1].give_up(kernel, 1, 20);
  rig.savers[0].give_up(kernel, 0, 30);
  EXPECT_EQ(rig.preemptor.next_work(11), 20U);
  for (Cycle now = 19; now < 31; ++now) rig.preemptor.accept_messages(now);
  EXPECT_EQ(rig.ledger.resident_total(), 0U);
  EXPECT_EQ(rig.table[0].saved, 2U);
  EXPECT_EQ(rig.preemptor.next_work(31), kForever);
  EXPECT_FALSE(rig.preemptor.can_restore());  // still preempted
  rig.preemptor.restore(31);
  EXPECT_EQ(rig.statistic("tb_restored"), 0U);

  // Later than the mover was free of what it saved.
  rig.preemptor.preempt({}, 500);
  EXPECT_TRUE(rig.preemptor.can_restore());
  for (Cycle now = 501; now < 503; ++now) {
    rig.preemptor.restore(now);
    EXPECT_EQ(rig.placed_on(now), std::nullopt);  // it took the placement of the cycle
  }
  // One behind the other through the mover, to the SMs behind the last placement: 2, then 3.
  ASSERT_EQ(rig.savers[2].restores.size(), 1U);
  ASSERT_EQ(rig.savers[3].restores.size(), 1U);
  EXPECT_EQ(rig.savers[2].restores[0].tb.gid, 1U);  // it left first
  EXPECT_EQ(rig.savers[2].restores[0].tb.rest, 1001U);
  EXPECT_EQ(rig.savers[2].restores[0].visible, 502U);
  EXPECT_EQ(rig.savers[2].restores[0].load, rig.move());
  EXPECT_EQ(rig.savers[3].restores[0].visible, 503U);
  EXPECT_EQ(rig.savers[3].restores[0].load, 2 * rig.move() - 1);
  EXPECT_EQ(rig.table[0].running, 2U);
  EXPECT_FALSE(rig.preemptor.can_restore());
  EXPECT_EQ(rig.placed_on(503), std::optional<unsigned>(0));
}

TEST(Preemptor, ATbWaitsUntilAnSmHasRoomForIt) {
  PreemptorRig rig;
  const KernelContext& kernel = rig.push(0, 1, kNeed, 7);
  rig.place(1, 1);
  rig.preemptor.preempt(PreemptorRig::only(7), 10);
  rig.savers[0].give_up(kernel, 0, 20);
  rig.preemptor.accept_messages(20);
  rig.preemptor.preempt({}, 21);
  for (unsigned sm = 0; sm < 4; ++sm) rig.ledger.debit(sm, 5, {64, 2048, 1, 0}, 21);
  EXPECT_FALSE(rig.preemptor.can_restore());
  rig.ledger.credit(3, 5, {64, 2048, 1, 0});
  EXPECT_TRUE(rig.preemptor.can_restore());
  rig.preemptor.restore(22);
  EXPECT_EQ(rig.savers[3].restores.size(), 1U);
}

TEST(Preemptor, SavedTbsOfAStoppedKernelAreItsEnd) {
  PreemptorRig rig;
  const KernelContext& kernel = rig.push(0, 2, kNeed, 7);
  rig.place(2, 1);
  rig.preemptor.preempt(PreemptorRig::only(7), 10);
  rig.savers[0].give_up(kernel, 0, 20);
  rig.savers[1].give_up(kernel, 1, 25);
  rig.preemptor.accept_messages(20);
  rig.table.kill(0);
  rig.dispatcher.stop(0);
  rig.preemptor.stopped(0);
  EXPECT_TRUE(rig.table.finished().none());  // one is still leaving
  rig.preemptor.accept_messages(25);
  EXPECT_TRUE(rig.table.finished()[0]);
  rig.preemptor.preempt({}, 26);
  EXPECT_FALSE(rig.preemptor.can_restore());
  EXPECT_EQ(rig.statistic("tb_retired"), 2U);
  EXPECT_EQ(rig.statistic("tb_saved"), 2U);
}

TEST(PreemptorDeathTest, ATbThatIsNotThereIsAnAssertion) {
  PreemptorRig rig;
  const KernelContext& kernel = rig.push(0, 2, kNeed, 7);
  rig.savers[1].give_up(kernel, 0, 5);
  EXPECT_DEATH(rig.preemptor.accept_messages(5), "SM 1 swaps out a TB of k, which has no TB on an SM");
}

}  // namespace
}  // namespace castor::gpu::gpu_front_end_preemptor_test
