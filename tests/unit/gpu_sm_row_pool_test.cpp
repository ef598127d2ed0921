#include "castor/gpu/sm/row_pool.h"
#include "unit/gpu_sm_core_support.h"

// Tests of register file rows that replace registers: their owners, and the ticks of their writes and reads.

namespace castor::gpu::gpu_sm_row_pool_test {
namespace {

using namespace test;

struct Bench : Core {
  explicit Bench(Code code, const std::vector<std::string>& overrides = {})
      : Core(std::move(code), 64, overrides), rows(machine, warps, board, pipelines, wheel, rig.lsu) {
    for (const unsigned w : {0, 1}) rows.start(w);
  }
  /// Runs to `end`; events of rows are noted, the others happen.
  void run(Tick end) {
    while (clock.tick() < end) {
      clock.begin(clock.now() + 1);
      rows.begin_tick();
      (void)wheel.take(clock.tick(), [this](const SmEvent& event) {
        if (event.kind == SmEvent::Kind::kRowWritten) {
          rows.tell(event);
          told.push_back({clock.tick(), event.first});
        } else if (event.kind == SmEvent::Kind::kRowReady) {
          rows.ready(event, clock.tick(), buffer.head(event.warp));
          ready.push_back(clock.tick());
        } else {
          act(event);
        }
      });
    }
  }

  RowPool rows;
  std::vector<std::pair<Tick, unsigned>> told;  ///< tick and pool row of each notification
  std::vector<Tick> ready;
};

TEST(RowPool, TakesTheHighestRowsThatLieTogether) {
  Bench bench(Code().exit());
  const unsigned all = bench.machine.sm.registers / bench.machine.sm.lanes;
  EXPECT_EQ(bench.rows.size(), all);
  EXPECT_EQ(bench.rows.take(4), static_cast<int>(all - 4));
  EXPECT_EQ(bench.rows.take(8), static_cast<int>(all - 12));
  bench.rows.give_back(all - 4, 4);
  EXPECT_EQ(bench.rows.take(5), static_cast<int>(all - 17));  // four free rows are not enough
  EXPECT_EQ(bench.rows.take(3), static_cast<int>(all - 3));
  EXPECT_EQ(bench.rows.take(all), RowPool::kNone);
}

// A row is written in the first free write slot of bank row mod rf.banks, reported in that tick, and clear in the next.
TEST(RowPool, ResultGoesToItsRow) {
  Bench bench(Code().add(3, 1, 2).add(4, 3, 3).exit());
  bench.run(10);
  const Decoded& add = bench.warps[0].decoded[0];
  const unsigned banks = bench.machine.rf.banks;
  const unsigned row = 96 / banks * banks + banks + 5;
  bench.board.expect_write(0, 5, 10, 20);  // register bank 5, which is also that of the row
  bench.rows.lead(0, 3, row);
  EXPECT_TRUE(bench.rows.leads(0, add));
  EXPECT_FALSE(bench.rows.leads(1, add));
  set_lanes(bench.warps, 0, 3, 77);
  bench.rows.expect(0, add, 96, 10, 20, nullptr);
  bench.rows.store(0, add);
  EXPECT_TRUE(bench.board.pending(0, 3));
  bench.run(22);
  ASSERT_EQ(bench.told.size(), 1U);
  EXPECT_EQ(bench.told[0].first, 21U);
  EXPECT_TRUE(bench.ready == std::vector<Tick>{22});
  EXPECT_FALSE(bench.board.pending(0, 3));
  EXPECT_FALSE(bench.rows.leads(0, add));
  bench.rows.load(1, 7, row);
  EXPECT_EQ(lane_of(bench.warps, 1, 7, 31), 77U);
}

TEST(RowPool, WriteInTheSameTickIsToldAtOnce) {
  Bench bench(Code().add(3, 1, 2).exit());
  bench.run(10);
  bench.rows.lead(0, 3, 100);
  bench.rows.expect(0, bench.warps[0].decoded[0], 96, 10, 10, nullptr);
  ASSERT_EQ(bench.rows.written().size, 1U);
  EXPECT_EQ(bench.rows.written()[0].tag, 4U);
  EXPECT_EQ(bench.rows.written()[0].tb, 0U);
}

TEST(RowPool, RegistersWrittenTogetherShareAnEvent) {
  Bench bench(Code().load(4, 0, isa::Space::kGlobal, 2).exit());
  const Decoded& load = bench.warps[0].decoded[0];
  bench.rows.lead(0, 4, 100);
  bench.rows.lead(0, 5, 101);
  bench.rows.expect(0, load, 96, 0, 20, nullptr);
  bench.run(30);
  EXPECT_TRUE(bench.ready == std::vector<Tick>{21});
  EXPECT_EQ(bench.told.size(), 2U);
  bench.ready.clear();
  const unsigned banks = bench.machine.rf.banks;
  bench.rows.lead(0, 4, 100);
  bench.rows.lead(0, 5, 100 + banks);  // one bank
  bench.rows.expect(0, load, 96, 30, 40, nullptr);
  bench.run(50);
  EXPECT_TRUE((bench.ready == std::vector<Tick>{41, 42}));
  EXPECT_FALSE(bench.board.pending(0, 5));
}

TEST(RowPool, ReadsAreRememberedPerRowAndWarp) {
  Bench bench(Code().add(3, 1, 2).exit());
  const std::int16_t from[] = {100, RowPool::kNone};
  bench.rows.read(0, bench.warps[0].decoded[0], from, 15, 10);
  EXPECT_EQ(bench.rows.read_until(100), 15U);
  EXPECT_TRUE(bench.rows.reading(0, 14));
  EXPECT_FALSE(bench.rows.reading(0, 15));
  EXPECT_FALSE(bench.rows.reading(1, 0));
  EXPECT_EQ(bench.wheel.next(10), 15U);  // the SM is awake in that tick
}

TEST(RowPool, CopyWaitsForTheWarpsReadsAndWrites) {
  Bench bench(Code().add(3, 1, 2).exit());
  const std::int16_t none[] = {RowPool::kNone, RowPool::kNone};
  bench.run(10);
  bench.rows.read(0, bench.warps[0].decoded[0], none, 12, 10);
  EXPECT_FALSE(bench.rows.copy(0, 6, 100, 11));
  bench.board.expect(0, 6);
  EXPECT_FALSE(bench.rows.copy(0, 6, 100, 13));
  bench.board.forget(0, 6);
  EXPECT_TRUE(bench.rows.copy(0, 6, 100, 13));
}

}  // namespace
}  // namespace castor::gpu::gpu_sm_row_pool_test
