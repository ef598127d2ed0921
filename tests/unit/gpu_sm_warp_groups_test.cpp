#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <random>

#include "castor/gpu/sm/warp_groups.h"
#include "platforms/machines.h"
#include "unit/saws/reference.h"

// The two-level issue policies of an SM against their plain form, pick by pick.

namespace castor::gpu {
namespace {

namespace plain = saws::reference;

struct Shape {
  unsigned schedulers, warps, group;
};

/// Random thread blocks with random ready, live and waiting warps. Every pick is compared, and some picks issue.
template <class Picker>
void compare(IssuePolicy policy, const Shape& shape, unsigned seed) {
  Machine machine = platforms::load_machine("tiny", {}).machine;
  machine.schedulers = shape.schedulers;
  machine.sm.warps = shape.warps;
  machine.issue.policy = policy;
  machine.issue.tl_group = machine.issue.catls_group = shape.group;
  WarpGroups groups(machine);
  const unsigned mine = shape.warps / shape.schedulers;
  std::deque<Picker> pickers;
  for (unsigned s = 0; s < shape.schedulers; ++s) pickers.emplace_back(mine, shape.group);

  std::mt19937 random(seed);
  const auto chance = [&](unsigned percent) { return random() % 100 < percent; };
  std::vector<WarpMask> placed(32, 0);
  WarpMask used = 0;
  unsigned picks = 0, pauses = 0;
  for (unsigned step = 0; step < 20000; ++step) {
    const unsigned cta = random() % placed.size();
    if (placed[cta] != 0 && chance(20)) {
      groups.release(placed[cta]);
      for (Picker& picker : pickers) picker.free(cta);
      used &= ~placed[cta];
      placed[cta] = 0;
    } else if (placed[cta] == 0 && chance(30)) {
      const unsigned wanted = 1 + random() % (2 * shape.schedulers * 3);
      std::vector<std::vector<unsigned>> local(shape.schedulers);
      for (unsigned w = 0, taken = 0; w < shape.warps && taken < wanted; ++w) {
        if ((used >> w & 1) != 0) continue;
        placed[cta] |= WarpMask{1} << w;
        local[w % shape.schedulers].push_back(w / shape.schedulers);
        ++taken;
      }
      if (placed[cta] == 0) continue;
      used |= placed[cta];
      groups.place(placed[cta]);
      for (unsigned s = 0; s < shape.schedulers; ++s) {
        if (!local[s].empty()) pickers[s].place(cta, local[s]);
      }
    }
    const unsigned busy = random() % 100;
    WarpMask live = 0, ready = 0, waiting = 0;
    for (unsigned w = 0; w < shape.warps; ++w) {
      if ((used >> w & 1) == 0 || chance(10)) continue;
      live |= WarpMask{1} << w;
      if (chance(busy)) {
        ready |= WarpMask{1} << w;
      } else if (chance(90)) {
        waiting |= WarpMask{1} << w;
      }
    }
    for (unsigned s = 0; s < shape.schedulers; ++s) {
      plain::Warps warps{std::vector<bool>(mine), std::vector<bool>(mine), std::vector<bool>(mine)};
      WarpMask own = 0;
      for (unsigned i = 0; i < mine; ++i) {
        const unsigned w = i * shape.schedulers + s;
        own |= WarpMask{1} << w;
        warps.ready[i] = (ready >> w & 1) != 0;
        warps.live[i] = (live >> w & 1) != 0;
        warps.waiting[i] = (waiting >> w & 1) != 0;
      }
      const auto expected = pickers[s].pick(warps, 0);
      const unsigned got = groups.pick(s, ready & own, live, waiting);
      ASSERT_EQ(got, expected ? *expected * shape.schedulers + s : WarpGroups::kNone) << "step " << step;
      pauses += !expected && (ready & own) != 0;
      if (!expected || chance(25)) continue;  // refused: nothing changes
      ++picks;
      pickers[s].issued(*expected, 0);
      groups.issued(s, got);
    }
  }
  EXPECT_GT(picks, 1000U);
  // Only the two-level policy pauses for warps of the active group that are about to go on.
  EXPECT_EQ(pauses > 0, policy == IssuePolicy::kTl && mine > shape.group);
}

constexpr Shape kShapes[] = {{4, 64, 8}, {2, 64, 8}, {1, 64, 4}, {2, 48, 16}, {2, 12, 1}, {4, 64, 64}};

TEST(WarpGroups, TwoLevelPicksLikeItsPlainForm) {
  unsigned seed = 1;
  for (const Shape& shape : kShapes) compare<plain::TwoLevel>(IssuePolicy::kTl, shape, seed++);
}

TEST(WarpGroups, ThreadBlockAwareTwoLevelPicksLikeItsPlainForm) {
  unsigned seed = 11;
  for (const Shape& shape : kShapes) compare<plain::Catls>(IssuePolicy::kCatls, shape, seed++);
}

TEST(WarpGroups, CopyGoesItsOwnWay) {
  Machine machine = platforms::load_machine("tiny", {}).machine;
  machine.schedulers = 1;
  machine.sm.warps = 16;
  machine.issue.policy = IssuePolicy::kTl;
  machine.issue.tl_group = 8;
  WarpGroups groups(machine);
  WarpGroups copy = groups;
  copy.issued(0, 3);
  EXPECT_EQ(copy.pick(0, 0xffff, 0xffff, 0), 4U);
  EXPECT_EQ(groups.pick(0, 0xffff, 0xffff, 0), 0U);
}

}  // namespace
}  // namespace castor::gpu
