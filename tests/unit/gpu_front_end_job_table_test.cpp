// Tests of the job table alone: jobs of queues, their ends, and their records.
#include "castor/gpu/front_end/job_table.h"
#include "gpu_front_end_parts.h"

namespace castor::gpu::gpu_front_end_job_table_test {
namespace {

using test::MemoryRig;
using test::PartRig;

class JobTableRig : public PartRig {
 public:
  explicit JobTableRig(bool judged)
      : store({machine.memory.bytes, false}),
        memory("memory", machine, store, group),
        queues(machine, store),
        host(queues, memory.client(FrontEndMemory::User::kCompletions)),
        part(machine.queue.count, judged, host, group),
        signals(store.allocate(4096, AllocationKind::kPool).value()) {}
  [[nodiscard]] JobPacket job(unsigned slot, std::uint16_t kernels, std::uint64_t start,
                              std::uint32_t deadline = JobPacket::kNoDeadline) const {
    JobPacket packet;
    packet.id = 100 + slot;
    packet.kernels = kernels;
    packet.start = start;
    packet.deadline = deadline;
    packet.signal = signals + 8 * slot;
    return packet;
  }
  [[nodiscard]] static Verdict accepted(unsigned queue, std::uint32_t estimate = 0) {
    return {static_cast<std::uint16_t>(queue), true, 0, estimate};
  }
  /// Returns the signal word of a slot after all pending notifications have been stored.
  [[nodiscard]] JobSignal signal(unsigned slot) {
    for (Cycle now = clock; now < clock + 200; ++now) {
      host.receive(now);
      memory.tick(now);
    }
    clock += 200;
    std::uint64_t word = 0;
    std::memcpy(&word, store.host(signals + 8 * slot), sizeof word);
    return JobSignal::of(word);
  }
  Store store;
  MemoryRig memory;
  Queues queues;
  CompletionPort host;
  JobTable part;
  std::uint64_t signals;
  Cycle clock = 100'000;
};

TEST(JobTable, AJobThatNobodyJudgesEndsTheCycleAfterItsLastKernelWithItsLatency) {
  JobTableRig rig(false);
  EXPECT_TRUE(rig.part.uncovered().none());
  rig.part.judge(2, 11, rig.job(0, 2, 1000, 500), rig.accepted(2, 77), 1040);
  EXPECT_TRUE(rig.part.has(2));
  EXPECT_FALSE(rig.part.one_left(2));
  rig.part.placed(2, false, 1100);
  rig.part.placed(2, true, 1101);
  EXPECT_FALSE(rig.part.completed(2, 1250));
  EXPECT_TRUE(rig.part.one_left(2));
  rig.part.placed(2, true, 1300);
  EXPECT_TRUE(rig.part.completed(2, 1501));
  EXPECT_TRUE(rig.part.ending());
  rig.part.report_ends(1501);
  EXPECT_TRUE(rig.part.has(2));
  rig.part.report_ends(1502);
  EXPECT_FALSE(rig.part.has(2));
  EXPECT_FALSE(rig.part.ending());
  ASSERT_EQ(rig.part.records().size(), 1U);
  const JobRecord& record = rig.part.records()[0];
  EXPECT_EQ(record.id, 100U);
  EXPECT_EQ(record.queue, 2U);
  EXPECT_EQ(record.ticket, 11U);
  EXPECT_EQ(record.judged, 1040U);
  EXPECT_TRUE(record.accepted);
  EXPECT_EQ(record.estimate, 77U);
  EXPECT_EQ(record.first_tb, 1100U);
  EXPECT_EQ(record.done, 1501U);
  EXPECT_EQ(record.kernels, 2U);
  EXPECT_EQ(record.tbs, 3U);
  EXPECT_EQ(record.running, (1250U - 1101) + (1501U - 1300));
  EXPECT_FALSE(record.met);
  // The job took 501 cycles, one more than the deadline.
  const JobSignal signal = rig.signal(0);
  EXPECT_EQ(signal.status, JobStatus::kDoneLate);
  EXPECT_EQ(signal.value, 501U);
  EXPECT_EQ(rig.statistic("jobs_accepted"), 1U);
  EXPECT_EQ(rig.statistic("jobs_ended"), 1U);
  EXPECT_EQ(rig.statistic("jobs_met"), 0U);
}

TEST(JobTable, TheEndOfOneQueueCanBeToldBeforeTheOthers) {
  JobTableRig rig(false);
  for (const unsigned queue : {4U, 6U}) {
    rig.part.judge(queue, queue, rig.job(queue, 1, 0), rig.accepted(queue), 5);
    EXPECT_TRUE(rig.part.completed(queue, 10));
  }
  rig.part.report_end(6, 10);
  EXPECT_FALSE(rig.part.has(6));
  EXPECT_TRUE(rig.part.has(4));
  EXPECT_TRUE(rig.part.ending());
  rig.part.report_end(6, 10);
  EXPECT_EQ(rig.statistic("jobs_ended"), 1U);
}

TEST(JobTable, WithAJudgeOnlyKernelsOfAcceptedJobsAreCovered) {
  JobTableRig rig(true);
  EXPECT_TRUE(rig.part.uncovered()[3]);
  EXPECT_TRUE(rig.part.jobless()[3]);
  rig.part.judge(3, 9, rig.job(0, 1, 100), rig.accepted(3), 120);
  EXPECT_FALSE(rig.part.uncovered()[3]);
  EXPECT_FALSE(rig.part.jobless()[3]);
  EXPECT_TRUE(rig.part.completed(3, 200));
  // All kernels are complete. The job remains until the scheduler reports its end.
  EXPECT_TRUE(rig.part.uncovered()[3]);
  EXPECT_FALSE(rig.part.jobless()[3]);
  rig.part.report_ends(300);
  EXPECT_TRUE(rig.part.has(3));
  rig.part.end({3, true, 42}, 300);
  EXPECT_FALSE(rig.part.has(3));
  EXPECT_TRUE(rig.part.jobless()[3]);
  EXPECT_EQ(rig.part.records()[0].done, 299U);
  EXPECT_EQ(rig.signal(0).value, 42U);
  EXPECT_EQ(rig.statistic("jobs_met"), 1U);
}

TEST(JobTable, AnAppendAddsToTheJobAndARefusedOneLeavesNoRecord) {
  JobTableRig rig(true);
  rig.part.judge(0, 5, rig.job(0, 1, 100), rig.accepted(0), 120);
  JobPacket append = rig.job(1, 2, 100);
  append.append = true;
  rig.part.judge(0, 6, append, rig.accepted(0), 130);
  EXPECT_FALSE(rig.part.completed(0, 140));
  EXPECT_FALSE(rig.part.completed(0, 150));
  append = rig.job(2, 2, 100);
  append.append = true;
  rig.part.judge(0, 7, append, {0, false, 7, 0}, 155);
  EXPECT_TRUE(rig.part.completed(0, 160));
  EXPECT_EQ(rig.part.records().size(), 1U);
  EXPECT_EQ(rig.signal(1).status, JobStatus::kAccepted);
  EXPECT_EQ(rig.signal(2).status, JobStatus::kRejected);
  EXPECT_EQ(rig.signal(2).reason, 7);
  EXPECT_EQ(rig.statistic("jobs_accepted"), 2U);
  EXPECT_EQ(rig.statistic("jobs_rejected"), 1U);
}

TEST(JobTable, ARefusedJobIsRecordedAndOneGivenUpTellsWhatIsLeft) {
  JobTableRig rig(true);
  rig.part.judge(1, 5, rig.job(0, 3, 100), {1, false, 2, 900}, 120);
  EXPECT_FALSE(rig.part.has(1));
  EXPECT_FALSE(rig.part.records()[0].accepted);
  EXPECT_EQ(rig.part.records()[0].reason, 2);
  EXPECT_EQ(rig.signal(0).value, 900U);
  rig.part.judge(1, 6, rig.job(1, 3, 100), rig.accepted(1), 130);
  EXPECT_EQ(rig.part.drop_job({1, false, 3, 0}, 140), 3U);
  EXPECT_FALSE(rig.part.has(1));
  EXPECT_TRUE(rig.part.uncovered()[1]);
  EXPECT_FALSE(rig.part.records()[1].accepted);
  EXPECT_EQ(rig.part.records()[1].judged, 140U);
  EXPECT_EQ(rig.signal(1).status, JobStatus::kRejected);
  EXPECT_EQ(rig.statistic("jobs_rejected"), 2U);
}

TEST(JobTable, AJobOfTheFrontEndItselfHasARecordButNoWord) {
  JobTableRig rig(true);
  rig.part.judge(1, 0, rig.job(0, 1, 100), rig.accepted(1), 120);
  EXPECT_TRUE(rig.part.completed(1, 200));
  rig.part.end({1, true, 100}, 201);
  EXPECT_EQ(rig.part.records().size(), 1U);
  EXPECT_FALSE(rig.host.notifying());
  EXPECT_EQ(rig.statistic("jobs_accepted"), 0U);
  EXPECT_EQ(rig.statistic("jobs_ended"), 1U);
}

TEST(JobTable, RecordsOutliveTheJobs) {
  JobTableRig rig(true);
  rig.part.judge(1, 4, rig.job(0, 1, 100), rig.accepted(1), 120);
  rig.part.abandon();
  EXPECT_FALSE(rig.part.has(1));
  EXPECT_TRUE(rig.part.uncovered()[1]);
  EXPECT_EQ(rig.part.records().size(), 1U);
  // A scheduler may still report the job's end.
  rig.part.end({1, false, 0}, 300);
  EXPECT_EQ(rig.statistic("jobs_ended"), 1U);
}

TEST(JobTableDeathTest, AnAppendToNoJobIsNotAccepted) {
  JobTableRig rig(true);
  JobPacket append = rig.job(0, 1, 100);
  append.append = true;
  EXPECT_DEATH(rig.part.judge(4, 5, append, rig.accepted(4), 120),
               "kernels are appended to the job of queue 4, but the queue has no job");
}

}  // namespace
}  // namespace castor::gpu::gpu_front_end_job_table_test
