// Tests of the completion port alone: tickets, completion and signal words, notifications.
#include "castor/gpu/front_end/completion_port.h"
#include "gpu_front_end_parts.h"

namespace castor::gpu::gpu_front_end_completion_test {
namespace {

using test::MemoryRig;
using test::PartRig;

class CompletionRig : public PartRig {
 public:
  CompletionRig()
      : store({machine.memory.bytes, false}),
        memory("memory", machine, store, group),
        queues(machine, store),
        part(queues, memory.client(FrontEndMemory::User::kCompletions)) {
    // The rings are allocated with the first packet.
    queues.push(0, part.issue(), EventWaitPacket{}, 1, {});
  }
  void step(Cycle now) {
    part.receive(now);
    memory.tick(now);
  }
  [[nodiscard]] std::uint64_t word(std::uint64_t address) const {
    std::uint64_t value = 0;
    std::memcpy(&value, store.host(address), sizeof value);
    return value;
  }
  Store store;
  MemoryRig memory;
  Queues queues;
  CompletionPort part;
};

TEST(CompletionPort, ThePacketIsCompleteAtOnceAndShownWhenItsWordIsStored) {
  CompletionRig rig;
  const Ticket ticket = rig.part.issue();
  EXPECT_EQ(rig.part.open(), 2U);
  const std::uint64_t address = rig.queues.completion_word(3);
  Cycle shown = 0;
  for (Cycle now = 5; now < 80; ++now) {
    rig.part.receive(now);
    if (shown == 0 && rig.part.shown(ticket)) shown = now;
    if (now == 10) rig.part.finish(3, ticket, now);
    EXPECT_EQ(rig.part.cycle(ticket), now < 10 ? 0U : 10U);
    EXPECT_EQ(rig.part.notifying(), now >= 10 && shown == 0);
    EXPECT_TRUE(rig.word(address) == ticket || shown == 0);
    rig.memory.tick(now);
  }
  EXPECT_GT(shown, 30U);  // at least the 20 cycles of the memory
  EXPECT_EQ(rig.word(address), ticket);
  EXPECT_EQ(rig.part.open(), 1U);
}

TEST(CompletionPort, NoticesComeInTheOrderOfTheirWordsAndOnlyWhileTheyAreCollected) {
  CompletionRig rig;
  const std::uint64_t signal = rig.store.allocate(64, AllocationKind::kPool).value();
  const Ticket first = rig.part.issue(), second = rig.part.issue(), third = rig.part.issue();
  rig.part.finish(1, first, 10);
  for (Cycle now = 10; now < 100; ++now) rig.step(now);
  EXPECT_FALSE(rig.part.has_notices());
  rig.part.collect_notices(true);
  rig.part.finish(2, second, 100, PacketEnd::kDiscarded);
  rig.part.signal(4, third, signal, {JobStatus::kAccepted, 0, 77}, 101);
  rig.part.finish(1, third, 102);
  for (Cycle now = 102; now < 200; ++now) rig.step(now);
  const std::vector<Notice> notices = rig.part.take_notices();
  ASSERT_EQ(notices.size(), 3U);
  EXPECT_EQ(notices[0].ticket, second);
  EXPECT_TRUE(notices[0].discarded);
  EXPECT_EQ(notices[0].cycle, 100U);
  EXPECT_EQ(notices[1].what, Notice::What::kSignal);
  EXPECT_EQ(notices[1].signal.value, 77U);
  EXPECT_EQ(notices[2].ticket, third);
  EXPECT_FALSE(notices[2].discarded);
  EXPECT_EQ(rig.word(signal), (JobSignal{JobStatus::kAccepted, 0, 77}.word()));
  EXPECT_FALSE(rig.part.has_notices());
  EXPECT_FALSE(rig.part.notifying());
}

TEST(CompletionPort, WhatIsDroppedIsCompleteAtOnceWithoutAWord) {
  CompletionRig rig;
  const Ticket ticket = rig.part.issue();
  rig.part.drop(ticket, 7);
  EXPECT_TRUE(rig.part.shown(ticket));
  EXPECT_EQ(rig.part.cycle(ticket), 7U);
  EXPECT_FALSE(rig.part.notifying());
  EXPECT_TRUE(rig.memory.memory.idle());
}

}  // namespace
}  // namespace castor::gpu::gpu_front_end_completion_test
