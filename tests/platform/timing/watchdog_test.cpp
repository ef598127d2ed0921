// Tests that warps which wait for each other by spinning are found, and that no other program is reported
// (docs/gpu/faults.md, "Watchdogs").

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "platform/timing/rig.h"

namespace castor::gpu::timing_test::watchdog_test {
namespace {

using ::testing::HasSubstr;

constexpr const char* kMachine = "tiny";

std::vector<std::string> options(std::vector<std::string> more = {}) {
  more.insert(more.begin(), {"watchdog.cycles=2000", "run.max_cycles=60000"});
  return more;
}

/// Two blocks; block b raises flag b only when it has seen flag 1 - b.
const char* const kEachWaitsForTheOther = R"(
  mov.u32 %r0, %ctaid.x;
  xor.b32 %r1, %r0, 1;
  mul.wide.u32 %rd1, %r1, 256;
  add.u64 %rd2, %rd0, %rd1;
WAIT:
  ld.volatile.global.u32 %r2, [%rd2];
  setp.eq.u32 %p0, %r2, 0;
  @%p0 bra WAIT;
  mul.wide.u32 %rd3, %r0, 256;
  add.u64 %rd4, %rd0, %rd3;
  mov.u32 %r3, 1;
  st.volatile.global.u32 [%rd4], %r3;
  ret;
)";

std::string hex(std::uint64_t value) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

/// Runs a kernel whose parameters are addresses and says what ended it.
Outcome outcome_of(Rig& rig, const std::string& body, Dim3 grid, Dim3 block,
                   const std::vector<std::uint64_t>& parameters, const std::string& declarations = {}) {
  const ProgramHandle kernel = rig.load(body, static_cast<unsigned>(parameters.size()), declarations);
  return rig.device->advance_until(rig.submit(kernel, grid, block, parameters));
}

void expect_limit(Rig& rig, Outcome outcome) {
  EXPECT_EQ(outcome, Outcome::kLimit);
  ASSERT_TRUE(rig.device->fault());
  EXPECT_EQ(rig.device->fault()->kind, FaultKind::kCycleLimit) << rig.device->fault()->message;
}

TEST(FixedPoint, TwoBlocksThatWaitForEachOtherAreNamedWithTheirAddresses) {
  Rig rig(kMachine, options());
  const std::uint64_t flags = rig.buffer(512);
  EXPECT_EQ(outcome_of(rig, kEachWaitsForTheOther, {2}, {32}, {flags}), Outcome::kDeadlock);
  ASSERT_TRUE(rig.device->fault());
  const Fault& fault = *rig.device->fault();
  EXPECT_EQ(fault.kind, FaultKind::kSpinDeadlock);
  EXPECT_THAT(fault.message, HasSubstr("spinning deadlock: 2 warps repeat their loop for ever"));
  EXPECT_THAT(fault.message, HasSubstr("kernel k, block (0,0,0), warp 0"));
  EXPECT_THAT(fault.message, HasSubstr("kernel k, block (1,0,0), warp 0"));
  EXPECT_THAT(fault.message, HasSubstr("reads global " + hex(flags + 256) + " (byte 256 of 512 bytes of heap)"));
  EXPECT_THAT(fault.message, HasSubstr("reads global " + hex(flags) + " (byte 0 of 512 bytes of heap)"));
  EXPECT_THAT(fault.message, HasSubstr("micro.ptx:"));
}

TEST(FixedPoint, LockWhoseHolderHasLeftIsFound) {
  Rig rig(kMachine, options());
  const std::uint64_t lock = rig.buffer(4);
  // The first block takes the lock and never releases it.
  const Outcome outcome = outcome_of(rig, R"(
LOCK:
  atom.global.cas.b32 %r1, [%rd0], 0, 1;
  setp.ne.u32 %p0, %r1, 0;
  @%p0 bra LOCK;
  ret;
)",
                                     {2}, {1}, {lock});
  EXPECT_EQ(outcome, Outcome::kDeadlock);
  ASSERT_TRUE(rig.device->fault());
  EXPECT_EQ(rig.device->fault()->kind, FaultKind::kSpinDeadlock);
  EXPECT_THAT(rig.device->fault()->message, HasSubstr("1 warp repeats its loop for ever"));
  EXPECT_THAT(rig.device->fault()->message, HasSubstr("reads global " + hex(lock) + " (byte 0 of 4 bytes of heap)"));
}

TEST(FixedPoint, SpinOnSharedMemoryWhileOthersWaitAtABarrierIsFound) {
  Rig rig(kMachine, options());
  // Warp 0 waits for a word that only warp 1 would write, after the barrier.
  const Outcome outcome = outcome_of(rig, R"(
  .shared .u32 flag;
  mov.u32 %r0, %tid.x;
  setp.ge.u32 %p1, %r0, 32;
  @%p1 bra MEET;
WAIT:
  ld.volatile.shared.u32 %r2, [flag];
  setp.eq.u32 %p0, %r2, 0;
  @%p0 bra WAIT;
MEET:
  bar.sync 0;
  st.volatile.shared.u32 [flag], 1;
  ret;
)",
                                     {}, {64}, {});
  EXPECT_EQ(outcome, Outcome::kDeadlock);
  ASSERT_TRUE(rig.device->fault());
  EXPECT_EQ(rig.device->fault()->kind, FaultKind::kSpinDeadlock);
  EXPECT_THAT(rig.device->fault()->message, HasSubstr("reads shared memory at 0x0"));
  EXPECT_THAT(rig.device->fault()->message, HasSubstr("barrier 0"));
}

TEST(FixedPoint, TwoLanesOfOneWarpThatWaitForEachOtherAreFound) {
  Rig rig(kMachine, options());
  const std::uint64_t lock = rig.buffer(4);
  // The lane that has the lock waits at the end of the loop for the lanes without it.
  const Outcome outcome = outcome_of(rig, R"(
LOCK:
  atom.global.cas.b32 %r1, [%rd0], 0, 1;
  setp.ne.u32 %p0, %r1, 0;
  @%p0 bra LOCK;
  atom.global.exch.b32 %r2, [%rd0], 0;
  ret;
)",
                                     {}, {32}, {lock});
  EXPECT_EQ(outcome, Outcome::kDeadlock);
  EXPECT_EQ(rig.device->fault()->kind, FaultKind::kSpinDeadlock);
}

TEST(FixedPoint, IsFoundInTheSameCycleWhoeverSleepsAndInAnyOrder) {
  std::vector<std::vector<std::uint64_t>> results;
  for (const char* variant : {"run.sleep=1", "run.sleep=0", "run.shuffle=1"}) {
    results.push_back(in_child([&] {
      Rig rig(kMachine, options({variant}));
      const Outcome outcome = outcome_of(rig, kEachWaitsForTheOther, {2}, {32}, {rig.buffer(512)});
      return std::vector<std::uint64_t>{static_cast<std::uint64_t>(outcome), rig.device->now(), rig.device->gpu().now(),
                                        rig.device->gpu().statistics().hash()};
    }));
  }
  EXPECT_EQ(results[0][0], static_cast<std::uint64_t>(Outcome::kDeadlock));
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
}

TEST(FixedPoint, DeviceCanBeUsedAfterItsKernelsWereDropped) {
  Rig rig(kMachine, options());
  const std::uint64_t flags = rig.buffer(512);
  ASSERT_EQ(outcome_of(rig, kEachWaitsForTheOther, {2}, {32}, {flags}), Outcome::kDeadlock);
  rig.device->reset();
  EXPECT_TRUE(rig.device->gpu().idle());
  EXPECT_FALSE(rig.device->fault());
  EXPECT_EQ(outcome_of(rig, "mov.u32 %r0, 7; st.global.u32 [%rd0], %r0; ret;", {}, {1}, {flags}), Outcome::kDone);
  EXPECT_EQ(rig.get<std::uint32_t>(flags), 7U);
}

// --- What must not be accused ---------------------------------------------------------------------------------------

TEST(FixedPoint, LoopThatGivesUpAfterSomeTimeIsNot) {
  for (const char* clock : {"mov.u32 %r4, %clock;",
                            "mov.u64 %rd4, %globaltimer; shr.u64 %rd4, %rd4, 0; "
                            "cvt.u32.u64 %r4, %rd4;"}) {
    in_child([&] {
      Rig rig(kMachine, options());
      const std::uint64_t flag = rig.buffer(4);
      // The loop ends after 20000 ticks or ns, whatever the flag is. The counter is held in a predicate only.
      const Outcome outcome = outcome_of(rig, std::string(R"(
WAIT:
  ld.volatile.global.u32 %r2, [%rd0];
  setp.ne.u32 %p0, %r2, 0;
  @%p0 bra DONE;
)") + clock + R"(
  setp.lt.u32 %p1, %r4, 20000;
  mov.u32 %r4, 0;
  mov.u64 %rd4, 0;
  @%p1 bra WAIT;
DONE:
  ret;
)",
                                         {}, {1}, {flag});
      if (outcome != Outcome::kDone) throw std::runtime_error(rig.device->fault()->message);
      if (rig.device->gpu().now() < 10'000) throw std::runtime_error("ended early");
      return std::vector<std::uint64_t>{};
    });
  }
}

TEST(FixedPoint, PollOfALineThatBecomesFreshLaterIsNot) {
  // The L1 of one SM keeps the old value of the flag. The polling warp reads the new value only after another warp of
  // its block executes a fence, a long time later.
  Rig rig(kMachine, options());
  const std::uint64_t flag = rig.buffer(512);
  const Outcome outcome = outcome_of(rig, R"(
  mov.u32 %r0, %ctaid.x;
  setp.eq.u32 %p1, %r0, 1;
  @%p1 bra WRITER;
  mov.u32 %r1, %tid.x;
  setp.ge.u32 %p1, %r1, 32;
  @%p1 bra REFRESH;
WAIT:
  ld.global.u32 %r2, [%rd0];
  setp.eq.u32 %p0, %r2, 0;
  @%p0 bra WAIT;
  ret;
REFRESH:
  mov.u32 %r3, 0;
COUNT:
  add.u32 %r3, %r3, 1;
  setp.lt.u32 %p2, %r3, 1500;
  @%p2 bra COUNT;
  membar.gl;
  ret;
WRITER:
  mov.u32 %r3, 0;
HOLD:
  add.u32 %r3, %r3, 1;
  setp.lt.u32 %p2, %r3, 100;
  @%p2 bra HOLD;
  mov.u32 %r4, 1;
  st.global.u32 [%rd0], %r4;
  ret;
)",
                                     {2}, {64}, {flag});
  EXPECT_EQ(outcome, Outcome::kDone) << rig.device->fault()->message;
  EXPECT_GT(rig.device->gpu().now(), 8'000U) << "the poll has to last for several windows";
}

TEST(FixedPoint, PollOfALineThatIsNeverFreshIsNot) {
  // The flag was written, so the polled value in L1 differs from the value in memory. The loop ends as soon as the line
  // leaves L1.
  Rig rig(kMachine, options());
  const std::uint64_t flag = rig.buffer(512);
  const Outcome outcome = outcome_of(rig, R"(
  mov.u32 %r0, %ctaid.x;
  setp.eq.u32 %p1, %r0, 1;
  @%p1 bra WRITER;
WAIT:
  ld.global.u32 %r2, [%rd0];
  setp.eq.u32 %p0, %r2, 0;
  @%p0 bra WAIT;
  ret;
WRITER:
  mov.u32 %r3, 0;
HOLD:
  add.u32 %r3, %r3, 1;
  setp.lt.u32 %p2, %r3, 100;
  @%p2 bra HOLD;
  mov.u32 %r4, 1;
  st.global.u32 [%rd0], %r4;
  ret;
)",
                                     {2}, {32}, {flag});
  expect_limit(rig, outcome);
  EXPECT_EQ(rig.get<std::uint32_t>(flag), 1U);
}

TEST(FixedPoint, StoreThatIsUnderWayForLongIsNot) {
  // DRAM is so slow that the awaited store, which needs a line from DRAM, is in flight for several windows.
  Rig rig(kMachine, options({"dram.extra_latency=9000"}));
  const std::uint64_t data = rig.buffer(std::uint64_t{1} << 16);
  const Outcome outcome = outcome_of(rig, R"(
  mov.u32 %r0, %ctaid.x;
  setp.eq.u32 %p1, %r0, 1;
  @%p1 bra WRITER;
WAIT:
  ld.volatile.global.u8 %r2, [%rd0];
  setp.eq.u32 %p0, %r2, 0;
  @%p0 bra WAIT;
  ret;
WRITER:
  mov.u32 %r4, 1;
  st.volatile.global.u8 [%rd0], %r4;
  ret;
)",
                                     {2}, {1}, {data});
  EXPECT_EQ(outcome, Outcome::kDone) << rig.device->fault()->message;
  EXPECT_GT(rig.device->gpu().now(), 8'000U);
}

TEST(FixedPoint, LoopThatCountsInARegisterIsNot) {
  Rig rig(kMachine, options());
  const Outcome outcome = outcome_of(rig, R"(
  mov.u32 %r0, 0;
LOOP:
  add.u32 %r0, %r0, 1;
  setp.ne.u32 %p0, %r0, 0xffffffff;
  @%p0 bra LOOP;
  st.global.u32 [%rd0], %r0;
  ret;
)",
                                     {}, {1}, {rig.buffer(4)});
  expect_limit(rig, outcome);
  EXPECT_THAT(rig.device->fault()->message, HasSubstr("cycle limit reached: run.max_cycles = 60000"));
  EXPECT_THAT(rig.device->fault()->message, HasSubstr("kernel k"));
}

TEST(FixedPoint, LoopThatCountsInMemoryIsNot) {
  // At the backward jump of the loop no register holds the count.
  const std::string count = R"(
LOOP:
  ldSPACE.u32 %r1, [COUNT];
  add.u32 %r1, %r1, 1;
  stSPACE.u32 [COUNT], %r1;
  ldSPACE.u32 %r2, [COUNT];
  setp.lt.u32 %p0, %r2, LIMIT;
  mov.u32 %r1, 0;
  mov.u32 %r2, 0;
  @%p0 bra LOOP;
  ret;
)";
  for (const std::string space : {"local", "shared", "global"}) {
    SCOPED_TRACE(space);
    std::string body = count;
    const auto put = [&body](const std::string& what, const std::string& there) {
      for (std::size_t at = 0; (at = body.find(what, at)) != std::string::npos;) body.replace(at, what.size(), there);
    };
    put("SPACE", space == "local" ? ".local" : ".volatile." + space);  // local bytes stay in L1
    put("COUNT", space == "global" ? "%rd0" : "count");
    put("LIMIT", space == "global" ? "40" : "100");
    if (space != "global") body.insert(0, "." + space + " .u32 count;\nst." + space + ".u32 [count], 0;\n");
    EXPECT_NO_THROW(in_child([&] {
      Rig rig(kMachine, options());
      const Outcome outcome = outcome_of(rig, body, {}, {1}, {rig.buffer(4)});
      if (outcome != Outcome::kDone) throw std::runtime_error(rig.device->fault()->message);
      if (rig.device->gpu().now() < 7'000) throw std::runtime_error("ended early");
      return std::vector<std::uint64_t>{};
    }));
  }
}

TEST(FixedPoint, HostThatGoesOnByItselfIsNot) {
  Rig rig(kMachine, options());
  const std::uint64_t flag = rig.buffer(4);
  const ProgramHandle kernel = rig.load(R"(
WAIT:
  ld.volatile.global.u32 %r2, [%rd0];
  setp.eq.u32 %p0, %r2, 0;
  @%p0 bra WAIT;
  ret;
)",
                                        1);
  const Ticket ticket = rig.submit(kernel, {}, {32}, {flag});
  const Picoseconds window = rig.device->gpu().clock().time_of(2000);
  for (unsigned i = 0; i < 12; ++i) {
    ASSERT_EQ(rig.device->advance_to(rig.device->now() + window / 2), Outcome::kDone);
    ASSERT_FALSE(rig.device->fault());
  }
  // Once more in one long step, then the host writes through its view of the memory.
  ASSERT_EQ(rig.device->advance_to(rig.device->now() + 6 * window), Outcome::kDone);
  ASSERT_FALSE(rig.device->fault());
  rig.set<std::uint32_t>(flag, 1);
  EXPECT_EQ(rig.device->advance_until(ticket), Outcome::kDone);
}

TEST(FixedPoint, SleepingWarpIsNot) {
  Rig rig(kMachine, options());
  const Outcome outcome = outcome_of(rig, R"(
  mov.u32 %r0, %ctaid.x;
  setp.eq.u32 %p1, %r0, 1;
  @%p1 bra LATE;
WAIT:
  ld.volatile.global.u32 %r2, [%rd0];
  setp.eq.u32 %p0, %r2, 0;
  @%p0 bra WAIT;
  ret;
LATE:
  mov.u32 %r3, 12000;
  nanosleep.u32 %r3;
  mov.u32 %r4, 1;
  st.volatile.global.u32 [%rd0], %r4;
  ret;
)",
                                     {2}, {1}, {rig.buffer(4)});
  EXPECT_EQ(outcome, Outcome::kDone) << rig.device->fault()->message;
  EXPECT_GT(rig.device->gpu().now(), 8'000U);
}

TEST(FixedPoint, LongComputationWithoutStoresIsNot) {
  Rig rig(kMachine, options());
  const std::uint64_t out = rig.buffer(4);
  // x <- 5 x + 1 for 2000 iterations with an inner loop, so states come close to each other but never repeat.
  const Outcome outcome = outcome_of(rig, R"(
  mov.u32 %r0, 0;
  mov.u32 %r1, 1;
OUTER:
  mov.u32 %r2, 0;
INNER:
  mad.lo.u32 %r1, %r1, 5, 1;
  add.u32 %r2, %r2, 1;
  setp.lt.u32 %p0, %r2, 10;
  @%p0 bra INNER;
  add.u32 %r0, %r0, 1;
  setp.lt.u32 %p1, %r0, 60;
  @%p1 bra OUTER;
  st.global.u32 [%rd0], %r1;
  ret;
)",
                                     {}, {1}, {out});
  EXPECT_EQ(outcome, Outcome::kDone) << rig.device->fault()->message;
  std::uint32_t x = 1;
  for (unsigned i = 0; i < 600; ++i) x = 5 * x + 1;
  EXPECT_EQ(rig.get<std::uint32_t>(out), x);
  EXPECT_GT(rig.device->gpu().now(), 8'000U);
}

TEST(FixedPoint, CostsNothingInTheStatistics) {
  // The same run with and without watched windows.
  std::vector<std::vector<std::uint64_t>> results;
  for (const char* window : {"watchdog.cycles=1000", "watchdog.cycles=1000000000"}) {
    results.push_back(in_child([&] {
      Rig rig(kMachine, {window});
      const ProgramHandle kernel = rig.load(R"(
  mov.u32 %r0, 0;
LOOP:
  ld.global.u32 %r1, [%rd0];
  add.u32 %r0, %r0, 1;
  setp.lt.u32 %p0, %r0, 300;
  @%p0 bra LOOP;
  st.global.u32 [%rd0], %r0;
  ret;
)",
                                            1);
      rig.run(kernel, {4}, {64}, {rig.buffer(4)});
      return std::vector<std::uint64_t>{rig.device->gpu().now(), rig.device->gpu().statistics().hash()};
    }));
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_GT(results[0][0], 3'000U);
}

}  // namespace
}  // namespace castor::gpu::timing_test::watchdog_test
