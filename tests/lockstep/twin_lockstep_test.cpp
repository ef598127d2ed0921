// The twin contract with RTL: agreement, and faults put into the RTL by hand.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <memory>
#include <string>

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
    EXPECT_THAT(error.what(), HasSubstr("look:   gtkwave " + stem + ".vcd"));
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
  EXPECT_THAT(mismatch.text(), HasSubstr("no waves: cannot write the waves '/nowhere/x"));
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
