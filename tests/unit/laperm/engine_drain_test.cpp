#include <map>
#include <numeric>
#include <string>

#include "castor/base/rng.h"
#include "unit/laperm/engine_support.h"
#include "unit/laperm/parameter_sets.h"

// W13: whatever came before, if SMs, memory and replies keep coming, everything that was pushed is placed, in a number
// of cycles that its TBs and what lies in memory bound.

namespace castor::laperm::test {
namespace {

class LapermDrain : public testing::TestWithParam<ParameterSet> {
 protected:
  base::Xoshiro256 rng_{1};

  [[nodiscard]] U64 below(U64 bound) { return rng_.below(bound); }

  /// A push of a kernel that may have one more item; items in memory are numbered as their port can.
  void push(LapermBench& bench, std::map<U8, U64>& open) {
    const Params& params = bench.params();
    const auto kd = static_cast<U8>(below(params.NumKd));
    if (open[kd] >= twin::mask(params.QcntW)) return;
    ++open[kd];
    const auto level = static_cast<U8>(1 + below(params.LvlMax));
    const U64 most = std::min<U64>(3, twin::mask(params.CntW));
    bench.pushes.push_back({level, static_cast<U8>(below(params.NumSm)), 1 + below(most), ++id_, kd, 0});
    kd_[id_] = kd;
  }
  /// Takes what has been placed off the numbers of items.
  void settle(const LapermBench& bench, std::map<U8, U64>& open) {
    for (; seen_ < bench.placed.size(); ++seen_) {
      if (bench.placed[seen_].last) --open[kd_.at(bench.placed[seen_].id)];
    }
  }

  U64 id_ = 0;
  std::map<U64, U8> kd_;
  std::size_t seen_ = 0;
};

/// Those whose groups have numbers enough to tell items apart.
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
      rng_ = base::Xoshiro256(seed);
      id_ = 0;
      seen_ = 0;
      kd_.clear();
      std::map<U8, U64> open;
      LapermBench bench(params, policy, static_cast<U8>(params.OvfW));
      // Few places, slow memory: sets fill, and lists in memory.
      bench.room = [&](unsigned) { return Room{below(8) == 0}; };
      for (unsigned cycle = 0; cycle < 400; ++cycle) {
        settle(bench, open);
        if (bench.pushes.size() < 2) push(bench, open);
        bench.take = below(4) == 0;
        bench.mem_ready = below(3) == 0;
        bench.replies = below(3) == 0;
        bench.step();
      }
      settle(bench, open);
      in_memory += bench.writes;
      const U64 items = std::accumulate(open.begin(), open.end(), U64{0},
                                        [](U64 sum, const auto& kernel) { return sum + kernel.second; });
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
}  // namespace castor::laperm::test
