#include "unit/darsie/reference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tb/darsie/environment.h"
#include "tb/darsie/scripts.h"
#include "tests/common/sanitized.h"
#include "unit/darsie/golden.h"
#include "unit/darsie/literal.h"
#include "unit/darsie/parameter_sets.h"
#include "unit/darsie/run.h"

// Compares the rules of a cycle, the reference with versions, kernels and marks with each other. The device under test
// is the literal machine of the rules; the engine is not used.

namespace castor::darsie::reference::reference_test {
namespace {

using literal::Rules;
using tb::Environment;
using tb::Instruction;
using tb::Kernel;
using tb::Knobs;
using tb::Op;

TEST(DarsieGolden, BothTracesCycleByCycleWithGroupsAndReasons) {
  for (const tb::Trace& trace : tb::golden_traces()) {
    literal::Machine machine(tb::golden_params());
    const auto more = [&](const tb::TraceRow& row) {
      std::string wrong;
      const std::string groups = machine.groups_text(), why = literal::kWhyNames[static_cast<unsigned>(machine.why())];
      if (groups != row.groups) wrong += "groups are '" + groups + "'; ";
      if (why != row.why) wrong += "why is '" + why + "'; ";
      return wrong;
    };
    EXPECT_EQ(test::follow_golden(machine, trace, more), "") << trace.name;
  }
}

TEST(DarsieGolden, EachRuleLeftOutIsMissedByOneOfThem) {
  const auto followed = [](const Rules& rules) {
    std::string all;
    for (const tb::Trace& trace : tb::golden_traces()) {
      literal::Machine machine(tb::golden_params(), rules);
      all += test::follow_golden(machine, trace);
    }
    return all;
  };
  Rules rules;
  rules.meet = false;
  EXPECT_NE(followed(rules), "");
  rules = {};
  rules.region_end_clears = false;
  EXPECT_NE(followed(rules), "");
  rules = {};
  rules.stale = false;
  EXPECT_NE(followed(rules), "");
  rules = {};
  rules.drop = false;
  EXPECT_NE(followed(rules), "");
  rules = {};
  rules.copy_out = false;
  EXPECT_NE(followed(rules), "");
  rules = {};
  rules.pend_in_match = false;
  EXPECT_EQ(followed(rules), "") << "redundant under stimulus that keeps the contract";
}

TEST(DarsieGolden, TheReferenceFollowsThem) {
  for (const tb::Trace& trace : tb::golden_traces()) {
    const Params params = tb::golden_params();
    literal::Machine machine(params);
    Versions versions(params);
    Inputs in;
    for (const tb::TraceRow& row : trace.rows) {
      twin::make_idle<Block>(in, params);
      tb::play(row.inputs, params, in);
      const Outputs out = machine.settle(in);
      versions.see(in, out);
      machine.clock(in);
    }
    EXPECT_THAT(versions.problems(), testing::IsEmpty()) << trace.name;
    EXPECT_GE(versions.seen().skips, 4U);
  }
}

TEST(DarsieLiteral, QuietIsWhenAnEdgeWithoutEventsMovesNothing) {
  literal::Machine machine(tb::golden_params());
  EXPECT_EQ(machine.quiet(), base::kForever);
  Inputs in;
  const auto step = [&](const char* text) {
    twin::make_idle<Block>(in, machine.params());
    tb::play(text, machine.params(), in);
    machine.clock(in);
  };
  step("launch t0 warps 0011 full 0011 en 1 promote 1 base 0 rows 4 slots 2");
  EXPECT_EQ(machine.quiet(), base::kForever);
  step("elig w0@0; br w0 w1 taken");
  EXPECT_EQ(machine.quiet(), 0U) << "a meeting completes";
  step("");
  EXPECT_EQ(machine.quiet(), base::kForever);
  step("wb t0 k0");
  EXPECT_EQ(machine.quiet(), 0U) << "err falls";
}

// Kernels and marks

Instruction make(Op op, std::vector<unsigned> dst, std::vector<unsigned> src, std::uint32_t imm = 0,
                 unsigned target = 0) {
  Instruction now;
  now.op = op;
  now.imm = imm;
  now.target = target;
  for (const unsigned d : dst) now.dst[now.ndst++] = d;
  for (const unsigned s : src) now.src[now.nsrc++] = s;
  return now;
}

std::vector<unsigned> marks_of(std::vector<Instruction> code, unsigned registers, const tb::MarkRules& rules = {}) {
  Kernel kernel;
  kernel.code = std::move(code);
  kernel.registers = registers;
  tb::mark(kernel, rules);
  std::vector<unsigned> marks;
  for (const Instruction& now : kernel.code) marks.push_back(now.mark);
  return marks;
}

TEST(DarsieMarks, StraightCodeTakesTheWeakestOfItsSources) {
  // A constant, tid.x, tid.y, their sums, and a register that no instruction writes.
  EXPECT_EQ(marks_of({make(Op::kMix, {0}, {}), make(Op::kTid, {1}, {}, 0), make(Op::kTid, {2}, {}, 1),
                      make(Op::kMix, {3}, {0, 1}), make(Op::kMix, {4}, {3, 2}), make(Op::kMix, {5}, {6}),
                      make(Op::kExit, {}, {})},
                     7),
            (std::vector<unsigned>{2, 1, 0, 1, 0, 0, 0}));
}

TEST(DarsieMarks, BothSidesOfABranchDefineAndTheJoinIsAsGoodAsThePredicate) {
  const auto code = [](std::uint32_t which) {
    return std::vector<Instruction>{make(Op::kTid, {0}, {}, which), make(Op::kBranch, {}, {0}, 1, 4),
                                    make(Op::kMix, {1}, {}, 7),     make(Op::kJump, {}, {}, 0, 5),
                                    make(Op::kMix, {1}, {}, 8),     make(Op::kMix, {2}, {1}),
                                    make(Op::kExit, {}, {})};
  };
  EXPECT_EQ(marks_of(code(1), 3), (std::vector<unsigned>{0, 0, 2, 0, 2, 0, 0}));
  EXPECT_EQ(marks_of(code(0), 3), (std::vector<unsigned>{1, 0, 2, 0, 2, 1, 0}));
  tb::MarkRules rules;
  rules.joins = false;
  EXPECT_EQ(marks_of(code(1), 3, rules), (std::vector<unsigned>{0, 0, 2, 0, 2, 2, 0}));
}

TEST(DarsieMarks, ALoopCounterIsWorseOnlyBehindTheLoop) {
  // The trip count differs between warps: all registers that the loop defines differ after the loop, but not inside it.
  EXPECT_EQ(marks_of({make(Op::kMix, {0}, {}), make(Op::kTid, {1}, {}, 2), make(Op::kCount, {0}, {0}),
                      make(Op::kMix, {2}, {0, 1}), make(Op::kBranch, {}, {2}, 3, 2), make(Op::kMix, {3}, {0}),
                      make(Op::kExit, {}, {})},
                     4),
            (std::vector<unsigned>{2, 0, 2, 0, 0, 0, 0}));
}

TEST(DarsieMarks, GuardedRegistersStayOutOfTheRenameSet) {
  Instruction guarded = make(Op::kMix, {0}, {1});
  guarded.guarded = true;
  const std::vector<Instruction> code = {make(Op::kMix, {0}, {}), make(Op::kMix, {1}, {}), guarded,
                                         make(Op::kMix, {2}, {0}), make(Op::kExit, {}, {})};
  EXPECT_EQ(marks_of(code, 3), (std::vector<unsigned>{0, 2, 0, 2, 0}));
  tb::MarkRules rules;
  rules.keep_guarded_out = false;
  EXPECT_EQ(marks_of(code, 3, rules), (std::vector<unsigned>{2, 2, 0, 2, 0}));
  rules = {};
  rules.limit = 1;
  EXPECT_EQ(marks_of(code, 3, rules), (std::vector<unsigned>{0, 2, 0, 0, 0}));
}

TEST(DarsieShape, OnlyPowersOfTwoUpTo32OfMoreThanOneRowPromote) {
  unsigned promoting = 0;
  for (unsigned x = 1; x <= 64; ++x) promoting += tb::Shape{x, 4, 1}.promotes() ? 1 : 0;
  EXPECT_EQ(promoting, 6U);
  EXPECT_TRUE((tb::Shape{32, 1, 2}.promotes()));
  EXPECT_FALSE((tb::Shape{32, 1, 1}.promotes()));
  EXPECT_EQ((tb::Shape{16, 3, 1}.lanes(1)), 0xFFFFU);
}

// One rule left out at a time, and who sees it

/// Returns whether something is wrong in one of `runs` of that sequence; the first such run ends them.
bool found(const Rules& rules, const char* sequence, const Params& params, unsigned runs, unsigned cycles) {
  for (unsigned seed = 1; seed <= runs; ++seed) {
    literal::Machine machine(params, rules);
    const auto stimulus = tb::sequences().make(sequence, params, seed);
    if (!test::run_beside_reference(machine, *stimulus, cycles).empty()) return true;
  }
  return false;
}

struct Fault {
  const char* name;
  bool Rules::*rule;
  const char* sequence;
};
void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.name; }

class DarsieRules : public testing::TestWithParam<Fault> {};
INSTANTIATE_TEST_SUITE_P(
    LeftOut, DarsieRules,
    testing::ValuesIn(sample_if_sanitized(std::vector<Fault>{
        Fault{"written", &Rules::free_only_if_written, "slow_loads"}, Fault{"oldest", &Rules::oldest_first, "versions"},
        Fault{"linger", &Rules::linger, "late_reads"}, Fault{"region_end", &Rules::region_end_clears, "uniform_loops"},
        Fault{"meeting", &Rules::meet, "sides"}, Fault{"stale", &Rules::stale, "litmus"},
        Fault{"drop", &Rules::drop, "storms"}, Fault{"copy_out", &Rules::copy_out, "leaves"}})),
    [](const auto& info) { return std::string(info.param.name); });

TEST_P(DarsieRules, IsFoundByItsSequenceWhichFindsNothingElse) {
  const Params params;
  const unsigned runs = unless_sanitized(3U, 1U);
  EXPECT_FALSE(found({}, GetParam().sequence, params, runs, 3000));
  Rules rules;
  rules.*GetParam().rule = false;
  EXPECT_TRUE(found(rules, GetParam().sequence, params, runs, 3000));
}

/// Returns whether one of `runs` kernels with other knobs leaves wrong values in the memory of a thread block. Runs
/// without the reference, and stops at the first wrong result.
bool wrong_results(const Rules& rules, const Params& params, unsigned runs, void (*change)(Knobs&)) {
  for (unsigned seed = 1; seed <= runs; ++seed) {
    Knobs knobs = tb::draw(params, seed);
    change(knobs);
    literal::Machine machine(params, rules);
    Environment sequence(params, knobs, seed);
    try {
      test::run(
          machine, sequence, 5000, [](const Inputs&, const Outputs&) {}, [] {});
    } catch (const base::Error&) {
      return true;
    }
  }
  return false;
}

TEST(DarsieSoundness, ResultsAreThoseWithoutTheBlock) {
  EXPECT_FALSE(wrong_results({}, {}, unless_sanitized(12, 1), [](Knobs&) {}));
}

TEST(DarsieSoundness, WarpsMustNotSkipBehindWhatHasNotIssued) {
  EXPECT_TRUE(wrong_results({}, {}, 40, [](Knobs& knobs) { knobs.early_eligible = 20000; }));
}

TEST(DarsieSoundness, GuardedRegistersMustNotBeRenamed) {
  EXPECT_TRUE(wrong_results({}, {}, 20, [](Knobs& knobs) {
    knobs.style.guarded = 60;
    knobs.style.guard_leak = 128;
    knobs.style.marks.keep_guarded_out = false;
  }));
}

// Warps diverge by their numbers and reconverge at barriers. The code in between consists mostly of redundant
// instructions.
void parts_and_meets(Knobs& knobs) {
  tb::Style& style = knobs.style;
  style.branch = 40;
  style.barrier = 60;
  style.divergent = 256;
  style.vector = 10;
  style.registers = 6;
  style.instructions = 120;
  style.loop = style.guarded = style.store = style.add = style.fence = style.load = style.litmus = 0;
  style.named = style.exit = style.publish = style.straight = style.pair = 0;
  knobs.least_warps = 2;
  knobs.most_warps = 8;
  knobs.least_rows = knobs.most_rows = 32;
  knobs.leave = 0;
  knobs.fewer_slots = 0;
  knobs.new_kernel = 30000;
  knobs.two_dimensional = knobs.enabled = tb::kAlways;
}

TEST(DarsieSoundness, JoinsMustNotBeBetterThanTheirPredicates) {
  EXPECT_FALSE(wrong_results({}, {}, unless_sanitized(12, 1), parts_and_meets));
  static constexpr auto kWithout = [](Knobs& knobs) {
    parts_and_meets(knobs);
    knobs.style.marks.joins = false;
  };
  EXPECT_TRUE(wrong_results({}, {}, 60, kWithout));
}

TEST(DarsieSoundness, ShapesThatMustNotPromoteAreSeenIfTheyDo) {
  EXPECT_TRUE(wrong_results({}, {}, 30, [](Knobs& knobs) {
    knobs.force_promote = tb::kAlways;
    knobs.two_dimensional = 0;
  }));
}

// A warp's own store precedes its later load, whichever warp leads the load.
TEST(DarsieLitmus, WithoutInvalidationAWarpMissesItsOwnStore) {
  Params params;
  params.StoreInv = 0;
  EXPECT_TRUE(wrong_results({}, params, 12, [](Knobs& knobs) {
    knobs.litmus_always = 1;
    knobs.style.litmus = 100;
    knobs.least_warps = 3;
  }));
}

}  // namespace
}  // namespace castor::darsie::reference::reference_test
