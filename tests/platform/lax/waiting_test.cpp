// Tests that a machine with the laxity engine reports when nothing can proceed: the engine's periodic updates do not
// count as progress (docs/gpu/faults.md, "Watchdogs").
#include <gmock/gmock.h>

#include <cstring>

#include "platform/lax/rig.h"

namespace castor::lax_test {
namespace {

using testing::HasSubstr;

constexpr Cycle kPeriod = 4000;
const char* const kKernels = R"(
kernel short
  threads 64
  registers 16
  tbs 8
  service constant 2000
)";

std::vector<std::string> engine(const std::vector<std::string>& more = {}) {
  std::vector<std::string> all{"blocks.lax.enable=1", "blocks.lax.update_period=" + std::to_string(kPeriod)};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

TEST(LaxWaiting, QueuesThatWaitForEachOtherAreADeadlock) {
  Rig rig(kKernels, engine());
  gpu::Device& device = *rig.device;
  device.submit(0, gpu::EventWaitPacket{1, 1});
  device.submit(0, rig.kernel("short", 4));
  const Ticket last = device.submit(0, gpu::EventRecordPacket{2, 1});
  device.submit(1, gpu::EventWaitPacket{2, 1});
  device.submit(1, gpu::EventRecordPacket{1, 1});
  ASSERT_EQ(device.advance_until(last), gpu::Outcome::kDeadlock);
  const std::string& text = device.fault()->message;
  EXPECT_THAT(text, HasSubstr("deadlock: nothing can proceed\n"));
  EXPECT_THAT(text, HasSubstr("cycle: queue 0 -> queue 1 -> queue 0\n"));
}

// The kernel of an accepted job waits for an event that is never recorded.
struct Hanging {
  explicit Hanging(const std::vector<std::string>& more) : rig(kKernels, engine(more)) {
    gpu::JobPacket job;
    job.deadline = kDeadline;
    job.kernels = 2;
    job.list = {{3, 8}};
    job.signal = *rig.device->store().allocate(8, gpu::AllocationKind::kPool);
    const std::uint64_t pending = 0;
    std::memcpy(rig.device->store().host(job.signal), &pending, sizeof pending);
    gpu::KernelPacket kernel = rig.kernel("short", 4);
    kernel.kid = 3;
    rig.device->submit(5, job);
    rig.device->submit(5, kernel);
    rig.device->submit(5, gpu::EventWaitPacket{1, 1});
    last = rig.device->submit(5, kernel);
  }
  static constexpr std::uint32_t kDeadline = 100'000;
  Rig rig;
  Ticket last = 0;
};

TEST(LaxWaiting, AJobThatNeverGoesOnIsADeadlock) {
  Hanging hanging({});
  gpu::TimingDevice& device = *hanging.rig.device;
  ASSERT_EQ(device.advance_until(hanging.last), gpu::Outcome::kDeadlock);
  EXPECT_THAT(device.fault()->message, HasSubstr("queue 5: 2 packets, head event wait"));
  EXPECT_THAT(device.fault()->message,
              HasSubstr("waits for event 1 to reach 1, which is at 0, no packet records that"));
  ASSERT_EQ(hanging.rig.jobs().size(), 1U);
  EXPECT_TRUE(hanging.rig.jobs()[0].accepted);
  EXPECT_EQ(hanging.rig.jobs()[0].done, 0U);
  // The time includes the slots of announcement and kernel, its TBs, and the rest of an update.
  EXPECT_LT(device.gpu().now(), 6000 + 2000 + 2 * kPeriod);
}

TEST(LaxWaiting, AJobThatWillBeDroppedIsWaitedFor) {
  Hanging hanging({"blocks.lax.drop_expired=1"});
  gpu::TimingDevice& device = *hanging.rig.device;
  ASSERT_EQ(device.advance_until(hanging.last), gpu::Outcome::kDeadlock);
  EXPECT_GT(device.gpu().now(), Hanging::kDeadline);
  ASSERT_EQ(hanging.rig.jobs().size(), 1U);
  EXPECT_FALSE(hanging.rig.jobs()[0].accepted);
  EXPECT_EQ(hanging.rig.jobs()[0].reason, 2U);
}

TEST(LaxWaiting, AnIdleMachineIsNotAccusedUntilAGivenTime) {
  Rig rig(kKernels, engine());
  EXPECT_EQ(rig.device->advance_to(1'000'000'000), gpu::Outcome::kDone);
  EXPECT_FALSE(rig.device->fault());
}

}  // namespace
}  // namespace castor::lax_test
