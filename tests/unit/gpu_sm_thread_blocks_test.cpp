#include "castor/gpu/sm/thread_blocks.h"
#include "unit/gpu_sm_parts_support.h"

// Tests of thread block contexts: resources of a start, resources and reports of a retirement, stopped kernels.

namespace castor::gpu::gpu_sm_thread_blocks_test {
namespace {

using namespace test;

struct Seen : Observer {
  std::vector<Tb> started, retired;
  void tb_started(const Tb& event) override { started.push_back(event); }
  void tb_retired(const Tb& event) override { retired.push_back(event); }
};

struct Bench {
  explicit Bench(unsigned threads = 64)
      : machine(part_machine()), tbs(machine, 3, counters, &seen), kernel(machine, Code().exit(), threads) {
    kernel.context.shared_bytes = 100;
    kernel.context.need.smem_units = 1;
    kernel.context.local_base = 1 << 20;
    kernel.context.local_stride = 256;
    kernel.context.ticket = 9;
  }
  [[nodiscard]] TbStartMessage message(std::uint64_t gid) const {
    TbStartMessage message;
    message.kernel = &kernel.context;
    message.item = kernel.context.item();
    message.gid = gid;
    message.group = 4;
    message.acquire = 50;
    return message;
  }
  unsigned start(std::uint64_t gid, Tick tick) {
    const unsigned context = tbs.start(message(gid), used, 1000 + tick, tick);
    used |= tbs[context].warps;
    return context;
  }

  Machine machine;
  Seen seen;
  TbCounters counters;
  ThreadBlocks tbs;
  PartKernel kernel;
  WarpMask used = 0;
};

TEST(ThreadBlocks, StartTakesTheLowestContextSlotsAndRoom) {
  Bench bench(70);  // 3 warps
  const SmResources before = bench.tbs.room(0);
  bench.used = 0x5;
  EXPECT_EQ(bench.start(7, 10), 0U);
  EXPECT_EQ(bench.start(8, 20), 1U);
  const TbState& tb = bench.tbs[1];
  EXPECT_EQ(bench.tbs.resident(), 3U);
  EXPECT_EQ(bench.tbs[0].warps, 0x1aU);  // 1, 3, 4
  EXPECT_EQ(tb.warps, 0xe0U);
  EXPECT_EQ(tb.live, tb.warps);
  EXPECT_EQ(tb.warp_count, 3U);
  EXPECT_EQ(tb.slots[2], 7U);
  EXPECT_EQ(tb.index.x, 8U);
  const SmResources after = bench.tbs.room(bench.used);
  EXPECT_EQ(after.tbs, before.tbs - 2);
  EXPECT_EQ(after.warps, bench.machine.sm.warps - 8);
  EXPECT_EQ(after.reg_units, before.reg_units - 2 * bench.kernel.context.need.reg_units);
  EXPECT_EQ(after.smem_units, before.smem_units - 2);
  const TbMemory& memory = bench.tbs.memory()[1];
  EXPECT_EQ(&memory, tb.memory);
  EXPECT_EQ(memory.shared, tb.shared);
  EXPECT_EQ(memory.acquire, 50U);
  EXPECT_EQ(memory.local_base, (1U << 20) + (3 * bench.machine.sm.tb_contexts + 1) * 3 * 256);
  ASSERT_EQ(bench.seen.started.size(), 2U);
  EXPECT_EQ(bench.seen.started[1].cycle, 1020U);
  EXPECT_EQ(bench.seen.started[1].context, 1U);
}

TEST(ThreadBlocks, ABlockHasGridAndParametersOfItsItem) {
  Bench bench;
  bench.kernel.context.grid = {100, 1, 1};
  bench.kernel.context.parameters = 0x1000;
  TbStartMessage message = bench.message(7);
  message.item = {{3, 2, 2}, 0x2000};
  const TbState& tb = bench.tbs[bench.tbs.start(message, 0, 10, 10)];
  EXPECT_EQ(tb.index.x, 1U);
  EXPECT_EQ(tb.index.y, 0U);
  EXPECT_EQ(tb.index.z, 1U);
  EXPECT_EQ(tb.item.grid.y, 2U);
  EXPECT_EQ(tb.memory->parameters, 0x2000U);
}

TEST(ThreadBlocks, SharedMemoryOfANewBlockIsZero) {
  Bench bench;
  const unsigned first = bench.start(0, 0);
  std::memset(bench.tbs[first].shared, 0xff, 100);
  (void)bench.tbs.retire(first, 1, 1);
  bench.used = 0;
  const unsigned again = bench.start(1, 9);
  ASSERT_EQ(again, first);
  for (unsigned i = 0; i < 100; ++i) ASSERT_EQ(bench.tbs[again].shared[i], std::byte{0});
}

TEST(ThreadBlocks, SetUpTakesLongerWhereIndicesAreDivided) {
  Bench bench;
  const Tick plain = bench.machine.sm.tb_start_cycles;
  TbStartMessage message = bench.message(0);
  EXPECT_EQ(bench.tbs.setup_ticks(message), plain);
  message.divide = true;
  EXPECT_EQ(bench.tbs.setup_ticks(message), plain);  // one dimension
  message.item.grid = {8, 8, 1};
  EXPECT_EQ(bench.tbs.setup_ticks(message), plain + bench.machine.sm.tb_divide_cycles - 1);
}

TEST(ThreadBlocks, OneOperationPerTickAndNoneBehindTheFirstStart) {
  Bench bench;
  EXPECT_TRUE(bench.tbs.may_start(10));
  bench.start(0, 10);
  EXPECT_FALSE(bench.tbs.may_retire(10));
  EXPECT_FALSE(bench.tbs.may_start(11));
  EXPECT_FALSE(bench.tbs.may_retire(11));
  EXPECT_TRUE(bench.tbs.may_start(12));
  bench.start(1, 12);
  EXPECT_TRUE(bench.tbs.may_start(13));  // the SM was not empty
  EXPECT_TRUE(bench.tbs.may_retire(13));
}

TEST(ThreadBlocks, LowestFinishedContextWithNothingUnderWayRetires) {
  Bench bench;
  Credits done(1);
  bench.start(0, 0);
  bench.start(1, 2);
  bench.tbs.count(0, 32);
  bench.tbs.count(0, 5);
  for (const unsigned w : {0, 1, 2, 3}) bench.tbs.exited(w / 2, w);
  EXPECT_EQ(bench.tbs.finished(), 3U);
  EXPECT_EQ(bench.tbs.next_to_retire(0x1, done, 1005, 5), 1U);  // warp 0 has an instruction in flight
  const TbRetireMessage second = bench.tbs.retire(1, 1005, 5);
  EXPECT_EQ(second.gid, 1U);
  EXPECT_EQ(bench.tbs.next_to_retire(0, done, 1005, 5), std::nullopt);  // one per tick
  EXPECT_EQ(bench.tbs.next_to_retire(0, done, 1006, 6), std::nullopt);
  EXPECT_TRUE(bench.tbs.waits_for_credit());
  (void)done.give_back(1, 1006);
  EXPECT_EQ(bench.tbs.next_to_retire(0, done, 1007, 7), 0U);
  EXPECT_FALSE(bench.tbs.waits_for_credit());
  const TbRetireMessage first = bench.tbs.retire(0, 1007, 7);
  EXPECT_EQ(first.visible, 1008U);
  EXPECT_EQ(first.group, 4U);
  EXPECT_EQ(first.slot, 0U);
  EXPECT_EQ(first.warp_instructions, 2U);
  EXPECT_EQ(first.thread_instructions, 37U);
  EXPECT_EQ(bench.tbs.resident(), 0U);
  EXPECT_EQ(bench.tbs.room(0).reg_units, bench.machine.sm.registers / bench.machine.sm.reg_alloc_unit);
  EXPECT_EQ(bench.counters.tb_retired, 2U);
  EXPECT_EQ(bench.counters.tb_resident, 7U + (5 - 2));
  EXPECT_EQ(bench.seen.retired.size(), 2U);
  EXPECT_EQ(bench.tbs.memory()[0].kernel, nullptr);
}

TEST(ThreadBlocks, AcquireCycleIsThatOfTheLastFence) {
  Bench bench;
  bench.start(0, 0);
  bench.tbs.acquire(0, 77);
  EXPECT_EQ(bench.tbs.memory()[0].acquire, 77U);
}

TEST(ThreadBlocks, StoppedKernelIsKnownByItsTicket) {
  Bench bench;
  bench.start(0, 0);
  bench.tbs.kill(bench.kernel.context, 20);
  EXPECT_EQ(bench.tbs.next_order(), 20U);
  EXPECT_FALSE(bench.tbs.take_order(19, base::kForever));
  EXPECT_FALSE(bench.tbs.killed(bench.kernel.context));
  const auto order = bench.tbs.take_order(20, 20);
  ASSERT_TRUE(order);
  EXPECT_EQ(order->kernel, &bench.kernel.context);
  EXPECT_FALSE(order->swaps);
  EXPECT_FALSE(bench.tbs.take_order(20, 20));
  EXPECT_EQ(bench.tbs.next_order(), base::kForever);
  EXPECT_TRUE(bench.tbs.killed(bench.kernel.context));
  bench.tbs.stop(0);
  EXPECT_TRUE(bench.tbs[0].killed);
  EXPECT_EQ(bench.tbs[0].live, 0U);
  EXPECT_EQ(bench.tbs.finished(), 1U);
  bench.kernel.context.ticket = 10;  // the same address, another kernel
  EXPECT_FALSE(bench.tbs.killed(bench.kernel.context));
}

// A swap-out request follows the thread blocks that were sent before it, and overtakes none. A stop overtakes it.
TEST(ThreadBlocks, AnOrderToSwapWaitsForTheBlocksThatWereSentBefore) {
  Bench bench;
  bench.tbs.swap({20, &bench.kernel.context, 7, 3, 5});
  EXPECT_TRUE(bench.tbs.orders_pending());
  EXPECT_EQ(bench.tbs.next_order(), 20U);
  EXPECT_FALSE(bench.tbs.take_order(19, base::kForever));
  EXPECT_FALSE(bench.tbs.take_order(25, 20)) << "a thread block of the same cycle has not started";
  bench.tbs.kill(bench.kernel.context, 22);
  const auto stop = bench.tbs.take_order(25, 20);
  ASSERT_TRUE(stop);
  EXPECT_FALSE(stop->swaps);
  const auto order = bench.tbs.take_order(25, 21);
  ASSERT_TRUE(order);
  EXPECT_TRUE(order->swaps);
  EXPECT_EQ(order->ticket, 7U);
  EXPECT_EQ(order->first, 3U);
  EXPECT_EQ(order->each, 5U);
  EXPECT_FALSE(bench.tbs.orders_pending());
}

TEST(ThreadBlocks, ABlockThatLeavesOrStaysIsNotSwappingAnyMore) {
  Bench bench;
  bench.start(0, 0);
  bench.tbs.request_swap({0, SwapReason::kRandom, 0, 0});
  EXPECT_EQ(bench.tbs.swapping(), 1U);
  EXPECT_EQ(bench.tbs.take_swap_requests().size(), 1U);
  EXPECT_TRUE(bench.tbs.take_swap_requests().empty());
  bench.tbs.cancel_swap(0);
  EXPECT_EQ(bench.tbs.swapping(), 0U);
  bench.tbs.request_swap({0, SwapReason::kChildren, 0, 0});
  bench.tbs.swap_out(0, SwapReason::kChildren, 10, 10);
  EXPECT_EQ(bench.tbs.swapping(), 0U);
  EXPECT_EQ(bench.tbs.resident(), 0U);
}

}  // namespace
}  // namespace castor::gpu::gpu_sm_thread_blocks_test
