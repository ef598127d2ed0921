// Files of job streams.

#include <gtest/gtest.h>

#include <string>

#include "castor/base/error.h"
#include "castor/gpu/replay/replay_file.h"
#include "workloads/job_stream.h"

namespace castor::workloads::stream_test {
namespace {

constexpr const char* kText = R"(job-stream: 1
name: pipeline
w0: 220
kernels:
  - {name: gemm, threads: 256, registers: 84, shared: 1024, tbs: 4, service: 191220}
  - {name: act, threads: 64, registers: 23, tbs: 2, service: 13305}
jobs:
  - {arrival: 0, deadline: 10500000, kernels: [gemm, act, {kernel: act, tbs: 1, times: 3}]}
  - {arrival: 1000, kernels: [gemm]}
)";

TEST(JobStreamFile, SaysWhatItSays) {
  const JobStream stream = parse_job_stream(kText, "jobs.yaml");
  EXPECT_EQ(stream.name, "pipeline");
  EXPECT_EQ(stream.w0, 220U);
  ASSERT_EQ(stream.types.size(), 2U);
  EXPECT_EQ(stream.types[0].shared, 1024U);
  EXPECT_EQ(stream.types[1].shared, 0U);
  EXPECT_EQ(stream.types[1].service, 13305U);
  ASSERT_EQ(stream.jobs.size(), 2U);
  EXPECT_EQ(stream.jobs[0].deadline, 10'500'000U);
  EXPECT_EQ(stream.jobs[1].deadline, Job::kNoDeadline);
  ASSERT_EQ(stream.jobs[0].kernels.size(), 5U);
  EXPECT_EQ(stream.jobs[0].kernels[0].tbs, 4U);
  EXPECT_EQ(stream.jobs[0].kernels[1].tbs, 2U);
  EXPECT_EQ(stream.jobs[0].kernels[4].tbs, 1U);
  EXPECT_EQ(stream.jobs[0].tbs(), 4U + 2 + 3);
  EXPECT_EQ(stream.jobs[0].tbs(2), 3U);
  EXPECT_EQ(stream.isolated(stream.jobs[0]), 191220U + 4 * 13305);
  EXPECT_EQ(stream.isolated(stream.jobs[0], {2, 80}), 2 * 191220U + 4 * 13305) << "two rounds of the first kernel";
}

TEST(JobStreamFile, WritesWhatItReads) {
  const JobStream stream = parse_job_stream(kText, "jobs.yaml");
  EXPECT_EQ(parse_job_stream(stream.to_yaml(), "again").to_yaml(), stream.to_yaml());
  EXPECT_NE(stream.to_yaml().find("{kernel: act, tbs: 1, times: 3}"), std::string::npos);
}

TEST(JobStreamFile, JsonIsReadToo) {
  const JobStream stream = parse_job_stream(
      R"({"job-stream": 1, "kernels": [{"name": "k", "threads": 64, "registers": 8, "tbs": 1, "service": 10}],
          "jobs": [{"arrival": 5, "kernels": ["k"]}]})",
      "jobs.json");
  EXPECT_EQ(stream.jobs[0].arrival, 5U);
}

TEST(JobStreamFile, KernelsReachTheReplayTier) {
  const JobStream stream = parse_job_stream(kText, "jobs.yaml");
  const gpu::ReplayFile file = gpu::ReplayFile::parse(stream.replay_text(), "replay");
  ASSERT_EQ(file.types().size(), 2U);
  EXPECT_EQ(file.types()[0].name, "gemm");
  EXPECT_EQ(file.types()[0].threads, 256U);
  EXPECT_EQ(file.types()[0].registers, 84U);
  EXPECT_EQ(file.types()[0].shared, 1024U);
  EXPECT_EQ(file.types()[1].service.a, 13305U);
  EXPECT_EQ(file.w0(0), 220U);
}

TEST(JobStreamFile, WorkloadsAreGeneratedByName) {
  const JobStream stream =
      parse_job_stream("job-stream: 1\ngenerate: {workload: STEM, rate: high, jobs: 7, seed: 3}\n", "jobs.yaml");
  EXPECT_EQ(stream.jobs.size(), 7U);
  EXPECT_EQ(stream.jobs[0].deadline, 450'000U);
}

TEST(JobStreamFile, BadLinesAreNamed) {
  const std::string head = "job-stream: 1\nkernels:\n  - {name: k, threads: 64, registers: 8, tbs: 1, service: 10}\n";
  const auto with_jobs = [&](const std::string& line) {
    return head + "jobs:\n  - {arrival: 5, kernels: [k]}\n  - " + line + "\n";
  };
  const std::vector<std::pair<std::string, std::pair<int, std::string>>> cases = {
      {"- 1\n", {1, "not a job stream"}},
      {"name: x\n", {1, "'job-stream' is missing"}},
      {"job-stream: 2\n", {1, "unknown version"}},
      {"job-stream: 1\nkernel: []\n", {2, "unknown key 'kernel'"}},
      {"job-stream: 1\njobs: []\n", {1, "'kernels' is missing"}},
      {"job-stream: 1\nkernels: []\njobs: []\n", {2, "no list"}},
      {"job-stream: 1\nkernels:\n  - {name: k, threads: 2000, registers: 8, tbs: 1, service: 1}\n",
       {3, "threads is '2000'"}},
      {"job-stream: 1\nkernels:\n  - {name: k, threads: 64, registers: 8, tbs: 1}\n", {3, "'service' is missing"}},
      {"job-stream: 1\nkernels:\n  - {name: k, threads: -1, registers: 8, tbs: 1, service: 1}\n",
       {3, "threads is '-1'"}},
      {"job-stream: 1\nkernels:\n  - {name: 'a b', threads: 1, registers: 8, tbs: 1, service: 1}\n", {3, "blanks"}},
      {head + "  - {name: k, threads: 64, registers: 8, tbs: 1, service: 10}\njobs: [x]\n", {4, "defined twice"}},
      {with_jobs("{arrival: 4, kernels: [k]}"), {6, "before the one above"}},
      {with_jobs("{arrival: 6, kernels: [kk]}"), {6, "unknown kernel 'kk'"}},
      {with_jobs("{arrival: 6, kernels: []}"), {6, "kernels is no list"}},
      {with_jobs("{arrival: 6}"), {6, "'kernels' is missing"}},
      {with_jobs("{arrival: 6, deadline: 0, kernels: [k]}"), {6, "deadline is '0'"}},
      {with_jobs("{arrival: 6, deadline: 4294967295, kernels: [k]}"), {6, "deadline is"}},
      {with_jobs("{arrival: 6, arrival: 7, kernels: [k]}"), {6, "twice"}},
      {with_jobs("{arrival: 6, kernels: [{kernel: k, tbs: 0}]}"), {6, "tbs is '0'"}},
      {with_jobs("{arrival: 6, kernels: [{kernel: k, times: 9999999}]}"), {6, "times is"}},
      {"job-stream: 1\ngenerate: {workload: LTSM, rate: high}\n", {2, "unknown workload 'LTSM'"}},
      {"job-stream: 1\ngenerate: {workload: LSTM, rate: fast}\n", {2, "rate"}},
      {"job-stream: 1\ngenerate: {workload: LSTM}\n", {2, "'rate' is missing"}},
      {"job-stream: [1\n", {2, "not YAML"}},
  };
  for (const auto& [text, expected] : cases) {
    try {
      static_cast<void>(parse_job_stream(text, "jobs.yaml"));
      ADD_FAILURE() << "accepted:\n" << text;
    } catch (const base::InputError& error) {
      EXPECT_EQ(error.where().file, "jobs.yaml");
      EXPECT_EQ(error.where().line, expected.first) << text << error.what();
      EXPECT_NE(error.message().find(expected.second), std::string::npos) << text << error.what();
    }
  }
}

TEST(JobStreamFile, MissingFileIsAnInputError) {
  EXPECT_THROW(static_cast<void>(read_job_stream("/nonexistent/jobs.yaml")), base::InputError);
}

}  // namespace
}  // namespace castor::workloads::stream_test
