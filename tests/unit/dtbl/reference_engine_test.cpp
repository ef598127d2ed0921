#include <gtest/gtest.h>

#include <string>

#include "castor/dtbl/engine.h"
#include "castor/twin/twin.h"
#include "tb/common/bench.h"
#include "tb/dtbl/bench.h"
#include "tb/dtbl/sequences.h"
#include "tests/common/compared_runs.h"
#include "tests/common/difference.h"
#include "tests/common/sanitized.h"
#include "unit/dtbl/parameter_sets.h"
#include "unit/dtbl/reference.h"

// Compares the engine with the slow reference machine, every output and every register in every cycle, and with untimed
// queues.

namespace castor::dtbl::reference::reference_engine_test {
namespace {

/// Events that the runs contained.
struct Seen {
  U64 thread_blocks = 0, groups = 0, in_memory = 0, fallbacks = 0, reads = 0, links = 0, errors = 0;
};

/// Runs `cycles` cycles of a sequence on engine and reference, and fails at the first difference.
void follow(const Params& params, tb::Sequence& sequence, unsigned cycles, bool keeps_contract, Seen& seen) {
  Engine engine(params);
  Machine machine(params);
  Queues queues(params);
  Inputs in;
  sequence.begin(in);
  for (unsigned cycle = 0; cycle < cycles; ++cycle) {
    if (sequence.over()) {
      engine.reset();
      machine.reset();
      queues = Queues(params);
      in = {};
      sequence.begin(in);
    }
    twin::make_idle<Block>(in, params);
    sequence.drive(in);
    const Outputs out = engine.settle(in);
    sequence.react(in, out);
    const std::string outputs = tests::difference<Block>(out, machine.settle(in), params);
    const std::string registers = tests::difference<Block>(engine.probes(), machine.probes(), params);
    queues.see(in, out);
    const std::string broken = machine.broken() + queues.problem();
    if (!outputs.empty() || !registers.empty() || !broken.empty()) {
      ADD_FAILURE() << "cycle " << cycle << ": " << outputs << registers << broken;
      return;
    }
    seen.in_memory += out.att_valid != 0 && out.att_ready != 0 && off_chip(out.att_agei) ? 1 : 0;
    seen.fallbacks += out.fb_valid != 0 && in.fb_ready != 0 ? 1 : 0;
    seen.reads += out.mem_valid != 0 && out.mem_write == 0 && in.mem_ready != 0 ? 1 : 0;
    seen.links += out.mem_write != 0 && in.mem_ready != 0 ? 1 : 0;
    seen.errors += (out.launch_err | out.dispatch_err) != 0 ? 1 : 0;
    if (keeps_contract && (out.launch_err | out.dispatch_err) != 0) {
      ADD_FAILURE() << "cycle " << cycle << ": errors " << int{out.launch_err} << ", " << int{out.dispatch_err};
      return;
    }
    engine.clock(in);
    machine.clock(in);
  }
  seen.thread_blocks += queues.thread_blocks();
  seen.groups += queues.groups();
}

class DtblAgainstReference : public testing::TestWithParam<test::ParameterSet> {
 protected:
  static void TearDownTestSuite() { compared.print("every output and register against the rules as a slow machine"); }
  static inline castor::test::ComparedRuns compared;
};
INSTANTIATE_TEST_SUITE_P(Sets, DtblAgainstReference, testing::ValuesIn(sample_if_sanitized(test::kParameterSets)),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(DtblAgainstReference, EveryOutputAndRegisterInEveryCycleOfEverySequence) {
  const Params& params = GetParam().params;
  const unsigned cycles =
      params.NumKde > 100 || params.AgtSize > 100 ? unless_sanitized(4000U, 1000U) : unless_sanitized(20000U, 4000U);
  Seen seen;
  for (const castor::tb::SequenceInfo& info : tb::sequences().infos()) {
    const unsigned seeds =
        info.name == "random" || info.name == "rules" || info.name == "resets" ? unless_sanitized(10U, 2U) : 1;
    for (unsigned seed = 1; seed <= seeds; ++seed) {
      SCOPED_TRACE("sequence " + std::string(info.name) + ", seed " + std::to_string(seed));
      const auto sequence = tb::sequences().make(info.name, params, seed);
      follow(params, *sequence, cycles, info.keeps_contract, seen);
      if (HasFailure()) return;
      ++compared.runs;
      compared.cycles += cycles;
    }
  }
  ++compared.sets;
  // All compared events occurred.
  EXPECT_GT(seen.thread_blocks, unless_sanitized(10000U, 500U));
  EXPECT_GT(seen.groups, unless_sanitized(5000U, 250U));
  EXPECT_GT(seen.in_memory, unless_sanitized(300U, 15U));
  EXPECT_GT(seen.fallbacks, unless_sanitized(300U, 15U));
  EXPECT_GT(seen.reads, unless_sanitized(200U, 10U));
  EXPECT_GT(seen.links, unless_sanitized(100U, 5U));
  EXPECT_GT(seen.errors, unless_sanitized(500U, 25U));
}

// Cycles that the stimulus declares idle may be skipped: a run that skips them ends in the same state as one that
// clocks them.
TEST_P(DtblAgainstReference, SkippedRestIsTheSameAsClockedRest) {
  const Params& params = GetParam().params;
  for (const char* name : {"sleepy", "random"}) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      SCOPED_TRACE(std::string(name) + ", seed " + std::to_string(seed));
      Probes ends[2];
      for (const bool skip : {false, true}) {
        twin::Model<Block> model(params);
        const auto sequence = dtbl::Bench::make(name, params, seed);
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
}  // namespace castor::dtbl::reference::reference_engine_test
