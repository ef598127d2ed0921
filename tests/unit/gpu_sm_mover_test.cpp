// Tests of thread blocks that an SM swaps out and restores: the times of the moves, the activity meanwhile, and equal
// contexts before and after (docs/gpu/moving.md).

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gpu_sm_support.h"

namespace castor::gpu::gpu_sm_mover_test {
namespace {

constexpr Cycle kEach = 40;

/// A machine without instruction misses. Random swaps are off.
Machine machine(const std::vector<std::string>& more = {}) {
  std::vector<std::string> keys = {"icache.ideal=1"};
  keys.insert(keys.end(), more.begin(), more.end());
  return test::machine("maxwell_liu13", keys);
}

// 64 threads increment a counter for a while, with a word of shared memory, local memory and predicates in use.
const char* const kBefore = ".shared .align 4 .b32 words[64];\n";
const char* const kBody = R"(
  .local .align 4 .b8 depot[8];
  ld.param.u64 %rd0, [out];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd1, %r1, 4;
  add.s64 %rd1, %rd0, %rd1;
  mov.u64 %rd2, depot;
  st.local.u32 [%rd2], %r1;
  mov.u32 %r5, words;
  mad.lo.u32 %r5, %r1, 4, %r5;
  setp.gt.u32 %p3, %r1, 17;
  mov.u32 %r2, 0;
L: st.shared.u32 [%r5], %r2;
  ld.shared.u32 %r6, [%r5];
  add.u32 %r2, %r6, 1;
  setp.lt.u32 %p1, %r2, 60;
  @%p1 bra L;
  ld.local.u32 %r3, [%rd2];
  @%p3 add.u32 %r3, %r3, 1000;
  add.u32 %r2, %r2, %r3;
  st.global.u32 [%rd1], %r2;
  ret;
)";

class Moving {
 public:
  explicit Moving(const std::vector<std::string>& more = {}, const std::string& body = kBody, unsigned threads = 64)
      : rig(machine(more)), count(threads) {
    out = rig.store->allocate(4096, AllocationKind::kHeap).value();
    std::memset(rig.store->host(out), 0, 4096);
    std::vector<std::byte> parameters(8);
    std::memcpy(parameters.data(), &out, 8);
    kernel = &rig.load(body, {4, 1, 1}, {threads, 1, 1}, 0, kBefore, parameters);
  }
  void ask(Cycle first = 0, Cycle each = kEach) {
    rig.sm.swap_out({rig.now + 1, &kernel->context, kernel->context.ticket, first, each});
  }
  void run_to(Cycle cycle) {
    while (rig.now < cycle) rig.cycle();
  }
  /// Runs until a thread block is away.
  std::shared_ptr<const SavedTb> leave(Cycle limit = 5000) {
    rig.brings_back = false;
    for (const Cycle end = rig.now + limit; rig.away.empty() && rig.now < end;) rig.cycle();
    EXPECT_FALSE(rig.away.empty()) << rig.sm.waiting();
    if (rig.away.empty()) return nullptr;
    auto tb = rig.away.front();
    rig.away.pop_front();
    return tb;
  }
  [[nodiscard]] MoveState state(unsigned context = 0) const { return rig.sm.mechanism<TbMover>()->state(context); }
  [[nodiscard]] std::vector<std::uint32_t> words() const {
    std::vector<std::uint32_t> values(count);
    std::memcpy(values.data(), rig.store->host(out), values.size() * 4);
    return values;
  }
  [[nodiscard]] static std::vector<std::uint32_t> expected() {
    std::vector<std::uint32_t> values(64);
    for (std::uint32_t i = 0; i < 64; ++i) values[i] = 60 + i + (i > 17 ? 1000 : 0);
    return values;
  }

  test::Rig rig;
  unsigned count;
  std::uint64_t out = 0;
  const test::Kernel* kernel = nullptr;
};

TEST(TbMover, ABlockStopsLeavesComesBackAndGoesOn) {
  Moving one;
  one.rig.start(*one.kernel);
  one.run_to(300);
  EXPECT_EQ(one.state(), MoveState::kRun);
  one.ask();
  one.run_to(301);
  EXPECT_EQ(one.state(), MoveState::kQuiesce);
  const std::size_t issued = one.rig.log.issues.size();
  EXPECT_NE(one.rig.sm.waiting().find("waits until its thread block is swapped out"), std::string::npos);
  const auto tb = one.leave();
  ASSERT_NE(tb, nullptr);
  EXPECT_EQ(tb->reason, SwapReason::kPreemption);
  EXPECT_EQ(one.rig.log.issues.size(), issued) << "an instruction issued behind the request";
  EXPECT_TRUE(one.rig.sm.idle());
  EXPECT_EQ(one.rig.sm.waiting(), "");
  one.run_to(one.rig.now + 1000);
  const Cycle back = one.rig.now + 1;
  const Cycle load = context_move_time(one.rig.machine, one.kernel->context.need);
  ASSERT_GT(load, 2U);
  one.rig.bring_back(tb);
  one.run_to(back);
  EXPECT_EQ(one.state(), MoveState::kFilling);
  one.run_to(back + load - 1);
  EXPECT_EQ(one.state(), MoveState::kFilling);
  one.run_to(back + load);
  EXPECT_EQ(one.state(), MoveState::kRun);
  EXPECT_EQ(one.rig.log.issues.size(), issued) << "it issues before its context is there";
  ASSERT_TRUE(one.rig.run(1)) << one.rig.sm.waiting();
  EXPECT_EQ(one.words(), Moving::expected());
  EXPECT_EQ(one.rig.retired[0].warp_instructions, one.rig.log.issues.size());
}

// Contexts move one after the other. Each TB leaves at the end of its own move, however long ago it became quiescent.
TEST(TbMover, BlocksLeaveInTurnAtTheRate) {
  Moving one;
  for (unsigned gid = 0; gid < 3; ++gid) one.rig.start(*one.kernel, gid);
  one.run_to(300);
  one.rig.brings_back = false;
  one.ask(1000, 200);
  std::vector<Cycle> left;
  for (std::size_t seen = 0; seen < 3 && one.rig.now < 5000;) {
    one.rig.cycle();
    for (; seen < one.rig.away.size(); ++seen) left.push_back(one.rig.now);
  }
  // The request is accepted in cycle 301. The message is visible one cycle after the last tick of the move.
  EXPECT_EQ(left, (std::vector<Cycle>{301 + 1200 + 1, 301 + 1400 + 1, 301 + 1600 + 1}));
}

TEST(TbMover, ABlockThatWasSentBeforeTheRequestLeavesToo) {
  Moving one;
  one.rig.brings_back = false;
  one.rig.start(*one.kernel, 0);
  one.rig.start(*one.kernel, 1);
  one.ask(0, 1);
  one.run_to(200);
  EXPECT_EQ(one.rig.away.size(), 2U);
}

TEST(TbMover, ABlockOfAnotherLaunchStays) {
  Moving one;
  one.rig.start(*one.kernel);
  one.run_to(300);
  one.rig.sm.swap_out({301, &one.kernel->context, one.kernel->context.ticket + 1, 0, kEach});
  ASSERT_TRUE(one.rig.run(1));
  EXPECT_EQ(one.rig.moved, 0U);
}

TEST(TbMover, ABlockWhoseWarpsHaveExitedRetires) {
  Moving one({}, "ld.param.u64 %rd0, [out];\nst.global.u32 [%rd0], 7;\nret;");
  one.rig.network.latency = 2000;
  one.rig.start(*one.kernel);
  one.run_to(400);
  ASSERT_TRUE(one.rig.retired.empty());
  one.ask();
  ASSERT_TRUE(one.rig.run(1));
  EXPECT_EQ(one.rig.moved, 0U);
  EXPECT_EQ(one.words()[0], 7U);
}

// The load of a block to be swapped out takes 3000 cycles. The block does not leave before its data are written.
TEST(TbMover, ABlockWaitsForItsLoads) {
  Moving one({},
             "ld.param.u64 %rd0, [out];\nld.global.u32 %r1, [%rd0+8];\nadd.u32 %r1, %r1, 5;\n"
             "st.global.u32 [%rd0], %r1;\nret;");
  const std::uint32_t value = 1234;
  std::memcpy(one.rig.store->host(one.out + 8), &value, 4);
  one.rig.network.latency = 3000;
  one.rig.start(*one.kernel);
  one.run_to(600);
  one.ask();
  one.run_to(2500);
  EXPECT_EQ(one.state(), MoveState::kQuiesce);
  EXPECT_EQ(one.rig.moved, 0U);
  ASSERT_TRUE(one.rig.run(1));
  EXPECT_EQ(one.rig.moved, 1U);
  EXPECT_EQ(one.words()[0], 1239U);
}

// A block is stopped while it becomes quiescent, and while its context moves: it retires and is not swapped out.
TEST(TbMover, AStoppedBlockRetiresInsteadOfLeaving) {
  for (const Cycle when : {302U, 330U}) {
    Moving one;
    one.rig.start(*one.kernel);
    one.run_to(300);
    one.ask(0, 500);
    one.run_to(when);
    EXPECT_EQ(one.state(), when == 302 ? MoveState::kQuiesce : MoveState::kOut);
    one.rig.sm.kill(one.kernel->context, one.rig.now + 1);
    ASSERT_TRUE(one.rig.run(1));
    one.run_to(2000);
    EXPECT_EQ(one.rig.moved, 0U);
    EXPECT_TRUE(one.rig.sm.idle());
  }
}

TEST(TbMover, ABlockThatComesBackToAStoppedKernelRetires) {
  Moving one;
  one.rig.start(*one.kernel);
  one.run_to(300);
  one.ask();
  const auto tb = one.leave();
  ASSERT_NE(tb, nullptr);
  one.rig.sm.kill(one.kernel->context, one.rig.now + 1);
  one.rig.bring_back(tb);
  ASSERT_TRUE(one.rig.run(1));
  EXPECT_TRUE(one.rig.sm.idle());
}

// The warp sleeps for 20 us from about cycle 290 on. While it is swapped out, its sleep time does not run.
TEST(TbMover, TheRestOfASleepIsSleptBehindTheReturn) {
  const char* const body =
      "ld.param.u64 %rd0, [out];\nnanosleep.u32 20000;\nmov.u64 %rd1, %clock64;\nst.global.u64 [%rd0], %rd1;\nret;";
  const auto woken = [](const Moving& one) {
    std::uint64_t value = 0;
    std::memcpy(&value, one.rig.store->host(one.out), 8);
    return value;
  };
  Moving plain({}, body, 32);
  plain.rig.start(*plain.kernel);
  ASSERT_TRUE(plain.rig.run(1));
  Moving one({}, body, 32);
  one.rig.start(*one.kernel);
  one.run_to(1000);
  one.ask(0, 100);
  const auto tb = one.leave();
  ASSERT_NE(tb, nullptr);
  const Cycle left = one.rig.now - 1;
  one.run_to(100'000);
  one.rig.bring_back(tb);
  ASSERT_TRUE(one.rig.run(1));
  EXPECT_EQ(woken(one), woken(plain) + 100'001 - left);
}

// Half of the warps wait at a barrier when the block is swapped out. When it is restored, it gets other slots.
TEST(TbMover, WarpsAtABarrierWaitThereInOtherSlots) {
  Moving one({},
             "ld.param.u64 %rd0, [out];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd1, %r1, 4;\n"
             "add.s64 %rd1, %rd0, %rd1;\nsetp.lt.u32 %p1, %r1, 32;\n@%p1 bra W;\nmov.u32 %r2, 0;\n"
             "L: add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p2, %r2, 200;\n@%p2 bra L;\nst.global.u32 [%rd0+512], %r2;\n"
             "W: setp.eq.u32 %p3, %r1, 40;\nbar.red.popc.u32 %r3, 0, %p3;\nst.global.u32 [%rd1], %r3;\nret;");
  one.rig.start(*one.kernel);
  one.run_to(400);
  one.ask();
  const auto tb = one.leave();
  ASSERT_NE(tb, nullptr);
  ASSERT_EQ(tb->warps.size(), 2U);
  EXPECT_TRUE(tb->warps[0].at_barrier);
  EXPECT_FALSE(tb->warps[1].at_barrier);
  one.rig.start(*one.kernel, 1);  // takes the slots
  one.run_to(one.rig.now + 3);
  one.rig.bring_back(tb);
  ASSERT_TRUE(one.rig.run(2)) << one.rig.sm.waiting();
  EXPECT_EQ(one.words(), std::vector<std::uint32_t>(64, 1));
}

TEST(TbMover, SwapsAtRandomAreCountedAndTheSameWithoutSleep) {
  std::vector<std::string> reports;
  for (const bool sleeps : {true, false}) {
    Moving one({"context.random=3"});
    one.rig.sleeps = sleeps;
    for (unsigned gid = 0; gid < 4; ++gid) one.rig.start(*one.kernel, gid);
    ASSERT_TRUE(one.rig.run(4));
    EXPECT_EQ(one.words(), Moving::expected());
    EXPECT_GT(one.rig.moved, 2U);
    const std::string text = one.rig.statistics.text();
    EXPECT_NE(text.find("moves.out " + std::to_string(one.rig.moved)), std::string::npos) << text;
    EXPECT_NE(text.find("moves.in " + std::to_string(one.rig.moved)), std::string::npos);
    reports.push_back(text);
  }
  EXPECT_EQ(reports[0], reports[1]);
  Moving other({"context.random=4"});
  for (unsigned gid = 0; gid < 4; ++gid) other.rig.start(*other.kernel, gid);
  ASSERT_TRUE(other.rig.run(4));
  EXPECT_NE(other.rig.statistics.text(), reports[0]) << "the seed decides nothing";
}

TEST(TbMover, MachinesWithoutSwapsDoNotCountThem) {
  Moving one;
  EXPECT_EQ(one.rig.statistics.text().find("moves."), std::string::npos);
}

// The restored context differs from the saved one in one cell.
using Change = std::function<void(SavedTb&)>;
TEST(TbMoverDeathTest, WhatComesBackIsWhatLeft) {
  const std::pair<const char*, Change> changes[] = {
      {"register", [](SavedTb& tb) { tb.warps[1].registers[9] ^= std::byte{4}; }},
      {"predicate", [](SavedTb& tb) { tb.warps[0].predicates[1] ^= 8; }},
      {"pc", [](SavedTb& tb) { ++tb.warps[1].pc; }},
      {"stack", [](SavedTb& tb) { tb.warps[0].stack.start(0xffff, 0); }},
      {"live", [](SavedTb& tb) { tb.warps[1].live = false; }},
      {"barrier", [](SavedTb& tb) { ++tb.barriers.done; }},
      {"at a barrier", [](SavedTb& tb) { tb.warps[0].at_barrier = true; }},
      {"sleep", [](SavedTb& tb) { tb.warps[0].sleep = 5; }},
      {"shared memory", [](SavedTb& tb) { tb.shared[100] ^= std::byte{1}; }},
      {"local memory", [](SavedTb& tb) { tb.local[130] ^= std::byte{1}; }},
      {"instructions", [](SavedTb& tb) { ++tb.warp_instructions; }},
  };
  for (const auto& [what, change] : changes) {
    SCOPED_TRACE(what);
    Moving one;
    one.rig.start(*one.kernel);
    one.run_to(500);
    one.ask();
    const auto tb = std::const_pointer_cast<SavedTb>(one.leave());
    ASSERT_NE(tb, nullptr);
    ASSERT_GT(tb->local.size(), 130U);
    ASSERT_GT(tb->shared.size(), 100U);
    change(*tb);
    one.rig.bring_back(tb);
    EXPECT_DEATH(one.run_to(one.rig.now + 2), "the context of TB 0 that comes back to SM 0 is not the one that left");
  }
}

}  // namespace
}  // namespace castor::gpu::gpu_sm_mover_test
