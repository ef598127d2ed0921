#include <random>

#include "castor/gpu/sm/tick_accounting.h"
#include "unit/gpu_sm_parts_support.h"

// Tests that counting equal ticks at once gives the same counters as counting every tick.

namespace castor::gpu::gpu_sm_tick_accounting_test {
namespace {

using namespace test;

struct Tick1 {
  SchedulerStalls stalls{};
  SchedulerLacks lacks{};
  unsigned issued = 0;
  WarpMask live = 0, device = 0, fence = 0;
  TbMask finished = 0;
  unsigned outstanding = 0;
  [[nodiscard]] TickAccounting::Facts facts() const {
    return {stalls, lacks, issued, live, device, fence, finished, outstanding};
  }
};

unsigned bits(std::uint64_t mask) { return static_cast<unsigned>(__builtin_popcountll(mask)); }

/// Adds the counts of one tick to `sum`, computed independently of the model.
void add(TickCounters& sum, const Tick1& tick, unsigned schedulers) {
  ++sum.ticks;
  bool waits = false;
  for (unsigned s = 0; s < schedulers; ++s) {
    const bool issued = (tick.issued >> s & 1) != 0;
    const StallClass stall = issued ? StallClass::kIssued : tick.stalls[s];
    ++sum.stall[s][static_cast<std::size_t>(stall)];
    waits |= stall == StallClass::kRawMemory || stall == StallClass::kMemoryPipe;
    sum.collector_full += tick.lacks[s] == 1;
    sum.unit_busy += tick.lacks[s] == 2;
  }
  if (tick.issued == 0 && waits) {
    ++sum.memory_stall_cycles;
    sum.outstanding_sum_while_stalled += tick.outstanding;
  }
  sum.occupancy_warps_sum += bits(tick.live);
  sum.occupancy_device_warps_sum += bits(tick.device);
  sum.fence_wait += bits(tick.fence);
  sum.store_drain_at_exit += bits(tick.finished);
}

void expect_equal(const TickCounters& a, const TickCounters& b) {
  EXPECT_EQ(a.ticks, b.ticks);
  EXPECT_EQ(a.stall, b.stall);
  EXPECT_EQ(a.memory_stall_cycles, b.memory_stall_cycles);
  EXPECT_EQ(a.outstanding_sum_while_stalled, b.outstanding_sum_while_stalled);
  EXPECT_EQ(a.occupancy_warps_sum, b.occupancy_warps_sum);
  EXPECT_EQ(a.occupancy_device_warps_sum, b.occupancy_device_warps_sum);
  EXPECT_EQ(a.collector_full, b.collector_full);
  EXPECT_EQ(a.unit_busy, b.unit_busy);
  EXPECT_EQ(a.fence_wait, b.fence_wait);
  EXPECT_EQ(a.store_drain_at_exit, b.store_drain_at_exit);
}

Tick1 random_tick(std::mt19937_64& random, unsigned schedulers) {
  Tick1 tick;
  tick.issued = random() % 3 == 0 ? random() % (1U << schedulers) : 0;
  for (unsigned s = 0; s < schedulers; ++s) {
    if ((tick.issued >> s & 1) != 0) continue;  // kIssued
    tick.stalls[s] = static_cast<StallClass>(1 + random() % (kStallClasses - 1));
    tick.lacks[s] = static_cast<std::uint8_t>(random() % 3);
  }
  tick.live = random() & 0xff;
  tick.device = tick.live & random();
  tick.fence = tick.live & random() & random();
  tick.finished = random() & random() & 0xf;
  tick.outstanding = random() % 8;
  return tick;
}

TEST(TickAccounting, EqualsTheSumOverAllTicks) {
  const Machine machine = part_machine();
  std::mt19937_64 random(5);
  TickCounters counters, sum;
  TickAccounting accounting(machine, counters);
  Tick now = 0;
  Tick1 tick;
  for (unsigned step = 0; step < 20'000; ++step) {
    if (random() % 4 == 0) tick = random_tick(random, machine.schedulers);
    tick.outstanding = random() % 8;  // may differ in ticks that are otherwise equal
    accounting.count(tick.facts());
    add(sum, tick, machine.schedulers);
    ++now;
    ASSERT_EQ(accounting.counted(), now);
    if (tick.issued == 0 && random() % 8 == 0) {  // a tick that issued is followed by another one
      const Tick slept = 1 + random() % 50;
      accounting.sleep_to(now + slept, tick.outstanding);
      for (Tick i = 0; i < slept; ++i) add(sum, tick, machine.schedulers);
      now += slept;
    }
    if (random() % 100 == 0) {
      accounting.flush();
      expect_equal(counters, sum);
    }
  }
  accounting.flush();
  expect_equal(counters, sum);
  std::uint64_t ticks = 0;
  for (const std::uint64_t count : counters.stall[0]) ticks += count;
  EXPECT_EQ(ticks, counters.ticks);
}

TEST(TickAccounting, FlushTwiceCountsOnce) {
  const Machine machine = part_machine();
  TickCounters counters;
  TickAccounting accounting(machine, counters);
  Tick1 tick;
  tick.live = 3;
  for (unsigned i = 0; i < 10; ++i) accounting.count(tick.facts());
  EXPECT_EQ(counters.ticks, 0U);
  accounting.flush();
  accounting.flush();
  EXPECT_EQ(counters.ticks, 10U);
  EXPECT_EQ(counters.occupancy_warps_sum, 20U);
}

TEST(TickAccounting, MemoryStallNeedsAWaitAndNoIssue) {
  const Machine machine = part_machine();
  TickCounters counters;
  TickAccounting accounting(machine, counters);
  Tick1 tick;
  tick.stalls[1] = StallClass::kMemoryPipe;
  accounting.count(tick.facts());
  EXPECT_TRUE(accounting.memory_stalled());
  tick.issued = 1;
  accounting.count(tick.facts());
  EXPECT_FALSE(accounting.memory_stalled());
  accounting.set_clock_off(17);
  EXPECT_EQ(counters.clock_off_ticks, 17U);
}

}  // namespace
}  // namespace castor::gpu::gpu_sm_tick_accounting_test
