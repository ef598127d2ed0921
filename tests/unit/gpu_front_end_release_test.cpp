// Tests of the release unit alone: the cycle in which a kernel is complete, and the resources that are freed with it.
#include "castor/gpu/front_end/release_unit.h"
#include "castor/gpu/memory/memory_system.h"
#include "gpu_front_end_parts.h"

namespace castor::gpu::gpu_front_end_release_test {
namespace {

using test::load;
using test::MemoryRig;
using test::PartRig;

class ReleaseRig : public PartRig {
 public:
  explicit ReleaseRig(const std::vector<std::string>& keys = {})
      : PartRig(load(keys)),
        store({machine.memory.bytes, false}),
        memory("memory", machine, store, group),
        queues(machine, store),
        host(queues, memory.client(FrontEndMemory::User::kCompletions)),
        jobs(machine.queue.count, false, host, group),
        events(true, machine.chip.sms),
        copy_groups{base::StatisticGroup("copy0"), base::StatisticGroup("copy1")},
        to_device("copy0", machine, store, 0, nullptr, copy_groups[0]),
        to_host("copy1", machine, store, 1, nullptr, copy_groups[1]),
        part(machine, store, table, trees, queues, host, jobs, events, {&to_device, &to_host}, nullptr) {}
  void release(Cycle now) {
    if (LaunchRecord* const record = part.release(table.finished(), now)) trees.records().let_go(*record);
  }
  /// Puts a packet that stays in flight at the head of a queue.
  Ticket block(unsigned queue) {
    const Ticket ticket = host.issue();
    queues.push(queue, ticket, EventWaitPacket{}, 1, {});
    queues.advance(2);
    static_cast<void>(queues.take(queue, QueueState::kBlocked, 2));
    return ticket;
  }
  /// Runs a kernel of one TB in an entry to its end.
  Ticket finished(unsigned entry, unsigned queue) {
    const Ticket ticket = block(queue);
    KernelContext& context = table.reserve(entry, trees.open());
    context.queue = static_cast<std::uint16_t>(queue);
    context.ticket = ticket;
    context.program = &program;
    context.parameters = store.allocate(64, AllocationKind::kParameters).value();
    context.local_base = store.allocate(64, AllocationKind::kLocal).value();
    EXPECT_TRUE(table.write(entry, 0));
    table.place(entry, 3);
    table.count(entry);
    return ticket;
  }
  Store store;
  MemoryRig memory;
  Queues queues;
  CompletionPort host;
  JobTable jobs;
  HookEvents events;
  base::StatisticGroup copy_groups[2];
  CopyEngine to_device, to_host;
  ReleaseUnit part;
  isa::Program program;
};

TEST(ReleaseUnit, ReleasesOneKernelPerCallTheLowestEntryFirst) {
  ReleaseRig rig;
  const Ticket high = rig.finished(7, 3), low = rig.finished(2, 5);
  rig.events.begin(10);
  rig.release(10);
  rig.part.file();
  EXPECT_EQ(rig.host.cycle(low), 10U);
  EXPECT_EQ(rig.host.cycle(high), 0U);
  EXPECT_EQ(rig.queues.state(5), QueueState::kEmpty);
  EXPECT_EQ(rig.queues.state(3), QueueState::kBlocked);
  EXPECT_EQ(rig.table[2].state, EntryState::kFree);
  ASSERT_TRUE(rig.events.all().completed.has_value());
  EXPECT_EQ(rig.events.all().completed->kd, 2U);
  EXPECT_EQ(rig.events.all().completed->queue, 5U);
  EXPECT_TRUE(rig.events.all().completed->queue_empty);
  EXPECT_EQ(rig.store.used(AllocationKind::kParameters), 64U);
  rig.release(11);
  rig.part.file();
  EXPECT_EQ(rig.host.cycle(high), 11U);
  EXPECT_EQ(rig.store.used(AllocationKind::kParameters), 0U);
  EXPECT_EQ(rig.store.used(AllocationKind::kLocal), 0U);
  EXPECT_EQ(rig.trees.open_launches(), 0U);
  ASSERT_EQ(rig.part.kernels().size(), 2U);
  EXPECT_EQ(rig.part.kernels()[0].entry, 2U);
  EXPECT_EQ(rig.part.kernels()[1].entry, 7U);
  EXPECT_EQ(rig.part.kernels()[1].end, base::Clock(base::kilohertz(rig.machine.clock.core_mhz)).time_of(11));
}

TEST(ReleaseUnit, WhatStandsBehindTheKernelIsReadyInTheNextCycle) {
  ReleaseRig rig;
  rig.finished(0, 3);
  rig.queues.push(3, rig.host.issue(), EventWaitPacket{}, 4, {});
  rig.release(10);
  rig.part.file();
  EXPECT_FALSE(rig.events.all().completed->queue_empty);
  rig.queues.advance(10);
  EXPECT_TRUE(rig.queues.others().none());
  rig.queues.advance(11);
  EXPECT_TRUE(rig.queues.others()[3]);
}

TEST(ReleaseUnit, TheLastKernelOfAJobIsTheLastWhateverStandsInTheQueue) {
  ReleaseRig rig;
  JobPacket job;
  job.kernels = 2;
  job.signal = rig.store.allocate(64, AllocationKind::kPool).value();
  rig.finished(0, 3);
  rig.jobs.judge(3, 77, job, {3, true, 0, 0}, 5);
  rig.release(10);
  rig.part.file();
  EXPECT_FALSE(rig.events.all().completed->queue_empty);
  rig.finished(0, 3);
  rig.queues.push(3, rig.host.issue(), EventWaitPacket{}, 4, {});
  rig.release(20);
  rig.part.file();
  EXPECT_TRUE(rig.events.all().completed->queue_empty);
  EXPECT_TRUE(rig.jobs.ending());
}

TEST(ReleaseUnit, CopiesThatAreDoneUnblockTheirQueues) {
  ReleaseRig rig;
  const Ticket first = rig.block(4), second = rig.block(6);
  rig.to_device.done().push({20, first, 4});
  rig.to_host.done().push({22, second, 6});
  EXPECT_EQ(rig.part.next(), 20U);
  for (Cycle now = 19; now < 25; ++now) rig.part.take_copies(now);
  EXPECT_EQ(rig.host.cycle(first), 20U);
  EXPECT_EQ(rig.host.cycle(second), 22U);
  EXPECT_EQ(rig.queues.blocked(), 0U);
  EXPECT_EQ(rig.part.next(), kForever);
  EXPECT_TRUE(rig.part.copies_idle());
}

TEST(ReleaseUnit, AnL2ThatIsEmptiedHoldsTheKernelUntilItIs) {
  ReleaseRig rig({"l2.flush_at_kernel_end=1"});
  base::StatisticGroup group("gpu");
  MemorySystem l2(rig.machine, rig.store, group);
  rig.part.set_memory(l2);
  const Ticket late = rig.finished(4, 3);
  Cycle ended = 0;
  for (Cycle now = 10; now < 60 && ended == 0; ++now) {
    // A lower entry whose kernel finishes meanwhile does not overtake.
    if (now == 11) rig.finished(1, 6);
    rig.release(now);
    EXPECT_TRUE(now > 10 || l2.flushing(now));
    ended = rig.host.cycle(late);
    for (Unit* const unit : l2.units()) unit->tick(now);
  }
  // Requested in cycle 10, seen by the slices in 11, complete for others from 12 on.
  EXPECT_EQ(ended, 12U);
  EXPECT_EQ(rig.table[1].state, EntryState::kWritten);
}

}  // namespace
}  // namespace castor::gpu::gpu_front_end_release_test
