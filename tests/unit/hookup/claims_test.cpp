// Tests which blocks may be on a machine together, by their claims alone.

#include "castor/hookup/claims.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "castor/base/error.h"
#include "platforms/machines.h"

namespace castor::hookup {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

gpu::Machine machine() { return platforms::load_machine("tiny").machine; }

std::string refusal(const std::vector<Claimant>& blocks, const gpu::Machine& on = machine()) {
  try {
    check_claims(on, blocks);
  } catch (const base::InputError& error) {
    return error.what();
  }
  return {};
}

TEST(Claims, TwoBlocksThatDecideTheSameExcludeEachOther) {
  for (const Claim claim : {Claim::kOrdersJobs, Claim::kPlacesTbs, Claim::kFiltersFetch, Claim::kPicksWarps,
                            Claim::kSynchronises, Claim::kMovesContexts}) {
    const std::string error = refusal({{"one", {claim}}, {"other", {claim}}});
    EXPECT_THAT(error, HasSubstr("blocks one and other exclude each other"));
    EXPECT_THAT(error, HasSubstr(meaning(claim)));
  }
}

TEST(Claims, TheOrderOfBlocksDoesNotChangeTheMessage) {
  std::vector<Claimant> blocks{{"a", {Claim::kPicksWarps}}, {"b", {Claim::kPlacesTbs}}, {"c", {Claim::kPlacesTbs}}};
  const std::string expected = refusal(blocks);
  EXPECT_THAT(expected, HasSubstr("b and c"));
  while (std::next_permutation(blocks.begin(), blocks.end(),
                               [](const Claimant& x, const Claimant& y) { return x.block < y.block; })) {
    EXPECT_EQ(refusal(blocks), expected);
  }
}

TEST(Claims, DifferentDecisionsGoTogetherAndGovernorsAreAnyNumber) {
  EXPECT_EQ(refusal({{"jobs", {Claim::kOrdersJobs, Claim::kPlacesTbs}},
                     {"warps", {Claim::kPicksWarps, Claim::kNeedsExecution}},
                     {"filter", {Claim::kFiltersFetch}},
                     {"quota", {Claim::kGovernsSms}},
                     {"power", {Claim::kGovernsSms}}}),
            "");
}

TEST(Claims, ThreadBlocksThatLeaveAreNotCountedByTheirRetiring) {
  const Claimant leaving{"swap", {Claim::kSwapsOutTbs}}, counting{"quota", {Claim::kGovernsSms, Claim::kCountsRetired}};
  EXPECT_THAT(refusal({leaving, counting}), HasSubstr("quota and swap exclude each other"));
  EXPECT_EQ(refusal({counting, leaving}), refusal({leaving, counting}));
  EXPECT_EQ(refusal({leaving, {"other", {Claim::kSwapsOutTbs}}}), "");
}

TEST(Claims, RegisterWindowsDoNotOverlap) {
  EXPECT_THAT(refusal({{"one", {}, 3}, {"other", {}, 3}}), HasSubstr("one and other exclude each other: both serve"));
  EXPECT_EQ(refusal({{"one", {}, 3}, {"other", {}, 4}, {"third", {}, -1}, {"fourth", {}, -1}}), "");
}

TEST(Claims, WhatAMachineDoesNotHaveIsRefusedWithTheBlocksName) {
  gpu::Machine replaying = machine();
  replaying.replay.enable = true;
  EXPECT_THAT(refusal({{"warps", {Claim::kNeedsExecution}}}, replaying), HasSubstr("block warps and replay.enable"));
  EXPECT_EQ(refusal({{"warps", {Claim::kNeedsExecution}}}), "");
  const Claimant launcher{"launcher", {Claim::kNeedsDeviceLaunches}};
  gpu::Machine scanned = machine();
  scanned.queue.in_memory = true;
  EXPECT_THAT(refusal({launcher}, scanned), HasSubstr("block launcher needs launches"));
  scanned = machine();
  scanned.parse.select_scan = 4;
  EXPECT_THAT(refusal({launcher}, scanned), HasSubstr("parse.select_scan"));
  EXPECT_EQ(refusal({launcher}), "");
}

TEST(Claims, GroupsNeedSomebodyWhoPlacesThem) {
  const Claimant groups{"groups", {Claim::kAcceptsGroups}}, policy{"policy", {Claim::kPlacesTbs}},
      knowing{"knowing", {Claim::kPlacesTbs, Claim::kKnowsGroups}},
      both{"both", {Claim::kAcceptsGroups, Claim::kPlacesTbs}};
  EXPECT_THAT(refusal({groups}), HasSubstr("block groups needs a block that places thread blocks of groups"));
  EXPECT_THAT(refusal({groups, policy}), HasSubstr("block groups needs a block"));
  EXPECT_EQ(refusal({groups, knowing}), "");
  EXPECT_EQ(refusal({both}), "");
  EXPECT_EQ(refusal({knowing}), "");
  EXPECT_THAT(refusal({both, knowing}), HasSubstr("both and knowing exclude each other"));
  EXPECT_THAT(refusal({both, knowing}), HasSubstr("place thread blocks for both (blocks.both.dispatch=0)"));
  EXPECT_THAT(refusal({both, policy}), Not(HasSubstr("dispatch=0")));
  EXPECT_THAT(refusal({both, groups}), HasSubstr("both and groups exclude each other"));
}

TEST(Claims, WhoOrdersLaunchesNeedsThemAndKnowsNoGroups) {
  const Claimant order{"order", {Claim::kOrdersSources, Claim::kNeedsDeviceLaunches}},
      jobs{"jobs", {Claim::kOrdersJobs}}, groups{"groups", {Claim::kAcceptsGroups, Claim::kPlacesTbs}},
      policy{"policy", {Claim::kPlacesTbs}};
  EXPECT_THAT(refusal({order, jobs}), HasSubstr("jobs and order exclude each other: where jobs decides"));
  EXPECT_THAT(refusal({jobs, order}), HasSubstr("there are no launches by device code"));
  EXPECT_THAT(refusal({groups, order}),
              HasSubstr("order orders kernels that device code launches, and knows no groups"));
  EXPECT_THAT(refusal({order, {"other", {Claim::kOrdersSources}}}), HasSubstr("decides which launch enters"));
  EXPECT_EQ(refusal({order, policy}), "");
}

}  // namespace
}  // namespace castor::hookup
