// Directed tests of cases that the sequences do not reach: items too large to be enumerated, long pools, and long
// waits.

#include <array>

#include "unit/dtbl/engine_support.h"

namespace castor::dtbl::test::engine_directed_test {
namespace {

TEST(DtblDirected, ItemOfAllThreadBlocksThatFit) {
  DtblBench b(2, 2);
  b.track = false;
  b.kernels.push_back({0, dims(0xffff'ffff), key(1)});
  b.steps(2);
  b.engine.set_position({0xffff'fffdU, 0, 0}, 0xffff'fffdU);
  for (U32 left = 2; left != 0; --left) {
    const Outputs o = b.engine.settle(b.in);
    EXPECT_EQ(o.pl_pos, 0xffff'ffffU - left);
    EXPECT_EQ(o.pl_last, left == 1 ? 1 : 0);
    Inputs in = b.in;
    in.pl_taken = 1;
    b.engine.clock(in);
  }
  EXPECT_TRUE(b.engine.settle(b.in).dispatch_hold.none());
}

TEST(DtblDirected, CarryAtTheEndOfEachDimension) {
  DtblBench b(2, 2);
  b.track = false;
  b.kernels.push_back({0, dims(3, 0xffff, 0xffff), key(1)});
  b.steps(2);
  b.engine.set_position({2, 0xfffe, 0xfffd}, 7);
  const auto take = [&b] {
    b.engine.settle(b.in);
    Inputs in = b.in;
    in.pl_taken = 1;
    b.engine.clock(in);
  };
  take();
  EXPECT_EQ(b.engine.dispatch().od.bits(), dims(0, 0, 0xfffe));
  EXPECT_EQ(b.engine.settle(b.in).pl_pos, 8U);
  b.engine.set_position({2, 0xfffd, 0xfffe}, 7);
  take();
  EXPECT_EQ(b.engine.dispatch().od.bits(), dims(0, 0xfffe, 0xfffe));
  b.engine.set_position({2, 0xfffe, 0xfffe}, 7);
  EXPECT_EQ(b.engine.settle(b.in).pl_last, 1);
}

TEST(DtblDirected, FullTableOfGroupsWithoutAGap) {
  DtblBench b(2, 1024);
  b.kernels.push_back({0, dims(200), key(1)});
  b.tb_time = 5000;  // no completion takes the write port
  b.steps(1);
  for (unsigned c = 0; c < 32; ++c) {
    command(b, key(1), 32, dims(1), 0x1004 + 0x400 * c, static_cast<U8>(c % 13), static_cast<U8>(c));
  }
  b.drain();
  EXPECT_EQ(b.on_chip, 1024U);
  ASSERT_EQ(b.placed.size(), 200U + 1024U);
  EXPECT_EQ(b.placed.back().cycle - b.placed.front().cycle, 1223U);
}

// While every cycle has a completion, a group is accepted in every other cycle.
TEST(DtblDirected, CompletionsTakeTurnsWithGroups) {
  DtblBench b(2, 1024);
  b.kernels.push_back({0, dims(200), key(1)});
  b.tb_time = 4;
  b.steps(1);
  for (unsigned c = 0; c < 100; ++c) {
    command(b, key(1), 32, dims(1), 0x1004 + 0x400 * c, static_cast<U8>(c % 13), static_cast<U8>(c % 32));
  }
  b.drain();
  EXPECT_EQ(b.on_chip, 3200U);
  const U64 cycles = b.placed.back().cycle - b.placed.front().cycle;
  EXPECT_GT(cycles, 2U * 3200);
  EXPECT_LT(cycles, 2U * 3200 + 3 * 100 + 200);
}

TEST(DtblDirected, SameThreadOfAllSms) {
  DtblBench b(2, 1024);
  b.kernels.push_back({0, dims(1), key(1)});
  b.tb_time = 500;
  b.steps(1);
  for (unsigned sm = 0; sm < 13; ++sm) command(b, key(1), 1, dims(1), 0x1004 + 0x10 * sm, static_cast<U8>(sm), 5);
  b.drain();
  EXPECT_EQ(b.on_chip, 1U);
  EXPECT_EQ(b.off_chip, 12U);
  EXPECT_EQ(b.placed.size(), 14U);
}

TEST(DtblDirected, FallbackAndMemoryThatWaitLoseNothing) {
  DtblBench b(2, 1);
  b.fall = false;
  command(b, key(9), 3, dims(1), 0x1004);
  b.steps(100);
  EXPECT_EQ(b.accepted, 1U);
  EXPECT_EQ(b.out.fb_valid, 1);
  b.fall = true;
  b.steps(10);
  EXPECT_EQ(b.fallback_ords.size(), 3U);
  b.kernels.push_back({1, dims(1), key(9)});
  b.memory = false;
  b.tb_time = 1000;
  command(b, key(9), 6, dims(1), 0x2004);
  b.steps(500);
  EXPECT_LT(b.accepted, 9U);
  EXPECT_EQ(b.out.att_valid, 1);
  EXPECT_EQ(b.out.att_ready, 0);
  EXPECT_TRUE(b.out.launch_hold.test(1));
  b.memory = true;
  b.drain();
  EXPECT_EQ(b.attached, 6U);
  EXPECT_EQ(b.placed.size(), 7U);
}

// The last running thread block completes in the cycle of the match, and before and after it.
TEST(DtblDirected, EntryFoundIsNotGivenBack) {
  for (unsigned time = 1; time <= 8; ++time) {
    for (unsigned wait = 2; wait <= 12; ++wait) {
      SCOPED_TRACE("time " + std::to_string(time) + ", wait " + std::to_string(wait));
      DtblBench b(2, 4);
      b.tb_time = time;
      b.kernels.push_back({1, dims(1), key(3)});
      b.steps(wait);
      command(b, key(3), 2, dims(1), 0x104);
      b.drain();
      EXPECT_EQ(b.attached + b.fallback_ords.size(), 2U);
      // The entry is placed in cycle 1, released in cycle 2 + time, and examined in cycle wait + 1.
      EXPECT_EQ(b.fallback_ords.empty(), wait <= time + 1);
    }
  }
}

// The last thread block of a pool's last group is placed after, in, and before the cycle in which another group
// attaches behind it. The last group is in the table or in memory. No group is lost, and the kernel is marked again
// where its mark was cleared.
TEST(DtblDirected, GroupAttachesAsItsPoolRunsEmpty) {
  for (const bool in_memory : {false, true}) {
    std::array<unsigned, 3> met{};  // attachments before, in and after the cycle
    for (unsigned wait = 1; wait <= 40; ++wait) {
      SCOPED_TRACE((in_memory ? "in memory, wait " : "in the table, wait ") + std::to_string(wait));
      DtblBench b(2, 4);
      b.tb_time = 200;  // time of the kernel's thread blocks, which outlasts the groups
      b.kernels.push_back({0, dims(1), key(1)});
      b.steps(4);
      b.tb_time = 20;  // completions would hold the group up
      command(b, key(1), 1, dims(8), 0x1004);
      if (in_memory) command(b, key(1), 1, dims(8), 0x2004);
      const U32 tail = in_memory ? kOffChip | 0x2000 : 0;
      unsigned ended = 0;
      const auto step = [&b, &met, &ended, tail] {
        const Outputs o = b.step();
        const bool ends = o.pl_valid != 0 && o.pl_last != 0 && o.pl_agei == tail;
        const bool attaches = o.att_valid != 0 && o.att_param == 0x3004;
        if (attaches) ++met.at(ends ? 1 : ended != 0 ? 2 : 0);
        if (ends) ++ended;
      };
      for (unsigned c = 0; c < wait; ++c) step();
      b.beats.push_back({key(1), true, true, 0, 0, 1, dims(1), 0x3004});
      for (unsigned c = 0; c < 30; ++c) step();
      b.drain();
      EXPECT_EQ(ended, 1U);
      EXPECT_EQ(b.placed.size(), in_memory ? 18U : 10U);
    }
    for (const unsigned times : met) EXPECT_GT(times, 0U);
  }
}

// The entry of a pool's last group has been reused by another kernel when a group attaches to the old kernel.
TEST(DtblDirected, TailThatIsAnotherKernelsIsNotLinked) {
  DtblBench b(2, 4);
  b.tb_time = 200;
  b.kernels.push_back({0, dims(1), key(1)});
  b.kernels.push_back({1, dims(1), key(2)});
  b.steps(6);
  b.tb_time = 3;
  command(b, key(1), 1, dims(1), 0x1004);
  b.steps(20);
  EXPECT_EQ(b.out.agt_used, 0);
  EXPECT_EQ(b.engine.dispatch().lagei[0], 0U);
  b.take = false;
  command(b, key(2), 2, dims(20), 0x2004);
  b.steps(8);
  EXPECT_EQ(b.engine.dispatch().lnext[0], 1U);
  b.beats.push_back({key(1), true, true, 0, 0, 2, dims(1), 0x3004});
  b.steps(8);
  EXPECT_EQ(b.attached, 4U);
  EXPECT_EQ(b.engine.dispatch().nagei[0], 2U);
  EXPECT_EQ(b.engine.dispatch().lnext[0], 1U);
  b.take = true;
  b.drain();
  EXPECT_EQ(b.placed.size(), 2U + 1U + 40U + 1U);
}

}  // namespace
}  // namespace castor::dtbl::test::engine_directed_test
