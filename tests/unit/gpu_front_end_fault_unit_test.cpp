// Tests of the fault unit alone: the fault that counts, the kernels that stop, and calls into the runtime.
#include "castor/gpu/front_end/fault_unit.h"
#include "castor/gpu/front_end/preemptor.h"
#include "gpu_front_end_dispatch_parts.h"

namespace castor::gpu::gpu_front_end_fault_unit_test {
namespace {

using test::DispatcherRig;

constexpr TbNeed kNeed{1, 32, 1, 0};

/// A list of mechanisms that contains only the preemptor.
struct Told {
  template <class Act>
  void each(Act act) {
    act(preemptor);
  }
  Preemptor& preemptor;
};

class FaultRig : public DispatcherRig {
 public:
  FaultRig()
      : preemptor(machine, {}, table, ledger, dispatcher, retire, events),
        faults(sms.units, table, ledger, dispatcher, registers, told) {
    faults.set_services(services);
  }
  /// Places `tbs` TBs in cycles 1, 2, ... on SMs 0, 1, ...
  void place(unsigned tbs) {
    for (unsigned i = 0; i < tbs; ++i) EXPECT_EQ(placed_on(1 + i), i);
  }
  DeviceServices services;
  base::StatisticGroup register_statistics{"registers"};
  RegisterPort registers{register_statistics};
  Preemptor preemptor;
  Told told{preemptor};
  FaultUnit<Told> faults;
};

TEST(FaultUnit, TheFirstFaultStopsTheKernelOnTheSmsThatHaveIt) {
  FaultRig rig;
  const KernelContext& kernel = rig.push(0, 10, kNeed);
  rig.place(3);
  rig.sms[2].fault(kernel, "later", 20);
  rig.sms[1].fault(kernel, "first", 20);
  EXPECT_EQ(rig.faults.next(), 20U);
  rig.faults.step(19);
  EXPECT_FALSE(rig.table[0].killed);
  rig.faults.step(20);
  EXPECT_TRUE(rig.table[0].killed);
  EXPECT_EQ(rig.faults.take()->message, "first");  // in the order of SMs
  EXPECT_FALSE(rig.faults.take().has_value());
  for (unsigned sm = 0; sm < 13; ++sm) {
    const auto expected =
        sm < 3 ? std::vector<std::pair<unsigned, Cycle>>{{0, 21}} : std::vector<std::pair<unsigned, Cycle>>{};
    EXPECT_EQ(rig.sms[sm].kills, expected) << sm;
  }
  EXPECT_EQ(rig.statistic("kernels_stopped"), 1U);
  EXPECT_EQ(rig.statistic("tb_dropped"), 7U);
  EXPECT_EQ(rig.placed_on(21), std::nullopt);
  EXPECT_EQ(rig.faults.next(), kForever);
}

TEST(FaultUnit, AKernelThatIsNotWrittenFailsWithoutAWordToTheSms) {
  FaultRig rig;
  rig.reserve(4, 10);
  rig.faults.fail(4, {}, 7);
  EXPECT_TRUE(rig.table[4].killed);
  EXPECT_TRUE(rig.faults.take().has_value());
  EXPECT_TRUE(rig.sms[0].kills.empty());
  EXPECT_FALSE(rig.table.write(4, 0));
}

TEST(FaultUnit, CallsAreServedInTheOrderOfSmsAndBehindAFaultWithoutEffect) {
  FaultRig rig;
  const KernelContext& kernel = rig.push(0, 10, kNeed);
  const KernelContext& other = rig.push(1, 10, kNeed, 1);
  rig.place(13);
  rig.sms[3].answer.emplace();
  rig.sms[3].answer->kind = FaultKind::kAssert;
  rig.sms[5].call(&kernel, 8, 30);
  rig.sms[3].call(&kernel, 6, 30);
  rig.sms[3].call(&kernel, 7, 30);
  rig.sms[1].call(&kernel, 2, 30);
  rig.sms[9].call(&other, 4, 30);
  rig.faults.step(30);
  using Calls = std::vector<std::pair<unsigned, Cycle>>;
  EXPECT_EQ(rig.sms[1].serves, (Calls{{2, 31}}));
  EXPECT_EQ(rig.sms[3].serves, (Calls{{6, 31}}));
  EXPECT_EQ(rig.sms[3].cancels, (Calls{{7, 31}}));
  EXPECT_TRUE(rig.sms[5].serves.empty());
  EXPECT_EQ(rig.sms[5].cancels, (Calls{{8, 31}}));
  EXPECT_EQ(rig.sms[9].serves, (Calls{{4, 31}}));
  EXPECT_EQ(rig.faults.take()->kind, FaultKind::kAssert);
  EXPECT_FALSE(rig.table[1].killed);
}

// Two warps access registers of window 2, which a hook serves, and of window 3, which no hook serves.
TEST(FaultUnit, ACallThatAccessesRegistersIsServedWhenItHasAllReplies) {
  FaultRig rig;
  rig.registers.serve(2);
  const KernelContext& kernel = rig.push(0, 10, kNeed);
  rig.place(2);
  rig.sms[1].call(&kernel, 5, 30, {{2, true, 8, 77}, {3, false, 4, 0}});
  rig.sms[0].call(&kernel, 6, 30, {{2, false, 12, 0}});
  EXPECT_EQ(rig.faults.next(), 30U);
  rig.faults.step(30);
  EXPECT_EQ(rig.faults.next(), kForever);
  EXPECT_EQ(rig.registers.next(30), 31U);
  const auto answer = [&](Cycle now, const RegisterReply& reply) {
    rig.registers.begin(now);
    rig.faults.step(now);
    rig.registers.answer(reply, now);
  };
  answer(31, {RegisterError::kNone, 9});
  EXPECT_TRUE(rig.sms[0].serves.empty());
  EXPECT_EQ(rig.faults.next(), 0U);
  answer(32, {RegisterError::kRefused, 0});
  using Calls = std::vector<std::pair<unsigned, Cycle>>;
  EXPECT_EQ(rig.sms[0].serves, (Calls{{6, 33}}));
  ASSERT_EQ(rig.sms[0].replies.size(), 1U);
  EXPECT_EQ(rig.sms[0].replies[0].value, 9U);
  EXPECT_EQ(rig.faults.next(), kForever);  // one of two replies has arrived
  rig.faults.step(33);
  EXPECT_TRUE(rig.sms[1].serves.empty());
  EXPECT_TRUE(rig.registers.begin(33));
  rig.faults.step(33);
  EXPECT_EQ(rig.sms[1].serves, (Calls{{5, 34}}));
  ASSERT_EQ(rig.sms[1].replies.size(), 2U);
  EXPECT_EQ(rig.sms[1].replies[0].error, RegisterError::kRefused);
  EXPECT_EQ(rig.sms[1].replies[1].error, RegisterError::kNoBlock);
  EXPECT_EQ(rig.services.register_replies, nullptr);
}

TEST(FaultUnit, ACallThatAccessesRegistersOfAStoppedKernelIsAnsweredWithoutEffect) {
  FaultRig rig;
  rig.registers.serve(2);
  const KernelContext& kernel = rig.push(0, 10, kNeed);
  rig.place(1);
  rig.sms[0].call(&kernel, 6, 30, {{2, false, 12, 0}});
  rig.faults.step(30);
  rig.faults.fail(0, {}, 30);
  rig.registers.begin(31);
  rig.registers.answer({RegisterError::kNone, 9}, 31);
  rig.faults.step(32);
  EXPECT_TRUE(rig.sms[0].serves.empty());
  using Calls = std::vector<std::pair<unsigned, Cycle>>;
  EXPECT_EQ(rig.sms[0].cancels, (Calls{{6, 33}}));
}

TEST(FaultUnit, AnErrorOfABlockFailsEveryKernelInTheTable) {
  FaultRig rig;
  rig.push(0, 10, kNeed);
  rig.reserve(3, 10);
  rig.faults.hook_error("governor1", 7, 99, std::nullopt, 500);
  EXPECT_EQ(rig.faults.take()->message,
            "governor1 reports error 7 (information 99) in cycle 500 while kernel k is in the table");
  EXPECT_TRUE(rig.faults.take().has_value());
  EXPECT_FALSE(rig.faults.take().has_value());
  EXPECT_TRUE(rig.table[0].killed);
  EXPECT_TRUE(rig.table[3].killed);
}

TEST(FaultUnit, AnErrorOfABlockThatBlamesAKernelFailsThatKernelOnly) {
  FaultRig rig;
  rig.push(0, 10, kNeed);
  rig.reserve(3, 10);
  rig.faults.hook_error("launch_unit", 7, 99, 3, 500);
  EXPECT_EQ(rig.faults.take()->message, "launch_unit reports error 7 (information 99) in cycle 500 about kernel k");
  EXPECT_FALSE(rig.faults.take().has_value());
  EXPECT_FALSE(rig.table[0].killed);
  EXPECT_TRUE(rig.table[3].killed);
  EXPECT_THROW(rig.faults.hook_error("launch_unit", 7, 99, 4, 501), base::Error);
}

TEST(FaultUnit, AbandonStopsAllAndKeepsNoFault) {
  FaultRig rig;
  const KernelContext& kernel = rig.push(0, 10, kNeed);
  rig.push(1, 10, kNeed);
  rig.place(1);
  rig.sms[0].fault(kernel, "fault", 5);
  rig.faults.step(5);
  rig.faults.abandon(6);
  EXPECT_TRUE(rig.table[1].killed);
  EXPECT_FALSE(rig.faults.take().has_value());
}

TEST(FaultUnitDeathTest, CallsNeedTheRuntime) {
  DispatcherRig rig;
  Preemptor preemptor(rig.machine, {}, rig.table, rig.ledger, rig.dispatcher, rig.retire, rig.events);
  Told told{preemptor};
  base::StatisticGroup statistics("registers");
  RegisterPort registers(statistics);
  FaultUnit<Told> faults(rig.sms.units, rig.table, rig.ledger, rig.dispatcher, registers, told);
  rig.sms[0].call(nullptr, 0, 5);
  EXPECT_DEATH(faults.step(5), "device code calls the runtime, but the machine has no device runtime");
}

}  // namespace
}  // namespace castor::gpu::gpu_front_end_fault_unit_test
