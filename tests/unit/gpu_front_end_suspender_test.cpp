// Tests of the suspender alone: thread blocks that leave their SM to wait for launches.
#include <gmock/gmock.h>

#include "castor/gpu/front_end/suspender.h"
#include "gpu_front_end_dispatch_parts.h"

namespace castor::gpu::gpu_front_end_suspender_test {
namespace {

using test::DispatcherRig;
using testing::HasSubstr;

constexpr TbNeed kNeed{2, 64, 6, 4};
constexpr BlockId kBlock = 44;

/// A kernel of one thread block that waits for an open launch, and leaves SM 0 in cycle 20.
class SuspenderRig : public DispatcherRig {
 public:
  SuspenderRig() : kernel(push(0, 1, kNeed)), record(table.record_of(kernel)) {
    step(1);
    EXPECT_TRUE(sms[0].started().has_value());
    record.root = &record;
    record.launch = launches.launcher().open_root();
    launches.launcher().blocks().open_child(kBlock);
  }
  void stop() {
    table.kill(0);
    dispatcher.stop(0);
    launches.stop(record);
    suspender.stop(record);
  }
  void leave() {
    sms[0].give_up(kernel, 0, 20, SwapReason::kChildren, kBlock);
    suspender.look();
    suspender.take(20);
  }
  const KernelContext& kernel;
  LaunchRecord& record;
};

TEST(Suspender, ATbWaitsUntilItsLaunchesAreClosed) {
  SuspenderRig rig;
  rig.leave();
  EXPECT_THAT(rig.suspender.waiting(), HasSubstr("1 thread blocks are swapped out, 1 of them until the kernels"));
  rig.suspender.look();
  EXPECT_FALSE(rig.suspender.ready(21));
  EXPECT_FALSE(rig.suspender.children_closed(kBlock + 1));
  EXPECT_TRUE(rig.suspender.children_closed(kBlock));
  EXPECT_FALSE(rig.suspender.ready(21)) << "it is offered from the next cycle on";
  rig.suspender.look();
  EXPECT_TRUE(rig.suspender.ready(22));
}

// The launch stays open: its thread blocks may still run.
TEST(Suspender, ATbThatLeavesAfterItsKernelWasStoppedDoesNotWaitForItsLaunches) {
  SuspenderRig rig;
  rig.stop();
  rig.leave();
  EXPECT_EQ(rig.launches.launcher().blocks().open_children(kBlock), 1U);
  EXPECT_THAT(rig.suspender.waiting(), HasSubstr("1 thread blocks are swapped out, 0 of them until the kernels"));
  EXPECT_EQ(rig.suspender.next({}, 20), 21U);
  rig.suspender.look();
  ASSERT_TRUE(rig.suspender.ready(21));
}

// One that is away already does not wait any more either.
TEST(Suspender, ATbOfAStoppedKernelIsReadyAtOnce) {
  SuspenderRig rig;
  rig.leave();
  rig.stop();
  rig.suspender.look();
  EXPECT_TRUE(rig.suspender.ready(21));
  EXPECT_FALSE(rig.suspender.children_closed(kBlock));
}

}  // namespace
}  // namespace castor::gpu::gpu_front_end_suspender_test
