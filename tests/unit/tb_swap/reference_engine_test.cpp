#include <gtest/gtest.h>

#include <string>

#include "castor/tb_swap/engine.h"
#include "castor/twin/twin.h"
#include "tb/common/bench.h"
#include "tb/tb_swap/bench.h"
#include "tb/tb_swap/sequences.h"
#include "tests/common/compared_runs.h"
#include "tests/common/difference.h"
#include "tests/common/sanitized.h"
#include "unit/tb_swap/parameter_sets.h"
#include "unit/tb_swap/shadow.h"

// The engine between surroundings that keep the contract: its decisions, stores, loads and entries against the
// reference, and tokens in every cell of storage.

namespace castor::tb_swap::reference::reference_engine_test {
namespace {

/// Adds the events of one run to those of all.
void add(Shadow::Seen& sum, const Shadow::Seen& seen) {
  for (unsigned i = 0; i < 5; ++i) sum.classes[i] += seen.classes[i];
  for (unsigned i = 0; i < 3; ++i) sum.stores[i] += seen.stores[i];
  for (unsigned i = 0; i < 4; ++i) sum.loads[i] += seen.loads[i];
  sum.returns += seen.returns;
  sum.starts += seen.starts;
  sum.foreign += seen.foreign;
  sum.exchanges_in_place += seen.exchanges_in_place;
  sum.whole_kernels += seen.whole_kernels;
  sum.checked_cells += seen.checked_cells;
}

/// Runs `cycles` cycles of a sequence, and fails at the first difference.
void follow(const Params& params, tb::Sequence& sequence, U64 seed, unsigned cycles, Shadow::Seen& sum) {
  Engine engine(params);
  Shadow shadow(params, seed);
  Inputs in;
  sequence.begin(in);
  for (unsigned cycle = 0; cycle < cycles; ++cycle) {
    if (sequence.over()) {
      engine.reset();
      shadow.reset();
      in = {};
      sequence.begin(in);
    }
    twin::make_idle<Block>(in, params);
    sequence.drive(in);
    const Outputs out = engine.settle(in);
    sequence.react(in, out);
    shadow.see(in, out, engine.probes());
    ASSERT_EQ(shadow.problems(), "");
    engine.clock(in);
    if (cycle % 16 == 0 && engine.quiet() == base::kForever) {
      // Clocks the engine with the same levels as in the last cycle and without events: its state must not change.
      Engine later(engine);
      Inputs held = in;
      twin::make_idle<Block>(held, params);
      later.clock(held);
      ASSERT_EQ(tests::difference<Block>(later.probes(), engine.probes(), params), "") << "quiet, cycle " << cycle;
    }
  }
  add(sum, shadow.seen());
}

class TbSwapAgainstReference : public testing::TestWithParam<test::ParameterSet> {
 protected:
  static void TearDownTestSuite() { compared.print("every decision, access and token against the rules without time"); }
  static inline castor::test::ComparedRuns compared;
};
INSTANTIATE_TEST_SUITE_P(Sets, TbSwapAgainstReference, testing::ValuesIn(sample_if_sanitized(test::kParameterSets)),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(TbSwapAgainstReference, EveryDecisionAccessAndTokenOfEverySequenceThatKeepsTheContract) {
  const Params& params = GetParam().params;
  Shadow::Seen seen;
  for (const castor::tb::SequenceInfo& info : tb::sequences().infos()) {
    if (!info.keeps_contract) continue;
    const unsigned seeds = info.name == "random" || info.name == "resets" ? unless_sanitized(10U, 2U) : 1;
    const unsigned cycles = info.name == "longest_contexts" ? 70'000 : unless_sanitized(20'000U, 4'000U);
    for (unsigned seed = 1; seed <= seeds; ++seed) {
      SCOPED_TRACE("sequence " + std::string(info.name) + ", seed " + std::to_string(seed));
      const auto sequence = tb::sequences().make(info.name, params, seed);
      follow(params, *sequence, seed, cycles, seen);
      if (HasFailure()) return;
      ++compared.runs;
      compared.cycles += cycles;
    }
  }
  ++compared.sets;
  // All compared events occurred.
  for (unsigned where = 0; where < 5; ++where) {
    // One home alone: no thread block can keep it.
    const bool keeps_registers = where == 1 || where == 3;
    if (params.NumHomes > 1 || !keeps_registers) {
      EXPECT_GT(seen.classes[where], unless_sanitized(50U, 2U)) << where;
    }
  }
  for (const U64 stores : seen.stores) EXPECT_GT(stores, unless_sanitized(2000U, 100U));
  for (const U64 loads : seen.loads) EXPECT_GT(loads, unless_sanitized(200U, 10U));
  EXPECT_GT(seen.returns, unless_sanitized(2000U, 100U));
  EXPECT_GT(seen.starts, unless_sanitized(2000U, 100U));
  EXPECT_GT(seen.foreign, unless_sanitized(100U, 5U));
  if (params.NumHomes > 1) {
    EXPECT_GT(seen.exchanges_in_place, unless_sanitized(50U, 2U));
  }
  EXPECT_GT(seen.whole_kernels, unless_sanitized(100U, 5U));
  EXPECT_GT(seen.checked_cells, unless_sanitized(20'000U, 1000U));
}

// Cycles that the stimulus declares idle may be skipped: a run that skips them ends in the same state as one that
// clocks them.
TEST_P(TbSwapAgainstReference, SkippedRestIsTheSameAsClockedRest) {
  const Params& params = GetParam().params;
  for (const char* name : {"sleepy", "random"}) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      SCOPED_TRACE(std::string(name) + ", seed " + std::to_string(seed));
      Probes ends[2];
      for (const bool skip : {false, true}) {
        twin::Model<Block> model(params);
        const auto sequence = tb_swap::Bench::make(name, params, seed);
        const base::Cycle skipped = castor::tb::run<Block>(
            model, *sequence, 10000, skip, [](const Inputs&, const Outputs&, const auto&) {}, [](base::Cycle) {});
        if (skip && std::string(name) == "sleepy") {
          EXPECT_GT(skipped, 1000U);
        }
        ends[skip ? 1 : 0] = model.probes();
      }
      EXPECT_EQ(tests::difference<Block>(ends[0], ends[1], params), "");
    }
  }
}

}  // namespace
}  // namespace castor::tb_swap::reference::reference_engine_test
