// Tests of the functional machine's check for loops that change nothing: loops that it finds, and loops that it must
// not report.

#include "castor/gpu/functional/functional_device.h"
#include "castor/gpu/functional/spin_check.h"
#include "gpu_support.h"

namespace castor::gpu::gpu_functional_spin_test {
namespace {

using functional::SpinCheck;
using test::Parameters;
using test::Rig;
using ::testing::HasSubstr;

// Returns a rig with a short window, so that the test is short.
Rig rig_with(std::uint64_t window = 1000) {
  return Rig(test::machine({"watchdog.cycles=" + std::to_string(window), "run.max_instructions=100000000"}));
}

Outcome run(Rig& rig, const std::string& body, Dim3 grid, Dim3 block, std::uint64_t out) {
  const ProgramHandle program = rig.load_body(body, "looping");
  return rig.device.advance_until(rig.launch(program, grid, block, Parameters().add(out)));
}

/// Bodies get the address of 8 words that are 0 in %rd0.
struct Loop {
  const char* name;
  const char* body;
};

class FoundLoop : public testing::TestWithParam<Loop> {};

TEST_P(FoundLoop, EndsAsADeadlock) {
  Rig rig = rig_with();
  EXPECT_EQ(run(rig, GetParam().body, {3, 1, 1}, {96, 1, 1}, rig.buffer(32)), Outcome::kDeadlock);
  ASSERT_TRUE(rig.device.fault().has_value());
  EXPECT_EQ(rig.device.fault()->kind, FaultKind::kSpinDeadlock);
  EXPECT_EQ(rig.device.fault()->kernel, "looping");
  EXPECT_THAT(rig.device.fault()->message, HasSubstr("for ever: for 1000 warp instructions (watchdog.cycles)"));
  EXPECT_THAT(rig.device.fault()->message, HasSubstr("kernel looping, block ("));
}

constexpr char kLongLoop[] = R"(
again: mov.u32 %r1, 0;
count: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 200; @%p1 bra count;
  ld.volatile.global.u32 %r0, [%rd0]; setp.eq.u32 %p0, %r0, 0; @%p0 bra again; ret;)";

INSTANTIATE_TEST_SUITE_P(
    , FoundLoop,
    testing::Values(
        Loop{"JumpToItself", "again: bra again;"},
        Loop{"Poll", "again: ld.volatile.global.u32 %r0, [%rd0]; setp.eq.u32 %p0, %r0, 0; @%p0 bra again; ret;"},
        Loop{"LongWithACountThatBeginsAgain", kLongLoop},
        Loop{"LockThatNobodyGivesBack",
             "again: atom.global.cas.b32 %r0, [%rd0], 0, 1; setp.ne.u32 %p0, %r0, 0; @%p0 bra again; ret;"},
        Loop{"StoresTheSameValue", "again: st.global.u32 [%rd0], 0; bra again;"},
        Loop{"OneWarpSpinsTheOthersWaitAtABarrier",
             "mov.u32 %r0, %tid.x; setp.ge.u32 %p0, %r0, 32; @%p0 bra meet; again: bra again; meet: bar.sync 0; ret;"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(FunctionalSpin, SaysWhatALoopReads) {
  Rig rig = rig_with();
  const std::uint64_t out = rig.buffer(32);
  EXPECT_EQ(run(rig, "again: ld.volatile.global.u32 %r0, [%rd0+12]; setp.eq.u32 %p0, %r0, 0; @%p0 bra again; ret;",
                {1, 1, 1}, {32, 1, 1}, out),
            Outcome::kDeadlock);
  EXPECT_THAT(rig.device.fault()->message, HasSubstr("1 warp repeats its loop"));
  EXPECT_THAT(rig.device.fault()->message, HasSubstr("(byte 12 of 32 bytes"));
}

TEST(FunctionalSpin, WhatStandsBehindIsStillDone) {
  Rig rig = rig_with();
  EXPECT_EQ(run(rig, "again: bra again;", {300, 1, 1}, {64, 1, 1}, 0), Outcome::kDeadlock);
  const std::uint64_t out = rig.buffer(4);
  EXPECT_EQ(run(rig, "mov.u32 %r0, 5; st.global.u32 [%rd0], %r0; ret;", {1, 1, 1}, {1, 1, 1}, out), Outcome::kDone);
  EXPECT_EQ(rig.value<std::uint32_t>(out), 5U);
}

class LoopThatEnds : public testing::TestWithParam<Loop> {};

TEST_P(LoopThatEnds, IsNotAccused) {
  Rig rig = rig_with();
  const std::uint64_t out = rig.buffer(32);
  EXPECT_EQ(run(rig, GetParam().body, {2, 1, 1}, {64, 1, 1}, out), Outcome::kDone);
  EXPECT_FALSE(rig.device.fault().has_value()) << rig.device.fault()->message;
}

// The second of the two blocks writes, after a long time.
constexpr char kLateWrite[] = R"(
  mov.u32 %r2, %ctaid.x; setp.eq.u32 %p2, %r2, 1; @%p2 bra writes;
again: ld.volatile.global.u32 %r0, [%rd0]; setp.eq.u32 %p0, %r0, 0; @%p0 bra again; ret;
writes: mov.u32 %r1, 0;
count: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 300000; @%p1 bra count;
  st.global.u32 [%rd0], 1; ret;)";

INSTANTIATE_TEST_SUITE_P(
    , LoopThatEnds,
    testing::Values(
        Loop{"CountsInARegister",
             "mov.u32 %r1, 0; count: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 500000; @%p1 bra count; ret;"},
        Loop{"CountsInMemory",
             "again: atom.global.add.u32 %r0, [%rd0], 1; setp.lt.u32 %p0, %r0, 300000; @%p0 bra again; ret;"},
        Loop{
            "CountsInLocalMemory",
            ".local .b32 c; st.local.u32 [c], 0; again: ld.local.u32 %r0, [c]; add.u32 %r0, %r0, 1; st.local.u32 [c], "
            "%r0; mov.u32 %r0, 0; ld.local.u32 %r1, [c]; setp.lt.u32 %p0, %r1, 100000; mov.u32 %r1, 0; @%p0 bra again; "
            "ret;"},
        Loop{"ReadsTheClock",
             "mov.u64 %rd1, %clock64; add.u64 %rd1, %rd1, 3000000; again: mov.u64 %rd2, %clock64; "
             "setp.lt.u64 %p0, %rd2, %rd1; @%p0 bra again; ret;"},
        Loop{"ReadsTheTimer",
             "mov.u64 %rd1, %globaltimer; add.u64 %rd1, %rd1, 100000; again: mov.u64 %rd2, %globaltimer; "
             "setp.lt.u64 %p0, %rd2, %rd1; @%p0 bra again; ret;"},
        Loop{"WaitsForAnotherBlock", kLateWrite}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(FunctionalSpin, TheHostsTimeHasALimit) {
  Rig rig(test::machine({"run.max_seconds=1"}));
  const ProgramHandle program = rig.load_body("again: add.u64 %rd1, %rd1, 1; bra again;", "counting");
  const Ticket ticket = rig.launch(program, {1, 1, 1}, {32, 1, 1}, Parameters().add(std::uint64_t{0}));
  EXPECT_EQ(rig.device.advance_until(ticket), Outcome::kLimit);
  EXPECT_EQ(rig.device.fault()->kind, FaultKind::kHostLimit);
  EXPECT_THAT(rig.device.fault()->message, HasSubstr("run.max_seconds = 1 seconds of the host; kernel counting"));
}

TEST(SpinCheck, WatchesLongerEachTimeAndBeginsAnewWithProgress) {
  SpinCheck check(100);
  check.look(799, 1);
  EXPECT_FALSE(check.watching());
  check.look(800, 0);
  EXPECT_TRUE(check.watching());
  EXPECT_EQ(check.number(), 1U);
  check.look(899, 0);
  EXPECT_TRUE(check.watching());
  check.look(900, 0);
  EXPECT_FALSE(check.watching());
  check.look(900 + 1599, 0);
  EXPECT_FALSE(check.watching()) << "twice as long";
  check.look(900 + 1600, 0);
  EXPECT_TRUE(check.watching());
  check.disturb(2510);
  EXPECT_FALSE(check.watching());
  check.progress(2600);
  check.look(3399, 0);
  EXPECT_FALSE(check.watching());
  check.look(3400, 2);
  EXPECT_EQ(check.number(), 3U);
  check.look(3400 + 2 * 4 * 4096 - 1, 2);
  EXPECT_TRUE(check.watching()) << "every block has its turns";
}

}  // namespace
}  // namespace castor::gpu::gpu_functional_spin_test
