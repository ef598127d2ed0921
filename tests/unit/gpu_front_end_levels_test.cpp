// Tests of the counters that grow with time, alone.
#include "castor/gpu/front_end/front_end_levels.h"
#include "gpu_front_end_parts.h"

namespace castor::gpu::gpu_front_end_levels_test {
namespace {

using test::PartRig;

TEST(FrontEndLevels, ALevelCountsForEveryCycleUntilTheNextOne) {
  PartRig rig;
  FrontEndLevels levels(rig.group);
  levels.count_until(10);
  FrontEndLevels::Levels first;
  first.lanes = 2;
  first.blocked = 3;
  first.entries = 5;
  first.busy = true;
  first.wait = DispatchWait::kHeadBlocked;
  levels.set(first, 10);  // from cycle 10 on
  FrontEndLevels::Levels second;
  second.entries = 1;
  second.wait = DispatchWait::kNoFit;
  levels.count_until(20);
  levels.set(second, 110);
  levels.set({}, 150);
  levels.count_until(1000);
  EXPECT_EQ(rig.statistic("parse_busy"), 2U * 100);
  EXPECT_EQ(rig.statistic("queue_blocked"), 3U * 100);
  EXPECT_EQ(rig.statistic("entries_valid_sum"), 5U * 100 + 40);
  EXPECT_EQ(rig.statistic("tb_busy"), 100U);
  EXPECT_EQ(rig.statistic("head_blocked_cycles"), 100U);
  EXPECT_EQ(rig.statistic("no_fit_cycles"), 40U);
  EXPECT_EQ(rig.statistic("closed_cycles"), 0U);
  EXPECT_EQ(rig.statistic("entries_valid_max"), 5U);
}

TEST(FrontEndLevels, LooksInBetweenChangeNothing) {
  PartRig often, once;
  FrontEndLevels a(often.group), b(once.group);
  FrontEndLevels::Levels level;
  level.lanes = 7;
  level.wait = DispatchWait::kClosed;
  a.set(level, 5);
  b.set(level, 5);
  for (Cycle now = 5; now <= 50; now += 3) a.count_until(now);
  a.count_until(50);
  b.count_until(50);
  EXPECT_EQ(often.statistic("parse_busy"), 7U * 45);
  EXPECT_EQ(often.group.text(), once.group.text());
}

}  // namespace
}  // namespace castor::gpu::gpu_front_end_levels_test
