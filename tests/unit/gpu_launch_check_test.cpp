// Launches against the limits of a machine.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "castor/gpu/launch_check.h"
#include "platforms/machines.h"

namespace castor::gpu::gpu_launch_check_test {
namespace {

using ::testing::HasSubstr;

// tiny: 512 threads per block and per SM, 65536 registers in units of 256 per warp, 48 KB of shared memory.
class LaunchCheck : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(machine_.sm.max_tb_threads, 512U);
    ASSERT_EQ(machine_.sm.registers, 65536U);
    ASSERT_EQ(machine_.sm.max_tb_smem, 48U * 1024);
    program_.kernel = "k";
    program_.registers = 16;
    packet_.block = {32, 1, 1};
  }
  LaunchVerdict check() { return check_launch(machine_, program_, packet_); }
  LaunchError error() { return check().error; }

  Machine machine_ = platforms::load_machine("tiny").machine;
  isa::Program program_;
  KernelPacket packet_;
};

TEST_F(LaunchCheck, AcceptsWhatFits) {
  EXPECT_EQ(error(), LaunchError::kNone);
  EXPECT_EQ(check().message, "");
  packet_.block = {512, 1, 1};
  packet_.grid = {2147483647, 65535, 65535};
  EXPECT_EQ(error(), LaunchError::kNone);
  packet_.block = {8, 1, 64};
  packet_.dynamic_shared = 48 * 1024;
  EXPECT_EQ(error(), LaunchError::kNone);
}

TEST_F(LaunchCheck, RefusesZeroDimensions) {
  for (Dim3 KernelPacket::*which : {&KernelPacket::grid, &KernelPacket::block}) {
    for (std::uint32_t Dim3::*axis : {&Dim3::x, &Dim3::y, &Dim3::z}) {
      KernelPacket packet = packet_;
      (packet.*which).*axis = 0;
      const LaunchVerdict verdict = check_launch(machine_, program_, packet);
      EXPECT_EQ(verdict.error, LaunchError::kZeroDimension);
      EXPECT_THAT(verdict.message, HasSubstr("launch of k"));
    }
  }
}

TEST_F(LaunchCheck, RefusesGridsBeyondTheLimits) {
  packet_.grid = {2147483648U, 1, 1};
  EXPECT_EQ(error(), LaunchError::kGridTooLarge);
  packet_.grid = {1, 65536, 1};
  EXPECT_EQ(error(), LaunchError::kGridTooLarge);
  packet_.grid = {1, 1, 65536};
  EXPECT_EQ(error(), LaunchError::kGridTooLarge);
  // 2^64 blocks: the product of the dimensions is 0 in 64 bits.
  packet_.grid = {1U << 31, 1U << 31, 4};
  EXPECT_EQ(error(), LaunchError::kGridTooLarge);
}

TEST_F(LaunchCheck, RefusesBlocksBeyondTheLimits) {
  packet_.block = {513, 1, 1};
  const LaunchVerdict verdict = check();
  EXPECT_EQ(verdict.error, LaunchError::kBlockTooLarge);
  EXPECT_THAT(verdict.message, HasSubstr("(513,1,1)"));
  EXPECT_THAT(verdict.message, HasSubstr("513 threads"));
  EXPECT_THAT(verdict.message, HasSubstr("512"));
  packet_.block = {1, 1, 65};
  EXPECT_EQ(error(), LaunchError::kBlockTooLarge);
  packet_.block = {16, 16, 4};
  EXPECT_EQ(error(), LaunchError::kBlockTooLarge);
  packet_.block = {1U << 31, 1U << 31, 4};
  EXPECT_EQ(error(), LaunchError::kBlockTooLarge);
}

TEST_F(LaunchCheck, RefusesBlocksBeyondTheKernelsOwnBounds) {
  program_.max_threads = 64;
  packet_.block = {64, 1, 1};
  EXPECT_EQ(error(), LaunchError::kNone);
  packet_.block = {65, 1, 1};
  EXPECT_EQ(error(), LaunchError::kBlockTooLarge);
  EXPECT_THAT(check().message, HasSubstr("launch bounds allow 64"));
}

TEST_F(LaunchCheck, RefusesAnotherThanTheRequiredBlock) {
  program_.required_threads[0] = 8;
  program_.required_threads[1] = 4;
  program_.required_threads[2] = 1;
  packet_.block = {8, 4, 1};
  EXPECT_EQ(error(), LaunchError::kNone);
  packet_.block = {4, 8, 1};
  EXPECT_EQ(error(), LaunchError::kRequiredBlock);
  EXPECT_THAT(check().message, HasSubstr("requires (8,4,1)"));
}

TEST_F(LaunchCheck, RefusesTooMuchSharedMemory) {
  program_.shared_bytes = 1024;
  packet_.dynamic_shared = 47 * 1024;
  EXPECT_EQ(error(), LaunchError::kNone);
  packet_.dynamic_shared += 1;
  EXPECT_EQ(error(), LaunchError::kTooMuchShared);
  EXPECT_THAT(check().message, HasSubstr("49153 bytes"));
  packet_.dynamic_shared = 0xffffffff;  // the sum passes 2^32
  EXPECT_EQ(error(), LaunchError::kTooMuchShared);
}

TEST_F(LaunchCheck, RefusesParametersOfAnotherSize) {
  program_.parameter_bytes = 12;
  EXPECT_EQ(error(), LaunchError::kParameterBytes);
  packet_.parameters.resize(12);
  EXPECT_EQ(error(), LaunchError::kNone);
  packet_.parameters.resize(16);
  EXPECT_EQ(error(), LaunchError::kParameterBytes);
}

TEST_F(LaunchCheck, RefusesTooManyRegisters) {
  // 16 warps x 32 lanes x 128 registers are all 65536.
  packet_.block = {512, 1, 1};
  program_.registers = 128;
  EXPECT_EQ(error(), LaunchError::kNone);
  program_.registers = 129;
  EXPECT_EQ(error(), LaunchError::kTooManyRegisters);
  EXPECT_THAT(check().message, HasSubstr("129 registers"));
}

TEST_F(LaunchCheck, BlocksPerSmAreNotFooledByHugeRequests) {
  EXPECT_EQ(blocks_per_sm(machine_, program_, 32, 0), 16U);  // by warps: 16 of 1 warp
  EXPECT_EQ(blocks_per_sm(machine_, program_, 32, std::uint64_t{1} << 32), 0U);
  EXPECT_EQ(blocks_per_sm(machine_, program_, std::uint64_t{1} << 32, 0), 0U);
  program_.shared_bytes = 4096;
  EXPECT_EQ(blocks_per_sm(machine_, program_, 32, ~std::uint64_t{0} - 4095), 0U);
}

class SynchronisingLaunch : public LaunchCheck {
 protected:
  /// Loads a program with one record for each operation of device-wide synchronisation.
  void SetUp() override {
    LaunchCheck::SetUp();
    for (unsigned op = 0; op < isa::kSyncOps; ++op) {
      isa::Record record;
      record.kind = isa::Kind::kSync;
      record.imm = op;
      program_.code.push_back(record);
      program_.lines.push_back({10 + op, 1, 0, 0});
      program_.sync.ops |= isa::sync_bit(static_cast<isa::SyncOp>(op));
    }
    program_.module = "k.ptx";
    program_.functions.push_back({"k", 0, isa::kSyncOps, 0});
  }
  SyncSupport& support() { return machine_.chip.sync; }
};

TEST_F(SynchronisingLaunch, IsRefusedWithTheFirstOperationThatNothingAnswers) {
  for (unsigned op = 0; op < isa::kSyncOps; ++op) {
    EXPECT_EQ(error(), LaunchError::kNotAnswered);
    const std::string name(isa::name(static_cast<isa::SyncOp>(op)));
    EXPECT_EQ(check().message, "launch of k: it can reach " + name + " in kernel 'k' (k.ptx:" +
                                   std::to_string(10 + op) + "), which no installed block answers");
    support().answered |= isa::sync_bit(static_cast<isa::SyncOp>(op));
  }
  EXPECT_EQ(error(), LaunchError::kNone);
}

TEST_F(SynchronisingLaunch, NamesTheBlockThatWouldAnswer) {
  support().owner = [](isa::SyncOp op) { return std::string(op == isa::SyncOp::kWait ? "bell" : "gate"); };
  EXPECT_THAT(check().message, HasSubstr("tb.gridsync in kernel 'k' (k.ptx:10), which block gate answers: "
                                         "blocks.gate.enable=1"));
  support().answered = static_cast<isa::SyncSet>(~isa::sync_bit(isa::SyncOp::kWait));
  EXPECT_THAT(check().message, HasSubstr("tb.wait in kernel 'k' (k.ptx:13), which block bell answers"));
}

TEST_F(SynchronisingLaunch, IsRefusedByADeviceThatDoesNotExecuteIt) {
  support().answered = 0xff;
  support().executed = false;
  EXPECT_EQ(error(), LaunchError::kNotAnswered);
  EXPECT_THAT(check().message, HasSubstr("for which this timing GPU has no hub: run.functional=1"));
  program_.code.clear();
  program_.sync = {};
  EXPECT_EQ(error(), LaunchError::kNone);
  packet_.sync = std::make_shared<const SyncOptions>();
  EXPECT_EQ(error(), LaunchError::kNotAnswered) << "options without effect";
}

TEST_F(SynchronisingLaunch, NeedsRoomForAllThreadBlocksUnlessTheyAreSwappedOut) {
  support().answered = 0xff;
  packet_.block = {512, 1, 1};  // one block per SM, two SMs
  packet_.grid = {2, 1, 1};
  EXPECT_EQ(error(), LaunchError::kNone);
  packet_.grid = {3, 1, 1};
  EXPECT_EQ(error(), LaunchError::kTooManyBlocks);
  EXPECT_THAT(check().message, HasSubstr("3 blocks must be resident at once; this machine has room for 2"));
  support().swaps = true;
  EXPECT_EQ(error(), LaunchError::kNone);
  support().swaps = false;
  program_.code.erase(program_.code.begin() + 3);
  program_.code.erase(program_.code.begin());
  program_.sync.ops &= static_cast<isa::SyncSet>(~isa::kBlockingOps);
  EXPECT_EQ(error(), LaunchError::kNone) << "signals do not wait";
}

TEST_F(SynchronisingLaunch, HasNoMoreBlocksLeftOverThanCanBeSwappedOut) {
  support().answered = 0xff;
  support().swaps = true;
  support().limits.away = 10;
  packet_.block = {512, 1, 1};  // one block per SM, two SMs
  packet_.grid = {12, 1, 1};
  EXPECT_EQ(error(), LaunchError::kNone);
  packet_.grid = {13, 1, 1};
  EXPECT_EQ(error(), LaunchError::kTooManyBlocks);
  EXPECT_THAT(check().message, HasSubstr("13 blocks wait for each other; this machine has room for 2, and at most 10 "
                                         "can be swapped out"));
  packet_.grid = {12, 1, 1};
  program_.reach.launches = true;
  EXPECT_EQ(error(), LaunchError::kBarrierAndLaunches);
  packet_.grid = {2, 1, 1};
  EXPECT_EQ(error(), LaunchError::kNone) << "all fit";
}

TEST_F(SynchronisingLaunch, HasMemoryForTheBlocksThatAreSwappedOut) {
  support().answered = 0xff;
  support().swaps = support().limits.images = true;
  machine_.context.region = 2 << 20;  // one page
  program_.registers = 16;
  program_.sync.ops &= static_cast<isa::SyncSet>(~isa::sync_bit(isa::SyncOp::kReadOnly));
  packet_.block = {512, 1, 1};
  // An image has 16 warps of 16 registers: 32 KB, so 64 fit into the page. All blocks may need one.
  packet_.grid = {64, 1, 1};
  EXPECT_EQ(error(), LaunchError::kNone);
  packet_.grid = {65, 1, 1};
  EXPECT_EQ(error(), LaunchError::kNoSwapMemory);
  EXPECT_THAT(check().message, HasSubstr("holds 64 of the 65 images of 32768 bytes that may be needed"));
  packet_.grid = {64, 1, 1};
  program_.sync.ops |= isa::sync_bit(isa::SyncOp::kReadOnly);
  EXPECT_EQ(error(), LaunchError::kNoSwapMemory) << "the table of read-only segments is a line of the image";
  program_.sync.ops &= static_cast<isa::SyncSet>(~isa::sync_bit(isa::SyncOp::kReadOnly));
  support().limits.warp_bytes = 8;
  EXPECT_EQ(error(), LaunchError::kNoSwapMemory) << "an image is a line longer, 63 fit";
  packet_.grid = {63, 1, 1};
  EXPECT_EQ(error(), LaunchError::kNone);
  machine_.context.region *= 2;
  packet_.grid = {126, 1, 1};
  EXPECT_EQ(error(), LaunchError::kNone);
  packet_.grid = {127, 1, 1};
  EXPECT_EQ(error(), LaunchError::kNoSwapMemory);
  // 8 blocks of 128 threads fit on the SMs. Images are needed for the n - 8 other blocks, and 3 per SM. An image has 65
  // lines, and 252 images fit.
  machine_.context.region = 2 << 20;
  packet_.block = {128, 1, 1};
  packet_.grid = {254, 1, 1};
  EXPECT_EQ(error(), LaunchError::kNone);
  packet_.grid = {255, 1, 1};
  EXPECT_EQ(error(), LaunchError::kNoSwapMemory);
  support().limits.images = false;
  EXPECT_EQ(error(), LaunchError::kNone) << "the block keeps them elsewhere";
}

TEST_F(SynchronisingLaunch, IsNotCheckedForBlocksThatAreNeverSwappedOut) {
  support().answered = 0xff;
  support().swaps = true;
  support().limits.away = 10;
  packet_.block = {512, 1, 1};
  packet_.grid = {1000, 1, 1};
  SyncOptions options;
  options.swap = SyncSwap::kNever;
  packet_.sync = std::make_shared<const SyncOptions>(options);
  EXPECT_EQ(error(), LaunchError::kTooManyBlocks) << "at a grid barrier they are";
  program_.sync.ops &= static_cast<isa::SyncSet>(~isa::sync_bit(isa::SyncOp::kGridBarrier));
  EXPECT_EQ(error(), LaunchError::kNone);
  packet_.sync.reset();
  EXPECT_EQ(error(), LaunchError::kTooManyBlocks);
}

TEST_F(SynchronisingLaunch, OwnsTheMachineIfNotAllBlocksFit) {
  support().swaps = true;
  packet_.block = {512, 1, 1};
  packet_.grid = {3, 1, 1};
  EXPECT_TRUE(owns_machine(machine_, program_, packet_)) << "its program has a grid barrier";
  program_.sync.ops = 0;
  EXPECT_FALSE(owns_machine(machine_, program_, packet_)) << "does not synchronise";
  packet_.synchronises = true;
  EXPECT_TRUE(owns_machine(machine_, program_, packet_));
  packet_.grid = {2, 1, 1};
  EXPECT_FALSE(owns_machine(machine_, program_, packet_));
  packet_.grid = {3, 1, 1};
  support().swaps = false;
  EXPECT_FALSE(owns_machine(machine_, program_, packet_));
}

// tiny has room for 16 blocks of a warp per SM.
TEST_F(LaunchCheck, RefusesMoreBlocksThanAreResidentAtOnce) {
  const std::uint32_t most = 16 * machine_.chip.sms;
  packet_.grid = {most, 1, 1};
  for (const bool cooperative : {false, true}) {
    packet_.cooperative = cooperative;
    program_.reach.grid_barrier = !cooperative;
    packet_.grid = {most, 1, 1};
    EXPECT_EQ(error(), LaunchError::kNone);
    packet_.grid = {most / 2, 2, 1};
    EXPECT_EQ(error(), LaunchError::kNone);
    packet_.grid = {most + 1, 1, 1};
    EXPECT_EQ(error(), LaunchError::kTooManyBlocks);
    EXPECT_THAT(check().message, HasSubstr(std::to_string(most + 1) + " blocks"));
    EXPECT_THAT(check().message, HasSubstr("room for " + std::to_string(most)));
    EXPECT_THAT(check().message, HasSubstr(cooperative ? "the launch is cooperative" : "grid_group::sync()"));
    packet_.grid = {1, 65535, 65535};
    EXPECT_EQ(error(), LaunchError::kTooManyBlocks);
    packet_.grid = {most, 1, 1};
    packet_.block = {33, 1, 1};
    EXPECT_EQ(error(), LaunchError::kTooManyBlocks);
    packet_.block = {32, 1, 1};
  }
  packet_.cooperative = program_.reach.grid_barrier = false;
  packet_.grid = {most + 1, 1, 1};
  EXPECT_EQ(error(), LaunchError::kNone);
}

TEST_F(LaunchCheck, RefusesAGridBarrierTogetherWithLaunchesByDeviceCode) {
  program_.reach.launches = true;
  EXPECT_EQ(error(), LaunchError::kNone);
  packet_.cooperative = true;
  EXPECT_EQ(error(), LaunchError::kBarrierAndLaunches);
  EXPECT_THAT(check().message, HasSubstr("launches kernels from device code"));
  packet_.cooperative = false;
  program_.reach.grid_barrier = true;
  EXPECT_EQ(error(), LaunchError::kBarrierAndLaunches);
}

}  // namespace
}  // namespace castor::gpu::gpu_launch_check_test
