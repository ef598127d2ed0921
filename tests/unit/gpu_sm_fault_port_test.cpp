#include <gmock/gmock.h>

#include "castor/gpu/sm/fault_port.h"
#include "unit/gpu_sm_parts_support.h"

// Tests of the reports of an SM to the front end about errors of device code or of a hook.

namespace castor::gpu::gpu_sm_fault_port_test {
namespace {

using namespace test;
using testing::HasSubstr;

struct Bench {
  Bench()
      : machine(part_machine()),
        warps(machine, 5),
        watch(machine.sm.warps),
        tbs(machine, 5, counters, nullptr),
        faults(5, clock, warps, tbs, blocked, watch, outbox),
        kernel(machine, Code().trap().exit(), 64) {
    clock.begin(99);
  }
  void start(std::uint64_t gid) {
    TbStartMessage message;
    message.kernel = &kernel.context;
    message.item = kernel.context.item();
    message.gid = gid;
    const unsigned context = tbs.start(message, warps.used(), clock.now(), clock.tick());
    const TbState& tb = tbs[context];
    for (unsigned i = 0; i < tb.warp_count; ++i)
      warps.start(tb.slots[i], {tb.kernel, tb.program, tb.item, tb.index, context, i});
    warps.admit(tb.warps, false);
  }

  Machine machine;
  SmClock clock;
  WarpTable warps;
  EventWheel wheel;
  BlockedWarps blocked{wheel};
  SpinWatch watch;
  TbCounters counters;
  ThreadBlocks tbs;
  SmOutbox outbox;
  FaultPort faults;
  PartKernel kernel;
};

TEST(FaultPort, FaultNamesItsThreadAndStopsTheWarp) {
  Bench bench;
  bench.start(2);
  bench.start(6);
  bench.watch.open(90);
  bench.faults.report(3, 0, {FaultKind::kTrap, 7, "trap instruction", 0});
  EXPECT_EQ(bench.blocked.faulted(), 8U);
  EXPECT_FALSE(bench.watch.is_open());
  EXPECT_EQ(bench.outbox.faults().head(99), nullptr);
  const FaultMessage* const message = bench.outbox.faults().head(100);
  ASSERT_NE(message, nullptr);
  EXPECT_EQ(message->kernel, &bench.kernel.context);
  EXPECT_EQ(message->fault.kind, FaultKind::kTrap);
  EXPECT_EQ(message->fault.block.x, 6U);
  EXPECT_EQ(message->fault.thread.x, 32U + 7U);
  EXPECT_THAT(message->fault.message, HasSubstr("trap instruction"));
}

TEST(FaultPort, ErrorOfAHookStopsTheKernelInTheLowestContext) {
  Bench bench;
  bench.start(2);
  bench.start(6);
  bench.faults.report_hook("issue_policy", 0x11, 0xabc);
  const FaultMessage* const message = bench.outbox.faults().head(100);
  ASSERT_NE(message, nullptr);
  EXPECT_EQ(message->fault.block.x, 2U);
  EXPECT_THAT(message->fault.message, HasSubstr("issue_policy of SM 5 reports error 0x11, information 0xabc"));
  EXPECT_EQ(bench.blocked.faulted(), 0U);
}

TEST(FaultPort, ErrorOfAHookStopsTheKernelThatItBlames) {
  Bench bench;
  bench.start(2);
  bench.start(6);
  bench.faults.report_hook("fetch_filter", 0x12, 1, 1);
  const FaultMessage* const message = bench.outbox.faults().head(100);
  ASSERT_NE(message, nullptr);
  EXPECT_EQ(message->fault.block.x, 6U);
  EXPECT_DEATH(bench.faults.report_hook("fetch_filter", 0x12, 1, 63), "blames TB context 63: empty");
}

TEST(FaultPortDeathTest, ErrorOfAHookNeedsAThreadBlock) {
  Bench bench;
  EXPECT_DEATH(bench.faults.report_hook("issue_policy", 1, 0), "issue_policy of SM 5");
}

}  // namespace
}  // namespace castor::gpu::gpu_sm_fault_port_test
