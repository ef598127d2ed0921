// What the sequences do not reach: items that are too large to be gone through, long pools, and long waits.

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

// While every cycle brings a completion, a group is accepted in every other one.
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
      // Placed in cycle 1, given back in cycle 2 + time, looked at in cycle wait + 1.
      EXPECT_EQ(b.fallback_ords.empty(), wait <= time + 1);
    }
  }
}

}  // namespace
}  // namespace castor::dtbl::test::engine_directed_test
