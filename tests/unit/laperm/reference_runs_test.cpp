#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "tb/common/medley.h"
#include "tb/common/port_cover.h"
#include "tb/laperm/cover_points.h"
#include "tb/laperm/sequences.h"
#include "tests/common/compared_runs.h"
#include "tests/common/sanitized.h"
#include "unit/laperm/parameter_sets.h"
#include "unit/laperm/reference.h"

// Runs the slow machine under all sequences, with checks of its register invariants and with untimed queues beside it.

namespace castor::laperm::reference::reference_runs_test {
namespace {

class LapermReferenceRuns : public testing::TestWithParam<test::ParameterSet> {
 protected:
  static void TearDownTestSuite() { compared.print("the rules as a slow machine against queues without time"); }
  static inline castor::test::ComparedRuns compared;
};
INSTANTIATE_TEST_SUITE_P(Sets, LapermReferenceRuns, testing::ValuesIn(sample_if_sanitized(test::kParameterSets)),
                         [](const auto& info) { return std::string(info.param.name); });

/// Runs `cycles` cycles of a sequence. Returns the first error with its cycle, or an empty string.
std::string follow(const Params& params, tb::Sequence& sequence, unsigned cycles, bool keeps_contract,
                   U64& thread_blocks) {
  Machine machine(params);
  Queues queues(params);
  Inputs in;
  sequence.begin(in);
  for (unsigned cycle = 0; cycle < cycles; ++cycle) {
    if (sequence.over()) {
      machine.reset();
      thread_blocks += queues.thread_blocks();
      queues = Queues(params);
      in = {};
      sequence.begin(in);
    }
    twin::make_idle<Block>(in, params);
    sequence.drive(in);
    const Outputs out = machine.settle(in);
    sequence.react(in, out);
    queues.see(in, out, machine.probes());
    const std::string broken = machine.broken() + queues.problem();
    if (!broken.empty()) return "cycle " + std::to_string(cycle) + ": " + broken;
    if (keeps_contract && out.err != 0) return "cycle " + std::to_string(cycle) + ": err";
    machine.clock(in);
  }
  thread_blocks += queues.thread_blocks();
  return "";
}

TEST_P(LapermReferenceRuns, InvariantsAndOrderHoldInEveryCycleOfEverySequence) {
  const Params& params = GetParam().params;
  const unsigned cycles = params.lists() > 40 ? unless_sanitized(3000U, 1000U) : unless_sanitized(15000U, 2000U);
  U64 thread_blocks = 0;
  for (const castor::tb::SequenceInfo& info : tb::sequences().infos()) {
    const unsigned seeds = info.name == "random" || info.name == "rules" || info.name == "resets" ? 5 : 1;
    for (unsigned seed = 1; seed <= seeds; ++seed) {
      SCOPED_TRACE("sequence " + std::string(info.name) + ", seed " + std::to_string(seed));
      const auto sequence = tb::sequences().make(info.name, params, seed);
      ASSERT_EQ(follow(params, *sequence, cycles, info.keeps_contract, thread_blocks), "");
      ++compared.runs;
      compared.cycles += cycles;
    }
  }
  ++compared.sets;
  EXPECT_GT(thread_blocks, unless_sanitized(5000U, 1000U));
}

// The stimulus brings the rules into every situation that has a point.
TEST_P(LapermReferenceRuns, MedleyReachesCoverPoints) {
  constexpr unsigned kCycles = unless_sanitized(300000, 20000);
  const Params& params = GetParam().params;
  castor::tb::Cover cover;
  tb::CoverPoints points(cover, params, {});
  castor::tb::PortCover<Block> ports(cover, params);
  castor::tb::Medley<Block> sequence(tb::sequences(), params, 1);
  Machine machine(params);
  Inputs in;
  sequence.begin(in);
  for (unsigned cycle = 0; cycle < kCycles; ++cycle) {
    if (sequence.over()) {
      machine.reset();
      in = {};
      sequence.begin(in);
    }
    twin::make_idle<Block>(in, params);
    sequence.drive(in);
    const Outputs out = machine.settle(in);
    sequence.react(in, out);
    const Probes probes = machine.probes();
    points.sample(in, out, probes);
    ports.watch(in, out, probes);
    machine.clock(in);
  }
  unsigned all = 0, reached = 0;
  std::string missing;
  for (const castor::tb::Cover::Point& point : cover.points()) {
    if (!point.waiver.empty() || point.long_run) continue;
    if (point.name.find(" top bit") != std::string::npos) continue;  // reached by longer runs only: castor cosim laperm
    ++all;
    reached += point.hits > 0 ? 1 : 0;
    if (point.hits == 0) missing += point.name + "; ";
  }
  std::printf("%s: %u of %u points; missing: %s\n", GetParam().name, reached, all, missing.c_str());
  EXPECT_GE(reached * 100, all * unless_sanitized(97U, 0U)) << missing;
}

}  // namespace
}  // namespace castor::laperm::reference::reference_runs_test
