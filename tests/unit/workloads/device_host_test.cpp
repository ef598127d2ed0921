// Jobs that reach a laxity engine through the driver. A device per process.

#include "workloads/host/device_host.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "platforms/blocks.h"
#include "platforms/machines.h"
#include "workloads/host/schedulers.h"
#include "workloads/lax/workloads.h"

namespace castor::workloads::device_host_test {
namespace {

RunOutcome run(const JobStream& stream, const char* scheduler, const std::vector<std::string>& more = {}) {
  std::vector<std::string> keys = {"replay.rate=gpu", "blocks.lax.enable=1"};
  keys.insert(keys.end(), more.begin(), more.end());
  const platforms::LoadedMachine loaded = platforms::load_machine("gcn_apu_replay", keys);
  const gpu::ReplayFile file = gpu::ReplayFile::parse(stream.replay_text(), stream.name);
  gpu::TimingDevice::Options options;
  options.gpu.replay = &file;
  platforms::plug_blocks(loaded, options);
  gpu::TimingDevice device(loaded.machine, std::move(options));
  const std::unique_ptr<Scheduler> made = make_scheduler(*find_scheduler(scheduler), {}, 1);
  DeviceHost host(device, file, stream, *made);
  return host.run();
}

TEST(DeviceHost, AJobAloneTakesItsKernelsTheirParsingAndItsInspection) {
  const lax::Workload& gmm = *lax::find_workload("GMM");
  JobStream stream = lax::kernels_of(gmm);
  stream.jobs.push_back(lax::make_job(gmm, stream, 0, 0));
  stream.jobs[0].arrival = 5000;
  const RunOutcome outcome = run(stream, "RR", {"blocks.lax.policy=rr"});
  ASSERT_TRUE(outcome.jobs[0].ran());
  EXPECT_EQ(outcome.jobs[0].tbs, 8U);
  const Cycle latency = outcome.jobs[0].finished - 5000;
  EXPECT_GE(latency, 3000U + 3000 + 2'250'000);
  EXPECT_LE(latency, 3000U + 3000 + 2'250'000 + 500) << "selection, placement, messages, reading the packets";
}

TEST(DeviceHost, RefusedJobsRunNothing) {
  const lax::Workload& stem = *lax::find_workload("STEM");
  const JobStream stream = lax::generate(stem, {64000, 64, 1});
  const Metrics m = metrics(stream, run(stream, "LAX"));
  EXPECT_EQ(m.met + m.late + m.rejected, 64U);
  EXPECT_GT(m.rejected, 0U) << "more than twice what the device can serve";
  EXPECT_GT(m.met, 0U);
  EXPECT_EQ(m.all_tbs, 16U * (m.met + m.late));
}

// A long job holds the device when a long and a short one come, in this order.
TEST(DeviceHost, ShortestJobFirstKnowsTimesBeforehand) {
  JobStream stream = parse_job_stream(R"(job-stream: 1
kernels:
  - {name: long, threads: 256, registers: 64, tbs: 32, service: 900000}
  - {name: short, threads: 256, registers: 64, tbs: 32, service: 100000}
jobs:
  - {arrival: 0, deadline: 9000000, kernels: [long]}
  - {arrival: 100000, deadline: 9000000, kernels: [long]}
  - {arrival: 200000, deadline: 9000000, kernels: [short]}
)",
                                      "jobs.yaml");
  const RunOutcome outcome = run(stream, "SJF", {"blocks.lax.policy=sjf"});
  EXPECT_LT(outcome.jobs[2].finished, outcome.jobs[1].finished - 800'000);
}

TEST(DeviceHost, ExternalPrioritiesOverrideTheOrderOfArrival) {
  JobStream stream = parse_job_stream(R"(job-stream: 1
kernels:
  - {name: k, threads: 256, registers: 64, tbs: 32, service: 900000}
jobs:
  - {arrival: 0, kernels: [k]}
  - {arrival: 100000, deadline: 8000000, kernels: [k]}
  - {arrival: 200000, deadline: 3000000, kernels: [k]}
)",
                                      "jobs.yaml");
  const RunOutcome outcome = run(stream, "LAX-CPU", {"blocks.lax.policy=ext", "blocks.lax.admit=0"});
  EXPECT_LT(outcome.jobs[2].finished, outcome.jobs[1].finished) << "less laxity";
}

// --- More than fits -------------------------------------------------------------------------------------------------

// 40 jobs at once, a tenth of that in queues: all of them are judged, and those that are admitted run.
TEST(DeviceHost, MoreJobsThanQueuesWaitInTheHostAndAreNotLost) {
  JobStream stream = parse_job_stream(R"(job-stream: 1
kernels:
  - {name: k, threads: 256, registers: 64, tbs: 4, service: 10000}
jobs:
  - {arrival: 100, kernels: [k]}
)",
                                      "jobs.yaml");
  for (unsigned i = 1; i < 40; ++i) {
    stream.jobs.push_back(stream.jobs[0]);
    if (i % 2 == 1) stream.jobs[i].deadline = 60'000;
  }
  const Metrics m = metrics(stream, run(stream, "LAX", {"queue.count=4", "blocks.lax.sel_width=4"}));
  EXPECT_EQ(m.open, 0U);
  EXPECT_EQ(m.met + m.late + m.rejected, 40U);
  EXPECT_GE(m.met, 20U) << "those without a deadline";
  EXPECT_GT(m.rejected, 0U) << "twenty jobs of 13000 cycles, four at a time, do not all fit into 60000";
  EXPECT_EQ(m.all_tbs, 4U * (m.met + m.late));
}

// Every job brings a kernel type of its own; the table has two.
TEST(DeviceHost, MoreKernelTypesThanTheTableHoldsTakeTurns) {
  const JobStream stream = parse_job_stream(R"(job-stream: 1
kernels:
  - {name: a, threads: 256, registers: 64, tbs: 4, service: 10000}
  - {name: b, threads: 256, registers: 64, tbs: 4, service: 10000}
  - {name: c, threads: 256, registers: 64, tbs: 4, service: 10000}
jobs:
  - {arrival: 100, deadline: 9000000, kernels: [a]}
  - {arrival: 200, deadline: 9000000, kernels: [b, a]}
  - {arrival: 100000, deadline: 9000000, kernels: [c]}
  - {arrival: 200000, deadline: 9000000, kernels: [b]}
  - {arrival: 300000, deadline: 9000000, kernels: [a, c]}
)",
                                            "jobs.yaml");
  const Metrics m = metrics(stream, run(stream, "LAX", {"blocks.lax.num_kt=2", "blocks.lax.warm_policy=optimistic"}));
  EXPECT_EQ(m.met, 5U);
  EXPECT_EQ(m.all_tbs, 4U * 7);
}

// --- Observing ------------------------------------------------------------------------------------------------------

// One job at a time: an instance takes its service, so what is predicted is what it takes.
TEST(DeviceHost, PredictsTheTimeOfAJobThatRunsAlone) {
  const JobStream stream = parse_job_stream(R"(job-stream: 1
kernels:
  - {name: k, threads: 256, registers: 64, tbs: 8, service: 300000}
jobs:
  - {arrival: 0, deadline: 9000000, kernels: [k]}
  - {arrival: 1000000, deadline: 9000000, kernels: [{kernel: k, times: 3}]}
)",
                                            "jobs.yaml");
  const platforms::LoadedMachine loaded =
      platforms::load_machine("gcn_apu_replay", {"replay.rate=gpu", "blocks.lax.enable=1"});
  const gpu::ReplayFile file = gpu::ReplayFile::parse(stream.replay_text(), stream.name);
  gpu::TimingDevice::Options options;
  options.gpu.replay = &file;
  platforms::plug_blocks(loaded, options);
  gpu::TimingDevice device(loaded.machine, std::move(options));
  SubmitAll scheduler;
  DeviceHost host(device, file, stream, scheduler);
  host.observe(150'000, 1);
  ASSERT_TRUE(host.run().jobs[1].ran());
  EXPECT_EQ(host.observed()[0].predicted, 0U) << "nothing is known yet";
  const DeviceHost::Observed& job = host.observed()[1];
  EXPECT_NEAR(static_cast<double>(job.predicted), 900'000, 9'000);
  EXPECT_NEAR(static_cast<double>(job.running), 900'000, 9'000);
  ASSERT_GE(job.views.size(), 4U);
  for (std::size_t i = 1; i < job.views.size(); ++i) {
    EXPECT_EQ(job.views[i].cls, 0U);
    EXPECT_GT(job.views[i].laxity, 7'000'000) << "9 million less a million to run";
    EXPECT_LT(job.views[i].laxity, 9'000'000);
  }
}

}  // namespace
}  // namespace castor::workloads::device_host_test
