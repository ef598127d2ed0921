// Tests of admission: verdicts and their latency (docs/blocks/lax.md, "Admission" and "Machine").

#include "unit/lax/engine_support.h"

namespace castor::lax::test::engine_admission_test {
namespace {

constexpr std::uint32_t kAdmit = 1U << 1U;
constexpr std::uint32_t kWarm = 3U << 10U;
constexpr std::uint32_t kBypass = 1U << 15U;
constexpr std::uint32_t kDrop = 1U << 16U;
constexpr std::uint32_t kClasses = 1U << 12U;

void preload_reference(Bench& bench) {
  bench.preload(5, 0x000EA600);
  bench.preload(4, 0x000D0555);
  bench.preload(3, 0x00030B38);
}

/// Submits a job whose duration is 0 when its visit opens: its start time lies in the future until then. Returns the
/// verdict.
VerdictSeen judge_with_duration_zero(Bench& bench, Submission s) {
  // A start in the future counts as duration 0 and sets E_TIME.
  s.start = bench.in.now + 1'000'000;
  const VerdictSeen verdict = bench.judge(s);
  EXPECT_EQ(bench.errors(), err::kTime);
  return verdict;
}

TEST(LaxAdmission, ReferenceVectorIsStrict) {
  for (const bool fits : {false, true}) {
    Bench bench(params(4, 3, 8, 4));
    bench.policy(Policy::kLax);
    preload_reference(bench);
    ASSERT_TRUE(bench.judge({0, {{5, 20}, {4, 10}}, 100'000'000}).accept);
    EXPECT_EQ(bench.job(0, 0x0c), 108'333U);
    ASSERT_TRUE(bench.judge({1, {{5, 52}, {4, 78}, {3, 40}}, 100'000'000}).accept);
    EXPECT_EQ(bench.job(1, 0x0c), 486'168U);
    const std::uint32_t deadline = fits ? 632'618 : 632'617;
    const VerdictSeen verdict = judge_with_duration_zero(bench, {2, {{5, 4}, {4, 6}, {3, 4}}, deadline});
    EXPECT_EQ(verdict.accept, fits);
    EXPECT_EQ(verdict.reason, fits ? 0U : 1U);
    EXPECT_EQ(verdict.est, 632'617U);
    EXPECT_EQ(bench.job(2, 0x0c), 38'116U);
    EXPECT_EQ(bench.read(reg::kTotLow), 594'501U + (fits ? 38'116U : 0U));
  }
}

TEST(LaxAdmission, JobsOfOneBurstSeeThoseAcceptedBefore) {
  Bench bench(params(128, 1, 8, 16));
  bench.policy(Policy::kLax);
  bench.preload(0, 1'000 << 8);
  // The scan of 128 queues for the first gives the others time to join the pass.
  for (unsigned q = 0; q < 4; ++q) bench.submit({q, {{0, 10}}, 25'000});
  std::vector<bool> accepted;
  for (unsigned i = 0; i < 4; ++i) {
    const VerdictSeen v = bench.verdict(i);
    EXPECT_EQ(v.q, i);
    EXPECT_EQ(v.est - bench.job(i, 0x10), i < 2 ? (i + 1) * 10'000U : 30'000U);
    accepted.push_back(v.accept);
  }
  EXPECT_EQ(accepted, (std::vector<bool>{true, true, false, false}));
  EXPECT_EQ(bench.read(reg::kTotLow), 20'000U);
}

TEST(LaxAdmission, WithoutRateTheDeadlineOfTheJobAheadCounts) {
  for (const unsigned warm : {0U, 1U, 2U}) {
    Bench bench(params(4, 2, 8, 4));
    bench.policy(Policy::kLax, warm << 10U, kWarm);
    bench.preload(0, 100 << 8);
    // Half of the first job's types have a rate; its own part without one adds nothing.
    const VerdictSeen first = bench.judge({0, {{0, 10}, {1, 10}}, 50'000});
    EXPECT_TRUE(first.accept);
    EXPECT_EQ(first.est, 1'000U + bench.job(0, 0x10));
    const VerdictSeen second = bench.judge({1, {{0, 10}}, 45'000});
    EXPECT_EQ(second.accept, warm != 1) << warm;
    EXPECT_EQ(second.est, (warm == 1 ? 50'000U : 1'000U) + 1'000U + bench.job(1, 0x10));
  }
}

TEST(LaxAdmission, ASlotThatIsDoneNeedsNoRate) {
  Bench bench(params(4, 2, 8, 4));
  bench.policy(Policy::kLax);
  bench.preload(0, 100 << 8);
  bench.judge({0, {{0, 10}, {1, 1}}, 50'000});
  bench.kernel(0, 1, 1, 2, false);
  const VerdictSeen second = bench.judge({1, {{0, 10}}, 45'000});
  EXPECT_TRUE(second.accept);
  EXPECT_EQ(second.est, 2'000U + bench.job(1, 0x10));
}

TEST(LaxAdmission, JobsWithoutDeadlineAreTakenAndDelayNobody) {
  Bench bench;
  bench.policy(Policy::kLax);
  bench.preload(0, 100 << 8);
  EXPECT_TRUE(bench.judge({0, {{0, 0xffffff}}}).accept);
  const VerdictSeen next = bench.judge({1, {{0, 10}}, 2'000});
  EXPECT_TRUE(next.accept);
  EXPECT_EQ(next.est, 1'000U + bench.job(1, 0x10));
  EXPECT_TRUE(bench.judge({2, {{0, 0xffffff}}}).accept);
}

TEST(LaxAdmission, JobsWithoutDeadlineDoNotCountInTheirOwnPassEither) {
  Bench bench(params(128, 1, 8, 16));
  bench.policy(Policy::kLax);
  bench.preload(0, 100 << 8);
  bench.submit({0, {{0, 0xffff}}});
  bench.submit({1, {{0, 10}}, 2'000});
  EXPECT_TRUE(bench.verdict(0).accept);
  EXPECT_TRUE(bench.verdict(1).accept);
  EXPECT_EQ(bench.read(reg::kTotLow), 1'000U);
}

TEST(LaxAdmission, LateJobsAheadStillCount) {
  Bench bench;
  bench.policy(Policy::kLax);
  bench.preload(0, 100 << 8);
  EXPECT_TRUE(bench.judge({0, {{0, 100}}, 20'000}).accept);
  bench.run(30'000);
  EXPECT_EQ(bench.judge({1, {{0, 100}}, 15'000}).reason, 1U);
}

TEST(LaxAdmission, IsTestedUnderTwoPoliciesOnlyAndCanBeSwitchedOff) {
  for (unsigned p = 0; p <= 9; ++p) {
    for (const bool on : {false, true}) {
      Bench bench;
      bench.policy(static_cast<Policy>(p), 0, on ? 0 : kAdmit);
      bench.preload(0, 100 << 8);
      const VerdictSeen verdict = bench.judge({0, {{0, 100}}, 5'000});
      const bool tested = on && p >= 8;
      EXPECT_EQ(verdict.accept, !tested) << p;
      EXPECT_EQ(verdict.est, 10'000U + bench.job(0, 0x10)) << p;
    }
  }
}

TEST(LaxAdmission, ARefusedJobIsReportedAndCounted) {
  Bench bench;
  bench.policy(Policy::kLax);
  bench.preload(0, 100 << 8);
  EXPECT_EQ(bench.judge({3, {{0, 100}}, 5'000}).reason, 1U);
  EXPECT_EQ(bench.state_of(3), JobState::kRejected);
  EXPECT_EQ(bench.read(reg::kIrqStat), irq::kReject);
  EXPECT_EQ(bench.read(reg::kCounters + 8), 1U);
  EXPECT_EQ(bench.read(reg::kTotLow), 0U);
  EXPECT_EQ(static_cast<std::int32_t>(bench.job(3, 0x14)),
            5'000 - 10'000 - static_cast<std::int32_t>(bench.job(3, 0x10)));
}

TEST(LaxAdmission, BypassTakesAJobThatFitsAtOnceIfNobodyWaits) {
  struct Case {
    bool enabled, fits, waits;
    std::uint32_t deadline;
    bool accept;
  };
  for (const Case c : {Case{true, true, false, 12'000, true}, Case{false, true, false, 12'000, false},
                       Case{true, false, false, 12'000, false}, Case{true, true, true, 12'000, false},
                       Case{true, true, false, 10'000, false}}) {
    Bench bench;
    bench.policy(Policy::kLax, c.enabled ? kBypass : 0);
    bench.preload(0, 100 << 8);
    ASSERT_TRUE(bench.judge({0, {{0, 1'000}}, 200'000}).accept);
    if (!c.waits) {
      bench.ks(0, 0);
      bench.step();
    }
    Submission s{1, {{0, 100}}, c.deadline};
    s.fits = c.fits;
    EXPECT_EQ(bench.judge(s).accept, c.accept);
  }
}

TEST(LaxAdmission, ExpiredJobsThatHaveNotStartedAreDroppedOnlyIfAsked) {
  for (const bool drop : {false, true}) {
    Bench bench(params(8, 1, 8, 8));
    bench.write(reg::kUpdPeriod, 1'000);
    bench.policy(Policy::kLax, drop ? kDrop : 0, kWarm);
    bench.judge({0, {{0, 1}}, 500});      // waits
    bench.judge({1, {{0, 1}}, 500});      // is open
    bench.judge({2, {{0, 1}}, 500});      // runs
    bench.judge({3, {{0, 1}}, 100'000});  // not late
    bench.judge({4, {{0, 1}}});           // no deadline
    bench.ks(1, 0);
    bench.step();
    bench.launch(2, 0);
    bench.step();
    bench.write(reg::kIrqStat, irq::kAll);
    bench.run(2'000);
    EXPECT_EQ(bench.state_of(0), drop ? JobState::kRejected : JobState::kReady);
    EXPECT_EQ(bench.state_of(1), JobState::kReady);
    EXPECT_EQ(bench.state_of(2), JobState::kRunning);
    EXPECT_EQ(bench.state_of(3), JobState::kReady);
    EXPECT_EQ(bench.state_of(4), JobState::kReady);
    EXPECT_EQ(bench.read(reg::kCounters + 0x2c), drop ? 1U : 0U);
    EXPECT_EQ(bench.read(reg::kCounters + 8), 0U);  // a drop is no rejected header
    EXPECT_EQ(bench.read(reg::kIrqStat), drop ? irq::kReject : 0U);
    ASSERT_EQ(bench.verdicts.size(), drop ? 6U : 5U);
    if (drop) {
      EXPECT_EQ(bench.verdicts[5].q, 0U);
      EXPECT_FALSE(bench.verdicts[5].accept);
      EXPECT_EQ(bench.verdicts[5].reason, 2U);
      EXPECT_EQ(bench.verdicts[5].est, 0U);
    }
  }
}

TEST(LaxAdmission, ADropWaitsUntilItsVerdictHasRoom) {
  Bench bench(params(8, 1, 8, 8, 4));
  bench.write(reg::kUpdPeriod, 1'000);
  bench.policy(Policy::kLax, kDrop);
  bench.judge({0, {{0, 1}}, 500});
  bench.in.adm_ready = 0;
  for (unsigned q = 1; q < 4; ++q) bench.submit({q, {{0, 1}}, 0});  // three verdicts for a queue with one free entry
  bench.run(5'000);
  EXPECT_EQ(bench.state_of(0), JobState::kReady);
  bench.in.adm_ready = 1;
  bench.step();
  bench.in.adm_ready = 0;
  bench.run(2'000);
  EXPECT_EQ(bench.state_of(0), JobState::kRejected);
  EXPECT_EQ(bench.engine.probes().verdict_count, 3U);
}

TEST(LaxTiming, AVerdictComes3LPlus8CyclesAfterTheHeaderAndOneMorePerQueueWithATest) {
  for (const unsigned queues : {4U, 16U, 256U}) {
    for (unsigned beats = 1; beats <= 4; ++beats) {
      for (const bool test : {false, true}) {
        Bench bench(params(queues, 4, 8, 4));
        bench.policy(Policy::kLax, 0, test ? 0 : kAdmit);
        std::vector<Beat> list;
        for (unsigned k = 0; k < beats; ++k) list.push_back({k, 1});
        const std::int64_t header = bench.submit({0, list});
        EXPECT_EQ(bench.verdict(0).cycle - header, 3 * beats + 8 + (test ? queues : 0));
      }
    }
  }
}

TEST(LaxTiming, AScanTakesItsSlotsPlus3PerJobWithDeadlineAndOnePerOtherQueue) {
  Bench bench(params(16, 4, 8, 4));
  bench.policy(Policy::kLax);
  bench.judge({0, {{0, 1}, {1, 1}, {2, 1}, {3, 1}}, 1'000'000});
  bench.judge({1, {{0, 1}, {1, 1}}, 2'000'000});
  bench.judge({2, {{0, 1}, {1, 1}}});  // no deadline: skipped
  const std::int64_t header = bench.submit({3, {{0, 1}}});
  EXPECT_EQ(bench.verdict(3).cycle - header, 3 + 8 + (4 + 3) + (2 + 3) + 14);
}

TEST(LaxTiming, AnUpdateTakes43CyclesPerRateAndItsSlotsPlus3PerLiveJob) {
  Bench bench(params(16, 4, 8, 4));
  bench.write(reg::kUpdPeriod, 2'000);
  bench.policy(Policy::kLax);
  const auto duration = [&] {
    while (bench.look().upd_busy == 0) bench.step();
    const std::int64_t begin = bench.now;
    while (bench.look().upd_busy != 0) bench.step();
    return bench.now - begin;
  };
  EXPECT_EQ(duration(), 8 + 16);
  bench.judge({0, {{0, 9}, {1, 9}, {2, 9}, {3, 9}}});
  bench.judge({1, {{0, 9}, {1, 9}}});
  bench.judge({2, {{0, 9}}});
  EXPECT_EQ(duration(), 8 + (4 + 3) + (2 + 3) + (1 + 3) + 13);
  bench.launch(0, 0);
  bench.step();
  bench.wgc(0, 0);
  bench.step();
  bench.launch(1, 1);
  bench.step();
  bench.wgc(1, 1);
  bench.step();
  EXPECT_EQ(duration(), 2 * 43 + 6 + (4 + 3) + (2 + 3) + (1 + 3) + 13);
  EXPECT_EQ(duration(), 8 + (4 + 3) + (2 + 3) + (1 + 3) + 13);  // no TB has completed since
  bench.kd(0, 0, true);
  bench.step();
  EXPECT_EQ(duration(), 8 + (2 + 3) + (1 + 3) + 14);
  bench.policy(Policy::kPrema);
  // Queue 1 runs, queue 2 waits: its token grows in 41 more cycles.
  EXPECT_EQ(duration(), 8 + (2 + 3) + (1 + 3 + 41) + 14);
  EXPECT_EQ(bench.read(reg::kCounters + 0x18), 6U);
}

TEST(LaxTiming, TheWorstUpdateAtTheDefaultsTakes4160Cycles) {
  for (const bool prema : {false, true}) {
    Bench bench{Params{}};
    bench.write(reg::kUpdPeriod, 200'000);
    bench.policy(prema ? Policy::kPrema : Policy::kRr);
    for (unsigned q = 0; q < 128; ++q) {
      std::vector<Beat> list;
      for (unsigned k = 0; k < 8; ++k) list.push_back({(q + 8 * k) % 64, 2});
      ASSERT_TRUE(bench.judge({q, list}).accept);
    }
    for (unsigned q = 0; q < 64; ++q) {
      bench.ks(q, q);
      bench.wgc(q, q);
      bench.step();
    }
    for (unsigned q = 0; prema && q < 64; ++q) {
      bench.ki(q);
      bench.step();
      bench.kd(q, q, false);
      bench.step();
    }
    while (bench.look().upd_busy == 0) bench.step();
    const std::int64_t begin = bench.now;
    while (bench.look().upd_busy != 0) bench.step();
    EXPECT_EQ(bench.now - begin, prema ? 9'408 : 4'160);
  }
}

TEST(LaxTiming, APremaRankingTakesTwicePerQueueAndOneCycle) {
  Bench bench(params(16, 4, 8, 4));
  bench.write(reg::kPremaPeriod, 1'000);
  bench.policy(Policy::kPrema);
  while (bench.engine.state().f != MainState::kR1) bench.step();
  const std::int64_t begin = bench.now;
  while (bench.engine.state().f != MainState::kIdle) bench.step();
  EXPECT_EQ(bench.now - begin, 2 * 16 + 1);
}

TEST(LaxTiming, UpdatesComeOncePerPeriodAndNotWhileFrozenOrDisabled) {
  Bench bench;
  bench.write(reg::kUpdPeriod, 1'500);
  bench.policy(Policy::kLax);
  std::vector<std::int64_t> begins;
  bool was = false;
  const auto watch = [&](std::int64_t cycles) {
    begins.clear();
    for (std::int64_t i = 0; i < cycles; ++i) {
      const bool is = bench.look().upd_busy != 0;
      if (is && !was) begins.push_back(bench.now);
      was = is;
      bench.step();
    }
  };
  watch(7'000);
  ASSERT_EQ(begins.size(), 4U);
  for (std::size_t i = 1; i < begins.size(); ++i) EXPECT_EQ(begins[i] - begins[i - 1], 1'500);
  const std::int64_t last = begins.back();
  bench.policy(Policy::kLax, 8);
  watch(7'000);
  EXPECT_TRUE(begins.empty());
  EXPECT_EQ(bench.read(reg::kIrqStat), 0U);  // ticks that are frozen are not lost
  bench.policy(Policy::kLax);
  watch(3'000);
  ASSERT_FALSE(begins.empty());
  EXPECT_EQ((begins.front() - last) % 1'500, 0);  // the timer continued
  bench.ctrl(0, 1);
  watch(5'000);
  EXPECT_TRUE(begins.empty());
}

TEST(LaxTiming, AnAdmissionGoesBetweenTwoUpdatesThatFollowEachOther) {
  // 64 kernel types with completions and 128 lists: an update of more than 1000 cycles, the shortest period.
  Bench bench{Params{}};
  bench.write(reg::kUpdPeriod, 1'000);
  bench.policy(Policy::kLax);
  for (unsigned q = 0; q < 127; ++q) {
    std::vector<Beat> list;
    for (unsigned k = 0; k < 8; ++k) list.push_back({(q + 8 * k) % 64, 0xffff});
    ASSERT_TRUE(bench.judge({q, list}).accept) << q;
    bench.ks(q, q % 64);
    bench.step();
  }
  bench.update();
  bench.write(reg::kIrqStat, irq::kAll);
  const std::int64_t header = bench.submit({127, {{0, 1}}});
  unsigned updates = 0;
  bool was = true;
  while (bench.look().adm_valid == 0) {
    const bool is = bench.look().upd_busy != 0;
    updates += is && !was ? 1 : 0;
    was = is;
    ASSERT_LT(bench.now - header, 20'000);
    bench.wgc(static_cast<unsigned>(bench.now % 127), static_cast<unsigned>(bench.now % 127 % 64));
    // Cycles without completions let the submission proceed.
    if (bench.now % 3 == 0) bench.in.wgc_valid = 0;
    bench.step();
  }
  EXPECT_LE(updates, 2U);
  bench.run(10'000);
  EXPECT_EQ(bench.read(reg::kIrqStat) & irq::kOverrun, irq::kOverrun);
}

TEST(LaxTiming, ATickDuringAnActivityWaits) {
  Bench bench(params(256, 1, 1, 256));
  bench.write(reg::kUpdPeriod, 1'000);
  bench.policy(Policy::kLax);
  // A scan of 256 queues that spans the update tick.
  while (bench.engine.state().utmr < 900) bench.step();
  bench.submit({0, {{0, 1}}});
  while (bench.engine.state().upd_pend == 0) bench.step();
  EXPECT_NE(bench.engine.state().f, MainState::kIdle);
  bench.verdict(0);
  EXPECT_EQ(bench.look().upd_busy, 0);
  bench.run(10);
  EXPECT_EQ(bench.look().upd_busy, 1);
  EXPECT_EQ(bench.read(reg::kIrqStat), 0U);
}

TEST(LaxTiming, ASubmissionIsDelayedByCompletionsOnly) {
  Bench bench;
  bench.policy(Policy::kLax, 0, kAdmit);
  bench.judge({0, {{0, 0xffffff}}});
  bench.launch(0, 0);
  bench.step();
  bench.submit({1, {{0, 1}}});
  for (int i = 0; i < 10'000; ++i) {
    bench.wgc(0, 0);
    bench.step();
  }
  const std::int64_t free = bench.now;
  EXPECT_EQ(bench.verdict(1).cycle - free, 3 + 8 - 2);  // as after the beat
  EXPECT_EQ(bench.kpt(0, 4), 10'000U);
}

TEST(LaxAdmission, KeysOfNewJobsFollowInitPrio) {
  struct Case {
    unsigned initial;
    bool classes;
    unsigned key_class;
    std::uint32_t value;
  };
  for (const Case c : {Case{0, true, 0, 0}, Case{1, true, 3, 0xffff'ffff}, Case{2, true, 0, 90'000},
                       Case{0, false, 0, 0}, Case{1, false, 0, 0xffff'ffff}, Case{2, false, 0, 90'000}}) {
    Bench bench;
    bench.policy(Policy::kLax, c.initial << 13U, c.classes ? 0 : kClasses);
    bench.preload(0, 100 << 8);
    ASSERT_TRUE(judge_with_duration_zero(bench, {0, {{0, 100}}, 100'000}).accept);
    EXPECT_EQ(bench.class_of(0), c.key_class);
    EXPECT_EQ(bench.job(0, 0x18), c.value);
  }
}

}  // namespace
}  // namespace castor::lax::test::engine_admission_test
