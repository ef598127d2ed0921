// Tests of device-wide synchronisation on the functional machine: grid barriers, events, thread blocks that stay
// resident, and messages about wrong use.

#include <algorithm>

#include "castor/base/error.h"
#include "castor/gpu/functional/functional_device.h"
#include "castor/gpu/launch_check.h"
#include "gpu_support.h"

namespace castor::gpu::gpu_functional_sync_test {
namespace {

using test::Parameters;
using test::Rig;
using ::testing::HasSubstr;

constexpr unsigned kThreads = 64;
constexpr isa::SyncSet kAll = (1U << isa::kSyncOps) - 1;

Machine answering(bool swaps, const std::vector<std::string>& overrides = {}) {
  std::vector<std::string> all{"run.max_instructions=50000000", "watchdog.cycles=1000"};
  all.insert(all.end(), overrides.begin(), overrides.end());
  Machine machine = test::machine(all);
  machine.chip.sync.answered = kAll;
  machine.chip.sync.swaps = swaps;
  return machine;
}

/// Returns the number of thread blocks of a program that are resident at the same time.
unsigned resident(Rig& rig, ProgramHandle program) {
  return blocks_per_sm(rig.device.machine(), rig.device.program(program), kThreads, 0) * rig.device.machine().chip.sms;
}

Ticket launch(Rig& rig, ProgramHandle program, unsigned blocks, std::uint64_t out, const SyncOptions& options = {},
              unsigned queue = 0) {
  KernelPacket packet;
  packet.program = program;
  packet.grid = {blocks, 1, 1};
  packet.block = {kThreads, 1, 1};
  packet.parameters = Parameters().add(out).bytes();
  packet.sync = std::make_shared<const SyncOptions>(options);
  return rig.device.submit(queue, std::move(packet));
}

const std::string& message(const Rig& rig) { return rig.device.fault()->message; }

// Ten rounds: every block adds 1 to out[0]. After the barrier it counts in out[1] if the sum is not blocks x rounds.
constexpr char kRounds[] = R"(
  mov.u32 %r1, 0; mov.u32 %r2, %tid.x; mov.u32 %r3, %nctaid.x; setp.eq.u32 %p1, %r2, 40;
round:
  @%p1 red.global.add.u32 [%rd0], 1;
  tb.gridsync;
  add.u32 %r1, %r1, 1; mul.lo.u32 %r4, %r1, %r3;
  ld.global.u32 %r5, [%rd0]; setp.ne.u32 %p2, %r5, %r4;
  @%p2 red.global.add.u32 [%rd0+4], 1;
  tb.gridsync;
  setp.lt.u32 %p3, %r1, 10; @%p3 bra round;
  ret;)";

TEST(GridBarrier, HoldsAllBlocksAlsoThoseThatAreNotResidentTogether) {
  for (const char* const live : {"check.live=0", "check.live=1"}) {
    Rig rig(answering(true, {live}));
    const ProgramHandle program = rig.load_body(kRounds);
    const unsigned most = resident(rig, program);
    for (const unsigned blocks : {1U, 2U, most, most + 1, 3 * most + 2}) {
      const std::uint64_t out = rig.buffer(8);
      ASSERT_EQ(rig.device.advance_until(launch(rig, program, blocks, out)), Outcome::kDone) << message(rig);
      EXPECT_EQ(rig.value<std::uint32_t>(out), 10 * blocks);
      EXPECT_EQ(rig.value<std::uint32_t>(out + 4), 0U) << blocks << " blocks";
      const auto& counts = rig.device.kernels().back().counts;
      EXPECT_THAT(counts, testing::Contains(testing::Pair("grid_barriers", 20)));
    }
  }
}

TEST(GridBarrier, WithoutSwappingAllBlocksHaveToBeResident) {
  Rig rig(answering(false));
  const ProgramHandle program = rig.load_body(kRounds);
  const unsigned most = resident(rig, program);
  const std::uint64_t out = rig.buffer(8);
  ASSERT_EQ(rig.device.advance_until(launch(rig, program, most, out)), Outcome::kDone);
  EXPECT_EQ(rig.value<std::uint32_t>(out + 4), 0U);
  try {
    (void)launch(rig, program, most + 1, out);
    FAIL();
  } catch (const base::InputError& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("its " + std::to_string(most + 1) +
                          " blocks must be resident at once; this machine has room for " + std::to_string(most)));
  }
}

/// Launches a program with blocks of a given size in a queue of its own.
Ticket launch_blocks(Rig& rig, ProgramHandle program, unsigned blocks, unsigned threads, std::uint64_t out,
                     unsigned queue) {
  return rig.launch(program, {blocks, 1, 1}, {threads, 1, 1}, Parameters().add(out), queue);
}

// A quarter of the machine is busy when two kernels arrive, each of which needs the whole machine. The second one has
// small blocks. Without swapping, sleeping blocks of both would hold the resources that the other one needs.
TEST(GridBarrier, AKernelStartsWithAllItsBlocks) {
  Rig rig(answering(false));
  const ProgramHandle busy = rig.load_body(
      "mov.u32 %r1, 0; count: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 5000; @%p1 bra count; ret;", "busy");
  const ProgramHandle meets = rig.load_body("tb.gridsync; red.global.add.u32 [%rd0], 1; tb.gridsync; ret;", "meets");
  const std::uint64_t large = rig.buffer(4), small = rig.buffer(4);
  (void)launch_blocks(rig, busy, 1, 256, large, 0);
  (void)launch_blocks(rig, meets, 2, 512, large, 1);
  const Ticket last = launch_blocks(rig, meets, 16, 64, small, 2);
  ASSERT_EQ(rig.device.advance_until(last), Outcome::kDone) << message(rig);
  EXPECT_EQ(rig.value<std::uint32_t>(large), 1024U);
  EXPECT_EQ(rig.value<std::uint32_t>(small), 1024U);
}

TEST(GridBarrier, AKernelThatNeedsTheWholeMachineIsNotOvertaken) {
  Rig rig(answering(false));
  const ProgramHandle busy = rig.load_body(
      "mov.u32 %r1, 0; count: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 2000; @%p1 bra count; ret;", "busy");
  const ProgramHandle meets = rig.load_body("tb.gridsync; ret;", "meets");
  const std::uint64_t out = rig.buffer(4);
  (void)launch_blocks(rig, busy, 1, 256, out, 0);
  (void)launch_blocks(rig, meets, 2, 512, out, 1);
  const Ticket last = launch_blocks(rig, busy, 100, 64, out, 2);
  ASSERT_EQ(rig.device.advance_until(last), Outcome::kDone);
  ASSERT_EQ(rig.device.kernels().size(), 3U);
  EXPECT_EQ(rig.device.kernels()[1].kernel, "meets");
}

TEST(GridBarrier, SeveralKernelsSwap) {
  Rig rig(answering(true));
  const ProgramHandle program = rig.load_body(kRounds);
  const unsigned blocks = resident(rig, program) + 3;
  std::vector<Ticket> tickets;
  std::vector<std::uint64_t> outs;
  for (unsigned queue = 0; queue < 3; ++queue) {
    outs.push_back(rig.buffer(8));
    tickets.push_back(launch(rig, program, blocks, outs.back(), {}, queue));
  }
  for (const Ticket ticket : tickets) ASSERT_EQ(rig.device.advance_until(ticket), Outcome::kDone) << message(rig);
  for (const std::uint64_t out : outs) EXPECT_EQ(rig.value<std::uint32_t>(out + 4), 0U);
}

TEST(GridBarrier, InDivergentCodeIsAnErrorWithTheMissingThread) {
  Rig rig(answering(true));
  const ProgramHandle program = rig.load_body(R"(
  mov.u32 %r0, %tid.x; setp.eq.u32 %p0, %r0, 5; @%p0 bra away;
  tb.gridsync; bra.uni end;
away: st.global.u32 [%rd0], %r0;
end: st.global.u32 [%rd0], %r0; ret;)");
  EXPECT_EQ(rig.device.advance_until(launch(rig, program, 2, rig.buffer(4))), Outcome::kFault);
  EXPECT_EQ(rig.device.fault()->kind, FaultKind::kBarrier);
  EXPECT_EQ(rig.device.fault()->thread.x, 5U);
  EXPECT_THAT(message(rig), HasSubstr("tb.gridsync reached by some threads of a warp only"));
  EXPECT_THAT(message(rig), HasSubstr("(test.ptx:10)"));
}

TEST(GridBarrier, EndedLanesAndWarpsAreNotWaitedFor) {
  Rig rig(answering(true));
  const ProgramHandle program = rig.load_body(R"(
  mov.u32 %r0, %tid.x; setp.lt.u32 %p0, %r0, 40; @%p0 ret;
  tb.gridsync; red.global.add.u32 [%rd0], 1; ret;)");
  const std::uint64_t out = rig.buffer(4);
  ASSERT_EQ(rig.device.advance_until(launch(rig, program, 9, out)), Outcome::kDone) << message(rig);
  EXPECT_EQ(rig.value<std::uint32_t>(out), 9U * (kThreads - 40));
}

// Block 1 does not arrive at the barrier.
constexpr char kOneLess[] = R"(
  mov.u32 %r0, %ctaid.x; setp.eq.u32 %p0, %r0, 1; @%p0 ret;
  tb.gridsync; red.global.add.u32 [%rd0], 1; ret;)";

TEST(GridBarrier, ABlockThatEndsEarlyIsAnErrorOrShrinksTheBarrier) {
  for (const bool swaps : {false, true}) {
    Rig rig(answering(swaps));
    const ProgramHandle program = rig.load_body(kOneLess);
    const std::uint64_t out = rig.buffer(4);
    SyncOptions options;
    options.exit = SyncExit::kShrink;
    ASSERT_EQ(rig.device.advance_until(launch(rig, program, 4, out, options)), Outcome::kDone) << message(rig);
    EXPECT_EQ(rig.value<std::uint32_t>(out), 3 * kThreads);
    EXPECT_EQ(rig.device.advance_until(launch(rig, program, 4, out)), Outcome::kFault);
    EXPECT_EQ(rig.device.fault()->kind, FaultKind::kBarrier);
    EXPECT_THAT(message(rig), HasSubstr("grid barrier that can never complete: block (1,0,0) of the kernel has ended"));
    EXPECT_EQ(rig.device.fault()->line, 10U);
    EXPECT_EQ(rig.value<std::uint32_t>(out), 3 * kThreads) << "nobody passed";
  }
}

// The last block ends when all others have arrived.
TEST(GridBarrier, TheEndOfTheLastBlockIsAnErrorOrReleasesTheOthers) {
  Rig rig(answering(true));
  const ProgramHandle program = rig.load_body(R"(
  mov.u32 %r0, %ctaid.x; setp.eq.u32 %p0, %r0, 3; @%p0 ret;
  tb.gridsync; red.global.add.u32 [%rd0], 1; ret;)");
  const std::uint64_t out = rig.buffer(4);
  SyncOptions options;
  options.exit = SyncExit::kShrink;
  ASSERT_EQ(rig.device.advance_until(launch(rig, program, 4, out, options)), Outcome::kDone) << message(rig);
  EXPECT_EQ(rig.value<std::uint32_t>(out), 3 * kThreads);
  EXPECT_EQ(rig.device.advance_until(launch(rig, program, 4, out)), Outcome::kFault);
  EXPECT_EQ(rig.device.fault()->kind, FaultKind::kBarrier);
  EXPECT_THAT(message(rig), HasSubstr("grid barrier that can never complete: block (3,0,0) of the kernel has ended"));
  EXPECT_EQ(rig.device.fault()->line, 10U);
}

TEST(GridBarrier, AnEndInFrontOfTheBarrierIsFoundAsWell) {
  Rig rig(answering(true));
  const ProgramHandle program = rig.load_body(R"(
  mov.u32 %r0, %ctaid.x; setp.eq.u32 %p0, %r0, 0; @%p0 ret;
wait: ld.volatile.global.u32 %r1, [%rd0]; tb.gridsync; ret;)");
  EXPECT_EQ(rig.device.advance_until(launch(rig, program, 2, rig.buffer(4))), Outcome::kFault);
  EXPECT_THAT(message(rig), HasSubstr("block (0,0,0) of the kernel has ended"));
}

TEST(GridBarrier, WarpsOfABlockThatWaitForDifferentThingsAreADeadlockOrAnError) {
  Rig rig(answering(true));
  const ProgramHandle other = rig.load_body(R"(
  mov.u32 %r0, %tid.x; setp.lt.u32 %p0, %r0, 32; @%p0 bra first;
  tb.gridsync; ret;
first: bar.sync 0; ret;)");
  EXPECT_EQ(rig.device.advance_until(launch(rig, other, 1, rig.buffer(4))), Outcome::kFault);
  EXPECT_EQ(rig.device.fault()->kind, FaultKind::kDeadlock);
  EXPECT_THAT(message(rig), HasSubstr("not all of them for the same thing"));
  EXPECT_THAT(message(rig), HasSubstr("barrier 0: 1 of 2 warps have arrived; waiting: warp 0 (PTX line 11)"));
  EXPECT_THAT(message(rig), HasSubstr("warp 1 waits at tb.gridsync (PTX line 10)"));
  rig.device.reset();
  const ProgramHandle mixed = rig.load_body(R"(
  mov.u32 %r0, %tid.x; setp.lt.u32 %p0, %r0, 32; @%p0 bra first;
  tb.wait 3, 1; ret;
first: tb.gridsync; ret;)");
  EXPECT_EQ(rig.device.advance_until(launch(rig, mixed, 1, rig.buffer(4))), Outcome::kFault);
  EXPECT_THAT(message(rig),
              HasSubstr("warps of one thread block wait for different things: the others for tb.gridsync"));
}

// Returns a kernel that promises that eight words of shared memory equal those from out[1] on, and then adds one of
// them to out[0].
std::string promise(const std::string& between) {
  return R"(
  .shared .b32 copy[8];
  mov.u32 %r0, %tid.x; setp.ne.u32 %p0, %r0, 0; mov.u32 %r1, copy; mov.u32 %r2, 5; add.s64 %rd1, %rd0, 4;
  @!%p0 st.shared.u32 [copy+8], %r2; @!%p0 st.global.u32 [%rd1+8], %r2;
  @!%p0 tb.readonly %r1, %rd1, 32;
)" + between +
         R"(
  tb.gridsync;
  ld.shared.u32 %r3, [copy+8]; @!%p0 red.global.add.u32 [%rd0], %r3; ret;)";
}

TEST(ReadOnly, MemoryThatDoesNotHoldWhatWasPromisedIsLost) {
  for (const bool live : {false, true}) {
    Rig rig(answering(true, {live ? "check.live=1" : "check.live=0"}));
    const auto sum = [&](const std::string& between) {
      const std::uint64_t out = rig.buffer(64);
      rig.set<std::uint32_t>(out, 0);
      EXPECT_EQ(rig.device.advance_until(launch(rig, rig.load_body(promise(between)), 1, out)), Outcome::kDone);
      return rig.value<std::uint32_t>(out);
    };
    EXPECT_EQ(sum(""), 5U);
    EXPECT_EQ(sum("mov.u32 %r4, 6; st.shared.u32 [copy+8], %r4;"), live ? 5U : 6U);
    EXPECT_EQ(sum("mov.u32 %r4, 6; st.global.u32 [%rd1+8], %r4;"), live ? 6U : 5U);
    EXPECT_EQ(sum("add.u32 %r5, %r1, 12; tb.writable %r5; mov.u32 %r4, 6; st.shared.u32 [copy+8], %r4;"), 6U);
    EXPECT_EQ(sum("add.u32 %r5, %r1, 32; tb.writable %r5; mov.u32 %r4, 6; st.shared.u32 [copy+8], %r4;"),
              live ? 5U : 6U);
  }
}

// Every block waits for the one before it, adds its number to out[0] if all before it have, and signals to the next.
constexpr char kChain[] = R"(
  mov.u32 %r0, %ctaid.x; mov.u32 %r1, %nctaid.x; mov.u32 %r6, %tid.x; setp.eq.u32 %p0, %r0, 0; @%p0 bra go;
  tb.wait %r0, 2;
go:
  setp.ge.u32 %p1, %r6, 32; @%p1 ret;
  ld.global.u32 %r2, [%rd0]; setp.ne.u32 %p2, %r2, %r0; @%p2 trap;
  add.u32 %r3, %r0, 1; st.global.u32 [%rd0], %r3;
  setp.eq.u32 %p3, %r3, %r1; @%p3 ret;
  tb.signal %r3, 2; ret;)";

std::vector<std::uint32_t> backwards(std::uint32_t blocks) {
  std::vector<std::uint32_t> order(blocks);
  for (std::uint32_t i = 0; i < blocks; ++i) order[i] = blocks - 1 - i;
  return order;
}

TEST(Events, AWaitAndASignalMeetInEitherOrder) {
  for (const char* const live : {"check.live=0", "check.live=1"}) {
    Rig rig(answering(true, {live}));
    const ProgramHandle program = rig.load_body(kChain);
    const unsigned most = resident(rig, program);
    for (const unsigned blocks : {1U, 2U, most, 4 * most + 1}) {
      for (const bool reversed : {false, true}) {
        SyncOptions options;
        if (reversed) options.order = backwards(blocks);
        const std::uint64_t out = rig.buffer(4);
        ASSERT_EQ(rig.device.advance_until(launch(rig, program, blocks, out, options)), Outcome::kDone) << message(rig);
        EXPECT_EQ(rig.value<std::uint32_t>(out), blocks);
      }
    }
    const auto& counts = rig.device.kernels().back().counts;
    EXPECT_THAT(counts, testing::Contains(testing::Pair("event_waits", 4 * most)));
    EXPECT_THAT(counts, testing::Contains(testing::Pair("event_signals", 4 * most)));
  }
}

// Without swapping, blocks finish if each waits for blocks placed before it. Otherwise the report names them.
TEST(Events, WithoutSwappingTheOrderOfPlacementDecides) {
  Rig rig(answering(true));
  const ProgramHandle program = rig.load_body(kChain);
  const unsigned blocks = 2 * resident(rig, program);
  SyncOptions options;
  options.swap = SyncSwap::kNever;
  const std::uint64_t out = rig.buffer(4);
  ASSERT_EQ(rig.device.advance_until(launch(rig, program, blocks, out, options)), Outcome::kDone) << message(rig);
  EXPECT_EQ(rig.value<std::uint32_t>(out), blocks);
  options.order = backwards(blocks);
  EXPECT_EQ(rig.device.advance_until(launch(rig, program, blocks, out, options)), Outcome::kFault);
  EXPECT_EQ(rig.device.fault()->kind, FaultKind::kDeadlock);
  EXPECT_THAT(message(rig), HasSubstr("thread blocks sleep, and nothing can wake them"));
  const std::string last = std::to_string(blocks - 1);
  EXPECT_THAT(message(rig), HasSubstr("event " + last + ": count 1 of 2; waiting: (" + last + ",0,0) (PTX line 10)"));
  EXPECT_THAT(message(rig), HasSubstr(std::to_string(blocks / 2) + " blocks are not placed"));
}

TEST(Events, FireForAllWhoWaitAndBeginAnew) {
  Rig rig(answering(true));
  // Three rounds of one event: all blocks except 0 wait, and block 0 signals. A block counts in out[0] when its wait
  // has ended; block 0 checks the count after the grid barrier.
  const ProgramHandle program = rig.load_body(R"(
  mov.u32 %r0, %ctaid.x; mov.u32 %r1, %nctaid.x; mov.u32 %r2, %tid.x; mov.u32 %r9, 0; setp.eq.u32 %p0, %r0, 0;
  sub.u32 %r8, %r1, 1; setp.eq.u32 %p5, %r2, 0;
round:
  add.u32 %r9, %r9, 1; @%p0 bra first;
  tb.wait 7, %r1;
  @%p5 red.global.add.u32 [%rd0], 1;
  tb.gridsync;
  bra.uni next;
first:
  bar.sync 0;
  @%p5 tb.signal 7, %r1;
  tb.gridsync;
  ld.global.u32 %r4, [%rd0]; mul.lo.u32 %r5, %r9, %r8; setp.ne.u32 %p1, %r4, %r5; @%p1 trap;
next:
  tb.gridsync;
  setp.lt.u32 %p2, %r9, 3; @%p2 bra round;
  ret;)");
  const unsigned blocks = 2 * resident(rig, program) + 1;
  const std::uint64_t out = rig.buffer(4);
  ASSERT_EQ(rig.device.advance_until(launch(rig, program, blocks, out)), Outcome::kDone) << message(rig);
  EXPECT_EQ(rig.value<std::uint32_t>(out), 3 * (blocks - 1));
}

struct Misuse {
  const char* name;
  const char* body;
  const char* text;
};

class WrongEvent : public testing::TestWithParam<Misuse> {};

TEST_P(WrongEvent, IsAnErrorWithItsLine) {
  Rig rig(answering(true));
  const ProgramHandle program = rig.load_body(GetParam().body);
  SyncOptions options;
  options.events = 100;
  EXPECT_EQ(rig.device.advance_until(launch(rig, program, 2, rig.buffer(4), options)), Outcome::kFault);
  EXPECT_EQ(rig.device.fault()->kind, FaultKind::kBarrier);
  EXPECT_THAT(message(rig), HasSubstr(GetParam().text));
  EXPECT_EQ(rig.device.fault()->line, 8U);
  // The reset has cleared the error.
  rig.device.reset();
  const std::uint64_t out = rig.buffer(4);
  EXPECT_EQ(rig.device.advance_until(launch(rig, rig.load_body(kChain), 5, out)), Outcome::kDone);
  EXPECT_EQ(rig.value<std::uint32_t>(out), 5U);
}

INSTANTIATE_TEST_SUITE_P(
    , WrongEvent,
    testing::Values(
        Misuse{"BeyondTheLimit", "tb.wait 100, 2; ret;", "event 100 does not exist: the launch has events 0 to 99"},
        Misuse{"SignalBeyondTheLimit", "tb.signal 4294967295, 2; ret;", "event 4294967295 does not exist"},
        Misuse{"TargetZero", "tb.signal 1, 0; ret;", "event 1 with a target of 0"},
        Misuse{"OtherTarget", "mov.u32 %r0, %ctaid.x; add.u32 %r0, %r0, 4; tb.signal 1, %r0; ret;",
               "event 1 with target 5; its first call of this round said 4"},
        Misuse{"LanesDisagree", "mov.u32 %r0, %laneid; tb.wait %r0, 2; ret;",
               "tb.wait with event 1 and target 2; another thread of the warp has 0 and 2"},
        Misuse{"SignallingLanesDisagree", "mov.u32 %r0, %laneid; tb.signal 1, %r0; ret;",
               "tb.signal with event 1 and target 1; another thread of the warp has 1 and 0"},
        Misuse{"WarpsDisagree", "mov.u32 %r0, %warpid; tb.wait %r0, 2; ret;",
               "warps of one thread block wait for different things: the others for tb.wait of event 0 with "
               "target 2"},
        Misuse{"Divergent", "mov.u32 %r0, %laneid; setp.lt.u32 %p0, %r0, 9; @%p0 tb.wait 1, 2; ret;",
               "tb.wait reached by some threads of a warp only"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(Events, AMissingSignalIsADeadlockAndAMissingWaitIsToldAtTheEnd) {
  Rig rig(answering(true));
  const ProgramHandle waits = rig.load_body("mov.u32 %r0, %ctaid.x; tb.wait %r0, 2; ret;");
  EXPECT_EQ(rig.device.advance_until(launch(rig, waits, 20, rig.buffer(4))), Outcome::kFault);
  EXPECT_EQ(rig.device.fault()->kind, FaultKind::kDeadlock);
  EXPECT_THAT(message(rig), HasSubstr("event 19: count 1 of 2; waiting: (19,0,0) (PTX line 8)"));
  rig.device.reset();
  const ProgramHandle signals = rig.load_body("tb.signal 5, 7; ret;");
  EXPECT_EQ(rig.device.advance_until(launch(rig, signals, 2, rig.buffer(4))), Outcome::kFault);
  EXPECT_THAT(message(rig), HasSubstr("has ended with events that have not fired"));
  EXPECT_THAT(message(rig), HasSubstr("event 5 at 4 of 7")) << "two warps of two blocks";
}

TEST(Events, ManyWaitersAreCounted) {
  Rig rig(answering(true));
  const ProgramHandle waits = rig.load_body("tb.wait 0, 99; ret;");
  EXPECT_EQ(rig.device.advance_until(launch(rig, waits, 20, rig.buffer(4))), Outcome::kFault);
  EXPECT_THAT(message(rig), HasSubstr("event 0: count 20 of 99; waiting: (0,0,0)"));
  EXPECT_THAT(message(rig), HasSubstr(" and 12 more"));
}

TEST(Stopped, AFaultDropsTheBlocksThatSleep) {
  Rig rig(answering(true));
  // The last block faults when the others sleep.
  const ProgramHandle program = rig.load_body(R"(
  mov.u32 %r0, %ctaid.x; mov.u32 %r1, %nctaid.x; sub.u32 %r1, %r1, 1; setp.eq.u32 %p0, %r0, %r1; @%p0 trap;
  tb.gridsync; ret;)");
  const ProgramHandle good = rig.load_body(kRounds);
  EXPECT_EQ(rig.device.advance_until(launch(rig, program, 30, rig.buffer(4))), Outcome::kFault);
  EXPECT_EQ(rig.device.fault()->kind, FaultKind::kTrap);
  const std::uint64_t out = rig.buffer(8);
  EXPECT_EQ(rig.device.advance_until(launch(rig, good, 30, out)), Outcome::kDone);
  EXPECT_EQ(rig.value<std::uint32_t>(out), 300U);
  EXPECT_EQ(rig.value<std::uint32_t>(out + 4), 0U);
}

TEST(Stopped, AResetDropsTheBlocksThatSleep) {
  for (const bool swaps : {false, true}) {
    Rig rig(answering(swaps));
    const ProgramHandle program = rig.load_body(R"(
  mov.u32 %r0, %ctaid.x; setp.ne.u32 %p0, %r0, 0; @%p0 bra meet;
spin: add.u64 %rd1, %rd1, 1; setp.lt.u64 %p1, %rd1, 1000000; @%p1 bra spin;
meet: tb.gridsync; ret;)");
    const Ticket ticket = launch(rig, program, 4, rig.buffer(4));
    (void)rig.device.advance_to(rig.device.now() + 1'000'000);
    EXPECT_FALSE(rig.device.complete(ticket));
    rig.device.reset();
    const std::uint64_t out = rig.buffer(8);
    ASSERT_EQ(rig.device.advance_until(launch(rig, rig.load_body(kRounds), 8, out)), Outcome::kDone);
    EXPECT_EQ(rig.value<std::uint32_t>(out + 4), 0U);
  }
}

TEST(Stopped, KernelsBehindOneThatSleepsForEverRun) {
  Rig rig(answering(false));
  const ProgramHandle waits = rig.load_body("tb.wait 0, 99; ret;");
  const ProgramHandle good = rig.load_body(kRounds);
  const unsigned most = resident(rig, good);
  const std::uint64_t out = rig.buffer(8);
  (void)launch(rig, waits, most, out);
  const Ticket ticket = launch(rig, good, most, out, {}, 1);
  EXPECT_EQ(rig.device.advance_until(ticket), Outcome::kFault);
  EXPECT_EQ(rig.device.advance_until(ticket), Outcome::kDone);
  EXPECT_EQ(rig.value<std::uint32_t>(out), 10 * most);
}

TEST(Stopped, AWaitOfTheHostForATimeFindsSleepersThatNothingWakes) {
  Rig rig(answering(true));
  (void)launch(rig, rig.load_body("tb.wait 0, 99; ret;"), 3, rig.buffer(4));
  EXPECT_EQ(rig.device.advance_to(rig.device.now() + 1'000'000'000), Outcome::kFault);
  EXPECT_EQ(rig.device.fault()->kind, FaultKind::kDeadlock);
}

// Blocks spin on a word that only blocks which do not fit would write.
TEST(Spinning, OnBlocksThatAreNotPlacedIsADeadlock) {
  Rig rig(answering(true, {"sm.tb_slots=2"}));
  const ProgramHandle program = rig.load_body(R"(
  mov.u32 %r0, %ctaid.x; mov.u32 %r1, %nctaid.x; sub.u32 %r1, %r1, 1; setp.eq.u32 %p0, %r0, %r1; @%p0 bra last;
  setp.eq.u32 %p0, %r0, 0; @%p0 bra sleeps;
spin: ld.volatile.global.u32 %r2, [%rd0]; setp.eq.u32 %p1, %r2, 0; @%p1 bra spin;
  tb.gridsync; ret;
sleeps: tb.gridsync; ret;
last: st.global.u32 [%rd0], 1; tb.gridsync; ret;)");
  const unsigned most = resident(rig, program);
  const std::uint64_t out = rig.buffer(4);
  // One block sleeps, so one more than the number that fits becomes resident, and two blocks do not.
  EXPECT_EQ(rig.device.advance_until(launch(rig, program, most + 1, out)), Outcome::kDone);
  rig.set<std::uint32_t>(out, 0);
  EXPECT_EQ(rig.device.advance_until(launch(rig, program, most + 2, out)), Outcome::kDeadlock);
  EXPECT_EQ(rig.device.fault()->kind, FaultKind::kSpinDeadlock);
  EXPECT_THAT(message(rig), HasSubstr("repeat"));
  EXPECT_THAT(message(rig), HasSubstr("asleep in kernel k:"));
  EXPECT_THAT(message(rig), HasSubstr("grid barrier: 1 of " + std::to_string(most + 2) + " blocks have arrived"));
}

// The same with a block that has been woken but does not fit.
TEST(Spinning, OnBlocksThatFindNoRoomToReturnIsADeadlock) {
  Rig rig(answering(true, {"sm.tb_slots=2"}));
  const ProgramHandle program = rig.load_body(R"(
  mov.u32 %r0, %ctaid.x; mov.u32 %r3, %tid.x; setp.eq.u32 %p0, %r0, 0; @%p0 bra sleeps;
  setp.ne.u32 %p2, %r0, 1; @%p2 bra spin; setp.ge.u32 %p2, %r3, 32; @%p2 bra spin;
wait: ld.volatile.global.u32 %r2, [%rd0+4]; setp.eq.u32 %p1, %r2, 0; @%p1 bra wait;
  tb.signal 0, 2;
spin: red.global.max.u32 [%rd0+8], 1;
again: ld.volatile.global.u32 %r2, [%rd0]; setp.eq.u32 %p1, %r2, 0; @%p1 bra again;
  ret;
sleeps: st.global.u32 [%rd0+4], 1; tb.wait 0, 2;
  st.global.u32 [%rd0], 1; ret;)");
  const unsigned most = resident(rig, program);
  EXPECT_EQ(rig.device.advance_until(launch(rig, program, most, rig.buffer(12))), Outcome::kDone);
  EXPECT_EQ(rig.device.advance_until(launch(rig, program, most + 1, rig.buffer(12))), Outcome::kDeadlock);
  EXPECT_EQ(rig.device.fault()->kind, FaultKind::kSpinDeadlock);
}

TEST(Options, OfALaunchAreChecked) {
  Rig rig(answering(true));
  const ProgramHandle program = rig.load_body(kChain);
  const auto refusal = [&](const SyncOptions& options) {
    try {
      (void)launch(rig, program, 3, rig.buffer(4), options);
    } catch (const base::InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  SyncOptions options;
  options.events = 0;
  EXPECT_THAT(refusal(options), HasSubstr("0 events; a launch has 1 to 1048576"));
  options.events = (1U << 20) + 1;
  EXPECT_THAT(refusal(options), HasSubstr("1048577 events"));
  options = {};
  options.order = {0, 1};
  EXPECT_THAT(refusal(options), HasSubstr("an order of 2 thread blocks for a grid of 3"));
  options.order = {0, 1, 3};
  EXPECT_THAT(refusal(options), HasSubstr("names block 3, which the grid does not have"));
  options.order = {0, 1, 1};
  EXPECT_THAT(refusal(options), HasSubstr("names block 1 twice"));
  options.order = {2, 1, 0};
  EXPECT_EQ(refusal(options), "");
}

TEST(Options, RanksGiveAnOrder) {
  EXPECT_TRUE(placement_order({}).empty());
  EXPECT_EQ(placement_order({0, 0, 0}), (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(placement_order({5, 1, 5, 0, 1}), (std::vector<std::uint32_t>{3, 1, 4, 0, 2}));
}

}  // namespace
}  // namespace castor::gpu::gpu_functional_sync_test
