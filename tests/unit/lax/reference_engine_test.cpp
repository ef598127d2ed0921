#include <gtest/gtest.h>

#include <map>

#include "castor/lax/engine.h"
#include "tb/lax/register_driver.h"
#include "tb/lax/sequences.h"
#include "unit/lax/follower.h"

// The engine against the reference algorithm, in every cycle of random and directed runs.

namespace castor::lax::reference {
namespace {

using Model = twin::Model<Block>;

struct Set {
  const char* name;
  Params params;
};

Params params_of(U32 queues, U32 slots, U32 types, U32 width, U32 depth, U32 lanes) {
  Params params;
  params.NumQueues = queues;
  params.MaxKt = slots;
  params.NumKt = types;
  params.SelWidth = width;
  params.VqDepth = depth;
  params.ParseLanes = lanes;
  return params;
}

const Set kSets[] = {{"minimum", params_of(4, 1, 1, 1, 4, 1)},
                     {"odd", params_of(16, 3, 5, 4, 5, 3)},
                     {"default", Params{}},
                     {"large", params_of(256, 16, 256, 32, 64, 8)},
                     {"golden", params_of(4, 2, 8, 4, 32, 4)},
                     {"proof", params_of(4, 2, 4, 2, 4, 1)}};

/// `cycles` cycles of a sequence; what the follower saw, or a failure with the first differences.
Follower::Seen follow(const Params& params, tb::Sequence& sequence, unsigned cycles) {
  Model model(params);
  Follower follower(params, model);
  Inputs in;
  for (unsigned cycle = 0; cycle < cycles; ++cycle) {
    sequence.drive(cycle, in);
    const Outputs out = model.settle(in);
    sequence.observe(out, in);
    follower.step(in, out);
    if (!follower.problems().empty()) {
      for (const std::string& problem : follower.problems()) ADD_FAILURE() << problem;
      return {};
    }
    model.clock(in);
  }
  return follower.seen();
}

class LaxAgainstReference : public testing::TestWithParam<Set> {};
INSTANTIATE_TEST_SUITE_P(Sets, LaxAgainstReference, testing::ValuesIn(kSets),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(LaxAgainstReference, EveryValueInEveryCycleOfEverySequence) {
  Follower::Seen all;
  for (const tb::SequenceInfo& info : tb::sequences()) {
    if (info.name == "leaps") continue;  // the reference counts cycles
    const unsigned seeds = info.name == "random" || info.name == "rules" || info.name == "chaos" ? 8 : 1;
    for (unsigned seed = 1; seed <= seeds; ++seed) {
      SCOPED_TRACE("sequence " + std::string(info.name) + ", seed " + std::to_string(seed));
      const auto sequence = tb::make_sequence(info.name, GetParam().params, seed);
      const Follower::Seen seen = follow(GetParam().params, *sequence, 8000);
      if (HasFailure()) return;
      all.rates += seen.rates;
      all.updates += seen.updates;
      all.verdicts += seen.verdicts;
      all.ends += seen.ends;
      all.passes += seen.passes;
      all.rankings += seen.rankings;
      all.drops += seen.drops;
      all.literal += seen.literal;
      all.sweeps += seen.sweeps;
      all.appends += seen.appends;
      all.lengths += seen.lengths;
    }
  }
  // Everything that is compared occurred.
  EXPECT_GT(all.rates, 100U);
  EXPECT_GT(all.updates, 100U);
  EXPECT_GT(all.verdicts, 100U);
  EXPECT_GT(all.ends, 100U);
  EXPECT_GT(all.passes, 1000U);
  EXPECT_GT(all.rankings, 3U);
  EXPECT_GT(all.drops, 0U);
  EXPECT_GT(all.literal, 10U);
  EXPECT_GT(all.sweeps, 100U);
  EXPECT_GT(all.appends, 10U);
  EXPECT_GT(all.lengths, 30U);
}

}  // namespace
}  // namespace castor::lax::reference
