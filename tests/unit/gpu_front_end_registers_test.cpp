// Tests of the register port alone: accesses in their order, each until it is answered.
#include "castor/gpu/front_end/register_port.h"
#include "gpu_front_end_parts.h"

namespace castor::gpu::gpu_front_end_registers_test {
namespace {

using test::PartRig;

constexpr unsigned kServed = 3, kOther = 4;

RegisterAccess to(unsigned window, std::uint32_t offset) { return {window, false, offset, 0}; }

TEST(RegisterPort, AccessesAreServedInTheOrderInWhichTheyWereMade) {
  PartRig rig;
  RegisterPort& port = rig.registers;
  port.serve(kServed);
  std::vector<std::uint64_t> numbers;
  for (unsigned i = 0; i < 5; ++i) numbers.push_back(port.access(to(kServed, 4 * i), 10 + i, true));
  // The answer to each access takes three cycles: the i-th is presented from max(10 + i, 10 + 3 i) on.
  unsigned served = 0;
  Cycle shown_since = 0;
  for (Cycle now = 9; now < 40; ++now) {
    EXPECT_FALSE(port.begin(now));
    const auto head = port.shown(kServed);
    EXPECT_EQ(head.has_value(), now >= 10 && now < 25) << now;
    EXPECT_EQ(port.open().has_value(), head.has_value());
    if (!head) continue;
    EXPECT_EQ(head->offset, 4 * served);
    if (shown_since == 0) shown_since = now;
    EXPECT_EQ(port.next(now), kForever);
    if (now < shown_since + 2) continue;
    EXPECT_EQ(now, 12 + 3 * served);
    port.answer({RegisterError::kNone, 100 + served}, now);
    EXPECT_TRUE(port.shown(kServed).has_value());  // presented to the end of the cycle
    EXPECT_FALSE(port.open().has_value());
    ++served;
    shown_since = 0;
  }
  EXPECT_EQ(served, 5U);
  EXPECT_TRUE(port.empty());
  for (unsigned i = 0; i < 5; ++i) {
    EXPECT_EQ(port.reply(numbers[i])->value, 100 + i);
    EXPECT_FALSE(port.reply(numbers[i]).has_value());  // once
  }
  EXPECT_EQ(rig.statistic("register_accesses"), 5U);
  EXPECT_EQ(rig.statistic("register_errors"), 0U);
}

TEST(RegisterPort, AnAccessIsShownToWhoeverServesItsWindowAndToNobodyElse) {
  PartRig rig;
  RegisterPort& port = rig.registers;
  port.serve(kServed);
  port.serve(kOther);
  port.access(to(kOther, 8), 5, false);
  port.access(to(kServed, 4), 5, false);
  port.begin(5);
  EXPECT_FALSE(port.shown(kServed).has_value());
  EXPECT_FALSE(port.shown(-1).has_value());
  ASSERT_TRUE(port.shown(kOther).has_value());
  EXPECT_EQ(port.waiting(), "read of register 0x40008 is not answered by the block that serves it\n");
  port.answer({}, 5);
  EXPECT_EQ(port.waiting(), "");
  EXPECT_FALSE(port.shown(kServed).has_value());  // one access in a cycle
  EXPECT_EQ(port.next(5), 6U);
  port.begin(6);
  EXPECT_TRUE(port.shown(kServed).has_value());
}

TEST(RegisterPort, AWindowThatNobodyServesAnswersWithAnAddressErrorInItsTurn) {
  PartRig rig;
  RegisterPort& port = rig.registers;
  port.serve(kServed);
  port.access(to(kServed, 0), 5, false);
  const std::uint64_t number = port.access(to(7, 0), 5, true);
  EXPECT_FALSE(port.begin(6));
  port.answer({RegisterError::kRefused, 0}, 6);
  EXPECT_TRUE(port.begin(7));
  EXPECT_FALSE(port.shown(kServed).has_value());
  EXPECT_EQ(port.reply(number)->error, RegisterError::kNoBlock);
  EXPECT_EQ(rig.statistic("register_accesses"), 2U);
  EXPECT_EQ(rig.statistic("register_errors"), 2U);
}

TEST(RegisterPort, AnAccessThatNobodyWaitsForLeavesNoReply) {
  PartRig rig;
  RegisterPort& port = rig.registers;
  EXPECT_EQ(port.access(to(kServed, 0), 5, false), 0U);
  EXPECT_TRUE(port.begin(5));
  EXPECT_FALSE(port.reply(0).has_value());
  EXPECT_FALSE(port.reply(1).has_value());
}

TEST(RegisterPort, NextIsTheCycleInWhichTheOldestIsSeen) {
  PartRig rig;
  RegisterPort& port = rig.registers;
  EXPECT_EQ(port.next(3), kForever);
  port.access(to(kServed, 0), 8, false);
  EXPECT_EQ(port.next(3), 8U);
  EXPECT_EQ(port.next(8), 9U);
}

TEST(RegisterPortDeathTest, AnAnswerToNothingIsAnAssertion) {
  PartRig rig;
  EXPECT_DEATH(rig.registers.answer({}, 5), "a hook answers an access that nobody made");
}

}  // namespace
}  // namespace castor::gpu::gpu_front_end_registers_test
