// The eight workloads against the closed forms of their definition.

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "workloads/lax/workloads.h"

namespace castor::workloads::lax::lax_test {
namespace {

const Workload& workload(const char* name) {
  const Workload* const found = find_workload(name);
  EXPECT_NE(found, nullptr) << name;
  return *found;
}

TEST(Workloads, LstmKernelsAndTimesFollowTheClosedForms) {
  // 7 S + 11 kernels, 34.47 + 168.31 S us; the published job has S = 13 and 102 calls.
  const Workload& lstm = workload("LSTM");
  const JobStream kernels = kernels_of(lstm);
  const std::map<unsigned, std::pair<unsigned, double>> table = {
      {1, {18, 202.8}},    {8, {67, 1381.0}},   {13, {102, 2222.5}}, {16, {123, 2727.4}},
      {32, {235, 5420.4}}, {41, {298, 6935.2}}, {42, {305, 7103.5}}, {50, {361, 8450.0}}};
  for (const auto& [steps, expected] : table) {
    const Job job = make_job(lstm, kernels, 0, steps);
    EXPECT_EQ(job.kernels.size(), expected.first) << steps;
    EXPECT_EQ(lstm.networks[0].kernels(steps), expected.first) << steps;
    EXPECT_EQ(kernels.isolated(job), (3447 + 16831 * Cycle{steps}) * 15) << steps;
    EXPECT_NEAR(static_cast<double>(kernels.isolated(job)) / 1500, expected.second, 0.06) << steps;
  }
}

TEST(Workloads, LstmCallsAndThreadsAreThePublishedOnes) {
  const Workload& lstm = workload("LSTM");
  const JobStream kernels = kernels_of(lstm);
  std::map<std::string, std::pair<unsigned, unsigned>> found;  // calls, threads
  for (const KernelCall& call : make_job(lstm, kernels, 0, 13).kernels) {
    auto& [calls, threads] = found[kernels.types[call.type].name];
    ++calls;
    threads = call.tbs * kernels.types[call.type].threads;
  }
  const std::map<std::string, std::pair<unsigned, unsigned>> expected = {
      {"tensor1", {3, 16384}}, {"tensor2", {5, 128}},     {"tensor3", {2, 2048}},
      {"tensor4", {40, 64}},   {"activation", {39, 128}}, {"gemm_lstm", {13, 1024}}};
  EXPECT_EQ(found, expected);
}

TEST(Workloads, OtherNetworksScaleTheProductByGatesAndHiddenSize) {
  const auto product = [](const char* name, unsigned variant) {
    const Workload& w = workload(name);
    return kernels_of(w).types[5 + variant].service;
  };
  const unsigned lstm = 191'220;  // 127.48 us
  EXPECT_EQ(product("LSTM", 0), lstm);
  EXPECT_EQ(product("GRU", 0), lstm / 4 * 3);
  EXPECT_EQ(product("VAN128", 0), lstm / 4);
  EXPECT_EQ(product("VAN", 0), lstm / 4 * 4) << "hidden size 256";
  EXPECT_EQ(product("HYBRID", 0), lstm);
  EXPECT_EQ(product("HYBRID", 1), lstm * 3) << "GRU with hidden size 256";
  EXPECT_EQ(workload("GRU").networks[0].kernels(10), 5U * 10 + 11);
  EXPECT_EQ(workload("VAN").networks[0].kernels(10), 3U * 10 + 11);
}

TEST(Workloads, FewKernelJobsAreThePublishedOnes) {
  struct Row {
    const char* name;
    unsigned threads, us_times_10, deadline_us;
    std::array<std::uint64_t, 3> rates;
  };
  for (const Row& row :
       {Row{"IPV6", 8192, 250, 40, {16000, 32000, 64000}}, Row{"CUCKOO", 8192, 3000, 600, {3000, 5000, 8000}},
        Row{"GMM", 2048, 15000, 3000, {8000, 16000, 32000}}, Row{"STEM", 4096, 1500, 300, {16000, 32000, 64000}}}) {
    const Workload& w = workload(row.name);
    EXPECT_EQ(w.single->tbs * w.single->threads, row.threads) << row.name;
    EXPECT_EQ(w.single->service, row.us_times_10 * 150) << row.name;
    EXPECT_EQ(w.deadline, Cycle{row.deadline_us} * 1500) << row.name;
    EXPECT_EQ(w.rates, row.rates) << row.name;
  }
  EXPECT_EQ(workload("HYBRID").deadline, 10'500'000U);
  EXPECT_EQ(workload("HYBRID").rates, (std::array<std::uint64_t, 3>{3000, 5000, 8000}));
}

TEST(Workloads, LengthsAreTruncatedLogNormalWithMean16) {
  // mu follows from the mean; recomputed here by bisection from the closed form.
  const double sigma = 0.55;
  const auto phi = [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); };
  const auto cumulative = [&](double mu, unsigned s) {
    const auto below = [&](unsigned k) { return phi((std::log(k + 0.5) - mu) / sigma); };
    return (below(s) - below(0)) / (below(60) - below(0));
  };
  const auto mean = [&](double mu) {
    double sum = 0;
    for (unsigned s = 1; s <= 60; ++s) sum += s * (cumulative(mu, s) - (s == 1 ? 0 : cumulative(mu, s - 1)));
    return sum;
  };
  double low = 2, high = 3.5;
  for (int i = 0; i < 60; ++i) (mean((low + high) / 2) < 16 ? low : high) = (low + high) / 2;
  for (unsigned s = 1; s <= 60; ++s) {
    EXPECT_NEAR(static_cast<double>(steps_distribution()[s - 1]) / 4294967296.0, cumulative(low, s), 1e-9) << s;
  }
}

TEST(Workloads, DrawnLengthsFollowTheDistribution) {
  base::Xoshiro256 random(7);
  constexpr unsigned kDraws = 200'000;
  std::array<unsigned, kMaxSteps + 1> count{};
  double sum = 0;
  for (unsigned i = 0; i < kDraws; ++i) {
    const unsigned steps = draw_steps(random);
    ASSERT_GE(steps, 1U);
    ASSERT_LE(steps, kMaxSteps);
    ++count[steps];
    sum += steps;
  }
  EXPECT_NEAR(sum / kDraws, 16, 5 * 9.0 / std::sqrt(kDraws)) << "five standard errors";
  double chi = 0;
  for (unsigned s = 2; s <= kMaxSteps; ++s) {  // one step: five expected
    const double expected =
        static_cast<double>(steps_distribution()[s - 1] - steps_distribution()[s - 2]) / 4294967296.0 * kDraws;
    chi += (count[s] - expected) * (count[s] - expected) / expected;
  }
  EXPECT_LT(chi, 110) << "58 degrees of freedom: beyond the 99.99th percentile";
}

TEST(Workloads, ArrivalsAreAPoissonProcessOfTheRate) {
  for (const std::uint64_t rate : {8000ULL, 64000ULL}) {
    constexpr unsigned kJobs = 100'000;
    const std::vector<Cycle> times = arrival_times({rate, kJobs, 5});
    ASSERT_EQ(times.size(), kJobs);
    const double mean = 1.5e9 / static_cast<double>(rate);
    EXPECT_NEAR(static_cast<double>(times.back()) / kJobs, mean, 5 * mean / std::sqrt(kJobs)) << "five standard errors";
    unsigned above = 0, far_above = 0;
    Cycle last = 0;
    for (const Cycle time : times) {
      ASSERT_GE(time, last);
      if (static_cast<double>(time - last) > mean) ++above;
      if (static_cast<double>(time - last) > 3 * mean) ++far_above;
      last = time;
    }
    EXPECT_NEAR(above / double{kJobs}, std::exp(-1.0), 0.008);
    EXPECT_NEAR(far_above / double{kJobs}, std::exp(-3.0), 0.004);
  }
}

TEST(Workloads, SeedsDecideAndRatesOnlyStretch) {
  const Workload& hybrid = workload("HYBRID");
  const JobStream a = generate(hybrid, {8000, 128, 4}), b = generate(hybrid, {8000, 128, 4});
  EXPECT_EQ(a.to_yaml(), b.to_yaml());
  EXPECT_NE(a.to_yaml(), generate(hybrid, {8000, 128, 5}).to_yaml());
  const JobStream slow = generate(hybrid, {4000, 128, 4});
  for (std::size_t i = 0; i < 128; ++i) {
    EXPECT_EQ(slow.jobs[i].kernels.size(), a.jobs[i].kernels.size());
    EXPECT_EQ(slow.jobs[i].variant, a.jobs[i].variant);
    EXPECT_NEAR(static_cast<double>(slow.jobs[i].arrival), 2.0 * static_cast<double>(a.jobs[i].arrival), 2);
  }
}

TEST(Workloads, HybridJobsAreOfBothKinds) {
  const JobStream stream = generate(workload("HYBRID"), {8000, 1000, 2});
  unsigned second = 0;
  for (const Job& job : stream.jobs) second += job.variant;
  EXPECT_GT(second, 420U);
  EXPECT_LT(second, 580U);
}

TEST(Workloads, EveryWorkloadNamesItsKernelsOnce) {
  for (const Workload& w : workloads()) {
    const JobStream stream = kernels_of(w);
    std::set<std::string> names;
    for (const KernelType& type : stream.types) EXPECT_TRUE(names.insert(type.name).second) << w.name;
    EXPECT_LE(names.size(), 8U) << "the engine's list of a job holds eight kernel types";
  }
}

}  // namespace
}  // namespace castor::workloads::lax::lax_test
