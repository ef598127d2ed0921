#include <string>

#include "castor/base/rng.h"
#include "unit/laperm/engine_support.h"
#include "unit/laperm/parameter_sets.h"

// W13: whatever the history, if SMs, memory and replies keep responding, every pushed item is placed. The number of
// cycles is bounded by its TBs and the entries in memory.

namespace castor::laperm::test::engine_drain_test {
namespace {

class LapermDrain : public testing::TestWithParam<ParameterSet> {};

/// Pushes an item of a kernel that may have one more item. `id` is unique.
void push(LapermBench& bench, base::Xoshiro256& rng, U64 id) {
  const Params& params = bench.params();
  const auto kd = static_cast<U8>(rng.below(params.NumKd));
  if (bench.engine.probes().items[kd] + bench.pushes.size() >= twin::mask(params.QcntW)) return;
  const auto level = static_cast<U8>(1 + rng.below(params.LvlMax));
  const U64 most = std::min<U64>(3, twin::mask(params.CntW));
  bench.pushes.push_back({level, static_cast<U8>(rng.below(params.NumSm)), 1 + rng.below(most), id, kd, 0});
}

/// Returns the parameter sets whose group numbers are wide enough to tell items apart.
std::vector<ParameterSet> sets() {
  std::vector<ParameterSet> out;
  for (const ParameterSet& set : kParameterSets) {
    if (set.params.AgeiW >= 9) out.push_back(set);
  }
  return out;
}

INSTANTIATE_TEST_SUITE_P(Sets, LapermDrain, testing::ValuesIn(sets()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(LapermDrain, FairSurroundingsPlaceEverything) {
  const Params& params = GetParam().params;
  unsigned in_memory = 0;
  for (const U8 policy : {kTbPri, kSmxBind, kAdaptiveBind}) {
    for (const unsigned seed : {1U, 2U, 3U}) {
      SCOPED_TRACE("policy " + std::to_string(policy) + ", seed " + std::to_string(seed));
      base::Xoshiro256 rng(seed);
      const auto one_in = [&rng](U64 n) { return rng.below(n) == 0; };
      LapermBench bench(params, policy, static_cast<U8>(params.OvfW));
      // Few queue entries and slow memory: sets and lists in memory fill up.
      bench.room = [&](unsigned) { return Room{one_in(8)}; };
      for (unsigned cycle = 0; cycle < 400; ++cycle) {
        if (bench.pushes.size() < 2) push(bench, rng, cycle);
        bench.take = one_in(4);
        bench.mem_ready = one_in(3);
        bench.replies = one_in(3);
        bench.step();
      }
      in_memory += bench.writes;
      const Probes probes = bench.engine.probes();
      U64 items = bench.pushes.size();
      for (unsigned kd = 0; kd < params.NumKd; ++kd) items += probes.items[kd];
      ASSERT_GT(items, 0U);
      bench.room = [](unsigned) { return Room{}; };
      bench.take = bench.mem_ready = bench.replies = true;
      // A TB waits for a round of the SMs at most; an item is written and read back once, or waits for those before it.
      const U64 most = items * (3 * params.NumSm + 2 * (bench.delay + 8));
      bench.drain(static_cast<unsigned>(most));
      if (HasFatalFailure()) return;
    }
  }
  if (params.BankDepth <= 16) {
    EXPECT_GT(in_memory, 20U) << "next to nothing lay in memory";
  }
}

}  // namespace
}  // namespace castor::laperm::test::engine_drain_test
