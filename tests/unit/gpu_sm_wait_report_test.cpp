#include <gmock/gmock.h>

#include "castor/gpu/sm/wait_report.h"
#include "unit/gpu_sm_core_support.h"

// Tests of an SM's report about warps that wait or spin.

namespace castor::gpu::gpu_sm_wait_report_test {
namespace {

using namespace test;
using testing::HasSubstr;
using testing::Not;

struct Bench : Core {
  using Core::Core;
  [[nodiscard]] SmWaitReport report(WarpMask held = 0) {
    parts.sm = 3;
    std::vector<WaitReason> reasons;
    calls.add_waiting(reasons);
    reasons.push_back({held, "is held by a mechanism"});
    return {parts, reasons};
  }
  /// Returns the report's text about the first warp.
  [[nodiscard]] std::string text(WarpMask held = 0) { return report(held).text(); }
};

TEST(SmWaitReport, NamesBlockWarpAndPlace) {
  Bench bench(Code().nop().exit(), 32);
  EXPECT_THAT(bench.text(), HasSubstr("SM 3: block 0 of test\n  warp 0 (slot 0) has no instruction, kernel 'test'"));
  bench.fill(0, 1);
  EXPECT_THAT(bench.text(), HasSubstr("may issue"));
}

TEST(SmWaitReport, SaysWhatEachWarpWaitsFor) {
  {
    Bench bench(Code().nop().exit(), 32);
    EXPECT_THAT(bench.text(1), HasSubstr("is held by a mechanism"));
    bench.fetch.hold_back(1, 0, 5);
    EXPECT_THAT(bench.text(), HasSubstr("waits for its branch to resolve or for its start latency"));
    bench.blocked.sleep(0, 0, 9);
    EXPECT_THAT(bench.text(), HasSubstr("sleeps"));
    bench.blocked.call(0);
    EXPECT_THAT(bench.text(), HasSubstr("waits to call the runtime: 0 stores not acknowledged, 0 loads not returned"));
    bench.blocked.make_calls(1);
    EXPECT_THAT(bench.text(), HasSubstr("waits for a call into the runtime"));
    bench.blocked.fence(0);
    EXPECT_THAT(bench.text(), HasSubstr("waits in a fence"));
    bench.blocked.fault(0);
    EXPECT_THAT(bench.text(), HasSubstr("stopped by a fault"));
  }
  Bench bench(Code().add(3, 1, 2).exit(), 32);
  bench.board.expect_write(0, 2, 0, 9);
  bench.fill(0, 1);
  EXPECT_THAT(bench.text(), HasSubstr("waits for r2: in a pipeline"));
}

TEST(SmWaitReport, BarrierNamesWhoIsMissing) {
  Bench bench(Code().barrier().exit(), 96);
  for (const unsigned w : {0, 2}) bench.control.execute(w, w, bench.warps[w].records[0], bench.warps.all_lanes());
  bench.barriers.meet();
  EXPECT_THAT(bench.text(), HasSubstr("waits at barrier 0: 2 of 3 warps have arrived, missing: 1"));
  WaitGraph graph;
  bench.report().add_to(graph);
  EXPECT_TRUE(graph.cycle().empty());
  bench.report().check(nullptr, 5);
}

TEST(SmWaitReport, FinishedBlockSaysWhyItStays) {
  Bench bench(Code().exit(), 32);
  bench.warps.stop(1);
  bench.tbs.exited(0, 0);
  EXPECT_THAT(bench.text(), HasSubstr("all warps have exited, memory accesses in flight"));
  EXPECT_THAT(bench.text(), Not(HasSubstr("warp 0")));
  Credits done(0);
  EXPECT_FALSE(bench.tbs.next_to_retire(0, done, 5, 5));
  EXPECT_THAT(bench.text(), HasSubstr("all warps have exited, the done FIFO is full"));
}

TEST(SmWaitReport, StuckIfEveryWarpWaitsOrRepeats) {
  Bench bench(Code().barrier().branch(1, isa::kNoPc), 64);
  EXPECT_FALSE(bench.report().stuck());  // nobody watches
  bench.watch.open(0);
  EXPECT_FALSE(bench.report().stuck());
  bench.blocked.wait_at_barrier(0);
  bench.warps.step(1);
  for (unsigned turn = 0; turn < 2; ++turn) {
    bench.control.execute(1, 1, bench.warps[1].records[1], bench.warps.all_lanes());
  }
  EXPECT_TRUE(bench.report().stuck());
  std::vector<SpinningWarp> spinning;
  bench.report().add_spinning(spinning);
  ASSERT_EQ(spinning.size(), 1U);
  EXPECT_EQ(spinning[0].place, "SM 3, slot 1");
  EXPECT_EQ(spinning[0].pc, 1U);
  EXPECT_EQ(spinning[0].kernel, &bench.kernel.context);
}

TEST(SmWaitReport, RoomIsThatOfTheLedger) {
  Bench bench(Code().exit(), 64);
  SmResources ledger = bench.tbs.room(bench.warps.used());
  bench.report().check(&ledger, 5);
}

TEST(WaitReportDeathTest, OtherRoomThanTheLedgersIsAnAssertion) {
  Bench bench(Code().exit(), 64);
  SmResources ledger = bench.tbs.room(bench.warps.used());
  ++ledger.reg_units;
  EXPECT_DEATH(bench.report().check(&ledger, 5), "SM 3 counts other free resources than the ledger");
}

TEST(WaitReportDeathTest, WarpAtABarrierThatDoesNotKnowItIsAnAssertion) {
  Bench bench(Code().exit(), 64);
  bench.blocked.wait_at_barrier(0);
  EXPECT_DEATH(bench.report().check(nullptr, 5), "warp 0 waits at a barrier that does not count it");
}

}  // namespace
}  // namespace castor::gpu::gpu_sm_wait_report_test
