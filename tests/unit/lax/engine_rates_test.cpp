// Measured rates: windows, counters, modes, fixed point (docs/blocks/lax.md, "Rates" and "Arithmetic").

#include "unit/lax/engine_support.h"

namespace castor::lax::test::engine_rates_test {
namespace {

constexpr std::uint32_t kRateMask = 3U << 8U;
constexpr std::uint32_t kWarmMask = 3U << 10U;

/// A bench whose updates run on request: one update per `refresh`, with one queue and one kernel type.
class Rates {
 public:
  explicit Rates(RateMode mode = RateMode::kActive, std::uint32_t ctrl_set = 0, std::uint32_t ctrl_clear = 0) {
    bench.write(reg::kUpdPeriod, 1'000);
    bench.policy(Policy::kRr, static_cast<std::uint32_t>(mode) << 8U | 8U | ctrl_set,
                 kRateMask | ctrl_clear);  // FROZEN
    set_ = static_cast<std::uint32_t>(mode) << 8U | ctrl_set;
    clear_ = kRateMask | ctrl_clear;
    for (unsigned q = 0; q < 4; ++q) bench.judge({q, {{0, 0xffffff}, {1, 0xffffff}}});
  }

  /// Advances the time without clocking.
  void skip(std::uint64_t cycles) { bench.time += cycles; }

  [[nodiscard]] std::uint64_t when() { return bench.look(), bench.in.now; }

  /// Runs one update and nothing more; returns the time at which the counters of kernel type `k` were sampled.
  std::uint64_t refresh(unsigned k = 0) {
    bench.policy(Policy::kRr, set_, clear_);
    std::uint64_t sampled = 0;
    while (bench.look().upd_busy == 0) bench.step();
    bench.policy(Policy::kRr, set_ | 8U, clear_);
    while (bench.look().upd_busy != 0) {
      const State& s = bench.engine.state();
      if (s.f == MainState::kKOpen && s.k == k) sampled = bench.in.now;
      bench.step();
    }
    return sampled;
  }

  /// Runs an update that samples kernel type 0 `age` cycles after `since`.
  void refresh_at(std::uint64_t since, std::uint64_t age) {
    bench.policy(Policy::kRr, set_, clear_);
    while (bench.engine.state().f != MainState::kKOpen) bench.step();
    bench.time += since + age - when();
    bench.step();
    bench.policy(Policy::kRr, set_ | 8U, clear_);
    while (bench.look().upd_busy != 0) bench.step();
  }

  void complete(unsigned q, unsigned k, std::uint32_t tbs) {
    for (std::uint32_t i = 0; i < tbs; ++i) {
      bench.wgc(q, k);
      bench.step();
    }
  }

  Bench bench;

 private:
  std::uint32_t set_ = 0;
  std::uint32_t clear_ = 0;
};

struct Vector {
  std::uint64_t active;
  std::uint32_t count;
  std::uint32_t tpw;
};

TEST(LaxRates, ReferenceVectors) {
  const Vector vectors[] = {{150'000, 40, 0x000EA600}, {100'000, 30, 0x000D0555},  {60'000, 77, 0x00030B38},
                            {150'000, 1, 0x0249F000},  {2'250'000, 8, 0x044AA200}, {0xffff'ffff, 1, 0xffff'ffff}};
  for (const Vector& v : vectors) {
    Rates rates;
    const std::uint64_t start = rates.when();
    rates.bench.launch(0, 0);
    rates.bench.step();
    rates.complete(0, 0, v.count);
    rates.refresh_at(start, v.active);
    EXPECT_EQ(rates.bench.kpt(0, 0), v.tpw) << v.active << " / " << v.count;
    EXPECT_EQ(rates.bench.kpt(0, 0x08), v.count);
    EXPECT_EQ(rates.bench.kpt(0, 0x0c), v.active);
    EXPECT_EQ(rates.bench.kpt(0, 0x18), 1U | 3U << 30U);
  }
}

TEST(LaxRates, OneActiveCycleOfThreeTbs) {
  Rates rates;
  // Three completions in one kernel of one cycle: two of them in kernels that start and end in one cycle.
  for (int i = 0; i < 2; ++i) {
    rates.bench.launch(0, 0);
    rates.bench.wgc(0, 0);
    rates.bench.kd(0, 0, false);
    rates.bench.step();
  }
  rates.bench.launch(0, 0);
  rates.bench.step();
  rates.bench.wgc(0, 0);
  rates.bench.kd(0, 0, false);
  rates.bench.step();
  rates.refresh();
  EXPECT_EQ(rates.bench.kpt(0, 0x0c), 1U);
  EXPECT_EQ(rates.bench.kpt(0, 0), 0x55U);
}

TEST(LaxRates, ZeroTimeStillGivesARateOfAtLeastOneStep) {
  Rates rates;
  rates.bench.launch(0, 0);
  rates.bench.wgc(0, 0);
  rates.bench.kd(0, 0, false);
  rates.bench.step();
  rates.refresh();
  EXPECT_EQ(rates.bench.kpt(0, 0x0c), 0U);
  EXPECT_EQ(rates.bench.kpt(0, 0), 1U);
}

TEST(LaxRates, ModesDivideTheirTimeByTheCompletions) {
  for (const RateMode mode : {RateMode::kWall, RateMode::kActive, RateMode::kInstance, RateMode::kPeakHold}) {
    Rates rates(mode);
    // Window 0..10 000; instances 0..2000, 1000..4000 and 6000..10 000 (open): active 8000, instances 9000.
    const std::uint64_t t0 = rates.when();
    const auto at = [&](std::uint64_t offset) { rates.skip(t0 + offset - rates.when()); };
    rates.bench.launch(0, 0);
    rates.bench.step();
    at(1'000);
    rates.bench.launch(1, 0);
    rates.bench.step();
    at(2'000);
    rates.bench.kd(0, 0, false);
    rates.bench.step();
    at(4'000);
    rates.bench.wgc(1, 0);
    rates.bench.kd(1, 0, false);
    rates.bench.step();
    at(6'000);
    rates.bench.launch(2, 0);
    rates.bench.step();
    rates.complete(2, 0, 4);
    rates.refresh_at(t0, 10'000);
    EXPECT_EQ(rates.bench.kpt(0, 0x08), 5U);
    EXPECT_EQ(rates.bench.kpt(0, 0x0c), 8'000U);
    EXPECT_EQ(rates.bench.kpt(0, 0x10), 9'000U);
    EXPECT_EQ(rates.bench.kpt(0, 0x14), 10'000U);
    const std::uint32_t time = mode == RateMode::kWall ? 10'000 : (mode == RateMode::kInstance ? 9'000 : 8'000);
    EXPECT_EQ(rates.bench.kpt(0, 0), time * 256 / 5);
  }
}

TEST(LaxRates, AnInstanceAcrossARefreshIsSplitExactly) {
  Rates rates(RateMode::kInstance);
  const std::uint64_t t0 = rates.when();
  rates.bench.launch(0, 0);
  rates.bench.step();
  rates.skip(700);
  const std::uint64_t t1 = rates.when();
  rates.bench.launch(1, 0);
  rates.bench.step();
  rates.complete(0, 0, 1);
  rates.refresh_at(t0, 5'000);
  EXPECT_EQ(rates.bench.kpt(0, 0x0c), 5'000U);
  EXPECT_EQ(rates.bench.kpt(0, 0x10), 5'000U + (t0 + 5'000 - t1));
  rates.skip(3'000);
  const std::uint64_t t2 = rates.when();
  rates.bench.kd(0, 0, false);
  rates.bench.step();
  rates.skip(1'000);
  const std::uint64_t t3 = rates.when();
  rates.bench.wgc(1, 0);
  rates.bench.kd(1, 0, false);
  rates.bench.step();
  rates.refresh_at(t0 + 5'000, 20'000);
  EXPECT_EQ(rates.bench.kpt(0, 0x0c), t3 - (t0 + 5'000));
  EXPECT_EQ(rates.bench.kpt(0, 0x10), (t2 - (t0 + 5'000)) + (t3 - (t0 + 5'000)));
  EXPECT_EQ(rates.bench.kpt(0, 0x14), 20'000U);
}

TEST(LaxRates, TheWindowOpensAtTheFirstEventNotAtReset) {
  Rates rates(RateMode::kWall);
  rates.skip(1'000'000);
  const std::uint64_t t0 = rates.when();
  rates.bench.launch(0, 0);
  rates.bench.step();
  rates.complete(0, 0, 2);
  rates.refresh_at(t0, 4'000);
  EXPECT_EQ(rates.bench.kpt(0, 0x14), 4'000U);
  EXPECT_EQ(rates.bench.kpt(0, 0), 2'000U << 8U);
}

TEST(LaxRates, AWindowWithoutEnoughCompletionsStaysOpen) {
  Rates rates;
  rates.bench.write(reg::kMinWg, 3);
  const std::uint64_t t0 = rates.when();
  rates.bench.launch(0, 0);
  rates.bench.step();
  rates.complete(0, 0, 2);
  rates.refresh_at(t0, 5'000);
  EXPECT_EQ(rates.bench.kpt(0, 0), 0U);
  EXPECT_EQ(rates.bench.kpt(0, 4), 2U);
  rates.complete(0, 0, 1);
  rates.refresh_at(t0, 90'000);
  EXPECT_EQ(rates.bench.kpt(0, 0), 30'000U << 8U);
  EXPECT_EQ(rates.bench.kpt(0, 4), 0U);
}

TEST(LaxRates, EventsInTheSamplingCycleFallIntoTheNewWindow) {
  Rates rates(RateMode::kInstance);
  Bench& bench = rates.bench;
  bench.launch(0, 0);
  bench.step();
  rates.complete(0, 0, 3);
  bench.launch(1, 0);
  bench.step();
  bench.policy(Policy::kRr, 2U << 8U, kRateMask);
  while (bench.engine.state().f != MainState::kKOpen) bench.step();
  const std::uint64_t sampled = rates.when();
  bench.launch(2, 0);     // starts
  bench.wgc(0, 0);        // completes
  bench.kd(1, 0, false);  // ends
  bench.step();
  bench.policy(Policy::kRr, 2U << 8U | 8U, kRateMask);
  while (bench.look().upd_busy != 0) bench.step();
  EXPECT_EQ(bench.kpt(0, 0x08), 3U);
  EXPECT_EQ(bench.kpt(0, 0x04), 1U);
  EXPECT_EQ(bench.kpt(0, 0x18) & 0xffU, 2U);
  rates.refresh_at(sampled, 2'000);
  EXPECT_EQ(bench.kpt(0, 0x08), 1U);
  EXPECT_EQ(bench.kpt(0, 0x0c), 2'000U);  // instance 0 throughout
  EXPECT_EQ(bench.kpt(0, 0x10), 4'000U);  // instances 0 and 2 throughout, 1 not at all
  EXPECT_EQ(bench.kpt(0, 0x14), 2'000U);
}

TEST(LaxRates, EventsBetweenTwoSamplingsBelongToTheTypeThatTheyName) {
  Rates rates;
  rates.bench.launch(0, 0);
  rates.bench.step();
  rates.bench.launch(1, 1);
  rates.bench.step();
  rates.complete(0, 0, 2);
  rates.complete(1, 1, 5);
  rates.refresh();
  EXPECT_EQ(rates.bench.kpt(0, 0x08), 2U);
  EXPECT_EQ(rates.bench.kpt(1, 0x08), 5U);
  EXPECT_EQ(rates.bench.kpt(2, 0x18), 0U);
}

/// Runs one refresh of the rates with the given cycles per TB.
void measure(Rates& rates, std::uint32_t cycles) {
  const std::uint64_t t0 = rates.when();
  rates.bench.launch(0, 0);
  rates.bench.step();
  rates.skip(t0 + cycles - rates.when());
  rates.bench.wgc(0, 0);
  rates.bench.kd(0, 0, false);
  rates.bench.step();
  rates.refresh();
}

TEST(LaxRates, SmoothingRoundsDownInBothDirections) {
  Rates rates(RateMode::kActive, 2U << 17U);  // a quarter of the difference
  measure(rates, 1'000);
  EXPECT_EQ(rates.bench.kpt(0, 0), 1'000U * 256);  // the first measurement is taken as it is
  measure(rates, 2'000);
  EXPECT_EQ(rates.bench.kpt(0, 0), 1'250U * 256);
  measure(rates, 100);
  EXPECT_EQ(rates.bench.kpt(0, 0), 1'250U * 256 - (1'150U * 256) / 4);
  rates.bench.preload(0, 1'000 * 256 + 1);
  measure(rates, 1'000);
  EXPECT_EQ(rates.bench.kpt(0, 0), 1'000U * 256);  // -1/4 rounds to -1
  rates.bench.preload(0, 1'000 * 256 - 3);
  measure(rates, 1'000);
  EXPECT_EQ(rates.bench.kpt(0, 0), 1'000U * 256 - 3);  // +3/4 rounds to 0
}

TEST(LaxRates, PeakHoldRisesSlowlyAndFallsAtOnce) {
  Rates rates(RateMode::kPeakHold);  // by an eighth
  measure(rates, 800);
  EXPECT_EQ(rates.bench.kpt(0, 0), 800U * 256);
  measure(rates, 8'000);
  EXPECT_EQ(rates.bench.kpt(0, 0), 900U * 256);
  measure(rates, 850);
  EXPECT_EQ(rates.bench.kpt(0, 0), 850U * 256);
  measure(rates, 1'000);
  EXPECT_EQ(rates.bench.kpt(0, 0), 850U * 256 + 850U * 32);
  rates.bench.preload(0, 0xffff'fff0);
  const std::uint64_t t0 = rates.when();
  rates.bench.launch(0, 0);
  rates.bench.step();
  rates.complete(0, 0, 1);
  rates.refresh_at(t0, 0xffff'ffff);
  EXPECT_EQ(rates.bench.kpt(0, 0), 0xffff'ffffU);  // the sum stops
}

TEST(LaxRates, PeakHoldTakesItsFractionFromLeak) {
  for (std::uint32_t leak = 1; leak <= 7; ++leak) {
    Rates rates(RateMode::kPeakHold, leak << 20U, 7U << 20U);
    rates.bench.preload(0, 12'800);
    measure(rates, 10'000);
    EXPECT_EQ(rates.bench.kpt(0, 0), 12'800U + (12'800U >> leak));
  }
}

TEST(LaxRates, LongTimesAreClippedAndReported) {
  Rates rates(RateMode::kInstance);
  const std::uint64_t t0 = rates.when();
  rates.bench.launch(0, 0);
  rates.bench.step();
  rates.bench.launch(1, 0);
  rates.bench.step();
  rates.complete(0, 0, 2);
  EXPECT_EQ(rates.bench.read(reg::kIrqStat) & irq::kClipped, 0U);
  rates.refresh_at(t0, 0x1'8000'0000);
  EXPECT_EQ(rates.bench.read(reg::kIrqStat) & irq::kClipped, irq::kClipped);
  for (const std::uint32_t word : {0x0cU, 0x10U, 0x14U}) EXPECT_EQ(rates.bench.kpt(0, word), 0xffff'ffffU);
  EXPECT_EQ(rates.bench.kpt(0, 0), 0xffff'ffffU);  // the quotient is clipped, too
}

TEST(LaxRates, InstanceTimeUsesTheClippedLengthOfTheWindow) {
  Rates rates(RateMode::kInstance);
  const std::uint64_t t0 = rates.when();
  // The window opens with a kernel that ends at once; the one that stays starts 1000 cycles later.
  rates.bench.launch(0, 0);
  rates.bench.wgc(0, 0);
  rates.bench.kd(0, 0, false);
  rates.bench.step();
  rates.skip(t0 + 1'000 - rates.when());
  rates.bench.launch(0, 0);
  rates.bench.step();
  rates.refresh_at(t0, 0x2'0000'0000);
  EXPECT_EQ(rates.bench.kpt(0, 0x10), 0xffff'ffffU - 1'000);
  EXPECT_EQ(rates.bench.kpt(0, 0x0c), 0xffff'ffffU);
  EXPECT_EQ(rates.bench.kpt(0, 0), 0xffff'ffffU);
  EXPECT_EQ(rates.bench.read(reg::kIrqStat) & irq::kClipped, 0U);  // the time that was divided fits
}

TEST(LaxRates, WindowsSurviveTheWrapOfTime) {
  Rates rates;
  rates.skip((std::uint64_t{1} << 48U) - 2'500 - rates.when());
  const std::uint64_t t0 = rates.when();
  rates.bench.launch(0, 0);
  rates.bench.step();
  rates.complete(0, 0, 10);
  rates.refresh_at(t0, 5'000);
  EXPECT_EQ(rates.bench.kpt(0, 0), 500U << 8U);
  EXPECT_EQ(rates.bench.kpt(0, 0x14), 5'000U);
}

TEST(LaxRates, TheCompletionCounterSaturatesAndSaysSo) {
  Rates rates;
  Bench& bench = rates.bench;
  // 2^24 completions and two more, of two queues; the updates are frozen.
  bench.launch(0, 0);
  bench.step();
  bench.launch(1, 0);
  bench.step();
  for (std::uint32_t i = 0; i < 0xffffff; ++i) {
    bench.wgc(0, 0);
    bench.engine.clock(bench.in);
  }
  bench.in.wgc_valid = 0;
  EXPECT_EQ(bench.kpt(0, 4), 0xffffffU);
  EXPECT_EQ(bench.read(reg::kIrqStat), 0U);
  EXPECT_EQ(bench.slot(0, 0), 0U);
  bench.wgc(1, 0);
  bench.step();
  EXPECT_EQ(bench.kpt(0, 4), 0xffffffU);
  EXPECT_EQ(bench.read(reg::kIrqStat), irq::kClipped);
  EXPECT_EQ(bench.slot(1, 0), 0xfffffeU);
  EXPECT_EQ(bench.read(reg::kCounters + 0x1c), 0x1000000U);
}

TEST(LaxArithmetic, RemainingTimeHasNoShiftInsideTheSum) {
  Bench bench(params(4, 3, 8, 4));
  bench.policy(Policy::kLax);
  bench.preload(5, 0x000EA600);
  bench.preload(4, 0x000D0555);
  bench.preload(3, 0x00030B38);
  bench.look();
  bench.judge({1, {{5, 52}, {4, 78}, {3, 40}}, 10'500'000, bench.in.now});
  EXPECT_EQ(bench.job(1, 0x0c), 486'168U);
}

TEST(LaxArithmetic, ASaturationChainEndsAtTheLongestDuration) {
  Bench bench(params(4, 8, 8, 4));
  bench.policy(Policy::kSjf);
  std::vector<Beat> list;
  for (unsigned k = 0; k < 8; ++k) {
    bench.preload(k, 0xffff'ffff);
    bench.write(reg::kTpwIso + 4 * k, 0xffff'ffff);
    list.push_back({k, 0xffffff});
  }
  const VerdictSeen verdict = bench.judge({0, list, 0xffff'fffe, 0});
  EXPECT_TRUE(verdict.accept);  // no test under this policy
  EXPECT_EQ(verdict.est, 0xffff'ffffU);
  EXPECT_EQ(bench.job(0, 0x0c), 0xffff'fffeU);
  EXPECT_EQ(bench.job(0, 0x14), 0U);            // completion stops at the deadline's own largest value
  EXPECT_EQ(bench.job(0, 0x18), 0xffff'fffeU);  // iso
}

TEST(LaxArithmetic, WorkAheadIsSummedBeyond32Bits) {
  Bench bench(params(4, 1, 8, 4));
  bench.policy(Policy::kLax);
  bench.preload(0, 0xffff'ffff);
  // Deadlines of 2^32-2: no job with so much work fits, so they are taken with admission off.
  bench.ctrl(1, 2);
  for (unsigned q = 0; q < 3; ++q) ASSERT_TRUE(bench.judge({q, {{0, 0xffffff}}, 0xffff'fffe}).accept);
  bench.ctrl(1);
  const VerdictSeen verdict = bench.judge({3, {{1, 1}}, 0xffff'fffe});
  EXPECT_FALSE(verdict.accept);
  EXPECT_EQ(verdict.reason, 1U);
  EXPECT_EQ(verdict.est, 0xffff'ffffU);
  EXPECT_EQ(bench.read(reg::kTotLow), 0xffff'fffaU);  // 3 x (2^32 - 2)
  EXPECT_EQ(bench.read(reg::kTotHigh), 2U);
}

TEST(LaxArithmetic, LaxityIsClampedAtBothEnds) {
  Bench bench(params(4, 1, 8, 4));
  bench.ctrl(1 | 0U << 10U, 2U | kWarmMask);
  bench.preload(0, 0xffff'ffff);
  bench.judge({0, {{0, 0xffffff}}, 1});
  EXPECT_EQ(bench.job(0, 0x14), 0x8000'0000U);
  bench.judge({1, {{1, 1}}, 0xffff'fffe});
  EXPECT_EQ(bench.job(1, 0x14), 0x7fff'ffffU);
  bench.judge({2, {{1, 1}}});
  EXPECT_EQ(bench.job(2, 0x14), 0x7fff'ffffU);
}

}  // namespace
}  // namespace castor::lax::test::engine_rates_test
