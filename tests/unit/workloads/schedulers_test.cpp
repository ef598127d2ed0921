// Tests of the host-side schedulers' decisions, on cases made by hand.

#include "workloads/host/schedulers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/workloads/fake_host.h"
#include "workloads/lax/workloads.h"

namespace castor::workloads::schedulers_test {
namespace {

using ::testing::ElementsAre;

constexpr Cycle kUs = 1500;

JobStream stream_of(std::vector<KernelType> types, std::vector<Job> jobs) {
  JobStream stream;
  stream.name = "test";
  stream.types = std::move(types);
  stream.jobs = std::move(jobs);
  return stream;
}

KernelType kernel(const char* name, Cycle service, std::uint32_t tbs = 1) {
  KernelType type;
  type.name = name;
  type.threads = 256;
  type.registers = 8;
  type.tbs = tbs;
  type.service = static_cast<std::uint32_t>(service);
  return type;
}

Job job(Cycle arrival, Cycle deadline, std::vector<KernelCall> kernels) {
  Job out;
  out.arrival = arrival;
  out.deadline = deadline;
  out.kernels = std::move(kernels);
  return out;
}

/// Jobs of a few-kernel workload at even gaps.
JobStream even(const char* name, Cycle gap, unsigned jobs) {
  const lax::Workload& workload = *lax::find_workload(name);
  JobStream stream = lax::kernels_of(workload);
  for (unsigned i = 0; i < jobs; ++i) {
    stream.jobs.push_back(lax::make_job(workload, stream, 0, 0));
    stream.jobs.back().arrival = gap * (i + 1);
  }
  return stream;
}

// 64 000 jobs a second: each waits 34.4 us longer for the model than the one before. 50 + 4 + 2 + 150 us and that stay
// within 300 us for three jobs.
TEST(BaymaxScheduler, CompletesExactlyTheFirstThreeStemJobsOfAnEvenStream) {
  const JobStream stream = even("STEM", 15625 * kUs / 1000, 128);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Baymax scheduler({}, seed);
    FakeHost host(stream, scheduler, {96});
    host.run();
    const Metrics m = metrics(stream, host.outcome);
    EXPECT_EQ(m.met, 3U) << seed;
    EXPECT_LE(m.late, 1U) << "the fourth, if its time is predicted too short";
    EXPECT_EQ(m.open, 125U - m.late) << "the others wait for ever";
    for (JobIndex i = 0; i < 3; ++i) EXPECT_TRUE(host.outcome.jobs[i].met(stream.jobs[i])) << i;
  }
}

TEST(BaymaxScheduler, ModelCallOf50UsLeavesNothingOfADeadlineOf40Us) {
  const JobStream stream = even("IPV6", 100 * kUs, 20);
  Baymax scheduler({}, 1);
  FakeHost host(stream, scheduler, {80});
  host.run();
  EXPECT_TRUE(host.launches.empty());
}

TEST(BaymaxScheduler, ModelAnswersOneCallAfterTheOther) {
  const JobStream stream =
      stream_of({kernel("k", 10 * kUs)},
                {job(0, 1000 * kUs, {{0, 1}}), job(0, 1000 * kUs, {{0, 1}}), job(200 * kUs, 1000 * kUs, {{0, 1}})});
  Baymax scheduler({}, 1);
  FakeHost host(stream, scheduler, {100});
  host.run();
  ASSERT_EQ(host.launches.size(), 3U);
  EXPECT_EQ(host.launches[0].at, 54 * kUs);
  EXPECT_EQ(host.launches[1].at, 104 * kUs);
  EXPECT_EQ(host.launches[2].at, 254 * kUs);
}

// Two jobs wait while the whole device is taken; the one with less headroom goes first although it came later.
TEST(BaymaxScheduler, LeastHeadroomGoesFirstAndOnlyWhenThereIsRoom) {
  const JobStream stream =
      stream_of({kernel("k", 400 * kUs, 10)},
                {job(0, 5000 * kUs, {{0, 10}}), job(1, 5000 * kUs, {{0, 10}}), job(2, 2000 * kUs, {{0, 10}})});
  Baymax scheduler({}, 1);
  FakeHost host(stream, scheduler, {10});
  host.run();
  ASSERT_EQ(host.launches.size(), 3U);
  EXPECT_THAT(host.launches[0].jobs, ElementsAre(0));
  EXPECT_THAT(host.launches[1].jobs, ElementsAre(2));
  EXPECT_EQ(host.launches[1].at, (54 + 400 + 4) * kUs) << "behind the end of the first";
  EXPECT_THAT(host.launches[2].jobs, ElementsAre(1));
}

TEST(BatchMakerScheduler, EqualKernelsThatWaitBecomeOneGrid) {
  const JobStream stream =
      stream_of({kernel("a", 100 * kUs), kernel("b", 50 * kUs)},
                {job(0, 1, {{0, 1}, {1, 1}}), job(10, 1, {{0, 1}, {1, 1}}), job(20, 1, {{0, 1}, {1, 1}})});
  BatchMaker scheduler({});
  FakeHost host(stream, scheduler, {100, 100});
  host.run();
  ASSERT_EQ(host.launches.size(), 4U);
  EXPECT_THAT(host.launches[0].jobs, ElementsAre(0));
  EXPECT_EQ(host.launches[0].at, 4 * kUs) << "one message";
  // When the first is complete, two jobs wait for a and one for b: the larger batch first, both in the same cycle.
  EXPECT_THAT(host.launches[1].jobs, ElementsAre(1, 2));
  EXPECT_EQ(host.launches[1].at, (4 + 100 + 4) * kUs);
  EXPECT_THAT(host.launches[2].jobs, ElementsAre(0));
  EXPECT_EQ(host.launches[2].at, host.launches[1].at);
  EXPECT_THAT(host.launches[3].jobs, ElementsAre(1, 2)) << "members advance together";
  EXPECT_EQ(metrics(stream, host.outcome).late, 3U) << "deadlines mean nothing to it";
}

TEST(BatchMakerScheduler, BatchIsNoLargerThanTheDevice) {
  std::vector<Job> jobs(6, job(0, 1, {{0, 4}}));
  const JobStream stream = stream_of({kernel("a", 100 * kUs, 4)}, jobs);
  BatchMaker scheduler({});
  FakeHost host(stream, scheduler, {8});
  host.run();
  ASSERT_EQ(host.launches.size(), 4U);
  EXPECT_THAT(host.launches[0].jobs, ElementsAre(0)) << "nobody else was there yet";
  EXPECT_THAT(host.launches[1].jobs, ElementsAre(1, 2));
  EXPECT_THAT(host.launches[2].jobs, ElementsAre(3, 4));
  EXPECT_THAT(host.launches[3].jobs, ElementsAre(5));
}

TEST(ProphetScheduler, RefusesWhatCannotBeDoneAlone) {
  // 4 + 2 + 100 us.
  const JobStream stream =
      stream_of({kernel("k", 100 * kUs)}, {job(0, 106 * kUs - 1, {{0, 1}}), job(1000 * kUs, 106 * kUs, {{0, 1}})});
  Prophet scheduler({});
  FakeHost host(stream, scheduler, {100});
  host.run();
  EXPECT_EQ(host.outcome.jobs[0].end, JobOutcome::End::kRejected);
  EXPECT_TRUE(host.outcome.jobs[1].met(stream.jobs[1]));
}

// Shares of 0.6: together 1.2 times slower. With 106 us alone a deadline of 130 us allows it, one of 125 us does not.
TEST(ProphetScheduler, CoRunsOnlyWhileAllMeetTheirDeadlines) {
  for (const auto& [deadline, together] : {std::pair{Cycle{130}, true}, std::pair{Cycle{125}, false}}) {
    const JobStream stream =
        stream_of({kernel("k", 100 * kUs, 6)}, {job(0, 300 * kUs, {{0, 6}}), job(0, deadline * kUs, {{0, 6}})});
    Prophet scheduler({});
    FakeHost host(stream, scheduler, {10});
    host.run();
    ASSERT_GE(host.launches.size(), 1U);
    EXPECT_EQ(host.launches.size(), together ? 2U : 1U);
    if (together) {
      EXPECT_EQ(host.launches[1].at, host.launches[0].at);
    }
  }
}

TEST(ProphetScheduler, BandwidthCountsToo) {
  JobStream stream = stream_of({kernel("k", 100 * kUs, 6)}, {job(0, 300 * kUs, {{0, 6}}), job(0, 130 * kUs, {{0, 6}})});
  stream.w0 = 30;  // 24 warps each: 1.6 times slower together
  Prophet scheduler({});
  FakeHost host(stream, scheduler, {10});
  host.run();
  EXPECT_EQ(host.launches.size(), 1U);
  Prophet slots_only({}, false);
  FakeHost other(stream, slots_only, {10});
  other.run();
  EXPECT_EQ(other.launches.size(), 2U) << "who does not know w0 takes them to fit";
}

/// Rates and lists of the engine's reference vectors (docs/blocks/lax.md, "Arithmetic").
struct Vectors {
  Vectors() {
    stream = stream_of(
        {kernel("t0", 1), kernel("t1", 1), kernel("t2", 1), kernel("t3", 1), kernel("t4", 1), kernel("t5", 1)}, {});
    table.set_rate(5, 0x000EA600);
    table.set_rate(4, 0x000D0555);
    table.set_rate(3, 0x00030B38);
  }
  JobStream stream;
  LaxityTable table;
};

TEST(LaxOnTheHost, PrioritiesAreThoseOfTheReferenceVectors) {
  struct Row {
    Cycle deadline, duration;
    unsigned cls;
    Cycle value;
  };
  for (const Row& row : {Row{10'500'000, 0, 0, 10'013'832}, Row{10'500'000, 10'000'000, 0, 13'832},
                         Row{10'500'000, 10'500'000, 1, 10'986'168}, Row{10'500'000, 10'500'001, 3, 0xffff'ffff},
                         Row{900'000, 400'000, 0, 13'832}}) {
    Vectors v;
    v.stream.jobs = {job(77, row.deadline, {{5, 52}, {4, 78}, {3, 40}})};
    SubmitAll scheduler;
    FakeHost host(v.stream, scheduler, std::vector<std::uint64_t>(6, 10));
    host.set_now(77 + row.duration);
    EXPECT_EQ(v.table.work(host, 0), 486'168U);
    const LaxityTable::Priority priority = v.table.priority(host, 0);
    EXPECT_EQ(priority.cls, row.cls) << row.duration;
    EXPECT_EQ(priority.value, row.value) << row.duration;
  }
}

TEST(LaxOnTheHost, AdmissionIsStrict) {
  for (const auto& [deadline, admitted] : {std::pair{Cycle{632'617}, false}, std::pair{Cycle{632'618}, true}}) {
    Vectors v;
    v.stream.jobs = {job(0, 10'000'000, {{5, 20}, {4, 10}}), job(0, 10'000'000, {{5, 52}, {4, 78}, {3, 40}}),
                     job(0, deadline, {{5, 4}, {4, 6}, {3, 4}})};
    SubmitAll scheduler;
    FakeHost host(v.stream, scheduler, std::vector<std::uint64_t>(6, 10));
    EXPECT_EQ(v.table.work(host, 0), 108'333U);
    EXPECT_EQ(v.table.work(host, 2), 38'116U);
    EXPECT_EQ(v.table.admits(host, 2, {0, 1}), admitted);
  }
}

TEST(LaxOnTheHost, UnknownWorkAheadCountsItsDeadlineAndOwnUnknownWorkNothing) {
  Vectors v;
  v.stream.jobs = {job(0, 5'000, {{0, 1}}), job(0, 5'001, {{0, 1}}), job(0, 5'000, {{0, 1}}),
                   job(0, Job::kNoDeadline, {{0, 1}})};
  SubmitAll scheduler;
  FakeHost host(v.stream, scheduler, std::vector<std::uint64_t>(6, 10));
  EXPECT_TRUE(v.table.admits(host, 0, {}));
  EXPECT_TRUE(v.table.admits(host, 1, {0}));
  EXPECT_FALSE(v.table.admits(host, 2, {0}));
  EXPECT_TRUE(v.table.admits(host, 3, {0, 1, 2})) << "best effort";
  EXPECT_TRUE(v.table.admits(host, 2, {3})) << "best effort ahead delays nobody";
}

TEST(LaxOnTheHost, OneJobOfUnknownKernelsAtATimeThenByRate) {
  // 100 us each; measured from the message's arrival: 100 us per TB, so ten jobs of 1000 us deadline fit, less the
  // time that passed.
  std::vector<Job> jobs = {job(0, 1000 * kUs, {{0, 1}}), job(10 * kUs, 1000 * kUs, {{0, 1}})};
  for (unsigned i = 0; i < 12; ++i) jobs.push_back(job(300 * kUs, 1000 * kUs, {{0, 1}}));
  const JobStream stream = stream_of({kernel("k", 100 * kUs)}, jobs);
  LaxSoftware scheduler({});
  FakeHost host(stream, scheduler, {1});
  host.run();
  EXPECT_TRUE(host.outcome.jobs[0].met(stream.jobs[0]));
  EXPECT_EQ(host.outcome.jobs[1].end, JobOutcome::End::kRejected) << "nothing is known yet";
  unsigned admitted = 0;
  for (std::size_t i = 2; i < jobs.size(); ++i) admitted += host.outcome.jobs[i].ran() ? 1 : 0;
  EXPECT_EQ(admitted, 9U) << "0, 100, .. 800 us ahead and 100 of their own are below 1000";
  EXPECT_EQ(host.launches[0].at, 4 * kUs);
  for (std::size_t i = 1; i < host.launches.size(); ++i) {
    EXPECT_GE(host.launches[i].at, host.launches[i - 1].at + 100 * kUs) << "one at a time on a device with one slot";
  }
}

TEST(LaxOnTheHost, LeastLaxityIsSentFirst) {
  // The second job runs when two more come; the last one has the earlier deadline, and an update sees that.
  const JobStream stream =
      stream_of({kernel("k", 250 * kUs)}, {job(0, 9000 * kUs, {{0, 1}}), job(310 * kUs, 9000 * kUs, {{0, 1}}),
                                           job(320 * kUs, 9000 * kUs, {{0, 1}}), job(330 * kUs, 2000 * kUs, {{0, 1}})});
  LaxSoftware scheduler({});
  FakeHost host(stream, scheduler, {1});
  host.run();
  ASSERT_EQ(host.launches.size(), 4U);
  EXPECT_THAT(host.launches[1].jobs, ElementsAre(1));
  EXPECT_THAT(host.launches[2].jobs, ElementsAre(3));
  EXPECT_EQ(host.launches[2].at, (310 + 4 + 250 + 4) * kUs);
  EXPECT_THAT(host.launches[3].jobs, ElementsAre(2));
}

TEST(LaxCpuScheduler, SubmitsAtOnceAndWritesClassAndLaxityEvery100Us) {
  const JobStream stream = stream_of({kernel("k", 1000 * kUs)}, {job(0, 3000 * kUs, {{0, 2}})});
  LaxCpu scheduler({});
  FakeHost host(stream, scheduler, {10});
  host.tpw[0] = static_cast<std::uint32_t>(500 * kUs) << 8U;
  host.run();
  EXPECT_THAT(host.submitted, ElementsAre(0));
  ASSERT_GE(host.priorities.size(), 2U);
  EXPECT_EQ(host.priorities[0].value, 0U) << "highest until the first update";
  // Read at 100 us, known at 104 us, written at 108 us: laxity 3000 - 1000 - 104 us.
  EXPECT_EQ(host.priorities[1].at, 108 * kUs);
  EXPECT_EQ(host.priorities[1].value, 1896 * kUs);
  EXPECT_EQ(host.priorities[2].at, 208 * kUs);
}

TEST(LaxCpuScheduler, ClassIsInTheUpperBits) {
  const JobStream stream = stream_of({kernel("k", 3000 * kUs)}, {job(0, 500 * kUs, {{0, 1}})});
  LaxCpu scheduler({});
  FakeHost host(stream, scheduler, {10});
  host.run();
  ASSERT_GE(host.priorities.size(), 7U);
  EXPECT_EQ(host.priorities[1].value >> 30U, 0U);
  EXPECT_EQ(host.priorities[6].value, 0xffff'ffffU) << "late: class 3";
}

TEST(Schedulers, AllHaveANameAndAreMade) {
  EXPECT_EQ(schedulers().size(), 13U);
  for (const SchedulerInfo& info : schedulers()) {
    EXPECT_EQ(find_scheduler(info.name), &info);
    EXPECT_NE(make_scheduler(info, {}, 1), nullptr);
    EXPECT_EQ(info.place == Place::kHost, std::string_view(info.policy).empty()) << info.name;
  }
  EXPECT_EQ(find_scheduler("FIFO"), nullptr);
}

// Two kinds of jobs; the first kind's batch is full with the third arrival, and its short member only leaves the grid.
TEST(FixedBatchesScheduler, WaitsForAFullBatchOfOneKindAndRunsItsKernelsTogether) {
  JobStream stream = stream_of({kernel("k", 10 * kUs), kernel("l", 20 * kUs)},
                               {job(0, 5000 * kUs, {{0, 1}, {1, 1}}), job(10 * kUs, 5000 * kUs, {{1, 1}}),
                                job(20 * kUs, 5000 * kUs, {{0, 1}}), job(30 * kUs, 5000 * kUs, {{0, 1}, {1, 1}})});
  stream.jobs[1].variant = 1;
  FixedBatches scheduler(2, {});
  FakeHost host(stream, scheduler, {100, 100});
  host.run();
  ASSERT_EQ(host.launches.size(), 5U);
  EXPECT_THAT(host.launches[0].jobs, ElementsAre(0, 2));
  EXPECT_EQ(host.launches[0].at, 24 * kUs) << "the second of its kind, and 4 us";
  std::vector<std::pair<unsigned, std::vector<JobIndex>>> rest;
  for (std::size_t i = 1; i < host.launches.size(); ++i) {
    rest.emplace_back(host.launches[i].type, host.launches[i].jobs);
  }
  using Launch = std::pair<unsigned, std::vector<JobIndex>>;
  EXPECT_THAT(rest, ::testing::UnorderedElementsAre(Launch{1, {0}}, Launch{1, {1}}, Launch{0, {3}}, Launch{1, {3}}));
  EXPECT_THAT(scheduler.batches().at(2), ElementsAre(0, 2));
  EXPECT_THAT(scheduler.batches().at(3), ElementsAre(3)) << "what is left behind the last arrival";
  for (const JobOutcome& end : host.outcome.jobs) EXPECT_TRUE(end.ran());
}

}  // namespace
}  // namespace castor::workloads::schedulers_test
