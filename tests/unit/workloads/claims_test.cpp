// The judges of the source's claims, on tables made for them: the published figures themselves, and those with one
// thing changed.

#include <gtest/gtest.h>

#include <map>

#include "workloads/lax/evaluation.h"
#include "workloads/lax/published.h"

namespace castor::workloads::lax {
namespace {

/// An evaluation that says what the source says at the high rate.
Evaluation published_evaluation() {
  Evaluation out;
  for (const published::Row& row : published::kMet) {
    const std::string scheduler(row.scheduler);
    for (std::size_t i = 0; i < published::kWorkloads; ++i) {
      const std::string workload(published::kWorkloadNames[i]);
      Sample sample;
      sample.met = row.values[i];
      sample.p99_ms = *published::value(published::kP99, workload, scheduler);
      sample.energy_mj = *published::value(published::kEnergy, workload, scheduler) * row.values[i];
      out.add(workload, Rate::kHigh, scheduler, 1, sample);
    }
  }
  return out;
}

Claim find(const Evaluation& evaluation, const std::string& id) {
  for (Claim& claim : judge(evaluation)) {
    if (claim.id == id) return claim;
  }
  ADD_FAILURE() << id;
  return {};
}

void change(Evaluation& evaluation, const char* workload, const char* scheduler, double met) {
  Sample sample;
  sample.met = met;
  sample.p99_ms = 1;
  evaluation.add(workload, Rate::kHigh, scheduler, 1, sample);
}

TEST(Claims, TheSourcesOwnTablesFulfilItsClaims) {
  const Evaluation source = published_evaluation();
  for (const char* const id : {"C1", "C4", "C5", "C6", "C8", "C9", "C10", "C11", "C12", "C16"}) {
    const Claim claim = find(source, id);
    EXPECT_EQ(claim.verdict, Verdict::kReproduced) << id << ": " << claim.ours << " " << claim.reason;
  }
}

TEST(Claims, TheyAreNumberedFrom1To25) {
  const std::vector<Claim> claims = judge({});
  ASSERT_EQ(claims.size(), 25U);
  for (std::size_t i = 0; i < claims.size(); ++i) EXPECT_EQ(claims[i].id, "C" + std::to_string(i + 1));
}

TEST(Claims, WithoutRunsNothingIsJudged) {
  for (const Claim& claim : judge({})) {
    EXPECT_EQ(claim.verdict, Verdict::kOpen) << claim.id;
    EXPECT_FALSE(claim.reason.empty()) << claim.id;
  }
}

TEST(Claims, GeometricMeansAreThoseOfTheSourcesTable) {
  const Evaluation source = published_evaluation();
  const std::map<std::string, double> table = {{"MLFQ", .86},   {"BAT", .905}, {"PRO", .96},
                                               {"LJF", 1.28},   {"SJF", 2.44}, {"SRF", 2.57},
                                               {"PREMA", 2.11}, {"EDF", 1.52}, {"LAX", 4.42}};
  for (const auto& [scheduler, value] : table) {
    EXPECT_NEAR(*source.geomean(Rate::kHigh, scheduler, "RR"), value, 0.03) << scheduler;
  }
  unsigned left_out = 0;
  EXPECT_NEAR(*source.geomean(Rate::kHigh, "BAY", "RR", &left_out), 2.66, 0.03);
  EXPECT_EQ(left_out, 1U) << "IPV6";
}

TEST(Claims, RoundRobinThatMeetsHalfTheDeadlinesIsNoticed) {
  Evaluation e = published_evaluation();
  change(e, "STEM", "RR", 64);
  EXPECT_EQ(find(e, "C1").verdict, Verdict::kNot);
  e = published_evaluation();
  change(e, "HYBRID", "RR", 10);
  EXPECT_EQ(find(e, "C1").verdict, Verdict::kShape);
}

TEST(Claims, LaxBehindItsRivalsIsNoticed) {
  Evaluation e = published_evaluation();
  for (const std::string_view workload : published::kWorkloadNames) change(e, std::string(workload).c_str(), "LAX", 2);
  EXPECT_EQ(find(e, "C4").verdict, Verdict::kNot);
  EXPECT_EQ(find(e, "C5").verdict, Verdict::kNot);
  EXPECT_EQ(find(e, "C6").verdict, Verdict::kNot);
  e = published_evaluation();
  change(e, "GMM", "PREMA", 60);
  EXPECT_EQ(find(e, "C6").verdict, Verdict::kShape);
  EXPECT_NE(find(e, "C6").reason.find("GMM"), std::string::npos);
}

TEST(Claims, OneBaymaxSuccessOnIpv6IsTooMuch) {
  Evaluation e = published_evaluation();
  change(e, "IPV6", "BAY", 1);
  EXPECT_EQ(find(e, "C11").verdict, Verdict::kNot);
}

TEST(Claims, OrderToleratesCloseNeighboursOnly) {
  Evaluation e = published_evaluation();
  // BAT's geometric mean is 0.9 by the table; all three stay near RR, and the order is the published one.
  EXPECT_EQ(find(e, "C3").verdict, Verdict::kReproduced) << find(e, "C3").reason;
  for (const char* const workload : {"LSTM", "GRU", "VAN", "HYBRID"}) change(e, workload, "EDF", 90);
  EXPECT_NE(find(e, "C3").verdict, Verdict::kReproduced);
  EXPECT_NE(find(e, "C3").reason.find("EDF above PREMA"), std::string::npos);
}

TEST(Claims, SingleKernelJobsAreTied) {
  Evaluation e = published_evaluation();
  EXPECT_EQ(find(e, "C7").verdict, Verdict::kReproduced);
  change(e, "GMM", "SJF", 14);
  EXPECT_EQ(find(e, "C7").verdict, Verdict::kShape);
  change(e, "GMM", "SJF", 50);
  EXPECT_EQ(find(e, "C7").verdict, Verdict::kNot);
}

TEST(Claims, GrowthWithTheLoadNeedsAllThreeRates) {
  Evaluation e = published_evaluation();
  EXPECT_EQ(find(e, "C2").verdict, Verdict::kOpen);
  const auto fill = [&](Rate rate, const char* scheduler, double met) {
    for (const std::string_view workload : published::kWorkloadNames) {
      Sample sample;
      sample.met = met;
      e.add(std::string(workload), rate, scheduler, 1, sample);
    }
  };
  fill(Rate::kLow, "RR", 50);
  fill(Rate::kMedium, "RR", 20);
  fill(Rate::kLow, "LAX", 85);
  fill(Rate::kMedium, "LAX", 62);
  EXPECT_EQ(find(e, "C2").verdict, Verdict::kReproduced) << find(e, "C2").ours;
  fill(Rate::kLow, "LAX", 40);
  EXPECT_EQ(find(e, "C2").verdict, Verdict::kShape);
  EXPECT_NE(find(e, "C2").reason.find("refuses too much"), std::string::npos);
}

TEST(Claims, WasteIsOrdered) {
  Evaluation e;
  const auto fill = [&](const char* scheduler, double wasted) {
    for (const std::string_view workload : published::kWorkloadNames) {
      Sample sample;
      sample.met = 1;
      sample.wasted = wasted;
      e.add(std::string(workload), Rate::kHigh, scheduler, 1, sample);
    }
  };
  fill("LAX", .22);
  fill("BAY", .27);
  fill("SRF", .38);
  fill("SJF", .41);
  fill("LJF", .56);
  fill("PRO", .65);
  fill("RR", .67);
  fill("BAT", .71);
  EXPECT_EQ(find(e, "C15").verdict, Verdict::kReproduced);
  fill("BAY", .1);
  EXPECT_EQ(find(e, "C15").verdict, Verdict::kShape);
  fill("SJF", .6);
  EXPECT_EQ(find(e, "C15").verdict, Verdict::kNot);
}

Claim find(const Extras& extras, const std::string& id) {
  for (Claim& claim : judge({}, extras)) {
    if (claim.id == id) return claim;
  }
  return {};
}

TEST(Claims, PredictionIsTheMeanOfTheFourRecurrentNetworks) {
  Extras extras;
  for (const char* const workload : {"LSTM", "GRU", "VAN"}) extras.prediction_error[workload] = {0.10, 0.20};
  EXPECT_EQ(find(extras, "C18").verdict, Verdict::kOpen) << "HYBRID has no runs";
  extras.prediction_error["HYBRID"] = {0.14};
  EXPECT_EQ(find(extras, "C18").verdict, Verdict::kReproduced) << "below 15 %";
  extras.prediction_error["HYBRID"] = {0.19};
  EXPECT_EQ(find(extras, "C18").verdict, Verdict::kShape);
  extras.prediction_error["HYBRID"] = {2};
  EXPECT_EQ(find(extras, "C18").verdict, Verdict::kNot);
}

TEST(Claims, PriorityFallsAndTheJobEndsJustInTime) {
  Extras extras;
  PriorityTrace job{6.8, 7, {0.1, 0.2, 3, 6}, {0, 5, 3, 0.1}, {0, 0, 0, 0}};
  extras.priority["HYBRID"] = job;
  EXPECT_EQ(find(extras, "C19").verdict, Verdict::kReproduced);
  job.latency_ms = 4;
  extras.priority["HYBRID"] = job;
  EXPECT_EQ(find(extras, "C19").verdict, Verdict::kShape) << "far from its deadline";
  job.laxity_ms = {0, 2, 3, 4};
  extras.priority["HYBRID"] = job;
  EXPECT_EQ(find(extras, "C19").verdict, Verdict::kNot);
}

TEST(Claims, LargerBatchesAnswerLaterOnEveryWorkload) {
  Extras extras;
  for (const std::string_view workload : published::kWorkloadNames) {
    extras.response[std::string(workload)] = {{1, {100}}, {8, {500}}, {128, {2000, 2200}}};
  }
  EXPECT_EQ(find(extras, "C24").verdict, Verdict::kReproduced);
  extras.response["GMM"][8] = {50};
  EXPECT_EQ(find(extras, "C24").verdict, Verdict::kShape) << "not monotone";
  extras.response["GMM"] = {{1, {100}}, {128, {900}}};
  EXPECT_EQ(find(extras, "C24").verdict, Verdict::kShape) << "nine times only";
  extras.response.erase("GMM");
  EXPECT_EQ(find(extras, "C24").verdict, Verdict::kOpen);
}

TEST(Samples, AreSpreadOverSeeds) {
  Evaluation e;
  Sample sample;
  for (const double met : {2.0, 4.0, 9.0}) {
    sample.met = met;
    e.add("STEM", Rate::kLow, "RR", static_cast<std::uint64_t>(met), sample);
  }
  const Spread spread = e.spread("STEM", Rate::kLow, "RR", &Sample::met);
  EXPECT_EQ(spread.count, 3U);
  EXPECT_DOUBLE_EQ(spread.mean, 5);
  EXPECT_DOUBLE_EQ(spread.deviation, std::sqrt(13.0));
}

TEST(Samples, AreTakenFromOutcomes) {
  JobStream stream;
  KernelType type;
  type.name = "k";
  type.threads = 100;
  type.tbs = 2;
  type.service = 1000;
  stream.types = {type};
  for (unsigned i = 0; i < 4; ++i) {
    Job job;
    job.arrival = 1'500'000 * Cycle{i};
    job.deadline = 1'500'000;
    job.kernels = {{0, 2}, {0, 2}};
    stream.jobs.push_back(job);
  }
  RunOutcome outcome;
  outcome.jobs.resize(4);
  using End = JobOutcome::End;
  outcome.jobs[0] = {End::kDone, 10, 1'500'000, 4};              // just in time
  outcome.jobs[1] = {End::kDone, 10, 1'500'000 + 1'500'001, 4};  // just late
  outcome.jobs[2] = {End::kRejected, 0, 0, 0};
  outcome.jobs[3] = {End::kOpen, 10, 0, 1};  // its first kernel ran in part
  const Metrics m = metrics(stream, outcome);
  EXPECT_EQ(m.met, 1U);
  EXPECT_EQ(m.late, 1U);
  EXPECT_EQ(m.rejected, 1U);
  EXPECT_EQ(m.open, 1U);
  EXPECT_EQ(m.all_tbs, 9U);
  EXPECT_EQ(m.useful_tbs, 4U);
  EXPECT_EQ(m.lane_cycles, 9U * 100 * 1000);
  EXPECT_EQ(m.p99, 1'500'001U);
  const Sample s = sample(stream, m);
  EXPECT_DOUBLE_EQ(s.met, 32);
  EXPECT_DOUBLE_EQ(s.wasted, 1 - 4.0 / 9);
  EXPECT_DOUBLE_EQ(s.per_second, 1 / 0.004) << "three ms to the last arrival and one of its deadline";
  EXPECT_DOUBLE_EQ(s.energy_mj, 9e5 * 1e-12 * 1e3);
}

}  // namespace
}  // namespace castor::workloads::lax
