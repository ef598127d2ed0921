#include <gtest/gtest.h>

#include <random>

#include "castor/gpu/sm/sm_clock.h"

// Time inside an SM: a tick for every cycle in which the clock is enabled.

namespace castor::gpu::gpu_sm_clock_test {
namespace {

TEST(SmClock, TicksCountTheCyclesWithAnEdge) {
  SmClock clock;
  clock.begin(3);
  EXPECT_EQ(clock.now(), 3U);
  EXPECT_EQ(clock.tick(), 3U);
  EXPECT_TRUE(clock.enable(false, 5));
  EXPECT_FALSE(clock.enable(false, 6));
  EXPECT_EQ(clock.ticks_before(4), 4U);
  EXPECT_EQ(clock.ticks_before(9), 5U);
  EXPECT_EQ(clock.cycles_off(9), 4U);
  EXPECT_TRUE(clock.enable(true, 9));
  clock.begin(9);
  EXPECT_EQ(clock.tick(), 5U);
  EXPECT_EQ(clock.cycles_off(9), 4U);
}

TEST(SmClock, CyclesAreTicksAndCyclesOff) {
  std::mt19937 random(1);
  SmClock clock;
  Tick edges = 0;
  for (Cycle cycle = 0; cycle < 10'000; ++cycle) {
    if (random() % 8 == 0) (void)clock.enable(random() % 2 == 0, cycle);
    ASSERT_EQ(clock.ticks_before(cycle), edges);
    ASSERT_EQ(clock.ticks_before(cycle) + clock.cycles_off(cycle), cycle);
    if (!clock.enabled()) continue;
    clock.begin(cycle);
    ASSERT_EQ(clock.tick(), edges++);
  }
}

}  // namespace
}  // namespace castor::gpu::gpu_sm_clock_test
