// Tests of the list of kernels with thread blocks to place, which dispatch blocks share.

#include "castor/hookup/waiting_kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace castor::hookup {
namespace {

using testing::ElementsAre;

gpu::DispatchIn pushed(std::uint16_t entry) {
  gpu::DispatchIn in;
  in.push.emplace();
  in.push->kd = entry;
  return in;
}
gpu::DispatchIn placed(std::uint16_t entry, bool last) {
  gpu::DispatchIn in;
  in.taken = true;
  in.ev.placed.emplace();
  in.ev.placed->kd = entry;
  in.ev.placed->last = last;
  return in;
}
gpu::DispatchIn completed(std::uint16_t entry) {
  gpu::DispatchIn in;
  in.ev.completed.emplace();
  in.ev.completed->kd = entry;
  return in;
}

TEST(WaitingKernels, StayInOrderOfArrivalUntilTheLastThreadBlockIsPlaced) {
  WaitingKernels kernels;
  kernels.clock(pushed(5));
  kernels.clock(pushed(2));
  EXPECT_THAT(kernels.order(), ElementsAre(5, 2));
  kernels.clock(placed(5, false));
  EXPECT_EQ(kernels.next(5).position, 1U);
  EXPECT_EQ(kernels.next(2).position, 0U);
  EXPECT_EQ(kernels.oldest(gpu::KdMask{1U << 2U | 1U << 5U}), 5);
  kernels.clock(placed(5, true));
  EXPECT_THAT(kernels.order(), ElementsAre(2));
  EXPECT_EQ(kernels.oldest(gpu::KdMask{1U << 5U}), -1);
}

TEST(WaitingKernels, AStoppedKernelLosesItsPlace) {
  WaitingKernels kernels;
  kernels.clock(pushed(5));
  kernels.clock(pushed(2));
  kernels.clock(placed(5, false));
  kernels.clock(completed(5));
  EXPECT_THAT(kernels.order(), ElementsAre(2));
  kernels.clock(pushed(5));
  EXPECT_THAT(kernels.order(), ElementsAre(2, 5)) << "the next kernel of the entry comes last";
  EXPECT_EQ(kernels.next(5).position, 0U);
}

TEST(WaitingKernels, AKernelThatLeavesAsAnotherArrivesDoesNotTakeItAlong) {
  WaitingKernels kernels;
  kernels.clock(pushed(5));
  gpu::DispatchIn both = completed(5);
  both.push = pushed(5).push;
  kernels.clock(both);
  EXPECT_THAT(kernels.order(), ElementsAre(5));
}

}  // namespace
}  // namespace castor::hookup
