#include "castor/gpu/sm/device_calls.h"
#include "unit/gpu_sm_core_support.h"

// Tests of calls of device code into the runtime: requests, service, replies.

namespace castor::gpu::gpu_sm_device_calls_test {
namespace {

using namespace test;

struct Bench : Core {
  Bench() : Core(Code().allocate(4, 2).trap().exit(), 64) {
    services.store = &rig.store;
    clock.begin(10);
    for (unsigned w = 0; w < 2; ++w) set_lanes(warps, w, 2, 0);
    for (unsigned lane = 0; lane < machine.sm.lanes; ++lane) {
      const std::uint64_t bytes = 64;
      std::memcpy(warps.view(1).dst(2) + lane * 8, &bytes, 8);
    }
  }
  /// Returns the address that a lane of warp 1 got.
  [[nodiscard]] std::uint64_t got(unsigned lane) {
    std::uint64_t value;
    std::memcpy(&value, warps.view(1).dst(4) + lane * 8, 8);
    return value;
  }

  DeviceServices services;
};

TEST(DeviceCalls, CallIsAskedForServedAndAnswered) {
  Bench bench;
  bench.calls.call(1, 0x5);
  EXPECT_EQ(bench.blocked.any(), 2U);
  EXPECT_TRUE(bench.outbox.empty());
  bench.clock.begin(15);
  bench.calls.ask(bench.blocked.calls_due(0));
  EXPECT_EQ(bench.blocked.before_call(), 0U);
  EXPECT_EQ(bench.outbox.services().head(15), nullptr);
  const ServiceMessage* const message = bench.outbox.services().head(16);
  ASSERT_NE(message, nullptr);
  EXPECT_EQ(message->warp, 1U);
  EXPECT_EQ(message->kernel, &bench.kernel.context);

  EXPECT_FALSE(bench.calls.serve(1, &bench.services, 20));
  EXPECT_NE(bench.got(0), 0U);
  EXPECT_EQ(bench.got(1), 0U);  // lane 1 does not call
  EXPECT_NE(bench.got(2), 0U);
  EXPECT_FALSE(bench.calls.still());
  EXPECT_EQ(bench.calls.wake(), 20U);
  bench.clock.begin(19);
  EXPECT_FALSE(bench.calls.take_answers());
  bench.clock.begin(20);
  EXPECT_TRUE(bench.calls.take_answers());
  EXPECT_EQ(bench.blocked.any(), 0U);
  EXPECT_TRUE(bench.calls.still());
  EXPECT_EQ(bench.calls.wake(), base::kForever);
}

TEST(DeviceCalls, WarpWhoseCallFailsDoesNothingMore) {
  Bench bench;
  isa::Record& record = bench.kernel.program.code[0];
  record.imm = static_cast<std::uint64_t>(isa::SystemCall::kFree);  // frees an address that malloc did not return
  bench.calls.call(1, 1);
  bench.calls.ask(2);
  const auto fault = bench.calls.serve(1, &bench.services, 12);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->kind, FaultKind::kIllegalAddress);
  EXPECT_EQ(fault->thread.x, bench.machine.sm.lanes);
  bench.clock.begin(12);
  EXPECT_TRUE(bench.calls.take_answers());
  EXPECT_EQ(bench.blocked.faulted(), 2U);
  EXPECT_EQ(bench.blocked.in_call(), 0U);
}

// A call without services belongs to a stopped kernel. The SM may not have been notified yet.
TEST(DeviceCalls, CallWithoutServicesIsAnsweredWithoutEffect) {
  Bench bench;
  bench.calls.call(1, 1);
  bench.calls.ask(2);
  EXPECT_FALSE(bench.calls.serve(1, nullptr, 12));
  EXPECT_EQ(bench.got(0), 0U);
  bench.clock.begin(12);
  EXPECT_TRUE(bench.calls.take_answers());
  EXPECT_EQ(bench.blocked.any(), 0U);
}

// Lanes 0 and 2 of the warp: number, whether it writes, value.
TEST(DeviceCalls, AccessesToRegistersAreAskedForLaneByLane) {
  Bench bench;
  isa::Record& record = bench.kernel.program.code[0];
  record.imm = static_cast<std::uint64_t>(isa::SystemCall::kRegister);
  const isa::OperandIndex operands[] = {2, 6, 7};
  std::copy(std::begin(operands), std::end(operands), record.src);
  for (unsigned lane = 0; lane < 3; ++lane) {
    const std::uint32_t values[] = {0x30008 + 4 * lane, lane == 2 ? 1U : 0U, 70 + lane};
    for (unsigned i = 0; i < 3; ++i) {
      std::memcpy(bench.warps.view(1).dst(record.src[i]) + lane * 4, &values[i], 4);
    }
  }
  bench.calls.call(1, 0x5);
  bench.calls.ask(2);
  const ServiceMessage* const message = bench.outbox.services().head(kForever - 1);
  ASSERT_NE(message, nullptr);
  ASSERT_EQ(message->registers.size(), 2U);
  EXPECT_EQ(message->registers[0].window, 3U);
  EXPECT_FALSE(message->registers[0].write);
  EXPECT_EQ(message->registers[0].offset, 8U);
  EXPECT_EQ(message->registers[1].offset, 16U);
  EXPECT_TRUE(message->registers[1].write);
  EXPECT_EQ(message->registers[1].value, 72U);
  const std::vector<RegisterReply> replies = {{RegisterError::kNone, 5}, {RegisterError::kRefused, 0}};
  bench.services.register_replies = &replies;
  EXPECT_FALSE(bench.calls.serve(1, &bench.services, 12));
  EXPECT_EQ(bench.got(0), 5U);
  EXPECT_EQ(bench.got(2), std::uint64_t{800} << 32);  // cudaErrorNotPermitted
  bench.services.register_replies = nullptr;
}

TEST(DeviceCalls, CallOfAStoppedBlockHasNoEffect) {
  Bench bench;
  bench.calls.call(1, 1);
  bench.calls.ask(2);
  bench.warps.stop(3);
  bench.tbs.stop(0);
  EXPECT_FALSE(bench.calls.serve(1, &bench.services, 12));
  EXPECT_EQ(bench.got(0), 0U);
  bench.clock.begin(12);
  EXPECT_TRUE(bench.calls.take_answers());
  EXPECT_EQ(bench.blocked.any(), 0U);
}

}  // namespace
}  // namespace castor::gpu::gpu_sm_device_calls_test
