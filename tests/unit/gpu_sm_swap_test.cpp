// Tests of thread blocks whose contexts a swap engine moves line by line: the restored contexts, and the detection of
// missing lines (docs/gpu/swapping.md).

#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/hook_fails.h"
#include "gpu_sm_swap_support.h"

namespace castor::gpu::gpu_sm_swap_test {
namespace {

using swap_test::kRegion;
using swap_test::quick;
using swap_test::region;
using swap_test::SeenRig;
using swap_test::Swapping;
using test::RandomSwapEngine;

TEST(SwapPort, TheEngineMovesAContextOutAndIn) {
  Swapping one;
  one.rig.start(*one.kernel);
  one.run_to(300);
  one.ask();
  one.run_to(301);
  EXPECT_EQ(one.state(), MoveState::kQuiesce);
  while (one.state() == MoveState::kQuiesce) one.rig.cycle();
  EXPECT_EQ(one.state(), MoveState::kOut);
  const std::size_t issued = one.rig.log.issues.size();
  auto tb = one.leave();
  ASSERT_NE(tb, nullptr);
  EXPECT_TRUE(one.rig.sm.idle());
  ASSERT_NE(tb->swap, nullptr);
  EXPECT_TRUE(tb->shared.empty() && tb->warps[0].registers.empty()) << "the context is carried beside the engine";
  EXPECT_EQ(one.statistic("swap_port.stores"), one.lines());
  EXPECT_EQ(one.statistic("swap_port.loads"), 0U);
  EXPECT_EQ(one.statistic("swap_port.copies"), 0U);
  EXPECT_EQ(one.images.free_bytes(), kRegion - (one.lines() * 128 + 255) / 256 * 256);
  one.run_to(one.rig.now + 1000);
  one.rig.bring_back(tb);
  tb.reset();
  one.run_to(one.rig.now + 1);
  EXPECT_EQ(one.state(), MoveState::kFilling);
  EXPECT_NE(one.rig.sm.waiting().find("waits until the swap engine has moved its thread block"), std::string::npos);
  while (one.state() == MoveState::kFilling) one.rig.cycle();
  EXPECT_EQ(one.rig.log.issues.size(), issued) << "an instruction issued before the context was there";
  EXPECT_EQ(one.statistic("swap_port.loads"), one.lines());
  EXPECT_EQ(one.statistic("swap_port.jobs"), 2U);
  ASSERT_TRUE(one.rig.run(1)) << one.rig.sm.waiting();
  EXPECT_EQ(one.words(), Swapping::expected());
  EXPECT_EQ(one.rig.retired[0].warp_instructions, one.rig.log.issues.size());
  EXPECT_EQ(one.images.free_bytes(), kRegion) << "the image was not given back";
}
TEST(SwapPort, SwapsAtRandomChangeNoResultAndAreTheSameWithoutSleep) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::vector<std::string> reports;
    for (const bool sleeps : {true, false}) {
      RandomSwapEngine::Options options;
      options.seed = seed;
      options.longest_pause = seed % 2 != 0 ? 0 : 9;
      Swapping one(options, {"context.random=" + std::to_string(seed), sleeps ? "run.sleep=1" : "run.sleep=0"});
      one.rig.sleeps = sleeps;
      for (unsigned gid = 0; gid < 4; ++gid) one.rig.start(*one.kernel, gid);
      ASSERT_TRUE(one.rig.run(4)) << one.rig.sm.waiting();
      EXPECT_EQ(one.words(), Swapping::expected());
      EXPECT_GT(one.rig.moved, 0U);
      EXPECT_EQ(one.statistic("swap_port.jobs"), 2 * one.rig.moved);
      EXPECT_EQ(one.images.free_bytes(), kRegion);
      reports.push_back(one.rig.statistics.text());
    }
    EXPECT_EQ(reports[0], reports[1]);
  }
}
// The engine leaves out a line, of each type: the storage that the line should have filled holds poison, or the image
// holds other bytes.
TEST(SwapPortDeathTest, AForgottenLineIsFound) {
  Swapping sizes;
  const auto registers = static_cast<std::uint32_t>(sizes.lines()) - 4;
  const std::pair<const char*, std::uint32_t> lines[] = {
      {"first register", 2}, {"last register", 2 + registers - 1}, {"shared memory", 2 + registers + 1}};
  for (const bool forgets_load : {false, true}) {
    for (const auto& [what, line] : lines) {
      SCOPED_TRACE(what + std::string(forgets_load ? ", load" : ", store"));
      Swapping one;
      std::memset(one.rig.store->host(region()), 0x11, 1 << 16);
      one.engine.forgotten = line;
      one.engine.forgets_load = forgets_load;
      one.rig.start(*one.kernel);
      one.run_to(500);
      one.ask();
      EXPECT_DEATH(static_cast<void>(one.rig.run(1)),
                   "the context of TB 0 that comes back to SM 0 is not the one that left");
    }
  }
}
TEST(SwapPortDeathTest, ASimtLineThatIsNotTheBlocksOwnStopsTheRunWithTheBlocksName) {
  for (const std::uint32_t line : {0U, 1U}) {
    for (const bool forgets_load : {false, true}) {
      Swapping one;
      std::memset(one.rig.store->host(region()), 0x11, 1 << 16);
      one.engine.forgotten = line;
      one.engine.forgets_load = forgets_load;
      one.rig.start(*one.kernel);
      one.run_to(500);
      one.ask();
      if (line == 0) {
        EXPECT_HOOK_FAILS(static_cast<void>(one.rig.run(1)),
                          "block shuttle.*SIMT lines of TB 0 are not those that it left");
      } else {
        EXPECT_DEATH(static_cast<void>(one.rig.run(1)), "is not the one that left");
      }
    }
  }
}
// Two blocks are swapped out; each is restored with the lines of the other.
TEST(SwapPortDeathTest, LinesOfAnotherBlockAreFoundByTheirToken) {
  Swapping one;
  one.rig.start(*one.kernel, 0);
  one.rig.start(*one.kernel, 1);
  one.run_to(300);
  one.ask();
  auto first = std::const_pointer_cast<SavedTb>(one.leave());
  auto second = std::const_pointer_cast<SavedTb>(one.leave());
  ASSERT_TRUE(first != nullptr && second != nullptr);
  std::swap(first->swap->entry, second->swap->entry);
  std::swap(first->swap->image, second->swap->image);
  one.rig.bring_back(first);
  EXPECT_HOOK_FAILS(static_cast<void>(one.rig.run(1)), "SIMT lines of TB . are not those that it left");
}
// Five nested branches: more entries than a SIMT line holds.
TEST(SwapPort, WarpsWithDeepStacksComeBack) {
  std::string body = R"(
  ld.param.u64 %rd0, [out];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd1, %r1, 4;
  add.s64 %rd1, %rd0, %rd1;
  mov.u32 %r2, 0;
)";
  for (unsigned level = 0; level < 5; ++level) {
    const std::string n = std::to_string(level);
    body += "and.b32 %r3, %r1, " + std::to_string(1U << level) + "; setp.ne.u32 %p1, %r3, 0; @%p1 bra E" + n +
            "; add.u32 %r2, %r2, " + std::to_string(10 + level) + ";\n";
  }
  body += "mov.u32 %r4, 0;\nW: add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, 100; @%p2 bra W; add.u32 %r2, %r2, %r4;\n";
  for (unsigned level = 5; level-- > 0;) {
    body += "add.u32 %r2, %r2, 1000;\nE" + std::to_string(level) + ": add.u32 %r2, %r2, 7;\n";
  }
  body += "st.global.u32 [%rd1], %r2;\nret;";
  Swapping plain({}, {}, body, 32);
  plain.rig.start(*plain.kernel);
  ASSERT_TRUE(plain.rig.run(1));
  Swapping one({}, {"context.random=3"}, body, 32);
  one.rig.start(*one.kernel);
  one.run_to(450);
  one.ask();
  ASSERT_TRUE(one.rig.run(1)) << one.rig.sm.waiting();
  EXPECT_TRUE(one.rig.faults.empty()) << one.rig.faults[0].message;
  EXPECT_EQ(one.words(), plain.words());
  EXPECT_GT(one.statistic("swap_port.deep_stacks"), 0U);
}
// Blocks of two kernels of different sizes are moved by turns: the engine gets the constants of each.
TEST(SwapPort, KernelsOfDifferentSizesMoveByTurns) {
  Swapping one({}, {"context.random=11"});
  const std::uint64_t other_out = one.rig.store->allocate(4096, AllocationKind::kHeap).value();
  std::vector<std::byte> parameters(8);
  std::memcpy(parameters.data(), &other_out, 8);
  const test::Kernel& other = one.rig.load(
      "ld.param.u64 %rd0, [out];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd1, %r1, 4;\nadd.s64 %rd1, %rd0, %rd1;\n"
      "mov.u32 %r2, 0;\nL: add.u32 %r2, %r2, 3; setp.lt.u32 %p1, %r2, 600; @%p1 bra L;\nadd.u32 %r2, %r2, %r1;\n"
      "st.global.u32 [%rd1], %r2;\nret;",
      {4, 1, 1}, {160, 1, 1}, 0, "", parameters);
  for (unsigned gid = 0; gid < 3; ++gid) {
    one.rig.start(*one.kernel, gid);
    one.rig.start(other, gid);
  }
  one.run_to(300);
  one.ask();
  one.rig.sm.swap_out({one.rig.now + 1, &other.context, other.context.ticket, 0, 0});
  ASSERT_TRUE(one.rig.run(6)) << one.rig.sm.waiting();
  EXPECT_EQ(one.words(), Swapping::expected());
  for (unsigned i = 0; i < 160; ++i) {
    std::uint32_t value = 0;
    std::memcpy(&value, one.rig.store->host(other_out + 4 * i), 4);
    EXPECT_EQ(value, 600 + i);
  }
  EXPECT_GT(one.rig.moved, 5U);
  EXPECT_EQ(one.images.free_bytes(), kRegion);
}
// A block is stopped at any time of its move out, and of its move in.
TEST(SwapPort, AStoppedBlockRetiresAndGivesItsImageBack) {
  for (Cycle after = 1; after < 900; after += 7) {
    SCOPED_TRACE(after);
    Swapping one;
    one.rig.start(*one.kernel);
    one.run_to(300);
    one.ask();
    one.run_to(300 + after);
    one.rig.sm.kill(one.kernel->context, one.rig.now + 1);
    ASSERT_TRUE(one.rig.run(1)) << one.rig.sm.waiting();
    one.run_to(one.rig.now + 5);
    EXPECT_TRUE(one.rig.sm.idle());
    one.rig.away.clear();
    EXPECT_EQ(one.images.free_bytes(), kRegion);
    EXPECT_EQ(one.rig.sm.waiting(), "");
  }
}
// The block is stopped before the engine has accepted the job: the job is withdrawn.
TEST(SwapPort, AJobThatWaitsIsWithdrawnWhenItsBlockIsStopped) {
  Swapping one;
  one.rig.start(*one.kernel);
  one.run_to(300);
  one.ask();
  while (one.state() != MoveState::kOut) one.rig.cycle();
  one.rig.sm.kill(one.kernel->context, one.rig.now + 1);
  ASSERT_TRUE(one.rig.run(1)) << one.rig.sm.waiting();
  EXPECT_EQ(one.statistic("swap_port.jobs"), 0U);
  EXPECT_TRUE(one.rig.sm.idle());
}

// The block is stopped when the engine has finished the job, before the block has left.
TEST(SwapPort, ABlockThatIsStoppedBehindItsMoveGivesItsImageBack) {
  for (Cycle after = 0; after < 4; ++after) {
    SCOPED_TRACE(after);
    RandomSwapEngine::Options options = quick();
    options.enter_pause = 300;  // all stores are in memory by then
    SeenRig one(options);
    one.begin();
    ASSERT_TRUE(one.run_until([](const auto& tick) { return tick.out.enter.has_value(); }));
    for (Cycle i = 0; i < after; ++i) one.rig.cycle();
    one.rig.sm.kill(one.kernel->context, one.rig.now + 1);
    for (unsigned i = 0; i < 5000 && one.rig.retired.empty(); ++i) one.rig.cycle();
    one.rig.away.clear();
    for (unsigned i = 0; i < 5; ++i) one.rig.cycle();
    EXPECT_TRUE(one.rig.sm.idle());
    EXPECT_EQ(one.base.images.free_bytes(), kRegion);
  }
}

TEST(SwapPort, NoBlockIsSwappedOutAtRandomWithoutRoomForTheContextsOfAllSms) {
  Swapping one({}, {"context.random=1"}, swap_test::kBody, 64, 1 << 20);
  for (unsigned gid = 0; gid < 4; ++gid) one.rig.start(*one.kernel, gid);
  ASSERT_TRUE(one.rig.run(4)) << one.rig.sm.waiting();
  EXPECT_EQ(one.rig.moved, 0U);
}

TEST(SwapPort, ASavedBlockThatIsDroppedGivesItsImageBack) {
  Swapping one;
  one.rig.start(*one.kernel);
  one.run_to(300);
  one.ask();
  auto tb = one.leave();
  EXPECT_LT(one.images.free_bytes(), kRegion);
  tb.reset();
  EXPECT_EQ(one.images.free_bytes(), kRegion);
}
// The warp sleeps for 20 us from about cycle 290 on. Its sleep time does not run from the beginning of the move out to
// the end of the move in.
TEST(SwapPort, TheRestOfASleepIsSleptBehindTheFill) {
  const char* const body =
      "ld.param.u64 %rd0, [out];\nnanosleep.u32 20000;\nmov.u64 %rd1, %clock64;\nst.global.u64 [%rd0], %rd1;\nret;";
  const auto woken = [](const Swapping& one) {
    std::uint64_t value = 0;
    std::memcpy(&value, one.rig.store->host(one.out), 8);
    return value;
  };
  Swapping plain({}, {}, body, 32);
  plain.rig.start(*plain.kernel);
  ASSERT_TRUE(plain.rig.run(1));
  Swapping one({}, {}, body, 32);
  one.rig.start(*one.kernel);
  one.run_to(1000);
  one.ask();
  while (one.state() != MoveState::kOut) one.rig.cycle();
  const Cycle begun = one.rig.now;
  const auto tb = one.leave();
  ASSERT_NE(tb, nullptr);
  one.run_to(100'000);
  one.rig.bring_back(tb);
  one.rig.cycle();
  while (one.state() == MoveState::kFilling) one.rig.cycle();
  const Cycle filled = one.rig.now;
  ASSERT_TRUE(one.rig.run(1));
  EXPECT_EQ(woken(one), woken(plain) + filled - begun);
}
TEST(SwapImages, FirstFitAndNeighboursJoin) {
  SwapImages images(0x1000, 1024);
  auto a = images.take(100), b = images.take(256), c = images.take(257);
  ASSERT_TRUE(a != nullptr && b != nullptr && c != nullptr);
  EXPECT_EQ(a->address, 0x1000U);
  EXPECT_EQ(b->address, 0x1100U);
  EXPECT_EQ(c->address, 0x1200U);
  EXPECT_EQ(images.free_bytes(), 0U);
  EXPECT_EQ(images.take(1), nullptr);
  a.reset();
  c.reset();
  EXPECT_EQ(images.free_bytes(), 768U);
  EXPECT_EQ(images.take(513), nullptr) << "the free ranges do not touch";
  b.reset();
  auto all = images.take(1024);
  ASSERT_NE(all, nullptr);
  EXPECT_EQ(all->address, 0x1000U);
}
TEST(SimtLines, AStackOfAnyDepthComesBack) {
  for (const unsigned depth : {1U, 4U, 5U, 9U}) {
    std::vector<isa::SimtStack::Entry> entries(depth);
    for (unsigned i = 0; i < depth; ++i) {
      entries[i] = {100 + i, 200 + i, 0xffffffffU >> i, i % 3 == 2, i / 3};
    }
    WarpState state;
    state.stack.restore(entries, 0xff00ff00U);
    state.pc = 77;
    for (unsigned p = 0; p < 8; ++p) state.predicates[p] = 0x01010101U << p;
    SimtLines lines;
    lines.start(9);
    EXPECT_EQ(lines.size(), 8U);  // 9 x 112 = 1008 bytes
    for (unsigned w = 0; w < 9; ++w) {
      const DeepStack deep = lines.pack(w, state, 5000 + w);
      EXPECT_EQ(deep.size(), depth > 4 ? depth - 4 : 0U);
      const SimtRecord record = lines.record(w);
      EXPECT_EQ(record.token, 5000 + w);
      EXPECT_EQ(record.pc, 77U);
      EXPECT_EQ(record.predicates[3], 0x08080808U);
      const isa::SimtStack stack = SimtLines::stack(record, deep);
      EXPECT_EQ(stack.live(), 0xff00ff00U);
      ASSERT_EQ(stack.entries().size(), depth);
      for (unsigned i = 0; i < depth; ++i) {
        EXPECT_EQ(stack.entries()[i].pc, entries[i].pc);
        EXPECT_EQ(stack.entries()[i].reconvergence, entries[i].reconvergence);
        EXPECT_EQ(stack.entries()[i].mask, entries[i].mask);
        EXPECT_EQ(stack.entries()[i].frame, entries[i].frame);
        EXPECT_EQ(stack.entries()[i].depth, entries[i].depth);
      }
    }
  }
}

}  // namespace
}  // namespace castor::gpu::gpu_sm_swap_test
