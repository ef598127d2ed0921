// Tests of the job inspector alone: announcements, verdicts, and packets dropped from queues. Expected cycles come from
// docs/gpu/jobs.md, "Jobs", and docs/gpu/front-end.md, "Parsing".
#include "castor/gpu/front_end/job_inspector.h"
#include "gpu_front_end_parts.h"

namespace castor::gpu::gpu_front_end_inspector_test {
namespace {

using test::load;
using test::MemoryRig;
using test::PartRig;

constexpr Cycle kLatency = 50;  // of parsing

class InspectorRig : public PartRig {
 public:
  explicit InspectorRig(bool judged, const std::vector<std::string>& more = {})
      : PartRig(load(keys(more), "gcn_apu")),
        store({machine.memory.bytes, false}),
        memory("memory", machine, store, group),
        programs(machine.sm.lanes, &store),
        queues(machine, store),
        host(queues, memory.client(FrontEndMemory::User::kCompletions)),
        lanes(machine, store, memory.client(FrontEndMemory::User::kDescriptors)),
        ledger(machine),
        jobs(machine.queue.count, judged, host, group),
        part(machine, store, programs, ledger, queues, lanes, jobs, host, group),
        signals(store.allocate(4096, AllocationKind::kPool).value()) {
    auto made = std::make_shared<isa::Program>();
    made->kernel = "k";
    made->registers = 16;
    made->code.resize(4);
    program = programs.load(std::move(made));
  }
  static std::vector<std::string> keys(const std::vector<std::string>& more) {
    std::vector<std::string> all = {"parse.latency=50", "parse.select_scan=0", "inspect=packet"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  [[nodiscard]] JobPacket job(unsigned slot, std::vector<JobElement> list, unsigned kernels) const {
    JobPacket packet;
    packet.deadline = 1'000'000;
    packet.list = std::move(list);
    packet.kernels = static_cast<std::uint16_t>(kernels);
    packet.signal = signals + 8 * slot;
    return packet;
  }
  [[nodiscard]] KernelPacket kernel(std::uint8_t kid, std::uint32_t tbs) const {
    KernelPacket packet = test::Rig::kernel(program, tbs, 64);
    packet.kid = kid;
    return packet;
  }
  Ticket submit(unsigned queue, Packet packet, Cycle visible) {
    const Ticket ticket = host.issue();
    part.submitted(queue, packet, ticket, visible);
    const auto* const kernel = std::get_if<KernelPacket>(&packet);
    const PacketImage image = kernel == nullptr ? encode(packet) : PacketImage{};
    queues.push(queue, ticket, std::move(packet), visible, image);
    return ticket;
  }
  /// Runs one cycle. The inspector's verdicts come from `verdicts`.
  void cycle(Cycle now) {
    host.receive(now);
    while (const ParseLanes::Lane* const lane = lanes.receive(now)) part.announce(lane->entry, lane->image.data(), now);
    queues.advance(now);
    part.step(now);
    if (const Maybe<JobBeat> beat = part.beat()) {
      beats.push_back(*beat);
      beat_cycles.push_back(now);
      part.take_beat();
    }
    const auto verdict = verdicts.find(now);
    if (verdict != verdicts.end()) answered.push_back(part.answer(verdict->second, now));
    if (lanes.finished(now) != nullptr) {
      const unsigned queue = lanes.finished(now)->entry;
      lanes.pop();
      part.slot_over(queue, now);
    }
    memory.tick(now);
  }
  void run(Cycle from, Cycle to) {
    for (Cycle now = from; now < to; ++now) cycle(now);
  }
  [[nodiscard]] JobSignal signal(unsigned slot) const {
    std::uint64_t word = 0;
    std::memcpy(&word, store.host(signals + 8 * slot), sizeof word);
    return JobSignal::of(word);
  }
  Store store;
  MemoryRig memory;
  ProgramTable programs;
  Queues queues;
  CompletionPort host;
  ParseLanes lanes;
  Ledger ledger;
  JobTable jobs;
  JobInspector part;
  std::uint64_t signals;
  ProgramHandle program = 0;
  std::map<Cycle, Verdict> verdicts;
  std::vector<bool> answered;
  std::vector<JobBeat> beats;
  std::vector<Cycle> beat_cycles;
};

TEST(JobInspector, AnAnnouncementTakesParseLatencyAndWaitsForItsVerdict) {
  for (const Cycle verdict : {45U, 60U, 61U, 62U, 200U}) {
    InspectorRig rig(true);
    rig.verdicts[verdict] = {2, true, 0, 0};
    const Ticket ticket = rig.submit(2, rig.job(0, {{1, 4}, {5, 6}}, 1), 10);
    rig.submit(2, rig.kernel(1, 4), 10);
    rig.run(10, 300);
    EXPECT_THAT(rig.answered, testing::ElementsAre(true));
    // The queue is ready at the start of cycle 11 and granted there. The packet is done when its slot has ended and the
    // verdict has arrived.
    EXPECT_EQ(rig.host.cycle(ticket), std::max(11 + kLatency, verdict));
    EXPECT_TRUE(rig.jobs.has(2));
    EXPECT_FALSE(rig.part.withheld()[2]);
    EXPECT_FALSE(rig.part.announcing(2));
    ASSERT_EQ(rig.beats.size(), 3U);
    EXPECT_TRUE(rig.beats[0].header);
    EXPECT_EQ(rig.beats[0].kernel_types, 2);
    EXPECT_EQ(rig.beats[0].start, 10U);
    EXPECT_TRUE(rig.beats[0].fits);
    EXPECT_EQ(rig.beats[2].kid, 5);
    EXPECT_EQ(rig.beats[2].groups, 6U);
    EXPECT_TRUE(rig.beats[2].last);
    EXPECT_EQ(rig.beat_cycles[2], rig.beat_cycles[0] + 2);
    EXPECT_EQ(rig.statistic("inspections"), 1U);
  }
}

TEST(JobInspector, WithoutAJudgeTheJobIsAcceptedWhenItsSlotIsOver) {
  InspectorRig rig(false);
  const Ticket ticket = rig.submit(2, rig.job(0, {{1, 4}}, 1), 10);
  rig.submit(2, rig.kernel(1, 4), 10);
  rig.run(10, 200);
  EXPECT_EQ(rig.host.cycle(ticket), 11 + kLatency);
  EXPECT_TRUE(rig.jobs.has(2));
  EXPECT_TRUE(rig.beats.empty());
  EXPECT_FALSE(rig.part.judging());
  EXPECT_EQ(rig.signal(0).status, JobStatus::kAccepted);
}

TEST(JobInspector, KernelsOfARefusedJobAreDroppedOnePerCycle) {
  InspectorRig rig(true);
  rig.verdicts[40] = {2, false, 3, 0};
  const Ticket job = rig.submit(2, rig.job(0, {{1, 4}}, 3), 10);
  Ticket kernels[3];
  for (Ticket& one : kernels) one = rig.submit(2, rig.kernel(1, 4), 10);
  rig.run(10, 62);
  EXPECT_TRUE(rig.part.withheld()[2]);
  rig.run(62, 200);
  EXPECT_EQ(rig.host.cycle(job), 11 + kLatency);
  for (unsigned i = 0; i < 3; ++i) EXPECT_EQ(rig.host.cycle(kernels[i]), 11 + kLatency + 1 + i);
  EXPECT_EQ(rig.statistic("kernels_discarded"), 3U);
  EXPECT_EQ(rig.signal(0).status, JobStatus::kRejected);
  EXPECT_EQ(rig.part.next(200), kForever);
}

TEST(JobInspector, OfAJobThatIsGivenUpWhatIsNotInTheTableIsDropped) {
  InspectorRig rig(true);
  rig.verdicts[40] = {2, true, 0, 0};
  rig.submit(2, rig.job(0, {{1, 4}}, 4), 10);
  for (unsigned i = 0; i < 4; ++i) rig.submit(2, rig.kernel(1, 4), 10);
  rig.run(10, 80);
  static_cast<void>(rig.queues.take(2, QueueState::kBlocked, 80));  // the first kernel of the job is in the table
  EXPECT_FALSE(rig.part.answer({2, false, 3, 0}, 80));
  rig.part.drop_job({2, false, 3, 0}, 1, 80);
  EXPECT_FALSE(rig.jobs.has(2));
  rig.queues.release(2, 81);
  rig.run(82, 200);
  EXPECT_EQ(rig.statistic("kernels_discarded"), 3U);
  EXPECT_EQ(rig.queues.size(2), 0U);
}

TEST(JobInspector, AnInvalidPacketStopsItsQueue) {
  InspectorRig rig(true);
  JobPacket bad = rig.job(0, {{1, 4}}, 1);
  bad.subtype = 0x11;
  const Ticket job = rig.submit(2, bad, 10);
  const Ticket kernel = rig.submit(2, rig.kernel(1, 4), 10);
  rig.run(10, 300);
  EXPECT_TRUE(rig.beats.empty());
  EXPECT_EQ(rig.statistic("queue_errors"), 1U);
  EXPECT_EQ(rig.signal(0).status, JobStatus::kError);
  EXPECT_NE(rig.host.cycle(job), 0U);
  EXPECT_EQ(rig.host.cycle(kernel), rig.host.cycle(job) + 1);
  rig.part.abandon();
  EXPECT_TRUE(rig.part.withheld()[2]);  // withheld because the queue has no job
  EXPECT_FALSE(rig.part.announcing(2));
}

TEST(JobInspector, KernelsThatNobodyAnnouncedAreAnnouncedAndAgainWhenRegistersChange) {
  InspectorRig rig(true);
  rig.verdicts[40] = {2, false, 4, 0};  // the list is too long
  for (unsigned kid = 0; kid < 3; ++kid) rig.submit(2, rig.kernel(static_cast<std::uint8_t>(kid), 4), 10);
  rig.run(10, 40);
  ASSERT_EQ(rig.beats.size(), 4U);
  EXPECT_TRUE(rig.beats[0].own);
  EXPECT_EQ(rig.beats[0].kernel_types, 3);
  EXPECT_EQ(rig.beats[0].deadline, JobPacket::kNoDeadline);
  rig.beats.clear();
  rig.verdicts[100] = {2, false, 2, 0};
  rig.run(40, 200);
  ASSERT_EQ(rig.beats.size(), 2U);
  EXPECT_EQ(rig.beats[0].kernel_types, 1);
  EXPECT_TRUE(rig.part.refused(2));
  EXPECT_EQ(rig.part.next(200), kForever);
  rig.part.registers_changed();
  EXPECT_EQ(rig.part.next(200), 201U);
  rig.beats.clear();
  rig.run(201, 210);
  EXPECT_EQ(rig.beats.size(), 2U);
}

TEST(JobInspector, AnAppendIsAnnouncedAheadAndHoldsTheLastKernelUntilItsVerdict) {
  InspectorRig rig(true);
  rig.verdicts[40] = {2, true, 0, 0};
  rig.submit(2, rig.job(0, {{1, 4}}, 1), 10);
  rig.submit(2, rig.kernel(1, 4), 10);
  JobPacket append = rig.job(1, {{6, 4}}, 1);
  append.append = true;
  const Ticket ticket = rig.submit(2, append, 10);
  rig.run(10, 63);
  static_cast<void>(rig.queues.take(2, QueueState::kBlocked, 62));  // the job's kernel runs
  rig.run(63, 100);
  EXPECT_TRUE(rig.part.holds(2));
  rig.verdicts[120] = {2, true, 0, 0};
  rig.run(100, 130);
  EXPECT_FALSE(rig.part.holds(2));
  EXPECT_FALSE(rig.jobs.one_left(2));
  EXPECT_EQ(rig.host.cycle(ticket), 0U);
  rig.queues.release(2, 130);
  rig.run(131, 140);
  EXPECT_EQ(rig.host.cycle(ticket), 131U);  // answered long ago
  EXPECT_EQ(rig.statistic("inspections"), 2U);
}

TEST(JobInspector, OnAMachineThatDoesNotInspectAJobTakesNoLane) {
  InspectorRig rig(false, {"inspect=off"});
  const Ticket ticket = rig.submit(2, rig.job(0, {{1, 4}}, 1), 10);
  rig.run(10, 12);
  rig.part.serve_unread(2, std::get<JobPacket>(rig.queues.head(2).packet), 12);
  EXPECT_EQ(rig.host.cycle(ticket), 12U);
  EXPECT_TRUE(rig.jobs.has(2));
  EXPECT_EQ(rig.lanes.busy(), 0U);
  EXPECT_EQ(rig.statistic("inspections"), 0U);
}

TEST(JobInspector, AnnouncementsTakeLanesInRoundRobinOverTheQueues) {
  InspectorRig rig(true, {"parse.interval=5", "parse.lanes=8"});
  for (const unsigned queue : {9U, 4U, 6U}) rig.submit(queue, rig.job(queue, {{1, 4}}, 0), 10);
  rig.run(10, 60);
  std::vector<unsigned> queues;
  for (const JobBeat& beat : rig.beats) {
    if (beat.header) queues.push_back(beat.queue);
  }
  EXPECT_THAT(queues, testing::ElementsAre(4, 6, 9));
}

}  // namespace
}  // namespace castor::gpu::gpu_front_end_inspector_test
