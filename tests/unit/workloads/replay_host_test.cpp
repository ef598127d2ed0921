// The host beside a GPU whose SMs replay. A device per process.

#include "workloads/host/replay_host.h"

#include <gtest/gtest.h>

#include "platforms/machines.h"
#include "workloads/host/schedulers.h"
#include "workloads/lax/workloads.h"

namespace castor::workloads::replay_host_test {
namespace {

gpu::Machine machine() { return platforms::load_machine("gcn_apu_replay", {"replay.rate=gpu"}).machine; }

/// Returns an upper bound of a kernel's cost in addition to its service time: 3000 cycles of parsing, 4 passes of 8
/// cycles until the offer, one cycle per TB for placement, and a few for messages.
Cycle overhead(const Job& job) {
  Cycle sum = 0;
  for (const KernelCall& call : job.kernels) sum += 3000 + 32 + 2 * call.tbs + 16;
  return sum;
}

TEST(ReplayHost, AJobAloneTakesItsKernelsTimesAndTheirParsing) {
  const lax::Workload& lstm = *lax::find_workload("LSTM");
  JobStream stream = lax::kernels_of(lstm);
  stream.jobs.push_back(lax::make_job(lstm, stream, 0, 13));
  stream.jobs[0].arrival = 1000;
  const gpu::Machine m = machine();
  SubmitAll scheduler;
  ReplayHost host(m, stream, scheduler);
  const RunOutcome outcome = host.run();
  const Job& job = stream.jobs[0];
  ASSERT_TRUE(outcome.jobs[0].ran());
  EXPECT_EQ(outcome.jobs[0].tbs, job.tbs());
  // 102 published calls. tensor1 has 256 warps, more than the 220 from which on all slow down: three times 16 % longer.
  const Cycle latency = outcome.jobs[0].finished - job.arrival;
  const Cycle alone = stream.isolated(job) + 102 * 3000;
  EXPECT_GE(latency, alone);
  EXPECT_LE(latency, stream.isolated(job) + 3 * 5940 * 36 / 220 + overhead(job));
}

TEST(ReplayHost, HostSidePathPaysForEveryKernel) {
  const lax::Workload& stem = *lax::find_workload("STEM");
  JobStream stream = lax::kernels_of(stem);
  stream.jobs.push_back(lax::make_job(stem, stream, 0, 0));
  stream.jobs[0].arrival = 500;
  const gpu::Machine m = machine();
  Prophet scheduler({});
  ReplayHost host(m, stream, scheduler);
  const RunOutcome outcome = host.run();
  const Cycle latency = outcome.jobs[0].finished - 500;
  EXPECT_GE(latency, 6000U + 3000 + 225'000);
  EXPECT_LE(latency, 6000U + 225'000 + overhead(stream.jobs[0]));
}

TEST(ReplayHost, MergedGridsHoldTheTbsOfAllMembers) {
  const lax::Workload& gmm = *lax::find_workload("GMM");
  JobStream stream = lax::kernels_of(gmm);
  for (unsigned i = 0; i < 5; ++i) {
    stream.jobs.push_back(lax::make_job(gmm, stream, 0, 0));
    stream.jobs.back().arrival = 100 * Cycle{i};
  }
  const gpu::Machine m = machine();
  BatchMaker scheduler({});
  ReplayHost host(m, stream, scheduler);
  const RunOutcome outcome = host.run();
  for (const JobOutcome& job : outcome.jobs) EXPECT_EQ(job.tbs, 8U);
  EXPECT_EQ(host.slots(0), 32U);
  // One job alone, then the four others in one grid.
  for (unsigned i = 2; i < 5; ++i) EXPECT_EQ(outcome.jobs[i].finished, outcome.jobs[1].finished);
  EXPECT_GE(outcome.jobs[1].finished, outcome.jobs[0].finished + 2'250'000);
}

TEST(ReplayHost, MoreJobsThanQueuesWaitInTheHost) {
  const lax::Workload& stem = *lax::find_workload("STEM");
  const JobStream stream = lax::generate(stem, {64000, 300, 1});
  const gpu::Machine m = machine();
  SubmitAll scheduler;
  ReplayHost host(m, stream, scheduler);
  const Metrics result = metrics(stream, host.run());
  EXPECT_EQ(result.met + result.late, 300U);
  EXPECT_EQ(result.all_tbs, 300U * 16);
}

std::string outcomes(const char* name) {
  const lax::Workload& hybrid = *lax::find_workload("HYBRID");
  const JobStream stream = lax::generate(hybrid, {8000, 24, 3});
  const gpu::Machine m = machine();
  const auto scheduler = make_scheduler(*find_scheduler(name), {}, 3);
  ReplayHost host(m, stream, *scheduler);
  std::string text;
  for (const JobOutcome& job : host.run().jobs) {
    text += std::to_string(job.started) + " " + std::to_string(job.finished) + " " + std::to_string(job.tbs) + "\n";
  }
  return text;
}

TEST(ReplayHost, RunsAreRepeatable) {
  // Two devices in one process are possible as long as SystemC itself is not started.
  for (const char* const scheduler : {"RR", "BAT", "BAY", "PRO", "LAX-SW"}) {
    EXPECT_EQ(outcomes(scheduler), outcomes(scheduler)) << scheduler;
  }
}

}  // namespace
}  // namespace castor::workloads::replay_host_test
