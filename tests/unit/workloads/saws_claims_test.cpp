// The judge of the claims about synchronisation-aware warp scheduling, on tables made for them: the published figures
// themselves, and those with one thing changed.

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "workloads/saws/evaluation.h"
#include "workloads/saws/programs.h"

namespace castor::workloads::saws::saws_claims_test {
namespace {

/// A run that is `faster` percent faster than 1,000,000 cycles, and waits `wait` cycles, of which the share `p1`.
Sample run(double faster, double wait = 0, double p1 = 0) {
  Sample out;
  out.cycles = 1e6 / (1 + faster / 100);
  out.instructions = 5e5;
  out.barriers = 1000;
  out.wait_p1 = p1 * wait;
  out.wait_p2 = wait - out.wait_p1;
  out.ahead = 2000;
  out.resident = 1e7;
  out.l2_misses = 1000;
  return out;
}

/// Adds to an evaluation the same run with each of two inputs.
struct Twice {
  Evaluation evaluation;
  void add(const std::string& program, const Point& point, const Sample& sample) {
    for (const char* const input : {"small-1", "small-2"}) evaluation.add(program, input, point, sample);
  }
};

/// Returns evaluations with the published results, equal for all programs except those that the source names.
Twice published_twice() {
  Twice out;
  for (const std::string& program : program_names(true)) {
    out.add(program, {"4", "GTO"}, run(0, 1000, 0.85));
    out.add(program, {"4", "CATLS"}, run(-1, 1020, 0.90));
    out.add(program, {"4", "SAWS/no-toggle"}, run(7, 860, 0.92));
    Sample saws = run(9, 850, 0.92);
    saws.ahead = 1500;
    out.add(program, {"4", "SAWS"}, saws);
    out.add(program, {"2", "GTO"}, run(-7));
    out.add(program, {"2", "CATLS"}, run(-9));
    out.add(program, {"2", "SAWS"}, run(-4));
    out.add(program, {"1", "GTO"}, run(0));
    out.add(program, {"1", "CATLS"}, run(0));
  }
  Sample sad = run(12, 1020, 0.9);
  sad.l2_misses = 100;
  out.add("sad", {"4", "CATLS"}, sad);
  for (const std::string& program : program_names(false)) {
    for (const char* const policy : {"GTO", "SAWS"}) out.add(program, {"4", policy}, run(3));
    for (const char* const policy : {"GTO", "CATLS"}) {
      out.add(program, {"1", policy}, run(0));
      out.add(program, {"2", policy}, run(policy[0] == 'G' ? 2 : 0));
    }
  }
  return out;
}

Evaluation published() { return published_twice().evaluation; }

Claim find(const Evaluation& evaluation, const std::string& id) {
  for (Claim& claim : judge(evaluation)) {
    if (claim.id == id) return claim;
  }
  ADD_FAILURE() << id;
  return {};
}

TEST(SawsClaims, TheSourcesOwnFiguresFulfilThem) {
  const Evaluation source = published();
  for (const Claim& claim : judge(source)) {
    const Verdict expected = claim.id == "S14"            ? Verdict::kShape
                             : claim.construction.empty() ? Verdict::kReproduced
                                                          : Verdict::kConstruction;
    EXPECT_EQ(claim.verdict, expected) << claim.id << ": " << claim.ours << " " << claim.reason;
  }
}

TEST(SawsClaims, TheyAreNumberedFrom1To15AndSayTheirRules) {
  const std::vector<Claim> claims = judge({});
  ASSERT_EQ(claims.size(), 15U);
  for (std::size_t i = 0; i < claims.size(); ++i) {
    EXPECT_EQ(claims[i].id, "S" + std::to_string(i + 1));
    EXPECT_NE(claims[i].rule, "") << claims[i].id;
  }
}

TEST(SawsClaims, WithoutRunsOnlyArithmeticIsJudged) {
  for (const Claim& claim : judge({})) {
    EXPECT_EQ(claim.verdict, claim.id == "S14" ? Verdict::kShape : Verdict::kOpen) << claim.id;
    EXPECT_NE(claim.reason, "") << claim.id;
  }
}

/// Returns the published figures with one run replaced for every program of a kind.
Evaluation changed(bool barriers, const Point& point, const Sample& sample) {
  Twice out = published_twice();
  for (const std::string& program : program_names(barriers)) out.add(program, point, sample);
  return out.evaluation;
}

TEST(SawsClaims, AGainBelowTheBoundIsShapeOnlyAndALossIsNone) {
  EXPECT_EQ(find(changed(true, {"4", "SAWS"}, run(1, 850, 0.92)), "S4").verdict, Verdict::kShape);
  EXPECT_EQ(find(changed(true, {"4", "SAWS"}, run(-1, 850, 0.92)), "S4").verdict, Verdict::kNot);
  EXPECT_EQ(find(changed(true, {"4", "SAWS"}, run(1, 850, 0.92)), "S5").verdict, Verdict::kShape);
  EXPECT_EQ(find(changed(true, {"4", "SAWS"}, run(-5, 850, 0.92)), "S5").verdict, Verdict::kNot);
  EXPECT_EQ(find(changed(true, {"2", "GTO"}, run(-1)), "S1").verdict, Verdict::kShape);
  EXPECT_EQ(find(changed(true, {"2", "GTO"}, run(1)), "S1").verdict, Verdict::kNot);
  EXPECT_EQ(find(changed(true, {"2", "CATLS"}, run(-30)), "S2").verdict, Verdict::kShape);
  EXPECT_EQ(find(changed(false, {"2", "GTO"}, run(-2)), "S3").verdict, Verdict::kNot);
  EXPECT_EQ(find(changed(false, {"2", "GTO"}, run(9)), "S3").verdict, Verdict::kShape);
}

TEST(SawsClaims, OneProgramThatLosesMoreThan3PercentSpoilsTheGain) {
  Twice twice = published_twice();
  twice.add("lps", {"4", "SAWS"}, run(-4, 850, 0.92));
  const Claim claim = find(twice.evaluation, "S4");
  EXPECT_EQ(claim.verdict, Verdict::kShape);
  EXPECT_NE(claim.ours.find("lps -4.0"), std::string::npos) << claim.ours;
}

/// Returns the published figures with a spread: performance under a policy is `percent` higher with input `small-1` and
/// lower with `small-2`.
Evaluation apart(const Point& point, double faster, double percent) {
  Evaluation out = published();
  for (const std::string& program : program_names(true)) {
    out.add(program, "small-1", point, run(faster + percent, 850, 0.92));
    out.add(program, "small-2", point, run(faster - percent, 850, 0.92));
  }
  return out;
}

TEST(SawsClaims, AnEffectWithinItsSpreadIsNotShown) {
  EXPECT_EQ(find(apart({"4", "SAWS"}, 9, 1), "S4").verdict, Verdict::kReproduced);
  EXPECT_EQ(find(apart({"4", "SAWS"}, 2, 1), "S4").verdict, Verdict::kShape);
  EXPECT_EQ(find(apart({"4", "SAWS"}, 0.1, 0.6), "S4").verdict, Verdict::kNotShown);
  EXPECT_EQ(find(apart({"4", "SAWS"}, -0.1, 0.6), "S4").verdict, Verdict::kNotShown);
  EXPECT_EQ(find(apart({"4", "SAWS"}, -2, 0.6), "S4").verdict, Verdict::kNot);
  EXPECT_EQ(find(apart({"4", "SAWS"}, 7.5, 2), "S10").verdict, Verdict::kNotShown) << "toggling gains half a percent";
  EXPECT_EQ(find(apart({"2", "GTO"}, -0.3, 0.5), "S1").verdict, Verdict::kNotShown);
}

TEST(SawsClaims, OneInputShowsNothingButEqualities) {
  const Evaluation one = published().without("small-2");
  EXPECT_EQ(one.all_inputs(), std::vector<std::string>{"small-1"});
  for (const Claim& claim : judge(one)) {
    if (claim.id == "S14") continue;
    EXPECT_EQ(claim.verdict, claim.id == "S6" ? Verdict::kConstruction : Verdict::kNotShown) << claim.id;
  }
}

TEST(SawsClaims, OneFigureThatDiffersWithoutBarriersIsNamedAndBreaksTheInvariant) {
  EXPECT_TRUE(broken_invariants(judge(published())).empty());
  Evaluation evaluation = published();
  Sample sample = run(3);
  sample.l2_misses += 1;
  evaluation.add("vector_add", "small-1", {"4", "SAWS"}, sample);
  const Claim claim = find(evaluation, "S6");
  EXPECT_EQ(claim.verdict, Verdict::kNot);
  EXPECT_NE(claim.ours.find("vector_add"), std::string::npos);
  EXPECT_EQ(broken_invariants(judge(evaluation)).size(), 1U);
}

TEST(SawsClaims, ADifferenceBreaksTheInvariantOnAnyMachineAndWithFewProgramsToo) {
  Evaluation evaluation;
  Sample sample = run(3);
  sample.others = "{}";
  for (const char* const policy : {"GTO", "SAWS"}) evaluation.add("spmv", "large-1", {"2", policy}, sample);
  EXPECT_EQ(find(evaluation, "S6").verdict, Verdict::kOpen) << "equal, but not all programs";
  sample.others = "{\"stall_raw\":1}";
  evaluation.add("spmv", "large-1", {"2", "SAWS"}, sample);
  EXPECT_EQ(find(evaluation, "S6").verdict, Verdict::kNot);
  EXPECT_EQ(broken_invariants(judge(evaluation)).size(), 1U);
}

TEST(SawsClaims, WaitingIsJudgedBySizeAndByItsFirstPart) {
  EXPECT_EQ(find(changed(true, {"4", "SAWS"}, run(9, 980, 0.92)), "S7").verdict, Verdict::kShape);
  EXPECT_EQ(find(changed(true, {"4", "SAWS"}, run(9, 1100, 0.92)), "S7").verdict, Verdict::kNot);
  EXPECT_EQ(find(changed(true, {"4", "SAWS"}, run(9, 850, 0.55)), "S8").verdict, Verdict::kShape);
  EXPECT_EQ(find(changed(true, {"4", "SAWS"}, run(9, 850, 0.30)), "S8").verdict, Verdict::kNot);
  EXPECT_EQ(find(changed(true, {"4", "CATLS"}, run(0, 1200, 0.9)), "S9").verdict, Verdict::kNot);
}

TEST(SawsClaims, TogglingMustGainAndKeepThreadBlocksTogether) {
  const Evaluation evaluation = changed(true, {"4", "SAWS/no-toggle"}, run(10, 850, 0.9));
  EXPECT_EQ(find(evaluation, "S10").verdict, Verdict::kNot);
  Sample apart = run(9, 850, 0.92);
  apart.ahead = 2500;
  EXPECT_EQ(find(changed(true, {"4", "SAWS"}, apart), "S11").verdict, Verdict::kNot);
  EXPECT_EQ(find(changed(true, {"2", "SAWS"}, run(20)), "S12").verdict, Verdict::kNot);
}

TEST(SawsClaims, TheNamedProgramsAreLookedAt) {
  Twice twice = published_twice();
  twice.add("sad", {"4", "CATLS"}, run(12, 1020, 0.9));
  EXPECT_EQ(find(twice.evaluation, "S13").verdict, Verdict::kShape);
  twice.add("sad", {"4", "CATLS"}, run(1, 1020, 0.9));
  EXPECT_EQ(find(twice.evaluation, "S13").verdict, Verdict::kNot);
  twice.add("ray", {"4", "CATLS"}, run(30, 1020, 0.9));
  EXPECT_EQ(find(twice.evaluation, "S15").verdict, Verdict::kShape) << "bfs_queue is not";
  twice.add("bfs_queue", {"4", "CATLS"}, run(30, 1020, 0.9));
  EXPECT_EQ(find(twice.evaluation, "S15").verdict, Verdict::kNot);
}

TEST(SawsClaims, TheBestGroupsOfCatlsAreTheRival) {
  const Evaluation evaluation = changed(true, {"4", "CATLS/16"}, run(8, 1020, 0.9));
  EXPECT_EQ(evaluation.best_catls(program_names(true), "4"), "CATLS/16");
  EXPECT_EQ(find(evaluation, "S5").verdict, Verdict::kShape);
  EXPECT_EQ(changed(true, {"4", "CATLS/16"}, run(-8)).best_catls(program_names(true), "4"), "CATLS");
}

TEST(SawsEvaluation, RatiosAreTakenInputByInput) {
  Evaluation evaluation;
  evaluation.add("a", "small-1", {"4", "GTO"}, run(0));
  evaluation.add("a", "large-1", {"4", "GTO"}, run(0));
  evaluation.add("a", "small-1", {"4", "LRR"}, run(100));
  evaluation.add("a", "large-1", {"4", "LRR"}, run(300));
  evaluation.add("a", "large-2", {"4", "LRR"}, run(900));  // GTO has no such input
  evaluation.add("b", "small-1", {"4", "GTO"}, run(0));
  evaluation.add("b", "small-1", {"4", "LRR"}, run(700));
  const Spread a = evaluation.ratio("a", {"4", "GTO"}, {"4", "LRR"}, cycles);
  EXPECT_EQ(a.count, 2U);
  EXPECT_NEAR(a.mean, std::sqrt(2.0 * 4.0), 1e-9);
  EXPECT_NEAR(a.deviation, std::sqrt(2.0), 1e-9);
  const Spread both = evaluation.mean_ratio({"a", "b"}, {"4", "GTO"}, {"4", "LRR"}, cycles);
  EXPECT_NEAR(both.mean, std::sqrt(std::sqrt(8.0) * 8.0), 1e-9);
  // small-1: sqrt(2 x 8) = 4; large-1: 4.
  EXPECT_NEAR(both.deviation, 0, 1e-9);
  EXPECT_EQ(evaluation.ratio("c", {"4", "GTO"}, {"4", "LRR"}, cycles).count, 0U);
}

TEST(SawsPrograms, EverySeedAndSizeIsAnotherInput) {
  for (const Program& program : programs()) {
    std::set<std::vector<std::string>> seen;
    for (const char* const size : {"small", "large"}) {
      for (unsigned seed = 1; seed <= 3; ++seed) seen.insert(arguments(program, size, seed));
    }
    EXPECT_EQ(seen.size(), 6U) << program.name;
    EXPECT_EQ(find_program(program.name), &program);
  }
  EXPECT_EQ(find_program("nothing"), nullptr);
}

}  // namespace
}  // namespace castor::workloads::saws::saws_claims_test
