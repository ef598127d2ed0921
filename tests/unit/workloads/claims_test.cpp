// The judges of the source's claims, on tables made for them: the published figures themselves, and those with one
// thing changed.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

#include "workloads/claim.h"
#include "workloads/lax/evaluation.h"
#include "workloads/lax/published.h"

namespace castor::workloads {
namespace {

TEST(Statements, HoldOrFailAtBothEndsOfTheSpread) {
  const Spread figure{10, 2, 5};
  EXPECT_EQ(above(figure, 7.9), Truth::kHolds);
  EXPECT_EQ(above(figure, 8), Truth::kUnclear) << "exactly at the lower end";
  EXPECT_EQ(at_least(figure, 8), Truth::kHolds);
  EXPECT_EQ(above(figure, 11), Truth::kUnclear);
  EXPECT_EQ(above(figure, 12), Truth::kFails);
  EXPECT_EQ(at_least(figure, 12), Truth::kUnclear);
  EXPECT_EQ(at_least(figure, 12.1), Truth::kFails);
  EXPECT_EQ(below(figure, 12.1), Truth::kHolds);
  EXPECT_EQ(below(figure, 12), Truth::kUnclear);
  EXPECT_EQ(at_most(figure, 12), Truth::kHolds);
  EXPECT_EQ(at_most(figure, 7.9), Truth::kFails);
  EXPECT_EQ(within(figure, 8, 12), Truth::kHolds);
  EXPECT_EQ(within(figure, 8, 11), Truth::kUnclear);
  EXPECT_EQ(within(figure, 0, 7), Truth::kFails);
}

TEST(Statements, OneRunAndAFigureWithoutAValueSayNothing) {
  for (const Spread& figure : {Spread{10, 0, 1}, Spread{10, 0, 0}, Spread{std::nan(""), 0, 3},
                               Spread{10, std::numeric_limits<double>::infinity(), 3}}) {
    for (const double bound : {-100.0, 10.0, 100.0}) {
      EXPECT_EQ(above(figure, bound), Truth::kUnclear);
      EXPECT_EQ(below(figure, bound), Truth::kUnclear);
    }
  }
}

TEST(Statements, AreCounted) {
  const Truth yes = Truth::kHolds, no = Truth::kFails, open = Truth::kUnclear;
  EXPECT_EQ(all_of({yes, yes}), yes);
  EXPECT_EQ(all_of({yes, open}), open);
  EXPECT_EQ(all_of({no, open}), no);
  EXPECT_EQ(any_of({no, open}), open);
  EXPECT_EQ(any_of({no, no}), no);
  EXPECT_EQ(any_of({yes, open}), yes);
  EXPECT_EQ(at_least_of(2, {yes, open, no}), open);
  EXPECT_EQ(at_least_of(2, {yes, yes, no}), yes);
  EXPECT_EQ(at_least_of(2, {yes, no, no}), no);
}

TEST(Verdicts, AnEffectWithinItsSpreadIsNotShown) {
  const auto verdict = [](double effect, double spread) {
    Claim claim;
    const Spread figure{effect, spread, 5};
    conclude(claim, at_least(figure, 3), above(figure, 0), "why");
    EXPECT_EQ(claim.reason.empty(), claim.verdict == Verdict::kReproduced);
    return claim.verdict;
  };
  EXPECT_EQ(verdict(5, 1), Verdict::kReproduced);
  EXPECT_EQ(verdict(5, 3), Verdict::kShape) << "it may be below 3";
  EXPECT_EQ(verdict(1, 0.5), Verdict::kShape);
  EXPECT_EQ(verdict(1, 1), Verdict::kNotShown);
  EXPECT_EQ(verdict(-1, 2), Verdict::kNotShown);
  EXPECT_EQ(verdict(-1, 0.5), Verdict::kNot);
  EXPECT_EQ(verdict(100, 101), Verdict::kNotShown);
  EXPECT_STREQ(text(Verdict::kNotShown), "not shown");
}

TEST(Verdicts, WhatHoldsByConstructionIsNotReproducedAndSaysWhy) {
  const auto judged = [](Truth size, Truth direction) {
    Claim claim;
    by_construction(claim, "arithmetic");
    conclude(claim, size, direction, "a bug");
    return claim;
  };
  EXPECT_EQ(judged(Truth::kHolds, Truth::kHolds).verdict, Verdict::kConstruction);
  EXPECT_EQ(judged(Truth::kHolds, Truth::kHolds).reason, "arithmetic");
  EXPECT_EQ(judged(Truth::kFails, Truth::kHolds).verdict, Verdict::kShape)
      << "what does not hold is judged as any other";
  EXPECT_EQ(judged(Truth::kFails, Truth::kFails).verdict, Verdict::kNot);
  EXPECT_EQ(judged(Truth::kFails, Truth::kFails).reason, "a bug");
  Claim claim;
  make_invariant(claim);
  conclude(claim, certain(true), "a bug");
  EXPECT_EQ(claim.verdict, Verdict::kConstruction);
  EXPECT_TRUE(claim.invariant);
  EXPECT_STREQ(text(Verdict::kConstruction), "by construction");
}

TEST(Verdicts, OnlyInvariantsThatWereMeasuredAndDoNotHoldAreBroken) {
  std::vector<Claim> claims(5);
  for (Claim& claim : claims) claim.invariant = true;
  const Verdict verdicts[] = {Verdict::kConstruction, Verdict::kOpen, Verdict::kNot, Verdict::kNotShown, Verdict::kNot};
  for (std::size_t i = 0; i < claims.size(); ++i) {
    claims[i].id = "X" + std::to_string(i);
    claims[i].ours = "so";
    claims[i].verdict = verdicts[i];
  }
  claims[4].invariant = false;
  EXPECT_EQ(broken_invariants(claims), (std::vector<std::string>{"X2: so", "X3: so"}));
}

TEST(Spreads, TheJackknifeOfAMeanIsItsStandardDeviation) {
  const std::vector<double> values = {2, 4, 9, 1};
  std::vector<double> without;
  for (std::size_t i = 0; i < values.size(); ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < values.size(); ++j) sum += j == i ? 0 : values[j];
    without.push_back(sum / 3);
  }
  const Spread plain = arithmetic_spread(values), jackknife = jackknife_spread(plain.mean, without);
  EXPECT_EQ(jackknife.count, 4U);
  EXPECT_DOUBLE_EQ(jackknife.mean, plain.mean);
  EXPECT_NEAR(jackknife.deviation, plain.deviation, 1e-12);
}

TEST(Spreads, AreShownWithTheirFigures) {
  EXPECT_EQ(number(Spread{1.572, 0.118, 5}, 2, "x"), "1.57x ±0.12");
  EXPECT_EQ(number(Spread{1.572, 0, 1}, 1), "1.6") << "one run has none";
}

}  // namespace
}  // namespace castor::workloads

namespace castor::workloads::lax {
namespace {

constexpr std::uint64_t kSeeds = 3;

/// Runs with all seeds: the figures of `sample`, jobs in time `apart` more and less with two of them.
void add(Evaluation& evaluation, const std::string& workload, Rate rate, const std::string& scheduler, Sample sample,
         double apart = 0) {
  const double met = sample.met;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    sample.met = met + (seed == 1 ? -apart : seed == 2 ? apart : 0);
    evaluation.add(workload, rate, scheduler, seed, sample);
  }
}

/// Returns an evaluation with the published results at the high rate.
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
      add(out, workload, Rate::kHigh, scheduler, sample);
    }
  }
  return out;
}

/// Returns a claim of the evaluation, with the same runs for both tiers.
Claim find(const Evaluation& evaluation, const std::string& id) {
  Extras extras;
  extras.executed = evaluation;
  for (Claim& claim : judge(evaluation, extras)) {
    if (claim.id == id) return claim;
  }
  ADD_FAILURE() << id;
  return {};
}

void change(Evaluation& evaluation, const char* workload, const char* scheduler, double met, double apart = 0) {
  Sample sample;
  sample.met = met;
  sample.p99_ms = 1;
  add(evaluation, workload, Rate::kHigh, scheduler, sample, apart);
}

TEST(Claims, TheSourcesOwnTablesFulfilItsClaims) {
  const Evaluation source = published_evaluation();
  for (const char* const id : {"C1", "C4", "C5", "C6", "C8", "C9", "C10", "C11", "C12", "C16", "C26"}) {
    const Claim claim = find(source, id);
    const Verdict wanted = claim.construction.empty() ? Verdict::kReproduced : Verdict::kConstruction;
    EXPECT_EQ(claim.verdict, wanted) << id << ": " << claim.ours << " " << claim.reason;
  }
  EXPECT_NE(find(source, "C1").construction, "") << "round robin was fitted";
}

TEST(Claims, TheyAreNumberedFrom1To26AndSayTheirRules) {
  const std::vector<Claim> claims = judge({});
  ASSERT_EQ(claims.size(), 26U);
  for (std::size_t i = 0; i < claims.size(); ++i) {
    EXPECT_EQ(claims[i].id, "C" + std::to_string(i + 1));
    EXPECT_NE(claims[i].rule, "") << claims[i].id;
  }
}

TEST(Claims, WithoutRunsOnlyArithmeticIsJudged) {
  for (const Claim& claim : judge({})) {
    EXPECT_EQ(claim.verdict, claim.id == "C22" ? Verdict::kNot : Verdict::kOpen) << claim.id;
    EXPECT_FALSE(claim.reason.empty()) << claim.id;
  }
}

TEST(Claims, AGainOfTheReplayAloneIsNotReproduced) {
  const Evaluation replayed = published_evaluation();
  const auto verdict = [&](const Extras& extras, const char* id) {
    for (const Claim& claim : judge(replayed, extras)) {
      if (claim.id == id) return claim.verdict;
    }
    return Verdict::kReproduced;
  };
  Extras extras;
  EXPECT_EQ(verdict(extras, "C4"), Verdict::kOpen) << "nothing was executed";
  extras.executed = replayed;
  EXPECT_EQ(verdict(extras, "C5"), Verdict::kReproduced);
  for (const char* const network : {"LSTM", "GRU", "VAN", "HYBRID"}) {
    change(extras.executed, network, "LAX", 27);
    for (const char* const rival : {"SJF", "SRF"}) change(extras.executed, network, rival, 40);
    change(extras.executed, network, "EDF", 20);
  }
  EXPECT_EQ(verdict(extras, "C4"), Verdict::kNot) << "executed, SJF and SRF are ahead";
  EXPECT_EQ(verdict(extras, "C5"), Verdict::kShape) << "executed, LAX is 1.35 times EDF";
}

TEST(Claims, OneSeedShowsNothing) {
  Evaluation one;
  for (const std::string_view workload : published::kWorkloadNames) {
    for (const published::Row& row : published::kMet) {
      Sample sample;
      sample.met = *published::value(published::kMet, workload, row.scheduler);
      one.add(std::string(workload), Rate::kHigh, std::string(row.scheduler), 1, sample);
    }
  }
  for (const char* const id : {"C4", "C5", "C8", "C9", "C12"}) {
    EXPECT_EQ(find(one, id).verdict, Verdict::kNotShown) << id;
  }
  EXPECT_EQ(find(one, "C11").verdict, Verdict::kConstruction) << "what every run must keep needs no spread";
}

TEST(Claims, AGainWithinItsSpreadIsNotShown) {
  Evaluation e = published_evaluation();
  EXPECT_EQ(find(e, "C5").verdict, Verdict::kReproduced);
  for (const std::string_view workload : published::kWorkloadNames) {
    const double met = *published::value(published::kMet, workload, "EDF");
    change(e, std::string(workload).c_str(), "LAX", 1.2 * met, 0.7 * met);
  }
  EXPECT_EQ(find(e, "C5").verdict, Verdict::kNotShown) << find(e, "C5").ours;
  for (const std::string_view workload : published::kWorkloadNames) {
    const double met = *published::value(published::kMet, workload, "EDF");
    change(e, std::string(workload).c_str(), "LAX", 1.2 * met, 0.02 * met);
  }
  EXPECT_EQ(find(e, "C5").verdict, Verdict::kShape) << find(e, "C5").ours;
}

TEST(Claims, TheHeadlineNamesBothEndsAndWhereLaxLoses) {
  Evaluation e = published_evaluation();
  const Claim claim = find(e, "C26");
  EXPECT_NE(claim.ours.find("(BAT)"), std::string::npos) << claim.ours;
  const std::vector<Loss> source = losses(e);
  ASSERT_EQ(source.size(), 1U) << "the source's only one";
  EXPECT_EQ(source[0].workload + " " + source[0].rival, "STEM PREMA");
  change(e, "GMM", "PRO", 60, 5);
  ASSERT_EQ(losses(e).size(), 2U);
  EXPECT_NEAR(losses(e)[0].behind.mean, 60 - 22.8, 1e-9);
  change(e, "GMM", "PRO", 30, 9);
  EXPECT_EQ(losses(e).size(), 1U) << "within the spread";
  for (const std::string_view workload : published::kWorkloadNames)
    change(e, std::string(workload).c_str(), "PRO", 100);
  EXPECT_EQ(find(e, "C26").verdict, Verdict::kNot);
  EXPECT_EQ(find(e, "C3").verdict, Verdict::kNot) << "a scheduler that is not in the order is above LAX";
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
  EXPECT_EQ(broken_invariants(judge(e)).size(), 0U);
  Sample sample;
  sample.met = 1;
  e.add("IPV6", Rate::kHigh, "BAY", 2, sample);  // with one seed of three
  EXPECT_EQ(find(e, "C11").verdict, Verdict::kNot);
  ASSERT_EQ(broken_invariants(judge(e)).size(), 1U);
  EXPECT_EQ(broken_invariants(judge(e))[0].substr(0, 4), "C11:");
}

TEST(Claims, OrderToleratesCloseNeighboursOnly) {
  Evaluation e = published_evaluation();
  // BAT's geometric mean is 0.9 by the table; all three stay near RR, and the order is the published one.
  EXPECT_EQ(find(e, "C3").verdict, Verdict::kReproduced) << find(e, "C3").reason;
  for (const char* const workload : {"LSTM", "GRU", "VAN", "HYBRID"}) change(e, workload, "EDF", 90);
  EXPECT_NE(find(e, "C3").verdict, Verdict::kReproduced);
  EXPECT_NE(find(e, "C3").reason.find("PREMA above EDF"), std::string::npos);
}

TEST(Claims, SingleKernelJobsAreTied) {
  Evaluation e = published_evaluation();
  EXPECT_EQ(find(e, "C7").verdict, Verdict::kConstruction);
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
      add(e, std::string(workload), rate, scheduler, sample);
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
      add(e, std::string(workload), Rate::kHigh, scheduler, sample);
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
  for (const char* const workload : {"LSTM", "GRU", "VAN"}) extras.prediction_error[workload] = {0.12, 0.14};
  EXPECT_EQ(find(extras, "C18").verdict, Verdict::kOpen) << "HYBRID has no runs";
  extras.prediction_error["HYBRID"] = {0.14, 0.12};
  EXPECT_EQ(find(extras, "C18").verdict, Verdict::kReproduced) << "below 15 %";
  extras.prediction_error["HYBRID"] = {0.25, 0.25};
  EXPECT_EQ(find(extras, "C18").verdict, Verdict::kShape);
  extras.prediction_error["HYBRID"] = {0.14};
  EXPECT_EQ(find(extras, "C18").verdict, Verdict::kNotShown) << "one run has no spread";
  extras.prediction_error["HYBRID"] = {3.0, 0.3};
  EXPECT_EQ(find(extras, "C18").verdict, Verdict::kNotShown) << "53 % in the mean, 48 % apart";
  extras.prediction_error["HYBRID"] = {2, 2};
  EXPECT_EQ(find(extras, "C18").verdict, Verdict::kNot);
}

TEST(Claims, PriorityFallsLateAndTheJobEndsJustInTime) {
  Extras extras;
  PriorityTrace job{6.8, 7, {0.1, 0.2, 3.5, 6}, {0, 5, 3, 0.1}, {0, 0, 0, 0}};
  const auto verdict = [&](const PriorityTrace& other) {
    extras.priority["HYBRID"] = {job, other};
    return find(extras, "C19").verdict;
  };
  EXPECT_EQ(verdict(job), Verdict::kReproduced);
  extras.priority["HYBRID"] = {job};
  EXPECT_EQ(find(extras, "C19").verdict, Verdict::kNotShown) << "one run";
  PriorityTrace other = job;
  other.laxity_ms = {0, 5, 0.1, 0};
  EXPECT_EQ(verdict(other), Verdict::kShape) << "nothing is left half way";
  other.latency_ms = 4;
  EXPECT_EQ(verdict(other), Verdict::kNotShown) << "one of two is far from its deadline";
  job = other;
  EXPECT_EQ(verdict(other), Verdict::kNot);
}

TEST(Claims, LargerBatchesAnswerLaterOnEveryWorkload) {
  Extras extras;
  for (const std::string_view workload : published::kWorkloadNames) {
    extras.response[std::string(workload)] = {{1, {100, 101}}, {8, {500, 490}}, {128, {2000, 2200}}};
  }
  EXPECT_EQ(find(extras, "C24").verdict, Verdict::kReproduced);
  extras.response["GMM"][8] = {50, 60};
  EXPECT_EQ(find(extras, "C24").verdict, Verdict::kShape) << "not monotone";
  extras.response["GMM"] = {{1, {100, 100}}, {128, {900, 910}}};
  EXPECT_EQ(find(extras, "C24").verdict, Verdict::kShape) << "nine times only";
  extras.response["GMM"] = {{1, {100, 100}}, {128, {40, 300}}};
  EXPECT_EQ(find(extras, "C24").verdict, Verdict::kNotShown);
  extras.response["GMM"] = {{1, {100, 100}}, {128, {40, 41}}};
  EXPECT_EQ(find(extras, "C24").verdict, Verdict::kNot);
  extras.response.erase("GMM");
  EXPECT_EQ(find(extras, "C24").verdict, Verdict::kOpen);
}

TEST(Accounts, JobsEndInOneWayAndSchedulersNeitherMakeNorLoseThreadBlocks) {
  const Account rr{"STEM", "high", "RR", 1, 12, 4, 8, 0, 0, 192, 64};
  Account lax = rr;
  lax.scheduler = "LAX";
  lax.late = 5;
  lax.rejected = 3;
  lax.all_tbs = 144;
  Account edf = rr;
  edf.scheduler = "EDF";
  EXPECT_EQ(broken_accounts({rr, lax, edf}).size(), 0U);
  edf.all_tbs = 191;
  ASSERT_EQ(broken_accounts({rr, lax, edf}).size(), 1U);
  EXPECT_EQ(broken_accounts({rr, lax, edf})[0], "STEM, high rate, EDF, seed 1: 191 TBs, 192 under RR");
  edf.seed = 2;
  EXPECT_EQ(broken_accounts({rr, lax, edf}).size(), 0U) << "another input";
  lax.rejected = 2;
  ASSERT_EQ(broken_accounts({rr, lax}).size(), 1U);
  EXPECT_NE(broken_accounts({rr, lax})[0].find("11 ends of 12 jobs"), std::string::npos);
  lax.rejected = 3;
  lax.useful_tbs = 145;
  EXPECT_EQ(broken_accounts({rr, lax}).size(), 1U);
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
