// Kernels with more thread blocks than fit, on the whole timing GPU with swap engines: results, numbers of swaps, early
// ends, stopped kernels, reports. Hub and agents are those of tests/common/sync_model.h, the engines those of
// tests/common/random_swap_engine.h.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "platform/timing/swap_rig.h"

namespace castor::gpu::timing_test::swap_program_test {
namespace {

using ::testing::HasSubstr;

// --- Results ---------------------------------------------------------------------------------------------------------

constexpr unsigned kSteps = 5;
/// a[i] = a[i] * 3 + (value of the block behind, lane by lane), five times with a barrier behind each. Shared and local
/// memory hold the thread's number, a predicate whether it is odd, and both are looked at at the end.
constexpr const char* kDeclarations = ".shared .align 4 .b32 words[256];";
constexpr const char* kProgram =
    ".local .align 4 .b8 depot[8]; "
    "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %nctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x; "
    "mad.lo.u32 %r5, %r1, %r3, %r4; add.u32 %r6, %r1, 1; setp.eq.u32 %p0, %r6, %r2; @%p0 mov.u32 %r6, 0; "
    "mad.lo.u32 %r7, %r6, %r3, %r4; mul.wide.u32 %rd10, %r5, 4; mul.wide.u32 %rd11, %r7, 4; mov.u32 %r9, 5; "
    "mov.u32 %r20, words; mad.lo.u32 %r20, %r4, 4, %r20; st.shared.u32 [%r20], %r5; mov.u64 %rd20, depot; "
    "st.local.u32 [%rd20], %r5; and.b32 %r21, %r5, 1; setp.ne.u32 %p3, %r21, 0; "
    "LOOP: add.u64 %rd12, %rd0, %rd10; add.u64 %rd13, %rd0, %rd11; ld.global.u32 %r10, [%rd12]; "
    "ld.global.u32 %r11, [%rd13]; mad.lo.u32 %r10, %r10, 3, %r11; add.u64 %rd14, %rd1, %rd10; "
    "st.global.u32 [%rd14], %r10; tb.gridsync; mov.u64 %rd15, %rd0; mov.u64 %rd0, %rd1; mov.u64 %rd1, %rd15; "
    "sub.u32 %r9, %r9, 1; setp.ne.u32 %p1, %r9, 0; @%p1 bra LOOP; "
    "ld.shared.u32 %r22, [%r20]; ld.local.u32 %r23, [%rd20]; add.u32 %r22, %r22, %r23; @%p3 add.u32 %r22, %r22, 7; "
    "add.u64 %rd12, %rd0, %rd10; ld.global.u32 %r10, [%rd12]; add.u32 %r10, %r10, %r22; st.global.u32 [%rd12], %r10; "
    "ret;";

std::vector<std::uint32_t> expected(unsigned blocks, unsigned threads) {
  std::vector<std::uint32_t> a(std::size_t{blocks} * threads), b(a.size());
  std::iota(a.begin(), a.end(), 1U);
  for (unsigned step = 0; step < kSteps; ++step) {
    for (unsigned i = 0; i < a.size(); ++i) b[i] = a[i] * 3 + a[(i + threads) % a.size()];
    a.swap(b);
  }
  for (unsigned i = 0; i < a.size(); ++i) a[i] += 2 * i + (i % 2 != 0 ? 7 : 0);
  return a;
}

/// The program above, with buffers.
struct Steps {
  Steps(SwapRig& swap, unsigned most_blocks, unsigned thread_count)
      : swap(swap),
        threads(thread_count),
        program(swap.rig->load(kProgram, 2, kDeclarations)),
        a(swap.rig->buffer(std::size_t{most_blocks} * threads * 4)),
        b(swap.rig->buffer(std::size_t{most_blocks} * threads * 4)) {}
  Ticket submit(unsigned blocks) {
    for (unsigned i = 0; i < blocks * threads; ++i) swap.rig->set(a + i * 4, i + 1);
    return swap.submit(program, blocks, threads, {a, b});
  }
  void check(unsigned blocks) const {
    const auto right = expected(blocks, threads);
    const std::uint64_t end = kSteps % 2 == 0 ? a : b;
    unsigned wrong = 0;
    for (unsigned i = 0; i < right.size(); ++i) wrong += swap.rig->get<std::uint32_t>(end + i * 4) != right[i];
    EXPECT_EQ(wrong, 0U) << "of " << right.size();
  }
  SwapRig& swap;
  unsigned threads;
  ProgramHandle program;
  std::uint64_t a, b;
};

struct Shape {
  std::string machine;
  unsigned threads;
  std::vector<std::string> overrides;
};
class SwapMachines : public ::testing::TestWithParam<Shape> {};

// Each barrier swaps out as many thread blocks as are pending when the first ones arrive.
TEST_P(SwapMachines, MoreBlocksThanFitComputeWhatTheHostDoes) {
  const Shape& shape = GetParam();
  for (const unsigned more : {1U, 10U, 40U}) {
    SCOPED_TRACE(more);
    static_cast<void>(in_child([&] {
      SwapRig swap(shape.overrides, shape.machine);
      Rig& rig = *swap.rig;
      Steps run(swap, 512, shape.threads);
      const unsigned room = swap.room(run.program, shape.threads);
      const unsigned blocks = more == 1 ? room + 1 : room * more / 10 + room;
      rig.finish(run.submit(blocks));
      run.check(blocks);
      EXPECT_EQ(swap.sum("moves.out"), std::uint64_t{kSteps} * (blocks - room));
      EXPECT_EQ(swap.sum("moves.in"), std::uint64_t{kSteps} * (blocks - room));
      EXPECT_EQ(rig.recorder.retired.size(), blocks + std::size_t{kSteps} * (blocks - room)) << "ends and leaves";
      EXPECT_GT(swap.sum("moves.transfer_in"), swap.sum("moves.in"));
      EXPECT_TRUE(rig.device->gpu().idle());
      rig.device->gpu().check_invariants();
      if (::testing::Test::HasFailure()) throw std::runtime_error("see above");
      return std::vector<std::uint64_t>{0};
    }));
  }
}
INSTANTIATE_TEST_SUITE_P(Machines, SwapMachines,
                         ::testing::Values(Shape{"maxwell_liu13", 64, {"chip.sms=3", "sm.tb_slots=3"}},
                                           Shape{"maxwell_liu13", 256, {"chip.sms=2", "sm.tb_slots=2"}},
                                           Shape{"maxwell_liu13", 32, {"chip.sms=1", "sm.tb_slots=1"}},
                                           Shape{"kepler_k20c_study", 96, {"chip.sms=2", "sm.tb_slots=4"}}));

std::vector<std::uint64_t> fingerprint(const std::vector<std::string>& overrides) {
  return in_child([&] {
    std::vector<std::string> all = {"chip.sms=3", "sm.tb_slots=2"};
    all.insert(all.end(), overrides.begin(), overrides.end());
    SwapRig swap(all);
    Steps run(swap, 20, 64);
    swap.rig->finish(run.submit(20));
    run.check(20);
    if (::testing::Test::HasFailure()) throw std::runtime_error("see above");
    return std::vector<std::uint64_t>{swap.rig->device->gpu().statistics().hash(), swap.rig->device->cycles()};
  });
}

TEST(SwapPrograms, TheOrderOfUnitsAndSleepingChangeNothing) {
  const auto plain = fingerprint({});
  EXPECT_EQ(fingerprint({"run.sleep=0"}), plain);
  for (const char* const seed : {"run.seed=1", "run.seed=2"}) EXPECT_EQ(fingerprint({"run.shuffle=1", seed}), plain);
}

// Messages that take one cycle, and a network that is slower than a move.
TEST(SwapPrograms, TheLatencyOfTheNetworkChangesNoResult) {
  static_cast<void>(fingerprint({"sync_net.latency=1"}));
  static_cast<void>(fingerprint({"sync_net.latency=255"}));
}

// --- Early ends ------------------------------------------------------------------------------------------------------

/// Every third block ends before the second barrier; the others store the number of barriers.
constexpr const char* kLeaves =
    "mov.u32 %r1, %ctaid.x; rem.u32 %r2, %r1, 3; mov.u32 %r3, 1; setp.eq.u32 %p0, %r2, 1; tb.gridsync; "
    "@%p0 bra OUT; tb.gridsync; tb.gridsync; mov.u32 %r3, 3; OUT: mul.wide.u32 %rd1, %r1, 4; "
    "add.u64 %rd1, %rd0, %rd1; st.global.u32 [%rd1], %r3; ret;";

TEST(SwapPrograms, BlocksThatEndEarlyAreAnErrorOrAreNotWaitedFor) {
  SwapRig swap({"chip.sms=2", "sm.tb_slots=2"});
  Rig& rig = *swap.rig;
  const ProgramHandle program = rig.load(kLeaves, 1);
  const std::uint64_t out = rig.buffer(256);
  auto shrink = std::make_shared<SyncOptions>();
  shrink->exit = SyncExit::kShrink;
  rig.finish(swap.submit(program, 17, 32, {out}, shrink));
  for (unsigned i = 0; i < 17; ++i) EXPECT_EQ(rig.get<std::uint32_t>(out + 4 * i), i % 3 == 1 ? 1U : 3U) << i;
  EXPECT_EQ(rig.device->advance_until(swap.submit(program, 17, 32, {out})), Outcome::kFault);
  EXPECT_THAT(rig.device->fault()->message, HasSubstr("sync_hub reports error 3"));
  rig.device->reset();
  EXPECT_TRUE(rig.device->gpu().idle());
  rig.finish(swap.submit(program, 17, 32, {out}, shrink));
}

// --- Stopped kernels -------------------------------------------------------------------------------------------------

/// Stops kernels by a fault. Returns what the engines did then: bit 0 nothing, bit 1 a move out, bit 2 a move in.
/// The block that faults spins before its first barrier, or behind it: block 8 is among those that stay.
std::uint64_t stop_after(unsigned rounds, bool resets, bool behind, bool stays) {
  return in_child([&] {
           SwapRig swap({"chip.sms=2", "sm.tb_slots=2"}, "maxwell_liu13", stays ? one_tick_pauses() : to_memory());
           Rig& rig = *swap.rig;
           const ProgramHandle program = rig.load(
               std::string("mov.u32 %r1, %ctaid.x; setp.eq.u32 %p0, %r1, ") + (behind ? "8" : "3") +
               "; @%p0 bra BAD; mov.u32 %r9, 4; "
               "LOOP: tb.gridsync; sub.u32 %r9, %r9, 1; setp.ne.u32 %p1, %r9, 0; @%p1 bra LOOP; ret; "
               "BAD: " +
               (behind ? "tb.gridsync; " : "") + "mov.u32 %r2, %tid.x; add.u32 %r2, %r2, " + std::to_string(rounds) +
               "; SPIN: sub.u32 %r2, %r2, 1; setp.gt.s32 %p1, %r2, 0; @%p1 bra SPIN; trap; ret;");
           Steps run(swap, 12, 64);
           std::uint64_t seen = 0;
           swap.hub.on_stop = [&] {
             for (const Engine& engine : swap.engines) seen |= 1U << static_cast<unsigned>(engine.does);
           };
           const Ticket first = swap.submit(program, 9, 256, {});
           const Ticket beside = resets ? 0 : run.submit(12);
           EXPECT_EQ(rig.device->advance_until(first), Outcome::kFault);
           EXPECT_EQ(rig.device->fault()->kind, FaultKind::kTrap);
           if (resets) rig.device->reset();
           if (resets) {
             EXPECT_TRUE(rig.device->gpu().idle());
           }
           rig.finish(resets ? run.submit(12) : beside);
           run.check(12);
           rig.device->gpu().check_invariants();
           if (::testing::Test::HasFailure()) throw std::runtime_error("see above");
           return std::vector<std::uint64_t>{seen};
         })
      .at(0);
}

TEST(SwapPrograms, AStoppedKernelLeavesACleanMachineInEveryState) {
  std::uint64_t seen = 0;
  for (unsigned rounds = 1; rounds < 110; rounds += 7) {
    SCOPED_TRACE(rounds);
    seen |= stop_after(rounds, rounds % 2 == 0, false, false);
    seen |= stop_after(rounds, rounds % 2 != 0, true, false);
    static_cast<void>(stop_after(rounds, rounds % 4 == 1, rounds % 3 == 0, true));
  }
  EXPECT_EQ(seen, 7U) << "not all states were met";
}

// --- Reports ---------------------------------------------------------------------------------------------------------

TEST(SwapPrograms, ABarrierThatOneBlockNeverReachesIsADeadlockThatNamesIt) {
  SwapRig swap({"chip.sms=2", "sm.tb_slots=2"});
  Rig& rig = *swap.rig;
  const ProgramHandle program = rig.load(
      "mov.u32 %r1, %ctaid.x; setp.eq.u32 %p0, %r1, 6; @%p0 bra OTHER; tb.gridsync; ret; OTHER: tb.wait 5, 2; ret;");
  EXPECT_EQ(rig.device->advance_until(swap.submit(program, 9, 32, {})), Outcome::kDeadlock);
  const std::string& text = rig.device->fault()->message;
  EXPECT_THAT(text, HasSubstr("grid barrier: 8 of 9 blocks have arrived; missing: 6\n"));
  EXPECT_THAT(text, HasSubstr("5 blocks are swapped out, 0 of them may come back"));
  rig.device->reset();
  Steps run(swap, 12, 64);
  rig.finish(run.submit(12));
  run.check(12);
}

// --- Memory of the machine's own mover
// --------------------------------------------------------------------------------

/// A GPU of two SMs, whose engines move thread blocks at random, with memory for `images` of them. The kernels count
/// for a while, and store the count.
struct RandomRig {
  RandomRig(std::uint64_t seed, unsigned images) {
    RandomSwapEngine::Options options;
    options.longest_pause = 0;
    options.seed = seed;
    Hooks hooks;
    for (unsigned sm = 0; sm < 2; ++sm) hooks.swap.push_back(&engines.emplace_back(options));
    SwapLimits limits = RandomSwapEngine::limits();
    limits.block_bytes = (std::uint32_t{2} << 20) / images - 32 * 1024;
    rig = std::make_unique<Rig>(
        "maxwell_liu13",
        std::vector<std::string>{"chip.sms=2", "sm.tb_slots=4", "context.mover=engine", "context.pages=static",
                                 "context.region=2MiB", "context.random=" + std::to_string(seed)},
        hooks, &limits);
    program = rig->load(
        "mov.u32 %r1, %ctaid.x; mov.u32 %r2, 0; LOOP: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 3000; @%p1 bra LOOP; "
        "mul.wide.u32 %rd1, %r1, 4; add.u64 %rd1, %rd0, %rd1; add.u32 %r2, %r2, %r1; st.global.u32 [%rd1], %r2; ret;",
        1);
    out = rig->buffer(256);
  }
  Ticket submit() {
    KernelPacket packet;
    packet.program = program;
    packet.grid = {kBlocks};
    packet.block = {64};
    packet.parameters.resize(8);
    std::memcpy(packet.parameters.data(), &out, 8);
    return rig->device->submit(0, std::move(packet));
  }
  void check() const {
    for (unsigned i = 0; i < kBlocks; ++i) EXPECT_EQ(rig->get<std::uint32_t>(out + 4 * i), 3000 + i);
  }
  static constexpr unsigned kBlocks = 5;
  std::deque<RandomSwapEngine> engines;
  std::unique_ptr<Rig> rig;
  ProgramHandle program{};
  std::uint64_t out = 0;
};

// Runs with memory for few thread blocks end, or stop with a report. An engine that waits for memory does nothing else:
// the thread block that has the memory, and that it should bring back, waits for it. Returns 1 for such an end.
std::uint64_t random_end(std::uint64_t seed, unsigned images) {
  return in_child([&] {
           RandomRig random(seed, images);
           Rig& rig = *random.rig;
           const Outcome outcome = rig.device->advance_until(random.submit());
           if (outcome == Outcome::kDeadlock) {
             const std::string& text = rig.device->fault()->message;
             EXPECT_THAT(text, HasSubstr("waits for an image in context.region, into which the swap engine moves its "
                                         "thread block"));
             EXPECT_THAT(text,
                         HasSubstr("context.region has no room for it (" + std::to_string(images) + " images in"));
             EXPECT_THAT(text, HasSubstr("waits until the swap engine has moved its thread block"));
             rig.device->reset();
           } else {
             EXPECT_EQ(static_cast<int>(outcome), static_cast<int>(Outcome::kDone));
             random.check();
           }
           EXPECT_TRUE(rig.device->gpu().idle());
           rig.device->gpu().check_invariants();
           if (::testing::Test::HasFailure()) throw std::runtime_error("see above");
           return std::vector<std::uint64_t>{outcome == Outcome::kDeadlock ? 1U : 0U};
         })
      .at(0);
}

TEST(SwapPrograms, ARegionWithoutRoomForThreadBlocksThatMoveEndsARunInWords) {
  std::uint64_t ends = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE(seed);
    ends += random_end(seed, 1);
    EXPECT_EQ(random_end(seed, RandomRig::kBlocks), 0U) << "there is memory for all thread blocks";
  }
  EXPECT_GT(ends, 0U) << "no run has met a full region";
}

// --- Beside others ---------------------------------------------------------------------------------------------------

TEST(SwapPrograms, ALaunchBesideAKernelThatOwnsTheMachineWaits) {
  SwapRig swap({"chip.sms=2", "sm.tb_slots=2"});
  Rig& rig = *swap.rig;
  Steps run(swap, 12, 64);
  const ProgramHandle plain = rig.load("mov.u32 %r1, 3; ret;");
  const Ticket owner = run.submit(12);
  const Ticket beside = swap.submit(plain, 1, 32, {}, nullptr, 1);
  rig.finish(owner);
  rig.finish(beside);
  run.check(12);
  Cycle ended = 0, placed = 0;
  for (const auto& one : rig.recorder.completed) {
    if (one.ticket == owner) ended = one.cycle;
  }
  for (const auto& one : rig.recorder.placed) {
    if (one.ticket == beside) placed = one.cycle;
  }
  EXPECT_GT(ended, 0U);
  EXPECT_GT(placed, ended);
}

}  // namespace
}  // namespace castor::gpu::timing_test::swap_program_test
