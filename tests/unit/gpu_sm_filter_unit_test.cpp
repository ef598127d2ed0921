#include "unit/gpu_sm_filter_unit_support.h"

// Tests of the fetch filter's unit in an SM: assignment of row pools, and effects of the filter's outputs.

namespace castor::gpu::gpu_sm_filter_unit_test {
namespace {

using namespace filter_unit_test;

// rows = min(32, (all - fit x own) / fit), the highest that lie together.
TEST(FilterUnit, BlockWithMarksGetsAPool) {
  Bench bench(sums());
  const unsigned all = bench.machine.sm.registers / bench.machine.sm.lanes;
  const unsigned own = bench.kernel.context.need.reg_units * bench.machine.sm.reg_alloc_unit / bench.machine.sm.lanes;
  const unsigned rows = std::min(32U, (all - 2 * own) / 2);
  EXPECT_TRUE(bench.event.enable);
  EXPECT_EQ(bench.event.rows, rows);
  EXPECT_EQ(bench.event.base, all - rows);
  EXPECT_EQ(bench.event.slots, 8U);
  EXPECT_EQ(bench.unit.counters().of_entry(0).tbs_with_pool, 1U);
  bench.tick();
  EXPECT_EQ(bench.filter.in_settle.eligible, 3U);
}

TEST(FilterUnit, BlockOfAKernelThatLeavesNoRowsGetsNone) {
  Bench full(sums(), 64, 100'000);
  EXPECT_FALSE(full.event.enable);
  EXPECT_EQ(full.unit.counters().of_entry(0).tbs_without_rows, 1U);
}

TEST(FilterUnit, BlockWithoutMarksGetsNone) {
  Bench unmarked(sums());
  unmarked.kernel.program.marks.clear();
  unmarked.unit.clear_entry(0);
  unmarked.unit.begin(unmarked.tbs[0], 0, unmarked.event);
  EXPECT_EQ(unmarked.unit.counters().of_entry(0).tbs_unmarked, 1U);
}

TEST(FilterUnit, BlockGetsNoneWhenAllRowsAreTaken) {
  Bench two(sums());
  two.kernel.context.fit = 1;
  unsigned pools = 1;
  while (two.unit.counters().of_entry(0).tbs_without_run == 0) {
    ASSERT_LT(pools, 1000U);
    two.event = {};
    two.unit.begin(two.tbs[0], 0, two.event);
    pools += two.event.enable ? 1 : 0;
  }
  EXPECT_FALSE(two.event.enable);
  EXPECT_EQ(two.unit.counters().of_entry(0).tbs_with_pool, pools);
  EXPECT_EQ(pools, two.machine.sm.registers / two.machine.sm.lanes / 32);
}

TEST(FilterUnit, BlockOfOneWarpGetsNone) {
  Bench bench(sums(), 32);
  EXPECT_FALSE(bench.event.enable);
  EXPECT_EQ(bench.unit.counters().of_entry(0).tbs_of_one_warp, 1U);
  bench.tick();
  EXPECT_EQ(bench.filter.in_settle.eligible, 0U);
}

// Yeh 2020, section 7.2: several dimensions, and an x that is a power of two and at most the warp. Every shape of up to
// 1024 threads.
TEST(FilterUnit, MarksThatDependOnTheShapeCountInSomeShapesOnly) {
  Bench bench(sums());
  const std::set<unsigned> powers = {1, 2, 4, 8, 16, 32};
  unsigned promoted = 0;
  for (unsigned x = 1; x <= 1024; ++x) {
    for (unsigned y = 1; x * y <= 1024; ++y) {
      for (unsigned z = 1; x * y * z <= 1024 && z <= 64; ++z) {
        bench.kernel.context.block = {x, y, z};
        TbStartEvent event;
        event.warps = bench.tbs[0].warps;
        bench.unit.begin(bench.tbs[0], 0, event);
        ASSERT_EQ(event.promote, powers.count(x) == 1 && (y > 1 || z > 1)) << x << ' ' << y << ' ' << z;
        promoted += event.promote ? 1 : 0;
      }
    }
  }
  EXPECT_GT(promoted, 1000U);
}

TEST(FilterUnit, HeldWarpsAreNotFetched) {
  Bench bench(sums());
  bench.filter.out.hold = 1;
  for (unsigned i = 0; i < 10; ++i) bench.tick();
  EXPECT_EQ(bench.unit.held(), 1U);
  EXPECT_EQ(bench.buffer.valid(), 2U);
}

TEST(FilterUnit, FilterIsShownWhatIsDecoded) {
  Bench bench(sums());
  std::vector<DecodeGroup> groups;
  bench.filter.answer = [&](const FetchIn& in, FetchOut& /*out*/) {
    if (in.decode.valid) groups.push_back(in.decode);
  };
  for (unsigned i = 0; i < 4; ++i) bench.tick();
  ASSERT_EQ(groups.size(), 2U);  // one group per tick, first come first served
  EXPECT_EQ(groups[0].warp, 0U);
  EXPECT_EQ(groups[1].warp, 1U);
  EXPECT_EQ(groups[0].count, 2U);
  EXPECT_EQ(groups[0].pc, bench.kernel.context.code_base);
  EXPECT_EQ(groups[0].slot[1].mark, 2U);
  EXPECT_EQ(groups[0].slot[1].dst[0], 4U);
}

TEST(FilterUnit, SquashedInstructionsAreFetchedAgain) {
  Bench bench(sums());
  bench.filter.out.hold = 2;
  bool squash = true;
  bench.filter.answer = [&](const FetchIn& in, FetchOut& out) {
    out.act[1] = squash ? DecodeAct::kSquash : DecodeAct::kPass;
    if (in.decode.valid) squash = false;
  };
  bench.until_ready(0);
  EXPECT_EQ(bench.buffer.size(0), 1U);
  EXPECT_EQ(bench.counters.squashes, 1U);
  EXPECT_EQ(bench.counters.wasted_fetches, 0U);
  EXPECT_EQ(bench.unit.counters().of_entry(0).squashes, 1U);
}

TEST(FilterUnit, LeadersResultIsReadFromItsRow) {
  Bench bench(sums());
  bench.filter.answer = [&](const FetchIn& in, FetchOut& out) {
    // Warp 0 leads with its first instruction. The second instruction of warp 1 reads its result.
    out.act[0] = in.decode.valid && in.decode.warp == 0 && in.decode.pc == bench.kernel.context.code_base
                     ? DecodeAct::kLead
                     : DecodeAct::kPass;
    out.tag[0] = 3;
    for (std::size_t i = 0; i < in.issued.size; ++i) {
      out.rename[i] = {};
      if (in.issued[i].warp == 1 && in.issued[i].nsrc == 1) {
        out.rename[i].src_row[0] = static_cast<std::int16_t>(bench.event.base + 3);
      }
    }
  };
  set_lanes(bench.warps, 0, 1, 40);
  set_lanes(bench.warps, 0, 2, 2);
  bench.until_ready(0);
  bench.tick(0);
  EXPECT_EQ(lane_of(bench.warps, 0, 3, 0), 42U);
  EXPECT_EQ(bench.filter.in_clock.issued.size, 1U);
  EXPECT_TRUE(bench.board.pending(0, 3));
  for (unsigned i = 0; i < 20 && bench.board.pending(0, 3); ++i) bench.tick();
  ASSERT_EQ(bench.filter.written.size(), 1U);
  EXPECT_EQ(bench.filter.written[0].tag, 3U);
  bench.until_ready(1);
  bench.tick(1);  // the warp's own r3 is 0 + 0
  bench.until_ready(1);
  bench.tick(1);
  EXPECT_EQ(lane_of(bench.warps, 1, 4, 31), 84U);
  const FilterCounts& counts = bench.unit.counters().of_entry(0);
  const auto kind = static_cast<std::size_t>(bench.warps[0].decoded[0].instruction_class);
  EXPECT_EQ(counts.led[kind], 1U);
  EXPECT_EQ(counts.executed[kind], 2U);
  EXPECT_EQ(counts.row_writes, 1U);
  EXPECT_EQ(counts.row_reads, 1U);
}

TEST(FilterUnit, SkippedWarpGoesOn) {
  Bench bench(sums());
  bench.filter.out.hold = 3;
  bool done = false;
  bench.filter.answer = [&](const FetchIn& in, FetchOut& out) {
    out.skip = 0;
    if (done || in.eligible != 3) return;
    out.skip = 2;
    done = true;
  };
  bench.tick();
  EXPECT_TRUE(done);
  EXPECT_TRUE(bench.clock.stirred());
  EXPECT_EQ(bench.warps[0].pc, 0U);
  EXPECT_EQ(bench.warps[1].pc, 1U);
}

/// Study that computes one instruction of warp 0 and makes warp 1 wait. It knows the results of all issued
/// instructions.
struct OneStudy final : Study {
  [[nodiscard]] unsigned rows() const override { return 5; }
  void attach(StudiedSm& sm) override { sm_ = &sm; }
  WarpMask act(WarpMask eligible) override {
    if ((eligible & 1) != 0 && sm_->warp(0).pc == 0) {
      EXPECT_TRUE(sm_->ready(0));
      sm_->compute(0);
    }
    return 2;
  }
  bool issue(const StudyIssue& one) override {
    issued.push_back(one);
    return true;
  }
  void writes(Cycle cycle) override { written.push_back(cycle); }

  std::vector<StudyIssue> issued;
  std::vector<Cycle> written;

 private:
  StudiedSm* sm_ = nullptr;
};

TEST(FilterUnit, AStudyHasRowsComputesLetsWaitAndKnowsResults) {
  OneStudy study;
  Bench bench(sums(), 64, 2, &study);
  EXPECT_EQ(bench.event.base, bench.machine.sm.registers / bench.machine.sm.lanes) << "behind the register file";
  EXPECT_EQ(bench.event.rows, 5U);
  set_lanes(bench.warps, 0, 1, 5);
  bench.tick();
  EXPECT_TRUE(bench.clock.stirred());
  EXPECT_EQ(bench.warps[0].pc, 1U);
  EXPECT_EQ(lane_of(bench.warps, 0, 3, 0), 5U);
  EXPECT_FALSE(bench.board.pending(0, 3));
  EXPECT_EQ(bench.unit.held(), 2U);
  bench.until_ready(0);
  bench.tick(0);
  ASSERT_EQ(study.issued.size(), 1U);
  EXPECT_EQ(study.issued[0].pc, 1U);
  EXPECT_EQ(study.issued[0].row, -1);
  EXPECT_EQ(study.written.at(0), bench.clock.now() + 1) << "in the next tick";
  EXPECT_EQ(bench.unit.counters().of_entry(0).reused_reads, 1U);  // one register, read twice
  EXPECT_EQ(bench.warps[1].pc, 0U);
}

TEST(FilterUnit, CopyIsAcknowledgedWhenServed) {
  Bench bench(sums());
  CopyRequest request;
  request.warp = 1;
  request.row = static_cast<std::uint16_t>(bench.event.base);
  request.slot = 3;
  bench.board.expect(1, 3);
  bench.filter.out.copy = request;
  bench.tick();
  EXPECT_FALSE(bench.filter.in_clock.copy_ack);
  bench.board.forget(1, 3);
  bench.tick();
  EXPECT_TRUE(bench.filter.in_clock.copy_ack);
}

TEST(FilterUnit, BarrierOfTheWholeBlockIsTold) {
  Bench bench(Code().barrier().exit());
  bench.until_ready(0);
  bench.tick(0);
  EXPECT_EQ(bench.filter.in_clock.barrier, 0U);
  bench.tick();
  EXPECT_EQ(bench.unit.held() & 1, 1U);  // the warp waits and is not fetched
  bench.until_ready(1);
  bench.tick(1);
  EXPECT_EQ(bench.filter.in_clock.barrier, 1U);
  EXPECT_EQ(bench.filter.in_clock.barrier_join, 3U);
}

TEST(FilterUnit, ExitIsToldWhenNothingIsInFlightAndRetireATickLate) {
  Bench bench(Code().exit());
  bench.until_ready(0);
  bench.board.expect_write(0, 4, bench.clock.tick(), bench.clock.tick() + 5);
  bench.tick(0);
  EXPECT_EQ(bench.filter.in_clock.exit, 0U);
  unsigned ticks = 0;
  for (; bench.filter.in_clock.exit == 0 && ticks < 20; ++ticks) bench.tick();
  EXPECT_EQ(bench.filter.in_clock.exit, 1U);
  EXPECT_EQ(bench.board.in_flight(), 0U);
  EXPECT_EQ(ticks, 5U);
  TbRetireMessage message;
  bench.unit.retire(0, message);
  bench.tick();
  ASSERT_TRUE(bench.filter.in_clock.retire);
  EXPECT_EQ(*bench.filter.in_clock.retire, 0U);
}

TEST(FilterUnit, AStudyPinsThreadBlocks) {
  OneStudy study;
  const Bench bench(sums(), 64, 2, &study);
  EXPECT_TRUE(bench.tbs.pinned());
}
TEST(FilterUnit, WithoutAStudyThreadBlocksMayMove) {
  const Bench bench(sums());
  EXPECT_FALSE(bench.tbs.pinned());
}

}  // namespace
}  // namespace castor::gpu::gpu_sm_filter_unit_test
