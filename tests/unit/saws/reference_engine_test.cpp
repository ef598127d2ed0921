#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "castor/base/rng.h"
#include "castor/saws/engine.h"
#include "castor/twin/twin.h"
#include "tb/common/bench.h"
#include "tb/saws/bench.h"
#include "tb/saws/sequences.h"
#include "tests/common/compared_runs.h"
#include "tests/common/difference.h"
#include "tests/common/sanitized.h"
#include "unit/saws/parameter_sets.h"
#include "unit/saws/reference_machine.h"

// The engine against the plain machine of the reference: every output and every register, in every cycle of random and
// directed runs.

namespace castor::saws::reference::reference_engine_test {
namespace {

/// Runs `cycles` cycles of a sequence on engine and reference, and fails at the first difference. Returns what the
/// reference has seen.
Machine::Seen follow(const Params& params, tb::Sequence& sequence, unsigned cycles) {
  Engine engine(params);
  Machine machine(params);
  Inputs in;
  sequence.begin(in);
  for (unsigned cycle = 0; cycle < cycles; ++cycle) {
    twin::make_idle<Block>(in, params);
    sequence.drive(in);
    const Outputs out = engine.settle(in);
    sequence.react(in, out);
    const std::string outputs = tests::difference<Block>(out, machine.settle(in), params);
    const std::string registers = tests::difference<Block>(engine.probes(), machine.probes(), params);
    if (!outputs.empty() || !registers.empty()) {
      ADD_FAILURE() << "cycle " << cycle << ": " << outputs << registers;
      return {};
    }
    engine.clock(in);
    machine.clock(in);
  }
  for (const std::string& problem : machine.problems()) ADD_FAILURE() << problem;
  return machine.seen();
}

class SawsAgainstReference : public testing::TestWithParam<test::ParameterSet> {
 protected:
  static void TearDownTestSuite() { compared.print("every output and register against the reference of lists"); }
  static inline castor::test::ComparedRuns compared;
};
INSTANTIATE_TEST_SUITE_P(Sets, SawsAgainstReference, testing::ValuesIn(sample_if_sanitized(test::kParameterSets)),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(SawsAgainstReference, EveryOutputAndRegisterInEveryCycleOfEverySequence) {
  const Params& params = GetParam().params;
  constexpr unsigned kCycles = 2500;
  Machine::Seen all;
  for (const castor::tb::SequenceInfo& info : tb::sequences().infos()) {
    const unsigned seeds =
        info.name == "random" || info.name == "rules" || info.name == "chaos" ? unless_sanitized(6U, 4U) : 1;
    for (unsigned seed = 1; seed <= seeds; ++seed) {
      SCOPED_TRACE("sequence " + std::string(info.name) + ", seed " + std::to_string(seed));
      const auto sequence = tb::sequences().make(info.name, params, seed);
      const Machine::Seen seen = follow(params, *sequence, kCycles);
      if (HasFailure()) return;
      all.add(seen);
      ++compared.runs;
      compared.cycles += kCycles;
    }
  }
  ++compared.sets;
  // All compared events occurred.
  EXPECT_GT(all.picks, 1000U);
  EXPECT_GT(all.greedy_picks, 100U);
  EXPECT_GT(all.hits, 100U);
  for (const std::uint64_t errors : {all.errors[0], all.errors[1]}) EXPECT_GT(errors, 30U);
  if (params.SawsEn == 0) {
    EXPECT_EQ(all.messages + all.switches + all.lost, 0U);
    return;
  }
  EXPECT_GT(all.switches, 10U);
  EXPECT_GT(all.messages, 100U);
  EXPECT_GT(all.killed, 10U);
  EXPECT_GT(all.lost, 10U);
  if (params.NumWarps > 1) {
    EXPECT_GT(all.moves, 30U);
  }
}

/// Runs two engines under the same stimulus, which `change` alters for the second one.
template <class Change>
void expect_equal_outputs(const Params& first, const Params& second, tb::Sequence& sequence, unsigned cycles,
                          Change change) {
  Engine one(first), other(second);
  Inputs in;
  for (unsigned cycle = 0; cycle < cycles; ++cycle) {
    twin::make_idle<Block>(in, first);
    sequence.drive(in);
    const Outputs out = one.settle(in);
    sequence.react(in, out);
    Inputs changed = in;
    change(changed);
    ASSERT_EQ(tests::difference<Block>(other.settle(changed), out, first), "") << "cycle " << cycle;
    one.clock(in);
    other.clock(changed);
  }
}

TEST_P(SawsAgainstReference, PlainGtoIsTheSameWithAndWithoutTheSawsHardware) {
  Params without = GetParam().params;
  without.SawsEn = 0;
  for (const char* name : {"random", "rules", "chaos", "storm", "overflow"}) {
    SCOPED_TRACE(name);
    const auto sequence = tb::sequences().make(name, GetParam().params, 11);
    // mode_sel is 0 for both engines.
    Engine with_hardware(GetParam().params), plain(without);
    Inputs in;
    for (unsigned cycle = 0; cycle < 3000; ++cycle) {
      twin::make_idle<Block>(in, GetParam().params);
      sequence->drive(in);
      if (in.kernel_start != 0) in.mode_sel = 0;
      const Outputs out = with_hardware.settle(in);
      sequence->react(in, out);
      if (in.kernel_start != 0) in.mode_sel = 0;
      ASSERT_EQ(tests::difference<Block>(plain.settle(in), out, without), "") << "cycle " << cycle;
      ASSERT_EQ(out.wev_ready, twin::mask(without.NumSched));
      with_hardware.clock(in);
      plain.clock(in);
    }
  }
}

TEST_P(SawsAgainstReference, KernelsWithoutBarriersIssueAsUnderGto) {
  const auto sequence = tb::sequences().make("no_barriers", GetParam().params, 5);
  expect_equal_outputs(GetParam().params, GetParam().params, *sequence, 40000, [](Inputs& in) { in.mode_sel = 0; });
}

// Cycles that the stimulus declares idle may be skipped: a run that skips them ends in the same state as one that
// clocks them.
TEST_P(SawsAgainstReference, SkippedRestIsTheSameAsClockedRest) {
  const Params& params = GetParam().params;
  for (const char* name : {"sleepy", "random"}) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      SCOPED_TRACE(std::string(name) + ", seed " + std::to_string(seed));
      Probes ends[2];
      for (const bool skip : {false, true}) {
        twin::Model<Block> model(params);
        const auto sequence = saws::Bench::make(name, params, seed);
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

// Three CTAs of two warps each, one warp per scheduler; a barrier, a few cycles of memory latency, the next barrier.
TEST(SawsFairness, EveryCtaBecomesHeadOfEveryListWhileToggling) {
  const Params params{2, 6, 3, 2, 1, 0, 0, 1};
  Engine engine(params);
  base::Xoshiro256 random(1);
  Inputs in;
  const auto step = [&] {
    static_cast<void>(engine.settle(in));
    engine.clock(in);
    twin::make_idle<Block>(in, params);
  };
  in.kernel_start = in.toggle_en = 1;
  in.mode_sel = 2;
  step();
  for (unsigned c = 0; c < 3; ++c) {
    in.cta_valid = 1;
    in.cta_id = static_cast<U8>(c);
    in.cta_wmask = WarpBits(3ULL << 2 * c);
    step();
  }
  unsigned barriers[3] = {}, since[2][3] = {}, longest = 0;
  bool waits[6] = {};
  unsigned ready_at[6] = {};
  for (unsigned cycle = 0; cycle < 6000; ++cycle) {
    in.w_ready = {};
    for (unsigned w = 0; w < 6; ++w) in.w_ready.assign(w, !waits[w] && ready_at[w] <= cycle);
    const Outputs out = engine.settle(in);
    bool came[6] = {};
    for (unsigned s = 0; s < 2; ++s) {
      if ((out.issue_valid >> s & 1U) == 0 || (out.wev_ready >> s & 1U) == 0) continue;
      in.issue_ack = static_cast<U8>(in.issue_ack | 1U << s);
      came[2 * out.issue_idx[s] + s] = true;
    }
    for (unsigned c = 0; c < 3; ++c) {
      const unsigned first = 2 * c, second = first + 1;
      if ((came[first] || waits[first]) && (came[second] || waits[second])) {
        ++barriers[c];
        for (const unsigned w : {first, second}) {
          in.unblock.assign(w, waits[w]);
          waits[w] = false;
          ready_at[w] = cycle + 2 + static_cast<unsigned>(random.below(4));
        }
        continue;
      }
      for (const unsigned w : {first, second}) {
        if (!came[w]) continue;
        waits[w] = true;
        in.wev_valid = static_cast<U8>(in.wev_valid | 1U << (w - first));
        in.wev_idx[w - first] = static_cast<U8>(c);
      }
    }
    const Probes probes = engine.probes();
    step();
    for (unsigned s = 0; s < 2; ++s) {
      for (unsigned c = 0; c < 3; ++c) {
        since[s][c] = probes.position[2 * c + s] == 0 ? 0 : since[s][c] + 1;
        longest = std::max(longest, since[s][c]);
      }
    }
  }
  for (const unsigned passed : barriers) EXPECT_GT(passed, 300U);
  EXPECT_LT(longest, 200U) << "cycles in which a CTA was not the head of a list";
}

}  // namespace
}  // namespace castor::saws::reference::reference_engine_test
