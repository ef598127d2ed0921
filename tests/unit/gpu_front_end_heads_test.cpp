// Tests of the queue head service alone: events, host calls, copies, and queue heads in memory.
#include "castor/gpu/front_end/queue_head_service.h"
#include "gpu_front_end_parts.h"

namespace castor::gpu::gpu_front_end_heads_test {
namespace {

using test::load;
using test::MemoryRig;
using test::PartRig;

class HeadRig : public PartRig {
 public:
  explicit HeadRig(const std::string& name = "kepler_k20c_study")
      : PartRig(load({"parse.select_scan=0"}, name)),
        store({machine.memory.bytes, false}),
        memory("memory", machine, store, group),
        programs(machine.sm.lanes, &store),
        queues(machine, store),
        host(queues, memory.client(FrontEndMemory::User::kCompletions)),
        lanes(machine, store, memory.client(FrontEndMemory::User::kDescriptors)),
        ledger(machine),
        jobs(machine.queue.count, false, host, group),
        inspector(machine, store, programs, ledger, queues, lanes, jobs, host, group),
        copy_groups{base::StatisticGroup("copy0"), base::StatisticGroup("copy1")},
        to_device("copy0", machine, store, 0, nullptr, copy_groups[0]),
        to_host("copy1", machine, store, 1, nullptr, copy_groups[1]),
        part(machine, queues, memory.client(FrontEndMemory::User::kPackets), host, inspector, {&to_device, &to_host}) {}
  Ticket submit(unsigned queue, const Packet& packet, Cycle visible) {
    const Ticket ticket = host.issue();
    queues.push(queue, ticket, packet, visible, encode(packet));
    return ticket;
  }
  void cycle(Cycle now) {
    host.receive(now);
    queues.advance(now);
    part.step(now);
    memory.tick(now);
  }
  void run(Cycle from, Cycle to) {
    for (Cycle now = from; now < to; ++now) cycle(now);
  }
  Store store;
  MemoryRig memory;
  ProgramTable programs;
  Queues queues;
  CompletionPort host;
  ParseLanes lanes;
  Ledger ledger;
  JobTable jobs;
  JobInspector inspector;
  base::StatisticGroup copy_groups[2];
  CopyEngine to_device, to_host;
  QueueHeadService part;
};

TEST(QueueHeadService, ServesOneHeadPerQueueAndCycle) {
  HeadRig rig;
  std::vector<std::pair<unsigned, Cycle>> calls;
  Cycle clock = 0;
  for (unsigned i = 0; i < 3; ++i) {
    for (const unsigned queue : {1U, 6U}) {
      rig.submit(queue, HostCallPacket{[&, queue] { calls.push_back({queue, clock}); }}, 10);
    }
  }
  for (clock = 10; clock < 20; ++clock) rig.cycle(clock);
  EXPECT_EQ(calls, (std::vector<std::pair<unsigned, Cycle>>{{1, 11}, {6, 11}, {1, 12}, {6, 12}, {1, 13}, {6, 13}}));
}

TEST(QueueHeadService, AWaitGoesOnInTheCycleAfterTheRecordWhateverTheOrderOfQueues) {
  for (const auto& [waiter, recorder] : {std::make_pair(2U, 5U), std::make_pair(5U, 2U)}) {
    HeadRig rig;
    const Ticket wait = rig.submit(waiter, EventWaitPacket{7, 3}, 10);
    const Ticket record = rig.submit(recorder, EventRecordPacket{7, 3}, 40);
    rig.run(10, 60);
    EXPECT_EQ(rig.host.cycle(record), 41U);
    EXPECT_EQ(rig.host.cycle(wait), 42U);
    EXPECT_EQ(rig.part.count_of(7), 3U);
    EXPECT_EQ(rig.part.count_of(8), 0U);
  }
}

TEST(QueueHeadService, AWaitLooksAtTheCount) {
  HeadRig rig;
  const Ticket nothing = rig.submit(0, EventWaitPacket{7, 0}, 10);
  const Ticket two = rig.submit(1, EventWaitPacket{7, 2}, 10);
  rig.submit(2, EventRecordPacket{7, 1}, 20);
  rig.submit(2, EventRecordPacket{7, 2}, 30);
  rig.run(10, 28);
  EXPECT_EQ(rig.host.cycle(nothing), 11U);
  EXPECT_EQ(rig.host.cycle(two), 0U);
  rig.run(28, 50);
  EXPECT_EQ(rig.host.cycle(two), 32U);
}

TEST(QueueHeadService, ACopyBlocksItsQueueAndGoesToTheEngineOfItsDirection) {
  HeadRig rig;
  std::vector<std::byte> bytes(64);
  const std::uint64_t buffer = rig.store.allocate(64, AllocationKind::kHeap).value();
  CopyPacket down;
  down.source = static_cast<const std::byte*>(bytes.data());
  down.destination = buffer;
  down.width = 64;
  CopyPacket up;
  up.source = buffer;
  up.destination = bytes.data();
  up.width = 64;
  rig.submit(3, up, 10);
  const Ticket behind = rig.submit(3, EventRecordPacket{1, 1}, 10);
  rig.run(10, 12);
  EXPECT_FALSE(rig.to_host.idle());
  EXPECT_TRUE(rig.to_device.idle());
  rig.submit(4, down, 12);
  FillPacket fill;
  fill.address = buffer;
  fill.width = 64;
  rig.submit(5, fill, 12);
  rig.run(12, 20);
  EXPECT_FALSE(rig.to_device.idle());
  EXPECT_EQ(rig.queues.state(3), QueueState::kBlocked);
  EXPECT_EQ(rig.queues.state(5), QueueState::kBlocked);
  EXPECT_EQ(rig.queues.blocked(), 3U);
  EXPECT_EQ(rig.host.cycle(behind), 0U);
}

TEST(QueueHeadService, HeadsInMemoryAreReadFirst) {
  HeadRig rig("gcn_apu");
  const Ticket record = rig.submit(9, EventRecordPacket{1, 4}, 10);
  rig.run(10, 12);
  EXPECT_EQ(rig.host.cycle(record), 0U);
  EXPECT_EQ(rig.part.count_of(1), 0U);
  rig.run(12, 60);
  EXPECT_GE(rig.host.cycle(record), 31U);  // at least the 20 cycles of the memory
  EXPECT_EQ(rig.part.count_of(1), 4U);
}

TEST(QueueHeadService, WhatIsAbandonedWhileItIsReadHasNoEffect) {
  HeadRig rig("gcn_apu");
  rig.submit(9, EventRecordPacket{1, 4}, 10);
  rig.submit(10, EventWaitPacket{1, 9}, 10);
  rig.run(10, 13);
  for (const unsigned queue : {9U, 10U}) {
    for (const QueuedPacket& packet : rig.queues.drop(queue)) rig.host.drop(packet.ticket, 13);
  }
  rig.part.abandon();
  const Ticket again = rig.submit(10, EventRecordPacket{1, 5}, 14);
  rig.run(14, 100);
  EXPECT_EQ(rig.part.count_of(1), 5U);
  EXPECT_NE(rig.host.cycle(again), 0U);
}

TEST(QueueHeadService, AJobPacketOfAMachineThatDoesNotInspectIsAcceptedAtItsHead) {
  HeadRig rig;
  JobPacket job;
  job.kernels = 1;
  job.list = {{1, 4}};
  job.signal = rig.store.allocate(64, AllocationKind::kPool).value();
  rig.inspector.submitted(2, job, 1, 10);
  const Ticket ticket = rig.submit(2, job, 10);
  rig.run(10, 12);
  EXPECT_EQ(rig.host.cycle(ticket), 11U);
  EXPECT_TRUE(rig.jobs.has(2));
}

}  // namespace
}  // namespace castor::gpu::gpu_front_end_heads_test
