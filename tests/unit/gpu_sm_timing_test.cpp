// Closed forms of an SM's pipeline: docs/gpu.md, "Closed forms".

#include "gpu_sm_support.h"

namespace castor::gpu {
namespace {

std::string repeat(const std::string& text, unsigned count) {
  std::string result;
  for (unsigned i = 0; i < count; ++i) result += text;
  return result;
}

struct Expected {
  const char* machine;
  Tick value;
};

class DependentAdds : public testing::TestWithParam<Expected> {};

// T1: o + L + 1 per instruction.
TEST_P(DependentAdds, IssueAtTheDistanceOfTheirLatency) {
  test::Rig rig(test::machine(GetParam().machine, {"icache.ideal=1"}));
  const test::Kernel& kernel = rig.load(repeat("add.u32 %r1, %r1, 1;\n", 20) + "ret;", {1, 1, 1}, {32, 1, 1});
  rig.start(kernel);
  ASSERT_TRUE(rig.run(1));
  const std::vector<Tick> ticks = rig.log.ticks(0);
  ASSERT_GE(ticks.size(), 21U);
  for (unsigned i = 2; i < 20; ++i) EXPECT_EQ(ticks[i] - ticks[i - 1], GetParam().value) << i;
}
INSTANTIATE_TEST_SUITE_P(AllMachines, DependentAdds,
                         testing::Values(Expected{"kepler_k20c", 9}, Expected{"fermi_gtx480", 9},
                                         Expected{"maxwell_liu13", 6}, Expected{"pascal_titanx", 7},
                                         Expected{"turing_rtx2060", 7}, Expected{"gcn_apu", 4}),
                         [](const auto& info) { return std::string(info.param.machine); });

}  // namespace
}  // namespace castor::gpu
