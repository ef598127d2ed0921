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

namespace castor::workloads {
namespace {

RunOutcome run(const JobStream& stream, const char* scheduler, const std::vector<std::string>& more = {}) {
  std::vector<std::string> keys = {"replay.rate=gpu", "blocks.lax.enable=1"};
  keys.insert(keys.end(), more.begin(), more.end());
  const gpu::Machine machine = platforms::load_machine("gcn_apu_replay", keys).machine;
  const gpu::ReplayFile file = gpu::ReplayFile::parse(stream.replay_text(), stream.name);
  gpu::TimingDevice::Options options;
  options.gpu.replay = &file;
  platforms::plug_blocks(machine, options);
  gpu::TimingDevice device(machine, std::move(options));
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

}  // namespace
}  // namespace castor::workloads
