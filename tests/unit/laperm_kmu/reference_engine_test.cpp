#include <gtest/gtest.h>

#include <string>

#include "castor/laperm_kmu/engine.h"
#include "castor/twin/twin.h"
#include "tb/common/bench.h"
#include "tb/laperm_kmu/bench.h"
#include "tb/laperm_kmu/sequences.h"
#include "tests/common/compared_runs.h"
#include "tests/common/difference.h"
#include "tests/common/sanitized.h"
#include "unit/laperm_kmu/parameter_sets.h"
#include "unit/laperm_kmu/reference.h"

// Compares the engine with the slow reference machine, every output and every register in every cycle.

namespace castor::laperm_kmu::reference::reference_engine_test {
namespace {

/// Events that the runs contained.
struct Seen {
  U64 granted[4] = {}, withdrawn = 0, strays = 0;
};

/// Runs `cycles` cycles of a sequence on engine and reference, and fails at the first difference.
void follow(const Params& params, tb::Sequence& sequence, unsigned cycles, Seen& seen) {
  Engine engine(params);
  Machine machine(params);
  Inputs in;
  sequence.begin(in);
  U8 offered = 0;
  for (unsigned cycle = 0; cycle < cycles; ++cycle) {
    if (sequence.over()) {
      engine.reset();
      machine.reset();
      in = {};
      offered = 0;
      sequence.begin(in);
    }
    twin::make_idle<Block>(in, params);
    sequence.drive(in);
    const Outputs out = engine.settle(in);
    sequence.react(in, out);
    const std::string outputs = tests::difference<Block>(out, machine.settle(), params);
    const std::string registers = tests::difference<Block>(engine.probes(), machine.probes(), params);
    ASSERT_EQ(outputs + registers, "") << "cycle " << cycle;
    if (in.pick_grant != 0) ++(out.pick_valid != 0 ? seen.granted[out.pick_kind] : seen.strays);
    if (offered != 0 && out.pick_valid == 0) ++seen.withdrawn;
    offered = in.pick_grant != 0 ? U8{0} : out.pick_valid;
    engine.clock(in);
    machine.clock(in);
    if (engine.quiet() == base::kForever) {
      // Clocks the engine with the same levels as in the last cycle and without events: its state must not change.
      Engine later(engine);
      Inputs held = in;
      twin::make_idle<Block>(held, params);
      later.clock(held);
      ASSERT_EQ(tests::difference<Block>(later.probes(), engine.probes(), params), "") << "quiet, cycle " << cycle;
    }
  }
}

class LapermKmuAgainstReference : public testing::TestWithParam<test::ParameterSet> {
 protected:
  static void TearDownTestSuite() { compared.print("every output and register against the rules as a slow machine"); }
  static inline castor::test::ComparedRuns compared;
};
INSTANTIATE_TEST_SUITE_P(Sets, LapermKmuAgainstReference, testing::ValuesIn(sample_if_sanitized(test::kParameterSets)),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(LapermKmuAgainstReference, EveryOutputAndRegisterInEveryCycleOfEverySequence) {
  const Params& params = GetParam().params;
  const unsigned cycles = params.lists() > 100 ? 4000 : unless_sanitized(20000U, 4000U);
  Seen seen;
  for (const castor::tb::SequenceInfo& info : tb::sequences().infos()) {
    const unsigned seeds =
        info.name == "random" || info.name == "rules" || info.name == "resets" ? unless_sanitized(10U, 2U) : 1;
    for (unsigned seed = 1; seed <= seeds; ++seed) {
      SCOPED_TRACE("sequence " + std::string(info.name) + ", seed " + std::to_string(seed));
      const auto sequence = tb::sequences().make(info.name, params, seed);
      follow(params, *sequence, cycles, seen);
      if (HasFailure()) return;
      ++compared.runs;
      compared.cycles += cycles;
    }
  }
  ++compared.sets;
  // All compared events occurred.
  EXPECT_GT(seen.granted[kList], unless_sanitized(2000U, 100U));
  EXPECT_GT(seen.granted[kSuspended], unless_sanitized(500U, 25U));
  EXPECT_GT(seen.granted[kHost], unless_sanitized(1000U, 50U));
  EXPECT_GT(seen.withdrawn, unless_sanitized(100U, 5U));
  EXPECT_GT(seen.strays, unless_sanitized(100U, 5U));
}

// Cycles that the stimulus declares idle may be skipped: a run that skips them ends in the same state as one that
// clocks them.
TEST_P(LapermKmuAgainstReference, SkippedRestIsTheSameAsClockedRest) {
  const Params& params = GetParam().params;
  for (const char* name : {"sleepy", "random"}) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      SCOPED_TRACE(std::string(name) + ", seed " + std::to_string(seed));
      Probes ends[2];
      for (const bool skip : {false, true}) {
        twin::Model<Block> model(params);
        const auto sequence = laperm_kmu::Bench::make(name, params, seed);
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
}  // namespace castor::laperm_kmu::reference::reference_engine_test
