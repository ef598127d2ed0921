// The fetch filter's side of an SM when thread blocks are swapped out: which exits the filter is told of, which rows
// and results go with a block (docs/gpu/fetch-filter.md, "Thread blocks that move").

#include <cstring>
#include <memory>
#include <vector>

#include "castor/gpu/saved_tb.h"
#include "unit/gpu_sm_filter_unit_support.h"

namespace castor::gpu::gpu_sm_filter_moved_test {
namespace {

using namespace filter_unit_test;

std::uint32_t lane0(Bench& bench, unsigned w, unsigned reg) {
  std::uint32_t value = 0;
  std::memcpy(&value, bench.warps.view(w).dst(static_cast<isa::OperandIndex>(reg)), sizeof value);
  return value;
}
std::vector<std::byte> row_of(const Bench& bench, std::uint32_t value) {
  std::vector<std::byte> row(std::size_t{bench.machine.sm.lanes} * 4);
  for (std::size_t at = 0; at < row.size(); at += 4) std::memcpy(&row[at], &value, 4);
  return row;
}

// The result of a skipped instruction is younger than a load that is still going to write the register.
TEST(OwnRegisters, ASkippedResultWaitsForAnOlderLoad) {
  Bench bench(sums());
  OwnRegisters own(bench.warps, bench.board);
  own.skipped(0, 3, row_of(bench, 7).data());
  EXPECT_EQ(lane0(bench, 0, 3), 7U);
  bench.board.expect(1, 4);
  own.skipped(1, 4, row_of(bench, 8).data());
  own.skipped(1, 4, row_of(bench, 9).data());
  own.skipped(1, 5, row_of(bench, 10).data());
  EXPECT_EQ(lane0(bench, 1, 4), 0U);
  EXPECT_EQ(lane0(bench, 1, 5), 10U);
  bench.board.forget(1, 4);
  own.settle(0);
  EXPECT_EQ(lane0(bench, 1, 4), 0U);
  own.settle(1);
  EXPECT_EQ(lane0(bench, 1, 4), 9U);
}

TEST(OwnRegisters, WhatAWarpWritesItselfIsYoungerThanASkippedResult) {
  Bench bench(sums());
  OwnRegisters own(bench.warps, bench.board);
  for (const unsigned reg : {3U, 4U, 5U}) {
    bench.board.expect(0, reg);
    own.skipped(0, reg, row_of(bench, reg).data());
    bench.board.forget(0, reg);
  }
  own.written(0, 2, 2);  // 2 and 3
  own.written(1, 4, 1);  // of another warp
  own.settle(0);
  EXPECT_EQ(lane0(bench, 0, 3), 0U);
  EXPECT_EQ(lane0(bench, 0, 4), 4U);
  EXPECT_EQ(lane0(bench, 0, 5), 5U);
  // A warp that starts in the slot has nothing of the one before.
  bench.board.expect(0, 4);
  own.skipped(0, 4, row_of(bench, 44).data());
  bench.board.forget(0, 4);
  own.start(0);
  own.settle(0);
  EXPECT_EQ(lane0(bench, 0, 4), 4U);
}

// A skipped result that is written at once replaces the one that still waited for the register.
TEST(OwnRegisters, ARegisterHasOneSkippedResult) {
  Bench bench(sums());
  OwnRegisters own(bench.warps, bench.board);
  bench.board.expect(0, 4);
  own.skipped(0, 4, row_of(bench, 7).data());
  bench.board.forget(0, 4);
  own.skipped(0, 4, row_of(bench, 8).data());
  own.settle(0);
  EXPECT_EQ(lane0(bench, 0, 4), 8U);
  // Nothing is left behind `settle`: what the warp writes then stays.
  bench.board.expect(0, 5);
  own.skipped(0, 5, row_of(bench, 9).data());
  bench.board.forget(0, 5);
  own.settle(0);
  EXPECT_EQ(lane0(bench, 0, 5), 9U);
  std::memset(bench.warps.view(0).dst(5), 0, 4);
  own.settle(0);
  EXPECT_EQ(lane0(bench, 0, 5), 0U);
}

/// A TB of two warps on a machine that moves TBs.
struct Moving : Bench {
  explicit Moving(Code code) : Bench(std::move(code), 64, 2, nullptr, {"context.random=1"}) {}
  [[nodiscard]] std::unique_ptr<SavedTb> leave() {
    auto saved = std::make_unique<SavedTb>();
    unit.leave(0, *saved);
    return saved;
  }
};

// From the tick in which its context begins to move the TB is fetched for no more, also without a request before it, as
// when it waits for its launches.
TEST(FilterUnit, ABlockThatIsMovedOutIsNotFetched) {
  Moving bench(sums());
  bench.until_ready(0);
  bench.until_ready(1);
  bench.buffer.stop(3);
  bench.unit.freeze(0);
  EXPECT_EQ(bench.fetch.eligible() & 3, 0U);
  EXPECT_EQ(bench.fetch.due() & 3, 0U);
  for (unsigned i = 0; i < 10; ++i) {
    bench.tick();
    EXPECT_FALSE(bench.filter.in_settle.decode.valid) << "tick " << i;
    EXPECT_EQ(bench.buffer.valid() & 3, 0U);
  }
}

// The exits of a TB's warps are told when its context begins to move. The TB leaves when they have been told.
TEST(FilterUnit, ABlockThatIsStoppedWhileItIsMovedOutExitsOnce) {
  Moving bench(sums());
  bench.until_ready(0);
  bench.buffer.stop(3);
  bench.unit.freeze(0);
  EXPECT_FALSE(bench.unit.may_leave(0));
  bench.tick();
  EXPECT_EQ(bench.filter.in_clock.exit, 3U);
  EXPECT_TRUE(bench.unit.may_leave(0));
  bench.unit.stop(0);
  for (unsigned i = 0; i < 5; ++i) {
    bench.tick();
    EXPECT_EQ(bench.filter.in_clock.exit, 0U) << "tick " << i;
  }
  TbRetireMessage message;
  bench.unit.retire(0, message);
  bench.tick();
  EXPECT_EQ(bench.filter.in_clock.retire, Maybe<std::uint8_t>(0));
  // The next TB of the context is not being moved out: it exits when it is stopped.
  bench.unit.begin(bench.tbs[0], 0, bench.event);
  bench.unit.stop(0);
  bench.tick();
  EXPECT_EQ(bench.filter.in_clock.exit, 3U);
}

TEST(FilterUnit, ABlockThatHasLeftIsNotBeingMovedOutAnyMore) {
  Moving bench(sums());
  bench.until_ready(0);
  bench.buffer.stop(3);
  bench.unit.freeze(0);
  bench.tick();
  static_cast<void>(bench.leave());
  bench.tick();
  EXPECT_EQ(bench.filter.in_clock.retire, Maybe<std::uint8_t>(0));
  TbStartEvent back;
  bench.unit.begin(bench.tbs[0], 0, back, true);
  EXPECT_FALSE(back.enable);
  bench.unit.stop(0);
  bench.tick();
  EXPECT_EQ(bench.filter.in_clock.exit, 3U);
}

// Two warps are fetched at once, as when a line arrives for which both wait; one group is decoded in a tick. The group
// that waits is dropped with the request, or when the context begins to move.
TEST(FilterUnit, AGroupThatIsSquashedIsNotDecoded) {
  for (const bool request : {true, false}) {
    Moving bench(sums());
    ASSERT_TRUE(bench.fetch.fetch(1));
    ASSERT_TRUE(bench.fetch.fetch(2));
    bench.tick();
    ASSERT_TRUE(bench.filter.in_settle.decode.valid);
    const unsigned first = bench.filter.in_settle.decode.warp;
    EXPECT_EQ(bench.buffer.valid() & 3, 1U << first);
    bench.buffer.stop(3);
    if (request) {
      bench.fetch.bar(3);
    } else {
      bench.unit.freeze(0);
    }
    for (unsigned i = 0; i < 5; ++i) {
      bench.tick();
      EXPECT_FALSE(bench.filter.in_settle.decode.valid) << "tick " << i;
      EXPECT_EQ(bench.buffer.valid() & 3, 0U);
    }
  }
}

// Rows of a TB are free when it retires, and when it leaves; those of another TB are not.
TEST(FilterUnit, RowsAreGivenBackOnceAndToOneBlock) {
  for (const bool leaves : {true, false}) {
    Moving bench(sums());
    ASSERT_TRUE(bench.event.enable);
    const unsigned context = bench.start(1);
    TbStartEvent other;
    other.warps = bench.tbs[context].warps;
    bench.unit.begin(bench.tbs[context], context, other);
    ASSERT_TRUE(other.enable);
    EXPECT_EQ(other.base + other.rows, bench.event.base) << "the pools lie side by side";
    bench.buffer.stop(3);
    bench.unit.freeze(0);
    bench.tick();
    TbRetireMessage message;
    if (leaves) {
      static_cast<void>(bench.leave());
    } else {
      bench.unit.retire(0, message);
    }
    bench.tick();
    TbStartEvent next;
    next.warps = bench.tbs[0].warps;
    bench.unit.begin(bench.tbs[0], 0, next);
    EXPECT_TRUE(next.enable);
    EXPECT_EQ(next.base, bench.event.base);
    EXPECT_EQ(next.rows, bench.event.rows);
  }
}

// A skipped result that waited for an older load belongs to the warp, not to the slot.
TEST(FilterUnit, ABlockInTheSlotsOfAnotherHasNothingOfIt) {
  Moving bench(sums());
  bool skips = false;
  bench.filter.out.hold = 2;
  bench.filter.answer = [&](const FetchIn& in, FetchOut& out) {
    out.act[0] =
        in.decode.valid && in.decode.pc == bench.kernel.context.code_base ? DecodeAct::kLead : DecodeAct::kPass;
    out.skip = skips ? 2 : 0;
  };
  set_lanes(bench.warps, 0, 1, 40);
  bench.until_ready(0);
  bench.tick(0);
  for (unsigned i = 0; i < 20 && bench.board.pending(0, 3); ++i) bench.tick();
  bench.board.expect(1, 3);
  skips = true;
  bench.tick();
  skips = false;
  EXPECT_EQ(bench.warps[1].pc, 1U);
  EXPECT_EQ(lane0(bench, 1, 3), 0U) << "an older load is going to write the register";
  bench.board.forget(1, 3);
  TbRetireMessage message;
  bench.unit.retire(0, message);
  bench.tick();
  bench.unit.begin(bench.tbs[0], 0, bench.event);
  bench.buffer.stop(3);
  bench.unit.freeze(0);
  EXPECT_EQ(lane0(bench, 1, 3), 0U);
}

}  // namespace
}  // namespace castor::gpu::gpu_sm_filter_moved_test
