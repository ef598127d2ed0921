// Tests of thread blocks whose contexts a swap engine moves line by line: the restored contexts, and the detection of
// missing lines (docs/gpu/swapping.md).

#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "castor/gpu/away_tbs.h"
#include "common/hook_fails.h"
#include "gpu_sm_swap_support.h"
#include "gpu_sm_sync_support.h"

namespace castor::gpu::gpu_sm_swap_test {
namespace {

using swap_test::kBefore;
using swap_test::kBody;
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
  EXPECT_EQ(one.kernel->context.image_bytes, one.lines() * 128);
  EXPECT_EQ(one.rig.pages->used(), 1U);
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
  EXPECT_EQ(one.rig.pages->used(), 0U) << "the image was not given back";
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
      EXPECT_EQ(one.rig.pages->used(), 0U);
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
  std::swap(first->swap->address, second->swap->address);
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
  EXPECT_EQ(one.rig.pages->used(), 0U);
}
// A block is stopped at any time of its move out, and of its move in. An image that it has then goes with the kernel.
TEST(SwapPort, AStoppedBlockRetiresAndItsImageGoesWithTheKernel) {
  unsigned kept = 0;
  for (Cycle after = 1; after < 900; after += 7) {
    SCOPED_TRACE(after);
    Swapping one;
    one.rig.start(*one.kernel);
    one.run_to(300);
    one.ask();
    one.run_to(300 + after);
    one.rig.sm.kill(one.kernel->context, one.rig.now + 1);
    one.run_to(one.rig.now + 4);  // requests and returns of before have arrived
    const std::uint64_t images = one.rig.pages->used();
    ASSERT_TRUE(one.rig.run(1)) << one.rig.sm.waiting();
    one.run_to(one.rig.now + 5);
    EXPECT_TRUE(one.rig.sm.idle());
    EXPECT_EQ(one.rig.pages->used(), images);
    kept += images != 0;
    EXPECT_EQ(one.rig.sm.waiting(), "");
  }
  EXPECT_GT(kept, 20U);
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
TEST(SwapPort, ABlockThatIsStoppedBehindItsMoveRetires) {
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
    for (unsigned i = 0; i < 5; ++i) one.rig.cycle();
    EXPECT_EQ(one.rig.retired.size(), 1U);
    EXPECT_TRUE(one.rig.sm.idle());
    EXPECT_EQ(one.rig.pages->used(), 1U);
  }
}

// All images of the region are in use. The block keeps its SM, which sleeps, and leaves when one has been given back.
TEST(SwapPort, ARequestThatFindsNoRoomWaitsWithoutPolling) {
  std::vector<std::uint64_t> waits;
  for (const bool sleeps : {true, false}) {
    Swapping one({}, {sleeps ? "run.sleep=1" : "run.sleep=0", "context.region=2MiB"});
    one.rig.sleeps = sleeps;
    constexpr Ticket kOther = 99;
    PageAllocator& pages = *one.rig.pages;
    pages.start(kOther, 128);
    std::uint64_t last = 0;
    while (const auto image = pages.take(kOther, 0)) last = image->address;
    one.rig.brings_back = false;
    one.rig.start(*one.kernel);
    one.run_to(300);
    one.ask();
    one.run_to(3000);
    EXPECT_EQ(one.state(), MoveState::kOut);
    EXPECT_THAT(one.rig.sm.waiting(),
                testing::HasSubstr("waits for an image in context.region, into which the swap engine moves its thread "
                                   "block"));
    const std::uint64_t ticked = one.rig.ticked;
    one.run_to(4000);
    if (sleeps) {
      EXPECT_EQ(one.rig.ticked, ticked) << "the SM polls";
    }
    pages.give_back(kOther, last);  // too small
    one.run_to(5000);
    EXPECT_EQ(one.state(), MoveState::kOut);
    pages.end(kOther);
    const auto tb = one.leave();
    ASSERT_NE(tb, nullptr);
    EXPECT_EQ(pages.used(), 1U);
    EXPECT_TRUE(one.rig.sm.idle());
    waits.push_back(one.statistic("swap_port.page_waits"));
    EXPECT_GT(waits.back(), 4500U);
    EXPECT_LT(waits.back(), 4702U);
  }
  EXPECT_EQ(waits[0], waits[1]);
}

// The block is stopped while its request waits. The grant that comes later does not reach the block of another kernel.
TEST(SwapPort, ABlockThatWaitsForAnImageIsStopped) {
  Swapping one({}, {"context.region=2MiB"});
  constexpr Ticket kOther = 99;
  PageAllocator& pages = *one.rig.pages;
  pages.start(kOther, 128);
  while (pages.take(kOther, 0)) continue;
  one.rig.start(*one.kernel);
  one.run_to(300);
  one.ask();
  one.run_to(2000);
  one.rig.sm.kill(one.kernel->context, one.rig.now + 1);
  ASSERT_TRUE(one.rig.run(1)) << one.rig.sm.waiting();
  one.run_to(one.rig.now + 5);
  EXPECT_TRUE(one.rig.sm.idle());
  EXPECT_EQ(pages.used(), (std::uint64_t{2} << 20) / 128);

  std::vector<std::byte> parameters(8);
  std::memcpy(parameters.data(), &one.out, 8);
  const test::Kernel& next = one.rig.load(kBody, {4, 1, 1}, {64, 1, 1}, 0, kBefore, parameters);
  one.rig.start(next);
  one.run_to(one.rig.now + 300);
  pages.end(kOther);  // the old request is granted
  one.rig.sm.swap_out({one.rig.now + 1, &next.context, next.context.ticket, 0, 0});
  ASSERT_TRUE(one.rig.run(2)) << one.rig.sm.waiting();
  EXPECT_EQ(one.words(), Swapping::expected());
  EXPECT_EQ(one.rig.moved, 1U);
  EXPECT_EQ(pages.used(), 1U) << "the image of the stopped kernel";
}

// An agent's job leaves its context empty. The block stays on the SM until its stores are in memory, so nothing of it
// is in flight when its kernel ends, also if the kernel is stopped meanwhile.
TEST(SwapPort, ABlockThatLeavesItsContextEmptyIsParkedWhenItsStoresAreInMemory) {
  constexpr Cycle kLatency = 5000, kJob = 1000;
  for (const bool stops : {false, true}) {
    SCOPED_TRACE(stops);
    Cycle taken = 0, parked = 0;
    test::sync::Agent agent;
    agent.decide = [&](const AgentIn& in, AgentOut& out) {
      out.stall = in.now >= 400 ? ~WarpMask{0} : 0;
      out.job.reset();
      if (in.now >= kJob && taken == 0) out.job = SwapJob{0, true, 0, SwapJob::kAllRegisters, true, SwapJob::kNoTb, {}};
      out.park_ready = in.parked.has_value();
    };
    agent.see = [&](const AgentIn& in) {
      if (in.parked) parked = in.now;
      if (!in.job_ready) return;
      taken = in.now;
      agent.sleeps = true;
    };
    swap_test::SeenEngine engine(quick());
    AwayTbs away;
    SmHooks hooks;
    hooks.agent = &agent;
    hooks.swap = &engine;
    hooks.away = &away;
    Swapping base;
    test::Rig rig(swap_test::machine({"context.mover=drain"}), hooks);
    base::StatisticGroup front_end("front_end");
    const SyncNetwork net({&rig.sm}, front_end);
    rig.pages.emplace(rig.machine, region());
    std::vector<std::byte> parameters(8);
    std::memcpy(parameters.data(), &base.out, 8);
    test::Kernel& kernel = rig.load(kBody, {4, 1, 1}, {64, 1, 1}, 0, kBefore, parameters);
    test::own_machine(kernel, rig.machine.sm.tb_contexts);
    rig.start(kernel);
    while (rig.now < kJob) rig.cycle();
    rig.network.latency = kLatency;
    while (rig.now < kJob + 2000) rig.cycle();
    ASSERT_NE(taken, 0U);
    EXPECT_EQ(rig.pages->used(), 1U);
    EXPECT_EQ(parked, 0U) << "the agent sees a block whose stores are in flight";
    EXPECT_FALSE(rig.sm.idle());
    if (stops) {
      rig.sm.kill(kernel.context, rig.now + 1);
      ASSERT_TRUE(rig.run(1)) << rig.sm.waiting();
      EXPECT_EQ(parked, 0U);
      EXPECT_GT(rig.now, kJob + kLatency);
    } else {
      while (away.size() == 0 && rig.now < 20'000) rig.cycle();
      EXPECT_GT(parked, kJob + kLatency);
      for (const Cycle end = rig.now + 10; rig.now < end;) rig.cycle();
      ASSERT_NE(away.find(kernel.context.ticket, 0), nullptr);
      EXPECT_NE(away.find(kernel.context.ticket, 0)->tb, nullptr);
      EXPECT_NE(away.find(kernel.context.ticket, 0)->image, 0U);
      EXPECT_TRUE(rig.retired.empty());
    }
    EXPECT_TRUE(rig.sm.idle());
    EXPECT_EQ(rig.pages->used(), 1U);
  }
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
