#include <algorithm>
#include <random>
#include <vector>

#include "castor/gpu/sm/pipelines.h"
#include "unit/gpu_sm_parts_support.h"

// Compares register banks and units, which are calendars, with a plain form: every read searches the first tick with a
// free port, and every instruction takes the unit that is free first.

namespace castor::gpu::gpu_sm_pipelines_test {
namespace {

using namespace test;

/// One calendar entry per booked read, one time per unit.
class Plain {
 public:
  explicit Plain(const Machine& machine)
      : machine_(machine), reads_(machine.rf.banks, std::vector<unsigned>(100'000)) {}

  Pipelines::Path reserve(const Decoded& decoded, unsigned warp, std::vector<Tick>& units, Tick tick) {
    Pipelines::Path path;
    path.last_operand = tick;
    for (unsigned i = 0; i < decoded.source_count; ++i) {
      std::vector<unsigned>& bank = reads_[(decoded.sources[i] + warp) % machine_.rf.banks];
      Tick at = tick + 1;
      while (bank[at] == machine_.rf.ports) ++at;
      ++bank[at];
      path.last_operand = std::max(path.last_operand, at);
    }
    Tick& unit = *std::min_element(units.begin(), units.end());
    path.dispatch = std::max({tick + machine_.oc_cycles, path.last_operand + 1, unit});
    unit = path.dispatch + decoded.interval;
    return path;
  }

 private:
  const Machine& machine_;
  std::vector<std::vector<unsigned>> reads_;  // [bank][tick]
};

class PipelinesRules : public ::testing::TestWithParam<const char*> {};

TEST_P(PipelinesRules, PathsAreThoseOfThePlainForm) {
  const Machine machine = part_machine({}, GetParam());
  ASSERT_GT(machine.rf.collectors, 0U);
  EventWheel wheel;
  PipelineCounters counters;
  Pipelines pipelines(machine, wheel, counters);
  Plain plain(machine);
  const unsigned shared = machine.units.mem_shared;
  const unsigned sizes[kRealPools] = {machine.units.mem - shared, shared,          machine.units.sfu, machine.units.dp,
                                      machine.units.integer,      machine.units.sp};
  std::vector<Tick> units[kRealPools][Pipelines::kMaxSchedulers];
  for (std::size_t p = 0; p < kRealPools; ++p) {
    const bool divided = pipelines.divided(static_cast<UnitPool>(p));
    for (unsigned s = 0; s < machine.schedulers; ++s) {
      units[p][s].assign(std::max(sizes[p] / (divided ? machine.schedulers : 1), 1U), 0);
    }
  }
  std::mt19937_64 random(7);
  std::uint64_t issued = 0, asleep = 0;
  for (Tick tick = 1; tick < 50'000; ++tick) {
    pipelines.free_collectors(wheel.due(tick) ? wheel.take(tick, [](const SmEvent& /*event*/) {}) : 0);
    if (asleep != 0) {  // nothing issues for a while
      --asleep;
      continue;
    }
    if (random() % 16 == 0) asleep = random() % 40;
    for (unsigned n = 0; n < 4; ++n) {
      Decoded decoded;
      const auto pool = random() % kRealPools;
      decoded.pool = static_cast<UnitPool>(pool);
      decoded.source_count = static_cast<std::uint8_t>(random() % 5);
      for (unsigned i = 0; i < decoded.source_count; ++i) decoded.sources[i] = static_cast<std::uint8_t>(random() % 9);
      decoded.interval = static_cast<std::uint16_t>(random() % 3 == 0 ? 1 + random() % 12 : 1);
      const auto warp = static_cast<unsigned>(random() % 8), s = warp % machine.schedulers;
      std::vector<Tick>& mine = units[pool][pipelines.divided(decoded.pool) ? s : 0];
      const Tick free = *std::min_element(mine.begin(), mine.end());
      EXPECT_EQ(pipelines.accepts_from(decoded.pool, s),
                free > machine.oc_cycles + 1 ? free - machine.oc_cycles - 1 : 0);
      if (!pipelines.accepts(decoded.pool, s, tick)) continue;
      const Pipelines::Path path = pipelines.reserve(decoded, warp, s, tick);
      const Pipelines::Path expected = plain.reserve(decoded, warp, mine, tick);
      ASSERT_EQ(path.last_operand, expected.last_operand) << "tick " << tick;
      ASSERT_EQ(path.dispatch, expected.dispatch) << "tick " << tick;
      ++issued;
    }
  }
  EXPECT_GT(issued, 10'000U);
}

TEST(Pipelines, SchedulerOfASubCoreMachineHasItsOwnUnitsAndSharesTheOthers) {
  const Machine machine = part_machine(
      {"sub_core=1", "schedulers=4", "units.sp=4", "units.sfu=8", "units.dp=1", "units.int=6", "units.mem=4"},
      "maxwell_liu13");
  EventWheel wheel;
  PipelineCounters counters;
  Pipelines pipelines(machine, wheel, counters);
  EXPECT_TRUE(pipelines.divided(UnitPool::kSp));
  EXPECT_TRUE(pipelines.divided(UnitPool::kSfu));
  EXPECT_FALSE(pipelines.divided(UnitPool::kDp)) << "one for all";
  EXPECT_FALSE(pipelines.divided(UnitPool::kInt)) << "six do not divide";
  EXPECT_FALSE(pipelines.divided(UnitPool::kMemory)) << "the load/store units are the SM's";
  Decoded decoded;
  decoded.interval = 50;
  const auto take = [&](UnitPool pool, unsigned scheduler) {
    decoded.pool = pool;
    static_cast<void>(pipelines.reserve(decoded, scheduler, scheduler, 10));
  };
  // The scheduler's own unit is busy. The three other units are free but cannot be used.
  take(UnitPool::kSp, 1);
  EXPECT_FALSE(pipelines.accepts(UnitPool::kSp, 1, 11));
  for (const unsigned s : {0U, 2U, 3U}) EXPECT_TRUE(pipelines.accepts(UnitPool::kSp, s, 11)) << s;
  // Two units belong to the scheduler.
  take(UnitPool::kSfu, 2);
  EXPECT_TRUE(pipelines.accepts(UnitPool::kSfu, 2, 11));
  take(UnitPool::kSfu, 2);
  EXPECT_FALSE(pipelines.accepts(UnitPool::kSfu, 2, 11));
  // A shared unit accepts instructions of any scheduler, as long as one is free.
  take(UnitPool::kDp, 0);
  EXPECT_FALSE(pipelines.accepts(UnitPool::kDp, 3, 11));
  for (unsigned i = 0; i < 3; ++i) take(UnitPool::kMemory, 1);
  EXPECT_TRUE(pipelines.accepts(UnitPool::kMemory, 1, 11));
  take(UnitPool::kMemory, 0);
  EXPECT_FALSE(pipelines.accepts(UnitPool::kMemory, 2, 11));
}

INSTANTIATE_TEST_SUITE_P(Machines, PipelinesRules,
                         ::testing::Values("kepler_k20c_study", "maxwell_liu13", "pascal_titanx_study"));

}  // namespace
}  // namespace castor::gpu::gpu_sm_pipelines_test
