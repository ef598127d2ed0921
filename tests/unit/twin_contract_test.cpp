// The parts of the twin contract that need no RTL: packing, waves and their merging, stimulus, model twins.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "castor/base/error.h"
#include "castor/twin/dump_names.h"
#include "castor/twin/inside_history.h"
#include "castor/twin/make_twin.h"
#include "castor/twin/port_waves.h"
#include "castor/twin/stimulus.h"
#include "castor/twin/vcd.h"
#include "tests/twin/turnstile/engine.h"

namespace castor::twin {
namespace {

using testing::HasSubstr;
using turnstile::Block;
using turnstile::Engine;

std::string temporary(const std::string& name) { return testing::TempDir() + "castor_twin_contract_" + name; }

std::string read(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void write(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

TEST(Pack, PutsElementIAtITimesItsWidth) {
  Lanes<U8, 4> lanes;
  lanes[0] = 0x1;
  lanes[1] = 0xA;
  lanes[2] = 0xF;
  EXPECT_EQ(pack(lanes, Shape{3, 4})[0], 0xFA1U);
  EXPECT_EQ((unpack<Lanes<U8, 4>>({0xFA1}, Shape{3, 4})), lanes);
}

TEST(Pack, CarriesAnElementOverTheEndOfAWord) {
  Lanes<U16, 16> lanes;
  lanes[7] = 0x1A5;  // bits 63..71
  const auto words = pack(lanes, Shape{16, 9});
  EXPECT_EQ(words[0], U64{1} << 63U);
  EXPECT_EQ(words[1], 0xD2U);
  EXPECT_EQ((unpack<Lanes<U16, 16>>(words, Shape{16, 9})), lanes);
}

TEST(Pack, KnowsWhatFitsAndWhatIsInRange) {
  EXPECT_TRUE(fits<U8>(Shape{1, 8}));
  EXPECT_FALSE(fits<U8>(Shape{1, 9}));
  EXPECT_FALSE((fits<Lanes<U8, 4>>(Shape{5, 4})));
  EXPECT_TRUE(fits<Bits<128>>(Shape{1, 128}));
  EXPECT_FALSE(fits<Bits<128>>(Shape{1, 129}));
  EXPECT_TRUE(in_range(U8{3}, Shape{1, 2}));
  EXPECT_FALSE(in_range(U8{4}, Shape{1, 2}));
  Bits<128> bits;
  bits.set(96);
  EXPECT_FALSE(in_range(bits, Shape{1, 96}));
  EXPECT_TRUE(in_range(bits, Shape{1, 97}));
}

TEST(Pack, ShowsValuesToAReader) {
  EXPECT_EQ(value_text(turnstile::Level::kFull, Shape{1, 2}), "Full");
  EXPECT_EQ(value_text(static_cast<turnstile::Level>(3), Shape{1, 2}), "no state (3)");
  EXPECT_EQ(value_text(U32{255}, Shape{1, 32}), "255 (0xff)");
  EXPECT_EQ(value_text(U32{9}, Shape{1, 32}), "9");
  Bits<128> bits;
  bits.set(70);
  bits.set(0);
  EXPECT_EQ(value_text(bits, Shape{1, 72}), "0x400000000000000001");
  Lanes<U8, 4> lanes;
  lanes[1] = 2;
  EXPECT_EQ(value_text(lanes, Shape{2, 4}), "{0, 2}");
}

TEST(Vcd, WritesOnlyWhatChanged) {
  const std::string path = temporary("changes.vcd");
  {
    VcdFile file(path);
    file.open_scope("model");
    const unsigned bit = file.add("bit", 1), wide = file.add("wide", 70);
    const U64 one = 1, zero = 0, ten[2] = {10, 1};
    file.at(0);
    file.set(bit, &one);
    file.set(wide, ten);
    file.at(1000);
    file.set(bit, &one);
    file.set(wide, ten);
    file.at(2000);
    file.set(bit, &zero);
    file.close();
  }
  EXPECT_EQ(read(path),
            "$timescale 1ps $end\n$scope module model $end\n$var wire 1 ! bit $end\n$var wire 70 \" wide [69:0] $end\n"
            "$upscope $end\n$enddefinitions $end\n#0\n1!\n"
            "b10000000000000000000000000000000000000000000000000000000000001010 \"\n#2000\n0!\n");
}

TEST(Vcd, WritesNamesBesideTheNumbersThatHaveThem) {
  const std::string path = temporary("names.vcd");
  {
    VcdFile file(path);
    file.open_scope("model");
    const unsigned level = file.add("level", 2, value_names(turnstile::Level::kEmpty)), bit = file.add("bit", 1);
    file.open_scope("again");
    file.add_again("level", level);
    const U64 two = 2, three = 3;
    file.at(0);
    file.set(level, &two);
    file.set(bit, &two);
    file.at(1000);
    file.set(level, &two);
    file.at(2000);
    file.set(level, &three);
    file.close();
  }
  EXPECT_EQ(read(path),
            "$timescale 1ps $end\n$scope module model $end\n$var wire 2 ! level [1:0] $end\n"
            "$var string 1 \" level_name $end\n$var wire 1 # bit $end\n$scope module again $end\n"
            "$var wire 2 ! level [1:0] $end\n$var string 1 \" level_name $end\n$upscope $end\n$upscope $end\n"
            "$enddefinitions $end\n#0\nb10 !\nsFull \"\n0#\n#2000\nb11 !\ns3 \"\n");
}

TEST(DumpNames, StandBesideTheSignalsOfADumpThatHasNumbers) {
  DumpNames names({{"probe.u_dut.state_q", {{0, "Idle"}, {1, "Busy"}, {6, "Late"}}},
                   {"probe.flag", {{0, "No"}, {1, "Yes"}}},
                   {"probe.absent", {{0, "None"}}}});
  // An identifier of two signals; the longest has two characters.
  EXPECT_EQ(names.declare("$version Generated $end\n$timescale   1ps $end\n\n $scope module top $end\n"
                          "  $var wire  1 # flag $end\n  $scope module probe $end\n   $var wire  1 # flag $end\n"
                          "   $scope module u_dut $end\n    $var wire  3 !\" state_q [2:0] $end\n"
                          "    $var wire  3 !\" state_o [2:0] $end\n   $upscope $end\n  $upscope $end\n"
                          " $upscope $end\n$enddefinitions $end\n\n\n"),
            "$scope module top $end\n$var wire  1 # flag $end\n$scope module probe $end\n$var wire  1 # flag $end\n"
            "$var string 1 !!! flag_name $end\n$scope module u_dut $end\n$var wire  3 !\" state_q [2:0] $end\n"
            "$var string 1 \"!! state_q_name $end\n$var wire  3 !\" state_o [2:0] $end\n$upscope $end\n$upscope $end\n"
            "$upscope $end\n");
  // Without the signals of the top, Verilator leaves out its scope.
  EXPECT_EQ(names.declare(" $scope module probe $end\n  $var wire  1 # flag $end\n $upscope $end\n"),
            "$scope module top $end\n$scope module probe $end\n$var wire  1 # flag $end\n"
            "$var string 1 !! flag_name $end\n$upscope $end\n$upscope $end\n");
}

TEST(DumpNames, FollowTheChangesOfTheirSignals) {
  DumpNames names({{"probe.state", {{0, "Idle"}, {1, "Busy"}, {6, "Late"}}}, {"probe.flag", {{0, "No"}, {1, "Yes"}}}});
  EXPECT_EQ(names.declare("$scope module top $end\n$scope module probe $end\n$var wire 1 # flag $end\n"
                          "$var wire 3 !\" state [2:0] $end\n$upscope $end\n$upscope $end\n"),
            "$scope module top $end\n$scope module probe $end\n$var wire 1 # flag $end\n"
            "$var string 1 !!! flag_name $end\n$var wire 3 !\" state [2:0] $end\n$var string 1 \"!! state_name $end\n"
            "$upscope $end\n$upscope $end\n");
  std::string text;
  names.translate("#17\n1#\nb110 !\"\nb1 $\n", text);
  names.translate("b000 !\"\n0#\n", text);
  names.translate("b101 !\"", text);
  EXPECT_EQ(text,
            "1#\nsYes !!!\nb110 !\"\nsLate \"!!\nb1 $\n"
            "b000 !\"\nsIdle \"!!\n0#\nsNo !!!\n"
            "b101 !\"\ns101 \"!!\n");
}

/// A dump of a bit that toggles with every change, a number that counts them, and one that stays.
class Counting final : public Inside {
 public:
  const std::string& declarations() override { return declarations_; }
  const std::string& changes() override {
    text_ = std::to_string(count_ % 2) + "!\nb";
    for (unsigned bit = 16; bit-- > 0;) text_ += static_cast<char>('0' + (count_ >> bit & 1U));
    text_ += " \"\n";
    if (count_++ == 0) text_ += "sStill #\n";
    return text_;
  }

 private:
  const std::string declarations_ = "$scope module top $end\n$var wire 1 ! bit $end\n$upscope $end\n";
  std::string text_;
  unsigned count_ = 0;
};

TEST(InsideHistory, WritesTheLastMomentsWithTheStateBeforeThem) {
  Counting inside;
  InsideHistory history(inside, 6);
  for (unsigned i = 0; i < 20; ++i) history.look(i * 500);  // kept are 7000 .. 9500
  const std::string path = temporary("history.vcd");
  const auto changes = [](unsigned number) {
    std::string text = std::to_string(number % 2) + "!\nb";
    for (unsigned bit = 16; bit-- > 0;) text += static_cast<char>('0' + (number >> bit & 1U));
    return text + " \"\n";
  };
  history.write(path, 8500);
  const std::string text = read(path);
  const std::string head = "$timescale 1ps $end\n" + inside.declarations() + "$enddefinitions $end\n#8500\n";
  ASSERT_EQ(text.substr(0, head.size()), head);
  const std::size_t later = text.find("#9000\n");
  ASSERT_NE(later, std::string::npos);
  EXPECT_EQ(text.substr(later), "#9000\n" + changes(18) + "#9500\n" + changes(19));
  // All signals, in any order.
  const std::string first = text.substr(head.size(), later - head.size());
  for (const char* const line : {"1!\n", "b0000000000010001 \"\n", "sStill #\n"}) {
    EXPECT_THAT(first, HasSubstr(line));
  }
  EXPECT_EQ(std::count(first.begin(), first.end(), '\n'), 3);
  EXPECT_THROW(history.write("/nowhere/at/all.vcd", 0), base::InputError);
}

TEST(InsideHistory, IsReadByOthersMeanwhile) {
  Counting inside;
  InsideHistory history(inside, 3);
  for (unsigned i = 0; i < 9; ++i) history.look(i * 500);
  const auto lines = [](const std::string& text) {
    std::vector<std::string> found;
    std::istringstream all(text);
    for (std::string line; std::getline(all, line);) found.push_back(line);
    return found;
  };
  EXPECT_THAT(lines(history.changes()), testing::UnorderedElementsAre("0!", "b0000000000001000 \"", "sStill #"));
  EXPECT_EQ(history.changes(), "");
  history.look(4500);
  history.look(5000);  // the bit is back
  EXPECT_THAT(lines(history.changes()), testing::UnorderedElementsAre("b0000000000001010 \""));
}

TEST(Vcd, RefusesAFileThatCannotBeWritten) { EXPECT_THROW(VcdFile("/nowhere/at/all.vcd"), base::InputError); }

TEST(MergeVcd, PutsTwoDumpsOnOneTimeScaleUnderScopesOfTheirOwn) {
  const std::string a = temporary("a.vcd"), b = temporary("b.vcd"), merged = temporary("merged.vcd");
  write(a,
        "$timescale 1ns $end\n$scope module model $end\n$var wire 1 ! x $end\n$upscope $end\n"
        "$enddefinitions $end\n#0\n$dumpvars\n0!\n$end\n#2\n1!\n");
  write(b,
        "$date today $end\n$timescale\n  10ps\n$end\n$scope module TOP $end\n$var reg 4 ! y [3:0] $end\n$upscope $end\n"
        "$enddefinitions $end\n#0\nb1 !\n#50\nb11 !\n#200\nbx !\nsIdle \"\n");
  merge_vcd({{a, "model"}, {b, "rtl"}}, merged);
  EXPECT_EQ(read(merged),
            "$timescale 10ps $end\n"
            "$scope module model $end\n$var wire 1 a! x $end\n$upscope $end\n"
            "$scope module rtl $end\n$scope module TOP $end\n$var reg 4 b! y [3:0] $end\n$upscope $end\n$upscope $end\n"
            "$enddefinitions $end\n#0\n0a!\nb1 b!\n#50\nb11 b!\n#200\n1a!\nbx b!\nsIdle b\"\n");
}

TEST(MergeVcd, NamesFileAndLineOfWhatIsNoDump) {
  const std::string good = temporary("good.vcd"), bad = temporary("bad.vcd");
  write(good, "$timescale 1ps $end\n$enddefinitions $end\n#0\n");
  const auto error = [&](const std::string& text) -> std::string {
    write(bad, text);
    try {
      merge_vcd({{good, "a"}, {bad, "b"}}, temporary("out.vcd"));
    } catch (const base::InputError& e) {
      return e.what();
    }
    return "accepted";
  };
  EXPECT_THAT(error("hello\n"), HasSubstr("bad.vcd:1: error"));
  EXPECT_THAT(error("$timescale 3ps $end\n"), HasSubstr("time scale '3ps'"));
  EXPECT_THAT(error("$timescale 1ps $end\n"), HasSubstr("no $enddefinitions"));
  EXPECT_THAT(error("$enddefinitions $end\n#5\n#4\n"), HasSubstr("bad.vcd:3: error"));
  EXPECT_THAT(error("$enddefinitions $end\n#0\nb101\n"), HasSubstr("a value without identifier"));
  EXPECT_THAT(error("$enddefinitions $end\n#0\nsIdle\n"), HasSubstr("a value without identifier"));
  EXPECT_THAT(error("$upscope $end\n"), HasSubstr("an $upscope too many"));
  EXPECT_THROW(merge_vcd({{temporary("absent.vcd"), "a"}}, temporary("out.vcd")), base::InputError);
  EXPECT_THROW(merge_vcd({{good, "a"}}, good), base::InputError);
}

TEST(Params, RefuseWhatIsOutOfRange) {
  turnstile::Params params;
  params.NumPorts = 129;
  try {
    const Model<Block> model(params);
    FAIL() << "accepted";
  } catch (const base::InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("turnstile: parameter NumPorts is 129"));
    EXPECT_THAT(error.what(), HasSubstr("it takes a value from 1 to 128"));
  }
}

TEST(Params, ComeOutOfNamesAndValues) {
  const auto params = named_params<turnstile::Params>({{"NumPorts", 7}, {"NumWays", 2}, {"Depth", 3}});
  EXPECT_EQ(params_text(params), "NumPorts 7, NumWays 2, Depth 3");
  EXPECT_THROW((void)named_params<turnstile::Params>({{"NumPorts", 7}, {"NumWays", 2}}), base::InputError);
  EXPECT_THROW((void)named_params<turnstile::Params>({{"NumPorts", 7}, {"NumWays", 2}, {"Depth", 3}, {"Width", 1}}),
               base::InputError);
}

/// A source that must not be queried, or has a file that is no RTL.
class Source final : public RtlSource {
 public:
  [[nodiscard]] std::string object(const std::string& block, const ParamValues& values, bool waves) override {
    ++asked;
    for_waves += waves ? 1 : 0;
    EXPECT_EQ(block, "turnstile");
    EXPECT_EQ(values, (ParamValues{{"NumPorts", 96}, {"NumWays", 3}, {"Depth", 5}}));
    return "/nowhere/rtl.so";
  }
  int asked = 0;
  int for_waves = 0;
};

TEST(MakeTwin, AsksTheSourceForRtlAtAllParametersAndNotForAModel) {
  EXPECT_EQ(parse_kind("lockstep"), Kind::kLockstep);
  EXPECT_THROW((void)parse_kind("silicon"), base::InputError);
  Source source;
  EXPECT_NE(make_twin<Block>(Kind::kModel, {}, source), nullptr);
  EXPECT_EQ(source.asked, 0);
  EXPECT_THROW((void)make_twin<Block>(Kind::kRtl, {}, source), base::InputError);
  EXPECT_THROW((void)make_twin<Block>(Kind::kLockstep, {}, source), base::InputError);
  EXPECT_EQ(source.asked, 2);
  EXPECT_EQ(source.for_waves, 0);
  RtlOptions inside, file;
  inside.inside = true;
  file.wave = "x.vcd";
  EXPECT_THROW((void)make_twin<Block>(Kind::kRtl, {}, source, inside), base::InputError);
  EXPECT_THROW((void)make_twin<Block>(Kind::kLockstep, {}, source, file), base::InputError);
  EXPECT_EQ(source.for_waves, 2);
}

TEST(MakeTwin, ChecksParametersBeforeItAsks) {
  Source source;
  turnstile::Params params;
  params.Depth = 17;
  EXPECT_THROW((void)make_twin<Block>(Kind::kRtl, params, source), base::InputError);
  EXPECT_EQ(source.asked, 0);
}

TEST(Idle, LeavesLevelsAndMovesTime) {
  const turnstile::Params params;
  turnstile::Inputs in;
  in.now = (U64{1} << 48U) - 1;
  in.req.set(5);
  in.out_ready = 1;
  in.pick_grant = 1;
  in.reg_req = 1;
  in.reg_addr = 4;
  make_idle<Block>(in, params);
  advance_time<Block>(in, params, 3);
  EXPECT_EQ(in.now, 2U);
  EXPECT_TRUE(in.req.test(5));
  EXPECT_EQ(in.out_ready, 1);
  EXPECT_EQ(in.pick_grant, 0);
  EXPECT_EQ(in.reg_req, 0);
  EXPECT_EQ(in.reg_addr, 0);
}

/// One idle cycle, then `n` of them at once and one by one: the same probes and the same outputs ever after.
TEST(Idle, SkippingEqualsClockingInRandomStates) {
  const turnstile::Params params;
  unsigned compared = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Model<Block> skipped(params);
    RandomSequence<Block> sequence(params, seed);
    turnstile::Inputs in;
    sequence.begin(in);
    for (unsigned cycle = 0; cycle < 50 + seed; ++cycle) {
      make_idle<Block>(in, params);
      advance_time<Block>(in, params, 1);
      sequence.drive(in);
      sequence.react(in, skipped.settle(in));
      skipped.clock(in);
    }
    const Cycle n = std::min<Cycle>(skipped.quiet(), 1 + seed);
    if (n == 0) continue;
    ++compared;
    Model<Block> clocked(params);
    clocked.engine() = skipped.engine();
    make_idle<Block>(in, params);
    turnstile::Inputs slow = in;
    skipped.idle(n);
    for (Cycle i = 0; i < n; ++i) {
      advance_time<Block>(slow, params, 1);
      const auto out = clocked.settle(slow);
      clocked.clock(slow);
      EXPECT_EQ(out.beat, 0);
      EXPECT_EQ(out.reg_ack, 0);
    }
    advance_time<Block>(in, params, n);
    for (unsigned cycle = 0; cycle < 300; ++cycle) {
      EXPECT_EQ(skipped.probes().timer, clocked.probes().timer);
      EXPECT_EQ(skipped.probes().count, clocked.probes().count);
      advance_time<Block>(in, params, 1);
      const auto a = skipped.settle(in), b = clocked.settle(in);
      ASSERT_EQ(a.beat, b.beat);
      ASSERT_EQ(a.out_valid, b.out_valid);
      ASSERT_EQ(a.out_stamp, b.out_stamp);
      skipped.clock(in);
      clocked.clock(in);
    }
  }
  EXPECT_GT(compared, 20U);
}

TEST(RandomSequence, IsDecidedByItsSeed) {
  const turnstile::Params params;
  const auto digest = [&](std::uint64_t seed) {
    Engine engine(params);
    RandomSequence<Block> sequence(params, seed);
    turnstile::Inputs in;
    sequence.begin(in);
    base::Hash hash;
    for (unsigned cycle = 0; cycle < 2000; ++cycle) {
      make_idle<Block>(in, params);
      advance_time<Block>(in, params, 1);
      sequence.drive(in);
      sequence.react(in, engine.settle(in));
      Block::each_input(
          [&](const Port& port, auto member, auto) {
            for (const U64 word : pack(in.*member, port.shape)) hash.add(word);
          },
          params);
      engine.clock(in);
    }
    return hash.value();
  };
  EXPECT_EQ(digest(7), digest(7));
  EXPECT_NE(digest(7), digest(8));
}

TEST(RandomSequence, HoldsARequestAndItsPayloadUntilItIsAnswered) {
  const turnstile::Params params;
  Engine engine(params);
  RandomSequence<Block> sequence(params, 5);
  turnstile::Inputs in, last;
  bool waiting = false;
  unsigned waited = 0, granted = 0, stray = 0;
  sequence.begin(in);
  for (unsigned cycle = 0; cycle < 20000; ++cycle) {
    make_idle<Block>(in, params);
    advance_time<Block>(in, params, 1);
    sequence.drive(in);
    const auto out = engine.settle(in);
    sequence.react(in, out);
    if (waiting) {
      ++waited;
      ASSERT_EQ(in.reg_req, 1) << cycle;
      ASSERT_EQ(in.reg_addr, last.reg_addr) << cycle;
      ASSERT_EQ(in.reg_we, last.reg_we) << cycle;
      ASSERT_EQ(in.reg_wdata, last.reg_wdata) << cycle;
    }
    Block::each_input(
        [&](const Port& port, auto member, auto) { ASSERT_TRUE(in_range(in.*member, port.shape)) << port.name; },
        params);
    granted += in.pick_grant != 0 && out.pick_valid != 0 ? 1 : 0;
    stray += in.pick_grant != 0 && out.pick_valid == 0 ? 1 : 0;
    waiting = in.reg_req != 0 && out.reg_ack == 0;
    last = in;
    engine.clock(in);
  }
  EXPECT_GT(waited, 1000U);
  EXPECT_GT(granted, 1000U);
  EXPECT_GT(stray, 5U);
  EXPECT_LT(stray, granted / 5);
}

TEST(PortWaves, ShowInputsInTheMiddleOfACycleAndRegistersAtItsBeginning) {
  const std::string path = temporary("ports.vcd");
  const turnstile::Params params;
  PortWaves<Block> waves(path, {{"model"}, {"rtl", "top"}}, params);
  turnstile::Inputs in;
  turnstile::Outputs out;
  turnstile::Probes probes;
  waves.cycle(0, in, out, probes);
  in.pick_grant = 1;   // an input
  out.pick_valid = 1;  // combinational
  out.beat = 1;        // registered
  probes.count = 3;
  waves.cycle(1, in, out, probes);
  waves.close();
  const std::string text = read(path);
  const std::string edge = text.substr(text.find("#1000\n"), text.find("#1500\n") - text.find("#1000\n"));
  const std::string middle = text.substr(text.find("#1500\n"));
  const auto id = [&](const std::string& name) {
    const std::size_t end = text.find(" " + name + " ");
    return text.substr(text.rfind(' ', end - 1) + 1, end - text.rfind(' ', end - 1) - 1);
  };
  EXPECT_THAT(edge, HasSubstr("1" + id("beat_o") + "\n"));
  EXPECT_THAT(edge, HasSubstr("b11 " + id("probe_count_o") + "\n"));
  EXPECT_THAT(middle, HasSubstr("1" + id("pick_grant_i") + "\n"));
  EXPECT_THAT(middle, HasSubstr("1" + id("pick_valid_o") + "\n"));
  EXPECT_THAT(edge, HasSubstr("1" + id("clk_i") + "\n"));
  EXPECT_THAT(middle, HasSubstr("0" + id("clk_i") + "\n"));
}

}  // namespace
}  // namespace castor::twin
