#include <gtest/gtest.h>

#include <string>

#include "castor/darsie/engine.h"
#include "castor/twin/twin.h"
#include "tb/common/bench.h"
#include "tb/darsie/bench.h"
#include "tb/darsie/sequences.h"
#include "tests/common/difference.h"
#include "tests/common/sanitized.h"
#include "unit/darsie/golden.h"
#include "unit/darsie/literal.h"
#include "unit/darsie/parameter_sets.h"
#include "unit/darsie/run.h"

// The engine against the rules written down one after the other, every output and every register in every cycle of all
// sequences; against the reference with versions; and on the golden traces. Another twin (RTL) drops in as the device.

namespace castor::darsie::reference_engine_test {
namespace {

std::unique_ptr<test::Device> device(const Params& params) { return std::make_unique<twin::Model<Block>>(params); }

/// Runs a sequence on engine and reference. In every fourth cycle it also queries the engine early, before all inputs
/// are known, and again before the edge. Returns the first difference, and adds the engine's counters to `sum`.
std::string follow(const Params& params, tb::Sequence& sequence, unsigned cycles, Counters& sum) {
  twin::Model<Block> model(params);
  literal::Machine machine(params);
  std::string first;
  unsigned cycle = 0;
  test::run(
      model, sequence, cycles,
      [&](const Inputs& in, const Outputs& out) {
        if (!first.empty()) return;
        first = tests::difference<Block>(out, machine.settle(in), params) +
                tests::difference<Block>(model.probes(), machine.probes(), params);
        if (!first.empty()) first = "cycle " + std::to_string(cycle) + ": " + first;
        const bool quiet = machine.quiet() == 0 && model.quiet() != 0;
        if (first.empty() && quiet) first = "cycle " + std::to_string(cycle) + ": says that it is quiet, and is not";
        machine.clock(in);
        if (++cycle % 4 != 0) return;
        model.settle(Inputs{});
        if (cycle % 8 == 0) model.settle(in);
      },
      [&] { machine.reset(); });
  Counters::each([&](auto name, auto, auto, auto member) {
    const U64 engine = model.engine().counters().*member, right = machine.counters().*member;
    if (first.empty() && engine != right) {
      first = std::string(name) + " is " + std::to_string(engine) + ", and " + std::to_string(right) + " is right";
    }
    sum.*member += engine;
  });
  return first;
}

class DarsieAgainstReference : public testing::TestWithParam<test::ParameterSet> {};
INSTANTIATE_TEST_SUITE_P(Sets, DarsieAgainstReference, testing::ValuesIn(sample_if_sanitized(test::kParameterSets)),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(DarsieAgainstReference, EveryOutputRegisterAndCounterInEveryCycleOfEverySequence) {
  const Params& params = GetParam().params;
  Counters sum;
  for (const castor::tb::SequenceInfo& info : tb::sequences().infos()) {
    const unsigned seeds = info.name == "random" || info.name == "rules" || info.name == "chaos" ? 4 : 1;
    for (unsigned seed = 1; seed <= unless_sanitized(seeds, 1U); ++seed) {
      SCOPED_TRACE("sequence " + std::string(info.name) + ", seed " + std::to_string(seed));
      const auto sequence = tb::sequences().make(info.name, params, seed);
      EXPECT_EQ(follow(params, *sequence, unless_sanitized(2000, 400), sum), "");
      if (HasFailure()) return;
    }
  }
  if (kSanitized || std::string_view(GetParam().name) != "odd") return;
  Counters::each([&](auto name, auto, auto, auto member) { EXPECT_GT(sum.*member, 20U) << name; });
}

TEST_P(DarsieAgainstReference, ProgramOrderInEverySequenceThatKeepsTheContract) {
  const Params& params = GetParam().params;
  for (const castor::tb::SequenceInfo& info : tb::sequences().infos()) {
    if (!info.keeps_contract) continue;
    SCOPED_TRACE(info.name);
    const auto engine = device(params);
    const auto sequence = tb::sequences().make(info.name, params, 11);
    EXPECT_EQ(test::run_beside_reference(*engine, *sequence, unless_sanitized(3000, 500)), "");
  }
}

TEST(DarsieEngineGolden, BothTracesCycleByCycle) {
  for (const tb::Trace& trace : tb::golden_traces()) {
    const auto engine = device(tb::golden_params());
    EXPECT_EQ(test::follow_golden(*engine, trace), "") << trace.name;
  }
}

// While the engine reports that it is quiet, skipping idle cycles gives the same state and counts as clocking them.
TEST_P(DarsieAgainstReference, IdleCyclesAreAsIfTheyWereClocked) {
  const Params& params = GetParam().params;
  unsigned quiet = 0, cycle = 0;
  for (const char* const name : {"random", "few_rows", "sleepy", "rules"}) {
    SCOPED_TRACE(name);
    twin::Model<Block> model(params);
    const auto sequence = tb::sequences().make(name, params, 21);
    Inputs last;
    test::run(
        model, *sequence, unless_sanitized(3000, 300),
        [&](const Inputs& in, const Outputs&) {
          const Engine& engine = model.engine();
          if (cycle++ != 0 && engine.quiet() != 0) {
            ++quiet;
            Engine skips = engine, clocks = engine;
            twin::make_idle<Block>(last, params);
            const Outputs shown = clocks.settle(last);
            const unsigned n = 1 + cycle % 7;
            for (unsigned i = 0; i < n; ++i) {
              clocks.clock(last);
              ASSERT_EQ(tests::difference<Block>(clocks.settle(last), shown, params), "") << "cycle " << cycle;
            }
            skips.idle(n);
            ASSERT_TRUE(skips.state() == clocks.state()) << "cycle " << cycle << '\n'
                                                         << clocks.state() << skips.state();
            ASSERT_TRUE(skips.counters() == clocks.counters()) << "cycle " << cycle;
          }
          last = in;
        },
        [&] { last = {}; });
    if (HasFailure()) return;
  }
  EXPECT_GT(quiet, unless_sanitized(100U, 10U));
}

// Cycles that the stimulus declares idle may be skipped: a run that skips them ends in the same state as one that
// clocks them.
TEST_P(DarsieAgainstReference, SkippedRestIsTheSameAsClockedRest) {
  const Params& params = GetParam().params;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Probes ends[2];
    for (const bool skip : {false, true}) {
      const auto engine = device(params);
      const auto sequence = darsie::Bench::make("sleepy", params, seed);
      castor::tb::run<Block>(
          *engine, *sequence, 6000, skip, [](const Inputs&, const Outputs&, const auto&) {}, [](base::Cycle) {});
      ends[skip ? 1 : 0] = engine->probes();
    }
    EXPECT_EQ(tests::difference<Block>(ends[0], ends[1], params), "");
  }
}

}  // namespace
}  // namespace castor::darsie::reference_engine_test
