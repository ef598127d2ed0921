// The twin contract with RTL: agreement, and faults put into the RTL by hand.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tb/common/bench.h"
#include "tests/common/rtl.h"
#include "tests/twin/turnstile/engine.h"

namespace castor::twin {
namespace {

using testing::HasSubstr;
using turnstile::Block;

constexpr auto kNoProgress = [](Cycle) {};
constexpr auto kWatchNothing = [](const auto&, const auto&, const auto&) {};

const turnstile::Params& odd() {
  static const turnstile::Params params = tests::parameter_set<Block>("odd");
  return params;
}

std::unique_ptr<Twin<Block>> good_rtl(const turnstile::Params& params = odd()) {
  RtlBuilder source;
  return make_rtl<Block>(params, source);
}

/// A fault put into the RTL by hand: one text replaced by another.
struct Fault {
  const char* name;
  const char* from;
  const char* to;
};
constexpr Fault kPointer{"pointer", "'0 : pick_port + 1'b1", "'0 : pick_port"};
constexpr Fault kStamp{"stamp", "now_i[15:0]}", "now_i[16:1]}"};
constexpr Fault kTotal{"total", "+ 12'd1", "+ 12'd2"};
constexpr Fault kBeat{"beat", "beat_q <= (period_q != 16'd0) &&", "beat_q <="};
constexpr Fault kServed{"served", "(pick_port < pointer_q) ? '0", "(pick_port <= pointer_q) ? '0"};

std::unique_ptr<Twin<Block>> faulty_rtl(const Fault& fault) {
  tests::PatchedRtl source(Block::kBlock, testing::TempDir() + "castor_turnstile_" + fault.name, fault.from, fault.to);
  return make_rtl<Block>(odd(), source);
}

/// The mismatch that a run against this RTL ends in; an empty block name if it ends in none.
Mismatch run_against(std::unique_ptr<Twin<Block>> rtl, std::uint64_t seed, const std::string& waves = {}) {
  const turnstile::Params params = rtl->params();
  Lockstep<Block> lockstep(std::make_unique<Model<Block>>(params), std::move(rtl), {seed, "replay me", waves});
  RandomSequence<Block> sequence(params, seed);
  try {
    tb::run<Block>(lockstep, sequence, 100'000, true, kWatchNothing, kNoProgress);
  } catch (const MismatchError& error) {
    return error.mismatch();
  }
  return {};
}

Mismatch find_fault(const Fault& fault, std::uint64_t seed = 1, const std::string& waves = {}) {
  return run_against(faulty_rtl(fault), seed, waves);
}

TEST(Lockstep, FindsNothingInRtlWithoutFault) {
  for (const auto& [name, params] : tests::parameter_sets<Block>()) {
    EXPECT_EQ(run_against(good_rtl(params), 2).text(), Mismatch{}.text()) << name;
  }
}

TEST(Lockstep, FindsAPointerThatStaysBehind) {
  EXPECT_THAT(find_fault(kPointer).field, testing::AnyOf("probe_pointer", "pick_port"));
}
TEST(Lockstep, FindsATimeStampOfTheWrongBits) { EXPECT_EQ(find_fault(kStamp).field, "out_stamp"); }
TEST(Lockstep, FindsACounterThatCountsTwice) { EXPECT_EQ(find_fault(kTotal).field, "total"); }
TEST(Lockstep, FindsABeatThatShouldBeOff) {
  EXPECT_THAT(find_fault(kBeat).field, testing::AnyOf("probe_beating", "beat"));
}
TEST(Lockstep, FindsAFaultThatOnlyAProbeShows) { EXPECT_EQ(find_fault(kServed).field, "probe_served"); }

TEST(Lockstep, NamesWhatASecondRunNeeds) {
  const Mismatch first = find_fault(kTotal, 3), again = find_fault(kTotal, 3), other = find_fault(kTotal, 4);
  EXPECT_EQ(first.block, "turnstile");
  EXPECT_EQ(first.params, "NumPorts 37, NumWays 3, Depth 7");
  EXPECT_EQ(first.seed, 3U);
  EXPECT_EQ(first.text(), again.text());
  EXPECT_NE(first.text(), other.text());
  // Two for the first pass on some way, where the model has one.
  EXPECT_THAT(first.expected, HasSubstr("1"));
  EXPECT_THAT(first.actual, HasSubstr("2"));
  EXPECT_THAT(first.text(), HasSubstr("differ in cycle " + std::to_string(first.cycle) + ": total is " +
                                      first.expected + " in the model and " + first.actual + " in the RTL"));
  EXPECT_THAT(first.text(), HasSubstr("replay: replay me"));
}

TEST(Lockstep, LeavesWavesOfTheLastCycles) {
  const std::string stem = testing::TempDir() + "castor_twin_lockstep_waves";
  const Mismatch mismatch = find_fault(kBeat, 9, stem);
  ASSERT_EQ(mismatch.waves.size(), 2U);
  for (const std::string& path : mismatch.waves) {
    std::ifstream file(path);
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    const auto at = [&](Cycle cycle) { return text.find("#" + std::to_string(cycle * kCyclePicoseconds) + "\n"); };
    EXPECT_NE(at(mismatch.cycle), std::string::npos) << path;
    EXPECT_NE(at(mismatch.cycle + 8), std::string::npos) << path;
    EXPECT_EQ(at(mismatch.cycle + 9), std::string::npos) << path;
    if (mismatch.cycle >= 200) {
      EXPECT_NE(at(mismatch.cycle - 199), std::string::npos) << path;
      EXPECT_EQ(at(mismatch.cycle - 200), std::string::npos) << path;
    }
  }
}

TEST(Lockstep, LeavesOneFileWithBothSides) {
  const std::string stem = testing::TempDir() + "castor_twin_lockstep_both";
  Lockstep<Block> lockstep(std::make_unique<Model<Block>>(odd()), faulty_rtl(kTotal), {5, "", stem, true});
  RandomSequence<Block> sequence(odd(), 5);
  try {
    tb::run<Block>(lockstep, sequence, 100'000, true, kWatchNothing, kNoProgress);
    FAIL() << "no mismatch";
  } catch (const MismatchError& error) {
    EXPECT_THAT(error.mismatch().waves, testing::ElementsAre(stem + ".vcd"));
    EXPECT_THAT(error.what(), HasSubstr("look:   castor wave " + stem + ".vcd --view"));
  }
  std::ifstream file(stem + ".vcd");
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  EXPECT_THAT(text, HasSubstr("$scope module model $end\n$scope module castor_turnstile_probe $end"));
  EXPECT_THAT(text,
              HasSubstr("$scope module rtl $end\n$scope module top $end\n$scope module castor_turnstile_probe $end"));
  EXPECT_FALSE(std::ifstream(stem + ".model.vcd"));
  EXPECT_FALSE(std::ifstream(stem + ".rtl.vcd"));
}

TEST(Lockstep, TellsTheDifferenceWhereItCannotWriteWaves) {
  const Mismatch mismatch = find_fault(kTotal, 3, "/nowhere/x");
  EXPECT_EQ(mismatch.field, "total");
  EXPECT_TRUE(mismatch.waves.empty());
  EXPECT_THAT(mismatch.text(), HasSubstr("no waves: cannot write '/nowhere/x"));
}

// --- what is inside
// ---------------------------------------------------------------------------------------------------

/// Identifiers of the variables of a dump by their paths, as far as it declares them.
std::map<std::string, std::string> variables(const std::string& text) {
  std::map<std::string, std::string> found;
  std::string scope, word, kind, identifier, name;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    words >> word >> kind;
    if (word == "$scope" && words >> name) scope += name + ".";
    if (word == "$upscope") scope.erase(scope.find_last_of('.', scope.size() - 2) + 1);
    if (word == "$var" && words >> word >> identifier >> name) found[scope + name] = identifier;
  }
  return found;
}

/// Stores the last value of each identifier found in the value changes of `text`, without leading zeros.
void read_changes(const std::string& text, std::map<std::string, std::string>& values) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == '$' || line[0] == '#') continue;
    const std::size_t blank = line.find(' ');
    const bool scalar = line[0] == '0' || line[0] == '1';
    std::string value = scalar ? line.substr(0, 1) : line.substr(1, blank - 1);
    if (line[0] != 's') value.erase(0, std::min(value.find_first_not_of('0'), value.size() - 1));
    values[line.substr(scalar ? 1 : blank + 1)] = value;
  }
}

std::string binary(U64 value) {
  std::string text;
  for (; value != 0 || text.empty(); value /= 2) text.insert(text.begin(), static_cast<char>('0' + value % 2));
  return text;
}

std::unique_ptr<Twin<Block>> rtl_with_inside(unsigned depth) {
  RtlBuilder source;
  RtlOptions options;
  options.inside = true;
  options.wave_depth = depth;
  return make_rtl<Block>(odd(), source, options);
}

/// Registers of the RTL by their names inside, against the model in every cycle; by itself and in lockstep.
TEST(Inside, IsWhatTheRegistersAreAndHasNamesOfStates) {
  constexpr const char* kLevels[] = {"Empty", "Some", "Full"};
  for (const bool lockstep : {false, true}) {
    std::unique_ptr<Twin<Block>> twin = rtl_with_inside(1);
    if (lockstep) {
      twin =
          std::make_unique<Lockstep<Block>>(std::make_unique<Model<Block>>(odd()), std::move(twin), LockstepOptions{});
    }
    ASSERT_NE(twin->inside(), nullptr);
    auto paths = variables(twin->inside()->declarations());
    const std::string inside = "top.castor_turnstile_probe.u_dut.";
    for (const char* const name : {"level_q", "level_q_name", "pointer_q", "timer_q", "count_q"}) {
      ASSERT_EQ(paths.count(inside + name), 1U) << name;
    }
    ASSERT_EQ(paths.count("top.castor_turnstile_probe.probe_level_o_name"), 1U);
    std::map<std::string, std::string> values;
    RandomSequence<Block> sequence(odd(), 3);
    turnstile::Inputs in;
    sequence.begin(in);
    std::set<std::string> seen;
    for (unsigned cycle = 0; cycle < 3000; ++cycle) {
      make_idle<Block>(in, odd());
      advance_time<Block>(in, odd(), 1);
      sequence.drive(in);
      sequence.react(in, twin->settle(in));
      twin->clock(in);
      if (cycle % 7 == 3) continue;  // outputs need not be read in every cycle
      read_changes(twin->inside()->changes(), values);
      const turnstile::Probes probes = twin->probes();
      ASSERT_EQ(values[paths[inside + "pointer_q"]], binary(probes.pointer)) << cycle;
      ASSERT_EQ(values[paths[inside + "timer_q"]], binary(probes.timer)) << cycle;
      const auto level = static_cast<unsigned>(probes.level);
      ASSERT_EQ(values[paths[inside + "level_q"]], binary(level)) << cycle;
      ASSERT_EQ(values[paths[inside + "level_q_name"]], kLevels[level]) << cycle;
      ASSERT_EQ(values[paths["top.castor_turnstile_probe.probe_level_o_name"]], kLevels[level]) << cycle;
      seen.insert(kLevels[level]);
    }
    EXPECT_EQ(seen.size(), 3U);
  }
}

TEST(Inside, EndsWhereItWasToldTo) {
  const auto shallow = rtl_with_inside(0), deep = rtl_with_inside(1);
  const auto of = [](const std::unique_ptr<Twin<Block>>& twin) { return variables(twin->inside()->declarations()); };
  EXPECT_EQ(of(shallow).count("top.castor_turnstile_probe.probe_level_o"), 1U);
  EXPECT_EQ(of(shallow).count("top.castor_turnstile_probe.u_dut.level_q"), 0U);
  EXPECT_EQ(of(deep).count("top.castor_turnstile_probe.u_dut.level_q"), 1U);
}

TEST(Inside, IsAnotherObjectAndThePlainOneHasNone) {
  RtlBuilder source;
  const std::string plain = source.object(Block::kBlock, param_values(odd()), false),
                    waves = source.object(Block::kBlock, param_values(odd()), true);
  EXPECT_NE(plain, waves);
  EXPECT_EQ(load_rtl<Block>(plain, odd(), {})->inside(), nullptr);
  EXPECT_EQ(load_rtl<Block>(waves, odd(), {})->inside(), nullptr);  // internal signals were not requested
  RtlOptions options;
  options.inside = true;
  try {
    (void)load_rtl<Block>(plain, odd(), options);
    FAIL() << "shows what it does not have";
  } catch (const base::InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("was built without waves of its internal signals"));
  }
}

/// The window of a mismatch with the inside of the RTL: the cycles of the ports, and registers of these.
TEST(Inside, IsInTheWavesOfAMismatch) {
  const std::string stem = testing::TempDir() + "castor_twin_lockstep_inside";
  // Counts twice after sixty passes, which is behind cycle 200.
  tests::PatchedRtl source(Block::kBlock, testing::TempDir() + "castor_turnstile_inside", "+ 12'd1",
                           "+ (total_q[11:0] > 12'd60 ? 12'd2 : 12'd1)");
  RtlOptions options;
  options.inside = true;
  const Mismatch mismatch = run_against(make_rtl<Block>(odd(), source, options), 9, stem);
  ASSERT_EQ(mismatch.waves, (std::vector<std::string>{stem + ".model.vcd", stem + ".rtl.vcd"}));
  ASSERT_GT(mismatch.cycle, 200U) << "the window is to begin within the run";
  const auto moments = [](const std::string& path) {
    std::ifstream file(path);
    std::map<std::uint64_t, std::string> found;
    std::string declared;
    std::uint64_t now = 0;
    bool begun = false;
    for (std::string line; std::getline(file, line);) {
      if (line[0] == '#') {
        now = std::stoull(line.substr(1));
        begun = true;
      } else {
        (begun ? found[now] : declared) += line + "\n";
      }
    }
    return std::make_pair(variables(declared), found);
  };
  auto [model_paths, model] = moments(mismatch.waves[0]);
  auto [rtl_paths, rtl] = moments(mismatch.waves[1]);
  EXPECT_EQ(rtl.begin()->first, (mismatch.cycle - 199) * kCyclePicoseconds);
  EXPECT_EQ(rtl.rbegin()->first, (mismatch.cycle + 8) * kCyclePicoseconds + kCyclePicoseconds / 2);
  // Equal until the cycle that differs: each register behind its edge, as the model's probe has it.
  std::map<std::string, std::string> expected, actual;
  std::set<std::string> stamps;
  unsigned compared = 0;
  for (Cycle cycle = mismatch.cycle - 199; cycle < mismatch.cycle; ++cycle) {
    for (const U64 time : {cycle * kCyclePicoseconds, cycle * kCyclePicoseconds + kCyclePicoseconds / 2}) {
      read_changes(model[time], expected);
      read_changes(rtl[time], actual);
      for (const char* const name : {"pointer", "timer"}) {
        const std::string probe =
            expected[model_paths["model.castor_turnstile_probe.probe_" + std::string(name) + "_o"]];
        ASSERT_EQ(actual[rtl_paths["top.castor_turnstile_probe.u_dut." + std::string(name) + "_q"]], probe) << time;
        stamps.insert(probe);
        ++compared;
      }
    }
  }
  EXPECT_EQ(compared, 796U);
  EXPECT_GT(stamps.size(), 5U);
}

/// A model that promises more quiet cycles than there are.
class Boastful final : public Twin<Block> {
 public:
  explicit Boastful(const turnstile::Params& params) : Twin<Block>(params), model_(params) {}
  const turnstile::Outputs& settle(const turnstile::Inputs& in) override { return model_.settle(in); }
  void clock(const turnstile::Inputs& in) override { model_.clock(in); }
  void reset() override { model_.reset(); }
  [[nodiscard]] Cycle quiet() const override { return model_.quiet() == 0 ? 0 : model_.quiet() + 1; }
  void idle(Cycle n) override { model_.idle(n); }
  [[nodiscard]] turnstile::Probes probes() const override { return model_.probes(); }

 private:
  Model<Block> model_;
};

TEST(Lockstep, FindsAModelThatSkipsTooFar) {
  Lockstep<Block> lockstep(std::make_unique<Boastful>(odd()), good_rtl(), {});
  turnstile::Inputs in;
  in.reg_req = in.reg_we = 1;
  in.reg_addr = 4;
  in.reg_wdata = 10;
  lockstep.settle(in);
  lockstep.clock(in);
  in = {};
  for (int i = 0; i < 3; ++i) lockstep.clock(in);
  // At timer t of a period of 10, 10 - t - 1 edges are quiet; one more shows the beat.
  EXPECT_EQ(lockstep.probes().timer, 3);
  EXPECT_EQ(lockstep.quiet(), 7U);
  EXPECT_THROW(lockstep.idle(7), MismatchError);
}

TEST(Rtl, AnswersQuietFromProbesAndNeverMoreThanTheModel) {
  const auto rtl = good_rtl();
  Model<Block> model(odd());
  RandomSequence<Block> sequence(odd(), 11);
  turnstile::Inputs in;
  sequence.begin(in);
  unsigned quiet = 0;
  for (unsigned cycle = 0; cycle < 20'000; ++cycle) {
    make_idle<Block>(in, odd());
    advance_time<Block>(in, odd(), 1);
    sequence.drive(in);
    sequence.react(in, model.settle(in));
    rtl->settle(in);
    model.clock(in);
    rtl->clock(in);
    ASSERT_LE(rtl->quiet(), model.quiet()) << cycle;
    quiet += rtl->quiet() > 0 ? 1 : 0;
  }
  EXPECT_GT(quiet, 100U);
}

TEST(Rtl, IdleIsAsManyClocks) {
  const auto skipped = good_rtl(), clocked = good_rtl();
  turnstile::Inputs in;
  in.now = 100;
  in.req.set(3);
  in.reg_req = in.reg_we = 1;
  in.reg_addr = 4;
  in.reg_wdata = 1000;
  for (auto* twin : {skipped.get(), clocked.get()}) {
    twin->settle(in);
    twin->clock(in);
  }
  make_idle<Block>(in, odd());
  skipped->idle(500);
  for (int i = 0; i < 500; ++i) {
    advance_time<Block>(in, odd(), 1);
    clocked->settle(in);
    clocked->clock(in);
  }
  EXPECT_EQ(skipped->probes().timer, 500);
  EXPECT_EQ(clocked->probes().timer, 500);
  in.pick_grant = 1;
  advance_time<Block>(in, odd(), 1);
  for (auto* twin : {skipped.get(), clocked.get()}) {
    EXPECT_EQ(twin->settle(in).pick_port, 3);
    twin->clock(in);
    EXPECT_EQ(twin->settle({}).out_stamp, 601);
  }
}

TEST(Rtl, ResetForgetsEverything) {
  const auto rtl = good_rtl();
  turnstile::Inputs in;
  in.req.set(3);
  in.pick_grant = 1;
  rtl->settle(in);
  rtl->clock(in);
  EXPECT_EQ(rtl->settle({}).out_valid, 1);
  rtl->reset();
  EXPECT_EQ(rtl->settle({}).out_valid, 0);
  EXPECT_EQ(rtl->probes().pointer, 0);
}

TEST(LockstepDeathTest, RefusesAnInputBeyondItsPort) {
  Lockstep<Block> lockstep(std::make_unique<Model<Block>>(odd()), good_rtl(), {});
  turnstile::Inputs in;
  in.weight[1] = 16;
  EXPECT_DEATH(lockstep.clock(in), "input weight is .0, 16 .*beyond its 12 bits");
}

}  // namespace
}  // namespace castor::twin
