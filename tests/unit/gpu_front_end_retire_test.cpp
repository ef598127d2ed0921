// Tests of the retire unit alone: done FIFOs, and the cycle in which each TB is counted.
#include "castor/gpu/front_end/retire_unit.h"
#include "gpu_front_end_parts.h"

namespace castor::gpu::gpu_front_end_retire_test {
namespace {

using test::PartRig;
using test::WireSms;

class RetireRig : public PartRig {
 public:
  explicit RetireRig(bool hooks = true)
      : sms(machine),
        ledger(machine),
        events(hooks, machine.chip.sms),
        part(machine, sms.units, table, ledger, events) {}
  /// Places a TB of an entry on an SM.
  void place(unsigned entry, unsigned sm, Cycle now) {
    ledger.debit(sm, entry, table[entry].context().need, now);
    table.place(entry, now);
  }
  void step(Cycle now) {
    events.begin(now);
    part.accept_messages(now);
    part.drain(now);
  }
  WireSms sms;
  Ledger ledger;
  HookEvents events;
  RetireUnit part;
};

TEST(RetireUnit, CountsOneTbPerCycleInRoundRobinOverTheSms) {
  RetireRig rig;
  const KernelContext& kernel = rig.write(0, 13);
  const unsigned left[] = {7, 2, 11, 3};
  for (const unsigned sm : left) {
    rig.place(0, sm, 1);
    rig.place(0, sm, 2);
    rig.sms[sm].leave(kernel, sm, 20);
    rig.sms[sm].leave(kernel, 20 + sm, 21);
  }
  std::vector<unsigned> counted;
  for (Cycle now = 19; now < 29; ++now) {
    EXPECT_EQ(rig.part.busy(), now > 20 && now < 28) << now;
    rig.step(now);
    if (rig.events.all().done) counted.push_back(rig.events.all().done->sm);
    EXPECT_EQ(rig.table[0].retired, now < 20 ? 0 : std::min<Cycle>(now - 19, 8));
  }
  EXPECT_THAT(counted, testing::ElementsAre(2, 3, 7, 11, 2, 3, 7, 11));
  EXPECT_EQ(rig.statistic("tb_retired"), 8U);
  EXPECT_EQ(rig.part.next(), kForever);
}

TEST(RetireUnit, TheRoomOfAKernelThatOwnsTheMachineStaysItsOwn) {
  RetireRig rig;
  rig.reserve(0, 13).owned = true;
  ASSERT_TRUE(rig.table.write(0, 0));
  rig.write(1, 13);
  for (const unsigned entry : {0U, 1U}) {
    for (unsigned i = 0; i < 3; ++i) {
      rig.place(entry, entry, 1 + i);
      rig.sms[entry].leave(rig.table[entry].context(), i, 10 + i);
    }
  }
  rig.step(10);
  rig.step(11);
  // Four have retired and two are counted.
  EXPECT_EQ(rig.part.uncounted(0) + rig.part.uncounted(1), 2U);
  EXPECT_EQ(rig.part.uncounted(0), 1U);
  EXPECT_EQ(rig.part.uncounted(7), 0U);
  for (Cycle now = 12; now < 18; ++now) rig.step(now);
  EXPECT_EQ(rig.table[0].retired, 3U);
  EXPECT_EQ(rig.table[1].retired, 3U);
  EXPECT_EQ(rig.ledger.resident(0, 0), 3U);
  EXPECT_EQ(rig.ledger.resident(1, 1), 0U);
}

TEST(RetireUnit, GivesRoomBackInTheCycleOfTheWireAndThePlaceInTheFifoWhenItIsCounted) {
  RetireRig rig;
  const KernelContext& kernel = rig.write(0, 13);
  const std::uint32_t depth = rig.sms[4].done_room(1);
  for (unsigned i = 0; i < 3; ++i) {
    rig.place(0, 4, 1 + i);
    rig.sms[4].leave(kernel, i, 10);
  }
  EXPECT_EQ(rig.part.next(), 10U);
  // A wire carries one TB per cycle.
  for (Cycle now = 10; now < 13; ++now) {
    rig.step(now);
    EXPECT_EQ(rig.ledger.resident(4, 0), 12 - now);
    EXPECT_EQ(rig.table[0].running, 12 - now);
    EXPECT_EQ(rig.sms[4].done_room(now + 1), depth - (12 - now));
  }
}

TEST(RetireUnit, TellsHooksWhatRetiredAndWhatWasCounted) {
  RetireRig rig;
  const KernelContext& kernel = rig.write(5, 13, 0, 3);
  for (const unsigned sm : {1U, 6U}) {
    rig.place(5, sm, 1);
    rig.sms[sm].leave(kernel, 2 * sm, 10);
  }
  rig.step(10);
  const FrontEvents& events = rig.events.all();
  ASSERT_EQ(events.retired.size, 2U);
  EXPECT_EQ(events.retired[1].sm, 6);
  EXPECT_EQ(events.retired[1].kd, 5);
  EXPECT_EQ(events.retired[1].queue, 3);
  EXPECT_EQ(events.retired[1].gid, 12U);
  EXPECT_EQ(events.retired[1].slot, 12);
  ASSERT_TRUE(events.done.has_value());
  EXPECT_EQ(events.done->sm, 1);
  rig.step(11);
  EXPECT_TRUE(events.retired.empty());
  EXPECT_EQ(events.done->sm, 6);
}

TEST(RetireUnit, ADroppedTbIsCountedInALaterCycleBehindTheRealOnesWhenItsSmsWireIsFree) {
  RetireRig rig;
  const KernelContext& kernel = rig.write(0, 4);
  rig.place(0, 3, 1);
  rig.place(0, 3, 2);
  rig.table.kill(0);
  const TbEvent dropped = tb_event(kernel, 3, rig.table.drop_next(0).gid);
  rig.sms[3].leave(kernel, 0, 10);
  rig.part.drop(dropped, 9);
  rig.step(9);
  EXPECT_EQ(rig.table[0].retired, 0U);  // not in the cycle of the offer
  EXPECT_TRUE(rig.part.busy());
  rig.step(10);
  EXPECT_EQ(rig.events.all().done->gid, 0U);  // the real one
  rig.step(11);
  EXPECT_EQ(rig.events.all().done->gid, 2U);
  EXPECT_EQ(rig.events.all().retired.size, 1U);
  EXPECT_EQ(rig.table[0].retired, 2U);
  EXPECT_FALSE(rig.part.busy());
}

TEST(RetireUnitDeathTest, ATbThatIsNotThereIsAnAssertion) {
  RetireRig rig;
  const KernelContext& kernel = rig.write(0, 4);
  rig.sms[3].leave(kernel, 0, 10);
  EXPECT_DEATH(rig.part.accept_messages(10), "SM 3 retires a TB of k, which has no TB on an SM");
}

}  // namespace
}  // namespace castor::gpu::gpu_front_end_retire_test
