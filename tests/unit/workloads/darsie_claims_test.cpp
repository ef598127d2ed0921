// The judge of the claims about redundant instructions of thread blocks, on tables made for them: the published figures
// themselves, and those with one thing changed; and the energy table.

#include <gtest/gtest.h>

#include <set>

#include "castor/base/error.h"
#include "workloads/darsie/evaluation.h"
#include "workloads/darsie/programs.h"

namespace castor::workloads::darsie::darsie_claims_test {
namespace {

/// Returns an energy table in which each event costs one picojoule, without static power.
EnergyTable table() {
  return read_energy("test.yaml", R"(
static: {watts_per_sm: 0, core_mhz: 1000, source: "test"}
events:
  - {event: work, pj: 1, source: "test"}
  - {event: extra, pj: 1, overhead: true, source: "test"}
)");
}

/// A run that is `speed` times as fast as 1,000,000 cycles, executes `cut` percent fewer instructions of every class
/// than the baseline and takes `saved` percent less energy.
Sample run(double speed, double cut = 0, double saved = 0) {
  const double left = 1 - cut / 100;
  Sample out;
  out["cycles"] = out["sm_cycles"] = 1e6 / speed;
  out["warp_instructions"] = 1e6 * left;
  for (const char* const name : {"class_int", "class_sp", "class_dp", "class_sfu", "class_load_global"}) {
    out[name] = 1e5 * left;
  }
  out["class_load_shared"] = 1e5 * left;
  out["work"] = 1e6 * (1 - saved / 100);
  out["extra"] = 0;
  return out;
}

/// Adds to an evaluation the same run with each of two inputs.
void add(Evaluation& evaluation, const std::string& program, const char* system, const Sample& sample) {
  for (const char* const input : {"small-1", "small-2"}) evaluation.add(program, input, system, sample);
}

Sample limit(double block, double irregular, double grid) {
  Sample out;
  out["limit_instructions"] = 1e6;
  out["limit_block"] = 1e4 * block;
  out["limit_affine"] = 1e4 * irregular;
  out["limit_unstructured"] = 0;
  out["limit_grid"] = 1e4 * grid;
  out["limit_warp"] = 1e4 * block;
  out["limit_block_load_shared"] = 3e4;
  return out;
}

/// Returns an evaluation with the published results, equal for all programs except those that the source names.
Evaluation published() {
  Evaluation out;
  for (const bool two : {false, true}) {
    for (const std::string& program : program_names(two)) {
      Sample darsie = run(two ? 1.3 : 1.1, two ? 17 : 10, two ? 25 : 10);
      darsie["extra"] = 0.0095 * darsie["work"];
      darsie["work"] -= darsie["extra"];
      darsie["class_load_shared"] = two ? 5e4 : 7.2e4;
      add(out, program, kBaseline, run(1));
      add(out, program, kDarsie, darsie);
      add(out, program, kDac, run(two ? 1.11 : 1.1, two ? 11 : 10, two ? 20 : 10));
      add(out, program, kUv, run(1.02, 2, 7));
      add(out, program, kIgnoreStore, run(two ? 1.302 : 1.102));
      add(out, program, kNoSync, run(two ? 1.35 : 1.12));
      add(out, program, kSiliconSync, run(0.98));
      add(out, program, kReads4, run(two ? 1.301 : 1.101));
      add(out, program, kBaselinePorts, run(1.01));
      add(out, program, kDarsiePorts, run(two ? 1.32 : 1.12));
      add(out, program, kLimit, limit(33, two ? 20 : 1, 15));
    }
  }
  add(out, "FWS", kDarsie, [] {
    Sample fws = run(1.13, 21, 20);
    fws["class_load_shared"] = 5e4;
    return fws;
  }());
  add(out, "MM", kDarsie, [] {
    Sample matrices = run(1.3, 17, 25);
    matrices["class_load_shared"] = 5e3;
    return matrices;
  }());
  add(out, "FWS", kNoSync, run(1.2));
  add(out, "FWS", kIgnoreStore, run(1.132));
  add(out, "FWS", kReads4, run(1.131));
  add(out, "LIB", kDarsie, run(2, 75, 40));
  add(out, "LIB", kNoSync, run(3));
  add(out, "LIB", kDac, run(1.8, 75, 40));
  add(out, "LIB", kUv, run(1));
  add(out, "LIB", kIgnoreStore, run(2));
  add(out, "LIB", kReads4, run(2));
  add(out, "LIB", kSiliconSync, run(0.5));
  add(out, "DCT", kDarsie, [] {  // two warps: at most half
    Sample dct = run(1.3, 17, 25);
    dct["class_load_shared"] = 5e4;
    return dct;
  }());
  return out;
}

std::vector<Claim> judged(const Evaluation& evaluation) {
  static const EnergyTable energies = table();
  return judge(evaluation, energies, {kDarsie, kIgnoreStore, kReads4});
}

Claim find(const Evaluation& evaluation, const std::string& id) {
  for (Claim& claim : judged(evaluation)) {
    if (claim.id == id) return claim;
  }
  ADD_FAILURE() << id;
  return {};
}

TEST(DarsieClaims, TheSourcesOwnFiguresFulfilThem) {
  for (const Claim& claim : judged(published())) {
    const Verdict wanted = claim.construction.empty() ? Verdict::kReproduced : Verdict::kConstruction;
    EXPECT_EQ(claim.verdict, claim.id == "C18" ? Verdict::kOpen : wanted)
        << claim.id << ": " << claim.ours << " " << claim.reason;
  }
}

TEST(DarsieClaims, TheShapesThatPromoteSkipMoreThanAllOthers) {
  const auto verdict = [](double narrow) {
    Evaluation shapes;
    for (const std::string program : {"CONVTEX/", "CP/"}) {
      for (const unsigned x : {256U, 128U, 64U, 32U, 16U, 8U}) {
        const std::string name = program + std::to_string(x) + "x" + std::to_string(256 / x);
        add(shapes, name, kBaseline, run(1));
        add(shapes, name, kDarsie, run(1, x > 32 ? 10 : x == 16 ? narrow : 20));
      }
    }
    return find(shapes, "C18").verdict;
  };
  EXPECT_EQ(verdict(12), Verdict::kConstruction);
  EXPECT_EQ(verdict(9), Verdict::kNot);
}

TEST(DarsieClaims, TheyAreNumberedFrom1To20AndSayTheirRules) {
  const std::vector<Claim> claims = judged({});
  ASSERT_EQ(claims.size(), 20U);
  for (std::size_t i = 0; i < claims.size(); ++i) {
    EXPECT_EQ(claims[i].id, "C" + std::to_string(i + 1));
    EXPECT_NE(claims[i].rule, "") << claims[i].id;
  }
}

TEST(DarsieClaims, WithoutRunsOnlyArithmeticIsJudged) {
  for (const Claim& claim : judged({})) {
    EXPECT_EQ(claim.verdict, claim.id == "C17" ? Verdict::kConstruction : Verdict::kOpen) << claim.id;
    EXPECT_NE(claim.reason, "") << claim.id;
  }
}

/// Returns the published figures with a system's run replaced for every program with two-dimensional thread blocks.
Evaluation changed(const char* system, const Sample& sample) {
  Evaluation out = published();
  for (const std::string& program : program_names(true)) add(out, program, system, sample);
  return out;
}

TEST(DarsieClaims, WhatChangesAFigureChangesItsVerdict) {
  EXPECT_EQ(find(changed(kDarsie, run(1.12, 17)), "C3").verdict, Verdict::kShape);
  EXPECT_EQ(find(changed(kDarsie, run(1.05, 17)), "C3").verdict, Verdict::kNot);
  EXPECT_EQ(find(changed(kDarsie, run(1.3, 30)), "C5").verdict, Verdict::kShape);
  EXPECT_EQ(find(changed(kDarsie, run(1.3, 5)), "C5").verdict, Verdict::kNot);
  EXPECT_EQ(find(changed(kDarsie, run(1.3, 17)), "C6").verdict, Verdict::kNot);
  EXPECT_EQ(find(changed(kDarsie, run(1.3, 5)), "C8").verdict, Verdict::kNot);
  EXPECT_EQ(find(changed(kDarsie, run(1.3, 1)), "C9").verdict, Verdict::kNot);
  EXPECT_EQ(find(changed(kSiliconSync, run(0.98)), "C13").verdict, Verdict::kReproduced) << "LIB loses half";
  EXPECT_EQ(find(changed(kDarsie, run(1.3, 30)), "C10").verdict, Verdict::kShape);
  EXPECT_EQ(find(changed(kIgnoreStore, run(1.5)), "C11").verdict, Verdict::kNot);
  EXPECT_EQ(find(changed(kNoSync, run(1.2)), "C12").verdict, Verdict::kNot);
  EXPECT_EQ(find(changed(kSiliconSync, run(0.9)), "C13").verdict, Verdict::kShape) << "LIB loses more";
  EXPECT_EQ(find(changed(kSiliconSync, run(0.4)), "C13").verdict, Verdict::kNot);
  EXPECT_EQ(find(changed(kDarsiePorts, run(1.4)), "C14").verdict, Verdict::kNot);
  EXPECT_EQ(find(changed(kDarsie, run(1.3, 17, 40)), "C15").verdict, Verdict::kShape);
  EXPECT_EQ(find(changed(kDarsie, run(1.3, 17, 10)), "C15").verdict, Verdict::kNot);
  EXPECT_EQ(find(changed(kReads4, run(1.5)), "C20").verdict, Verdict::kNot);
  EXPECT_EQ(find(changed(kLimit, limit(80, 20, 15)), "C1").verdict, Verdict::kShape);
  EXPECT_EQ(find(changed(kLimit, limit(10, 5, 40)), "C1").verdict, Verdict::kNot);
  EXPECT_EQ(find(changed(kLimit, limit(33, 5, 15)), "C2").verdict, Verdict::kShape);
}

TEST(DarsieClaims, AMissingSystemLeavesItsClaimsOpenAndSaysWhich) {
  Evaluation out;
  for (const bool two : {false, true}) {
    for (const std::string& program : program_names(two)) {
      add(out, program, kBaseline, run(1));
      add(out, program, kDarsie, run(1.3, 17));
    }
  }
  const Claim claim = find(out, "C3");
  EXPECT_EQ(claim.verdict, Verdict::kOpen);
  EXPECT_NE(claim.ours.find("1.30"), std::string::npos) << claim.ours;
  EXPECT_NE(claim.reason.find("dac_ideal, uv"), std::string::npos) << claim.reason;
}

TEST(DarsieClaims, AnEffectWithinItsSpreadIsNotShown) {
  Evaluation out = published();
  for (const std::string& program : program_names(true)) {
    out.add(program, "small-1", kDarsie, run(1.5, 17));
    out.add(program, "small-2", kDarsie, run(0.9, 17));
  }
  EXPECT_EQ(find(out, "C3").verdict, Verdict::kNotShown);
}

TEST(DarsieClaims, MoreThanAThreadBlockCanSkipIsABug) {
  Evaluation out = published();
  add(out, "DCT", kDarsie, run(1.3, 51));
  const Claim claim = find(out, "C19");
  EXPECT_EQ(claim.verdict, Verdict::kNot);
  EXPECT_NE(claim.ours.find("DCT: 51.0 % of all instructions with darsie"), std::string::npos) << claim.ours;
  EXPECT_FALSE(broken_invariants(judged(out)).empty());
  EXPECT_TRUE(broken_invariants(judged(published())).empty());
}

TEST(DarsieEnergy, AnEventThatIsNotCountedGivesNoSum) {
  Evaluation out;
  for (const std::string& program : program_names(true)) {
    Sample sample = run(1);
    sample.erase("extra");
    add(out, program, kBaseline, sample);
    add(out, program, kDarsie, sample);
  }
  EXPECT_EQ(find(out, "C15").verdict, Verdict::kOpen);
  EXPECT_NE(find(out, "C15").reason.find("counts of events"), std::string::npos);
}

TEST(DarsieEnergy, SumsEventsAndStaticPower) {
  const EnergyTable energies = read_energy("test.yaml", R"(
static: {watts_per_sm: 2, core_mhz: 1000, source: "test"}
events:
  - {event: reads, pj: 14.2, source: "test"}
  - {event: probes, pj: 5, overhead: true, source: "test"}
)");
  const auto energy = energy_of(energies, [](const std::string& name) -> std::optional<double> {
    return name == "reads" ? 10 : name == "probes" ? 2 : 3000;
  });
  ASSERT_TRUE(energy.has_value());
  EXPECT_DOUBLE_EQ(energy->dynamic, 152);
  EXPECT_DOUBLE_EQ(energy->overhead, 10);
  EXPECT_DOUBLE_EQ(energy->constant, 2 * 3 * 1e6) << "3000 cycles of 1 ns at 2 W";
}

TEST(DarsieEnergy, TheTreesTableNamesASourceForEveryNumber) {
  const EnergyTable energies = read_energy("energy.yaml", energy_text());
  std::set<std::string> events;
  for (const EventEnergy& event : energies.events) {
    EXPECT_NE(event.source, "") << event.event;
    events.insert(event.event);
  }
  EXPECT_EQ(events.count("register_reads"), 1U);
  EXPECT_EQ(events.count("register_writes"), 1U);
  EXPECT_GT(energies.core_mhz, 0);
}

TEST(DarsieEnergy, MistakesInATableAreToldWithTheirLine) {
  const auto said = [](const std::string& text) -> std::string {
    try {
      (void)read_energy("test.yaml", text);
    } catch (const base::InputError& error) {
      return error.where().file + ":" + std::to_string(error.where().line) + " " + error.message();
    }
    return "nothing";
  };
  const std::string fixed = "static: {watts_per_sm: 2, core_mhz: 1000, source: t}\n";
  EXPECT_EQ(said(fixed + "events:\n  - {event: a, pj: 1}\n"), "test.yaml:3 key 'source' is missing");
  EXPECT_EQ(said(fixed + "events:\n  - {event: a, pj: -1, source: t}\n"), "test.yaml:3 'pj' is a number from 0 to 1e9");
  EXPECT_EQ(said(fixed + "events:\n  - {event: a, pj: 1, source: t}\n  - {event: a, pj: 1, source: t}\n"),
            "test.yaml:4 event 'a' stands twice");
  EXPECT_EQ(said(fixed + "events: []\nother: 1\n"), "test.yaml:3 unknown key 'other'");
  EXPECT_EQ(said("static: {watts_per_sm: 2, core_mhz: 0, source: t}\nevents: []\n"), "test.yaml:1 core_mhz is above 0");
}

TEST(DarsiePrograms, SayTheirShapesAsTheirArgumentsDo) {
  for (const Program& program : programs()) {
    const std::string shape = program.shape;
    const std::size_t cross = shape.find('x');
    const unsigned x = std::stoul(shape.substr(0, cross)), y = std::stoul(shape.substr(cross + 1));
    EXPECT_EQ(program.warps * 32, x * y) << program.name;
    EXPECT_EQ(program.two_dimensional, y > 1) << program.name;
    for (const Program::Option& option : program.options) {
      const std::string word = option.name;
      if (word == "block" || word == "block_x") {
        EXPECT_EQ(option.small, x) << program.name;
      }
      if (word == "block_y") {
        EXPECT_EQ(option.small, y) << program.name;
      }
    }
  }
  EXPECT_EQ(shape_names().size(), 12U);
  EXPECT_EQ(program_names(false).size(), 5U);
  EXPECT_EQ(program_names(true).size(), 8U);
}

}  // namespace
}  // namespace castor::workloads::darsie::darsie_claims_test
