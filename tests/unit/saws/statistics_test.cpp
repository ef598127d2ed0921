// Tests of the block's statistics on an SM, with outputs and registers made for the purpose.

#include <gtest/gtest.h>

#include <vector>

#include "castor/hookup/saws/saws_statistics.h"

namespace castor::hookup::statistics_test {
namespace {

saws::Params two_schedulers() {
  saws::Params params;
  params.NumSched = 2;
  params.NumWarps = 12;
  params.MaxCta = 4;
  return params;
}

/// One row per warp: hardware warp, its thread block, and the thread block's position on the warp's scheduler.
struct Placed {
  unsigned warp, cta, place;
};
saws::Probes lists(const std::vector<Placed>& warps) {
  saws::Probes probes;
  for (const Placed& one : warps) {
    probes.allocated.set(one.warp);
    probes.warp_cta[one.warp] = static_cast<std::uint8_t>(one.cta);
    probes.position[one.warp] = static_cast<std::uint8_t>(one.place);
  }
  return probes;
}

class SawsStatisticsTest : public ::testing::Test {
 protected:
  base::StatisticGroup sm{"sm0"};
  SawsStatistics statistics{sm};
  saws::Params params = two_schedulers();
};

TEST_F(SawsStatisticsTest, TwoThreadBlocksInOppositeOrderDisagree) {
  // Even warps belong to scheduler 0. On scheduler 1, blocks 1 and 2 have the opposite order.
  statistics.compare_orders(lists({{0, 1, 0}, {2, 2, 1}, {4, 3, 2}, {1, 1, 1}, {3, 2, 0}, {5, 3, 2}}), params);
  EXPECT_EQ(statistics.order_pairs.value(), 3U);
  EXPECT_EQ(statistics.order_disagreements.value(), 1U);
  statistics.compare_orders(lists({{0, 1, 0}, {2, 2, 1}, {4, 3, 2}, {1, 1, 2}, {3, 2, 1}, {5, 3, 0}}), params);
  EXPECT_EQ(statistics.order_pairs.value(), 6U);
  EXPECT_EQ(statistics.order_disagreements.value(), 4U);
}

TEST_F(SawsStatisticsTest, TheSameOrderAgreesAlsoWhereOtherThreadBlocksStandBetween) {
  statistics.compare_orders(lists({{0, 1, 0}, {2, 2, 1}, {6, 3, 2}, {1, 1, 0}, {3, 3, 1}}), params);
  EXPECT_EQ(statistics.order_pairs.value(), 1U);  // 1 and 3; block 2 has no warp on scheduler 1
  EXPECT_EQ(statistics.order_disagreements.value(), 0U);
}

TEST_F(SawsStatisticsTest, WarpsOfAThreadBlockAreOnePlaceAndFreeSlotsNone) {
  statistics.compare_orders(lists({{0, 3, 1}, {2, 3, 1}, {4, 0, 0}, {1, 3, 0}, {3, 3, 0}, {5, 0, 1}}), params);
  EXPECT_EQ(statistics.order_pairs.value(), 1U);
  EXPECT_EQ(statistics.order_disagreements.value(), 1U);
  statistics.compare_orders(saws::Probes{}, params);
  EXPECT_EQ(statistics.order_pairs.value(), 1U);
}

TEST_F(SawsStatisticsTest, ChangesToSawsAndSchedulersWithoutRoomAreCounted) {
  saws::Outputs out;
  out.wev_ready = 3;
  for (const unsigned mode : {0U, 1U, 1U, 0U, 1U}) {
    out.mode_saws = static_cast<std::uint8_t>(mode);
    statistics.cycle(out, params);
  }
  EXPECT_EQ(statistics.switches.value(), 2U);
  EXPECT_EQ(statistics.held.value(), 0U);
  out.wev_ready = 2;
  statistics.cycle(out, params);
  out.wev_ready = 0;
  statistics.cycle(out, params);
  EXPECT_EQ(statistics.held.value(), 3U);
}

}  // namespace
}  // namespace castor::hookup::statistics_test
