// Idle cycles of the verilated engine: skipped as they would be clocked.

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "castor/lax/engine.h"
#include "castor/lax/register_map.h"
#include "tb/lax/bench.h"
#include "tests/common/rtl.h"

namespace castor::lax {
namespace {

using twin::Cycle;

constexpr auto kNoProgress = [](Cycle) {};
constexpr auto kWatchNothing = [](const auto&, const auto&, const auto&) {};
constexpr const char* kSequences[] = {"random", "sleepy", "prema", "reconfigure", "frozen"};

class LaxSkip : public testing::TestWithParam<std::string> {
 protected:
  const Params& params() const { return params_; }
  std::unique_ptr<twin::Twin<Block>> make_rtl(const twin::RtlOptions& options = {}) {
    twin::RtlBuilder source;
    return twin::make_rtl<Block>(params_, source, options);
  }

 private:
  Params params_ = tests::parameter_set<Block>(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Sets, LaxSkip, testing::Values("minimum", "odd", "default", "golden"),
                         [](const auto& info) { return info.param; });

/// Lockstep clocks its second twin through the stretches that it lets the first one skip.
TEST_P(LaxSkip, SkippedRtlEqualsClockedRtl) {
  constexpr Cycle kCycles = 20'000;
  Cycle skipped = 0;
  for (const char* const name : kSequences) {
    SCOPED_TRACE(name);
    twin::RtlOptions first, second;
    first.seed = 5;
    second.seed = 6;
    twin::Lockstep<Block> both(make_rtl(first), make_rtl(second), {5, "", ""});
    const auto sequence = Bench::make(name, params(), 5);
    skipped += castor::tb::run<Block>(both, *sequence, kCycles, true, kWatchNothing, kNoProgress);
  }
  EXPECT_GT(skipped, kCycles / 4);
}

TEST_P(LaxSkip, RtlAndModelRestForTheSameTime) {
  const auto rtl = make_rtl();
  twin::Model<Block> model(params());
  const auto sequence = Bench::make("sleepy", params(), 9);
  Inputs in;
  sequence->begin(in);
  unsigned quiet = 0;
  for (unsigned cycle = 0; cycle < 20'000; ++cycle) {
    twin::make_idle<Block>(in, params());
    twin::advance_time<Block>(in, params(), 1);
    sequence->drive(in);
    sequence->react(in, model.settle(in));
    rtl->settle(in);
    model.clock(in);
    rtl->clock(in);
    ASSERT_EQ(rtl->quiet(), model.quiet()) << cycle;
    quiet += rtl->quiet() > 0 ? 1 : 0;
  }
  EXPECT_GT(quiet, 1'000U);
}

void write(twin::Twin<Block>& machine, Inputs& in, U16 address, U32 value) {
  in.reg_req = in.reg_we = 1;
  in.reg_addr = address;
  in.reg_wdata = value;
  for (int i = 0; i < 2; ++i) {
    machine.settle(in);
    machine.clock(in);
    ++in.now;
  }
  in.reg_req = in.reg_we = 0;
}

/// Clocked, either would take longer than a test may.
TEST_P(LaxSkip, LongStretchesTakeNoTime) {
  const auto rtl = make_rtl();
  Inputs in;
  const auto settle = [&] {
    for (unsigned i = 0; i < 3 * params().groups(); ++i) {
      rtl->settle(in);
      rtl->clock(in);
      ++in.now;
    }
  };
  settle();
  ASSERT_EQ(rtl->quiet(), base::kForever);
  rtl->idle(1'000'000'000'000);
  in.now += 1'000'000'000'000;
  EXPECT_EQ(rtl->probes().update_timer, 0U);

  constexpr U32 kLongest = (U32{1} << 24) - 1, kEnable = 0x0030'1583;
  write(*rtl, in, reg::kUpdPeriod, kLongest);
  write(*rtl, in, reg::kPremaPeriod, kLongest);
  write(*rtl, in, reg::kCtrl, kEnable);
  settle();
  constexpr int kStretches = 200;
  for (int i = 0; i < kStretches; ++i) {
    const Cycle n = rtl->quiet();
    ASSERT_EQ(n, kLongest - rtl->probes().update_timer - 1);
    rtl->idle(n);
    in.now += n;
    ASSERT_EQ(rtl->probes().update_timer, kLongest - 1);
    for (unsigned cycle = 0; cycle < 10'000 && rtl->quiet() == 0; ++cycle) {
      rtl->settle(in);
      rtl->clock(in);
      ++in.now;
    }
  }
  // Every stretch ended in an update.
  in.reg_req = 1;
  in.reg_addr = 0x0058;
  rtl->settle(in);
  rtl->clock(in);
  EXPECT_EQ(rtl->settle(in).reg_rdata, static_cast<U32>(kStretches));
}

}  // namespace
}  // namespace castor::lax
