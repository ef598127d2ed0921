// Tests of host functions from their submission to their call, and of advances that end when one has run.

#include "gpu_support.h"
#include "runtime/host_functions.h"

namespace castor::runtime::runtime_host_functions_test {
namespace {

using gpu::Device;
using gpu::Outcome;
using gpu::test::Parameters;
using gpu::test::Rig;
using testing::ElementsAre;
using testing::HasSubstr;

class HostFunctionsTest : public testing::Test {
 protected:
  HostFunctions::Number add(int number, bool hears_faults = false) {
    return functions_.add(
        [this, number](cudaError_t code) {
          called_.push_back(number);
          codes_.push_back(code);
        },
        hears_faults);
  }
  /// Submits a packet behind those that the queue already holds.
  void submit(unsigned queue, int number) {
    const HostFunctions::Number id = add(number);
    functions_.submitted(id, rig_.device.submit(queue, gpu::HostCallPacket{[this, id] { functions_.run(id); }}));
  }

  Rig rig_;
  HostFunctions functions_;
  std::vector<int> called_;
  std::vector<cudaError_t> codes_;
};

TEST_F(HostFunctionsTest, ArePendingUntilTheyAreBegun) {
  EXPECT_FALSE(functions_.pending());
  const HostFunctions::Number first = add(1);
  add(2);
  EXPECT_TRUE(functions_.pending());
  functions_.run(first);
  functions_.run(first);  // once only
  functions_.submitted(first, 1);
  EXPECT_THAT(called_, ElementsAre(1));
  EXPECT_THAT(codes_, ElementsAre(cudaSuccess));
  EXPECT_EQ(functions_.begun(), 1U);
  EXPECT_TRUE(functions_.pending());
  functions_.forget();
  EXPECT_FALSE(functions_.pending());
}

TEST_F(HostFunctionsTest, HearOfAFaultIfTheyAreOfThatKindInTheOrderOfTheirSubmission) {
  add(1, true);
  add(2, false);
  add(3, true);
  functions_.fail(cudaErrorIllegalAddress);
  EXPECT_THAT(called_, ElementsAre(1, 3));
  EXPECT_THAT(codes_, ElementsAre(cudaErrorIllegalAddress, cudaErrorIllegalAddress));
  EXPECT_FALSE(functions_.pending());
}

TEST_F(HostFunctionsTest, ThoseWhosePacketsWereDroppedAreForgotten) {
  submit(0, 1);
  rig_.device.reset();  // the tickets are complete, and no function has run
  functions_.drop_lost(rig_.device);
  EXPECT_FALSE(functions_.pending());
  EXPECT_TRUE(called_.empty());
  submit(0, 2);
  functions_.drop_lost(rig_.device);
  EXPECT_TRUE(functions_.pending());
}

TEST_F(HostFunctionsTest, AnAdvanceEndsWhenOneHasRunAndLeavesTheRest) {
  const gpu::ProgramHandle program = rig_.load_body(
      "mov.u32 %r1, 0;\nloop:\n add.u32 %r1, %r1, 1;\n setp.lt.u32 %p1, %r1, 20000;\n @%p1 bra loop;\n ret;");
  const std::uint64_t out = rig_.buffer(8);
  submit(0, 1);
  rig_.launch(program, {1, 1, 1}, {32, 1, 1}, Parameters().add(out), 0);
  submit(0, 2);
  const auto begun = [this](std::uint64_t count) { return [this, count] { return functions_.begun() >= count; }; };
  EXPECT_EQ(rig_.device.advance_until_enough(begun(1), Device::kNoTime), Outcome::kDone);
  EXPECT_THAT(called_, ElementsAre(1));
  EXPECT_EQ(rig_.device.advance_until_enough(begun(2), rig_.device.now() + 1000), Outcome::kDone);
  EXPECT_THAT(called_, ElementsAre(1));  // the time limit was reached first
  EXPECT_EQ(rig_.device.advance_until_enough(begun(2), Device::kNoTime), Outcome::kDone);
  EXPECT_THAT(called_, ElementsAre(1, 2));
}

TEST_F(HostFunctionsTest, AnAdvanceThatCannotEndIsADeadlock) {
  static_cast<void>(rig_.device.submit(0, gpu::EventWaitPacket{77, 1}));
  submit(0, 1);
  const auto never = [] { return false; };
  const gpu::Picoseconds later = rig_.device.now() + 5000;
  EXPECT_EQ(rig_.device.advance_until_enough(never, later), Outcome::kDone);  // the host may still record the event
  EXPECT_EQ(rig_.device.now(), later);
  EXPECT_FALSE(rig_.device.fault());
  EXPECT_EQ(rig_.device.advance_until_enough(never, Device::kNoTime), Outcome::kDeadlock);
  ASSERT_TRUE(rig_.device.fault());
  EXPECT_THAT(rig_.device.fault()->message, HasSubstr("waits for event 77"));
}

}  // namespace
}  // namespace castor::runtime::runtime_host_functions_test
