// Soft reset and parameters (docs/blocks/lax.md, "Cycle" and "Ports").

#include "unit/lax/engine_support.h"

namespace castor::lax::test::engine_reset_test {
namespace {

constexpr unsigned kRefused = 2;

TEST(LaxSoftReset, KeepsConfigurationEnablesAndWhatSoftwareWroteIntoTables) {
  Bench bench;
  bench.write(reg::kUpdPeriod, 1'000);
  bench.write(reg::kPremaP, 9);
  bench.write(reg::kIrqEn, irq::kAll);
  bench.write(reg::kQPrio + 4, 11);
  bench.write(reg::kTpwIso + 4, 12);
  bench.preload(1, 13);
  bench.policy(Policy::kExt);
  bench.judge({1, {{1, 2}}});
  bench.in.adm_ready = 0;
  bench.submit({1, {{1, 2}}});
  bench.launch(1, 1);
  bench.step();
  bench.wgc(1, 1);
  bench.step();
  bench.in.psel_grant = 1;
  bench.step();
  bench.update();
  EXPECT_EQ(bench.look().adm_valid, 1);
  // Events in the cycle of the reset are lost with all other state.
  bench.in.reg_req = bench.in.reg_we = 1;
  bench.in.reg_addr = reg::kCtrl;
  bench.in.reg_wdata = (reg::kCtrlReset & ~0xf0U) | 0x95U | 1U << 24U;
  bench.kd(1, 1, true);
  bench.step();
  EXPECT_EQ(bench.look().reg_ack, 1);
  EXPECT_EQ(bench.look().jd_valid, 0);
  EXPECT_EQ(bench.look().adm_valid, 0);
  EXPECT_EQ(bench.look().irq, 0);
  EXPECT_EQ(bench.look().js_ready, 1);
  bench.step();
  EXPECT_EQ(bench.read(reg::kCtrl), (reg::kCtrlReset & ~0xf0U) | 0x91U | 1U << 24U);
  EXPECT_EQ(bench.read(reg::kUpdPeriod), 1'000U);
  EXPECT_EQ(bench.read(reg::kPremaP), 9U);
  EXPECT_EQ(bench.read(reg::kIrqEn), irq::kAll);
  EXPECT_EQ(bench.read(reg::kQPrio + 4), 11U);
  EXPECT_EQ(bench.read(reg::kTpwIso + 4), 12U);
  EXPECT_EQ(bench.kpt(1, 0), 0U);
  EXPECT_EQ(bench.kpt(1, 0x18), 0U);
  EXPECT_EQ(bench.read(reg::kErrStat), 0U);
  EXPECT_EQ(bench.read(reg::kIrqStat), 0U);
  for (unsigned n = 0; n < kCounts; ++n) EXPECT_EQ(bench.read(reg::kCounters + 4 * n), 0U) << n;
  EXPECT_EQ(bench.state_of(1), JobState::kFree);
  const Probes probes = bench.engine.probes();
  EXPECT_TRUE(probes.open.none());
  // The queue can be used again.
  bench.in.adm_ready = 1;
  bench.judge({1, {{1, 2}}});
  EXPECT_EQ(bench.job(1, 0x1c), 1U << 16U);  // the first arrival
}

TEST(LaxSoftReset, IsRefusedWithAnIllegalField) {
  Bench bench;
  bench.policy(Policy::kLax);
  bench.judge({1, {{1, 2}}});
  EXPECT_EQ(bench.write_error(reg::kCtrl, reg::kCtrlReset | 0xf5U), kRefused);
  EXPECT_EQ(bench.state_of(1), JobState::kReady);
}

TEST(LaxParams, IllegalOnesAreInputErrors) {
  const auto throws = [](const Params& p) { EXPECT_THROW(Engine{p}, base::InputError); };
  throws({2, 8, 64, 2, 32, 4});
  throws({512, 8, 64, 16, 32, 4});
  throws({96, 8, 64, 16, 32, 4});
  throws({128, 0, 64, 16, 32, 4});
  throws({128, 17, 64, 16, 32, 4});
  throws({128, 8, 0, 16, 32, 4});
  throws({128, 8, 257, 16, 32, 4});
  throws({128, 8, 64, 0, 32, 4});
  throws({128, 8, 64, 24, 32, 4});
  throws({8, 8, 64, 16, 32, 4});
  throws({128, 8, 64, 16, 3, 4});
  throws({128, 8, 64, 16, 257, 4});
  throws({128, 8, 64, 16, 32, 0});
  throws({128, 8, 64, 16, 32, 9});
  EXPECT_NO_THROW(Engine({256, 16, 256, 256, 256, 8}));
  EXPECT_NO_THROW(Engine({4, 1, 1, 1, 4, 1}));
}

}  // namespace
}  // namespace castor::lax::test::engine_reset_test
