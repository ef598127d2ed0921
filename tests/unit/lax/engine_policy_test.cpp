// Keys of the ten policies (docs/blocks/lax.md, "Policies").

#include "unit/lax/engine_support.h"

namespace castor::lax::test::engine_policy_test {
namespace {

constexpr std::uint32_t kAdmit = 1U << 1U;
constexpr std::uint32_t kClasses = 1U << 12U;

struct Key {
  unsigned key_class = 0;
  std::uint64_t value = 0;
  friend bool operator==(const Key& a, const Key& b) { return a.key_class == b.key_class && a.value == b.value; }
  friend std::ostream& operator<<(std::ostream& out, const Key& k) { return out << k.key_class << ',' << k.value; }
};

Key key_of(const Bench& bench, unsigned q) {
  return {key_class(bench.engine.state().key[q]), key_value(bench.engine.state().key[q])};
}

/// An engine whose updates run on request, so that a visit sees a chosen duration.
class Keys {
 public:
  explicit Keys(Policy policy, std::uint32_t set = 0, std::uint32_t clear = 0)
      : bench(params(4, 3, 8, 4)), policy_(policy), set_(set), clear_(clear | kAdmit) {
    bench.write(reg::kUpdPeriod, 1'000);
    bench.policy(policy_, set_ | 8U, clear_);
    bench.preload(5, 0x000EA600);
    bench.preload(4, 0x000D0555);
    bench.preload(3, 0x00030B38);
  }

  /// Returns the key of queue `q` after an update that visits it `dur` cycles after `start`.
  Key visit(unsigned q, std::uint64_t start, std::uint64_t dur) {
    bench.policy(policy_, set_, clear_);
    while (!(bench.engine.state().f == MainState::kVOpen && bench.engine.state().q == q &&
             bench.engine.state().ph == Phase::kUpdate)) {
      bench.step();
    }
    bench.look();
    bench.time += start + dur - bench.in.now;
    bench.step();
    bench.policy(policy_, set_ | 8U, clear_);
    while (bench.look().upd_busy != 0) bench.step();
    EXPECT_EQ(bench.job(q, 0x10), dur);
    return key_of(bench, q);
  }

  Bench bench;

 private:
  Policy policy_;
  std::uint32_t set_;
  std::uint32_t clear_;
};

const std::vector<Beat> kReference{{5, 52}, {4, 78}, {3, 40}};  // 486 168 cycles

TEST(LaxKeys, ReferenceVectorsOfTheLaxity) {
  struct Vector {
    std::uint32_t deadline, dur;
    unsigned key_class;
    std::uint32_t value;
    std::int64_t laxity;
  };
  for (const Vector& v : {Vector{10'500'000, 0, 0, 10'013'832, 10'013'832},
                          {10'500'000, 10'000'000, 0, 13'832, 13'832},
                          {10'500'000, 10'500'000, 1, 10'986'168, -486'168},
                          {10'500'000, 10'500'001, 3, 0xffff'ffff, -486'169},
                          {900'000, 400'000, 0, 13'832, 13'832}}) {
    Keys keys(Policy::kLax);
    ASSERT_TRUE(keys.bench.judge({1, kReference, v.deadline, 100}).accept);
    EXPECT_EQ(keys.visit(1, 100, v.dur), (Key{v.key_class, v.value}));
    EXPECT_EQ(keys.bench.class_of(1), v.key_class);
    EXPECT_EQ(keys.bench.job(1, 0x18), v.value);
    EXPECT_EQ(static_cast<std::int32_t>(keys.bench.job(1, 0x14)), v.laxity);
    EXPECT_EQ(keys.bench.job(1, 0x0c), 486'168U);
  }
}

TEST(LaxKeys, LaxityZeroIsAMiss) {
  Keys keys(Policy::kLax);
  keys.bench.judge({1, kReference, 1'000'000, 100});
  EXPECT_EQ(keys.visit(1, 100, 1'000'000 - 486'168 - 1), (Key{0, 1}));
  EXPECT_EQ(keys.visit(1, 100, 1'000'000 - 486'168), (Key{1, 1'000'000}));
}

TEST(LaxKeys, WithoutClassesTheValueAloneIsTheKey) {
  Keys keys(Policy::kLax, 0, kClasses);
  keys.bench.judge({1, kReference, 1'000'000, 100});
  EXPECT_EQ(key_of(keys.bench, 1), (Key{0, 0}));
  EXPECT_EQ(keys.visit(1, 100, 400'000), (Key{0, 113'832}));
  EXPECT_EQ(keys.visit(1, 100, 600'000), (Key{0, 1'086'168}));
  EXPECT_EQ(keys.visit(1, 100, 1'000'001), (Key{0, 0xffff'ffff}));
  Keys best_effort(Policy::kLax, 0, kClasses);
  best_effort.bench.judge({1, kReference, kNone, 100});
  EXPECT_EQ(key_of(best_effort.bench, 1), (Key{0, 0xffff'ffff}));
}

TEST(LaxKeys, JobsWithoutDeadlineRankByTheirStart) {
  Keys keys(Policy::kLax);
  keys.bench.time = 0x7654'3210'0000;
  keys.bench.judge({1, kReference, kNone, 0x7654'3200'0000});
  EXPECT_EQ(key_of(keys.bench, 1), (Key{2, 0x7654'3200'0000}));
  EXPECT_EQ(keys.visit(1, 0x7654'3200'0000, 2'000'000), (Key{2, 0x7654'3200'0000}));
}

TEST(LaxKeys, RoundRobinHasNone) {
  Keys keys(Policy::kRr);
  keys.bench.judge({1, kReference, 1'000, 100});
  EXPECT_EQ(key_of(keys.bench, 1), (Key{0, 0}));
  EXPECT_EQ(keys.visit(1, 100, 5'000'000), (Key{0, 0}));
}

TEST(LaxKeys, FirstComeIsByStart) {
  Keys keys(Policy::kFcfs);
  keys.bench.time = 0x9000'0000'0000 >> 2U;
  const std::uint64_t start = keys.bench.time - 77;
  keys.bench.judge({1, kReference, 1'000, start});
  EXPECT_EQ(key_of(keys.bench, 1), (Key{0, start}));
  EXPECT_EQ(keys.visit(1, start, 5'000'000), (Key{0, start}));
}

TEST(LaxKeys, EarliestDeadlineIsStableOverTimeAndStaysWhenLate) {
  Keys keys(Policy::kEdf);
  keys.bench.judge({1, kReference, 1'000'000, 100});
  keys.bench.judge({2, kReference, 900'000, 150});
  for (const std::uint64_t dur : {500'000, 950'000, 2'000'000}) {
    EXPECT_EQ(keys.visit(1, 100, dur), (Key{0, 1'000'100}));
    EXPECT_EQ(key_of(keys.bench, 2), (Key{0, 900'150}));
  }
  // Deadlines beyond the wrap of time.
  Keys wrap(Policy::kEdf);
  wrap.bench.time = (std::uint64_t{1} << 48U) - 500'000;
  wrap.bench.judge({1, kReference, 1'000'000, wrap.bench.time - 1'000});
  EXPECT_EQ(key_of(wrap.bench, 1), (Key{0, 499'000}));
}

TEST(LaxKeys, ShortestAndLongestAreByTheIsolatedTimeOfTheListAtAdmission) {
  for (const Policy policy : {Policy::kSjf, Policy::kLjf}) {
    Keys keys(policy);
    keys.bench.write(reg::kTpwIso + 20, 100 << 8);
    keys.bench.write(reg::kTpwIso + 16, 0x1ff);
    keys.bench.judge({1, {{5, 10}, {4, 3}}, 1'000'000, 100});
    const std::uint64_t iso = (10U * 25'600 + 3U * 0x1ff) / 256;
    const Key expected{0, policy == Policy::kSjf ? iso : kTimeMask - iso};
    EXPECT_EQ(key_of(keys.bench, 1), expected);
    // Neither progress nor a new profile changes it.
    keys.bench.launch(1, 5);
    keys.bench.step();
    keys.bench.wgc(1, 5);
    keys.bench.step();
    keys.bench.write(reg::kTpwIso + 20, 1 << 8);
    EXPECT_EQ(keys.visit(1, 100, 700'000), expected);
    // Without a profile: 1.
    keys.bench.judge({2, {{3, 10}}, 1'000'000});
    EXPECT_EQ(key_of(keys.bench, 2), (Key{0, policy == Policy::kSjf ? 1 : kTimeMask - 1}));
  }
}

TEST(LaxKeys, ShortestRemainingFollowsTheList) {
  Keys keys(Policy::kSrf);
  keys.bench.write(reg::kMinWg, 255);
  keys.bench.judge({1, kReference, 1'000'000, 100});
  EXPECT_EQ(key_of(keys.bench, 1), (Key{0, 486'168}));
  keys.bench.launch(1, 5);
  keys.bench.step();
  for (int i = 0; i < 2; ++i) {
    keys.bench.wgc(1, 5);
    keys.bench.step();
  }
  EXPECT_EQ(keys.visit(1, 100, 700'000), (Key{0, 486'168 - 7'500}));
}

TEST(LaxKeys, FeedbackDemotesBetweenOneAndTwoThirdsOfTheDeadline) {
  Keys keys(Policy::kMlfq);
  keys.bench.judge({1, kReference, 300'000, 100});
  EXPECT_EQ(key_of(keys.bench, 1), (Key{0, 0}));
  EXPECT_EQ(keys.visit(1, 100, 100'000), (Key{0, 0}));  // 3 dur = deadline
  EXPECT_EQ(keys.visit(1, 100, 100'001), (Key{1, 0}));
  EXPECT_EQ(keys.visit(1, 100, 200'000), (Key{1, 0}));  // 3 dur = 2 deadline
  EXPECT_EQ(keys.visit(1, 100, 200'001), (Key{0, 0}));
  EXPECT_EQ(keys.visit(1, 100, 900'000), (Key{0, 0}));  // never again
  // Evaluated at admission, too.
  keys.bench.look();
  keys.bench.judge({2, kReference, 300'000, keys.bench.in.now - 150'000});
  EXPECT_EQ(key_of(keys.bench, 2), (Key{1, 0}));
}

TEST(LaxKeys, ANewJobGoesBeforeOneOfLaxity1UntilTheNextUpdate) {
  Keys keys(Policy::kLax);
  keys.bench.judge({1, kReference, 1'000'000, 100});
  EXPECT_EQ(keys.visit(1, 100, 1'000'000 - 486'168 - 1), (Key{0, 1}));
  keys.bench.look();
  const std::uint64_t start = keys.bench.in.now;
  keys.bench.judge({3, kReference, 10'000'000, start});
  keys.bench.in.de_vec = QueueBits(0b1010);
  keys.bench.run(3);
  EXPECT_EQ(keys.bench.look().dsel_valid, 1);
  EXPECT_EQ(keys.bench.look().dsel_qid, 3);
  keys.visit(3, start, 1'000);
  keys.bench.run(3);
  EXPECT_EQ(keys.bench.look().dsel_qid, 3);  // queue 1 is late by now
  EXPECT_EQ(key_of(keys.bench, 3), (Key{0, 10'000'000 - 1'000 - 486'168}));
}

TEST(LaxKeys, AChangeOfPolicyTakesEffectAtTheNextUpdate) {
  Bench bench;
  bench.write(reg::kUpdPeriod, 1'000);
  bench.policy(Policy::kFcfs);
  bench.judge({1, {{0, 1}}, 500'000, 5});
  EXPECT_EQ(key_of(bench, 1), (Key{0, 5}));
  bench.policy(Policy::kEdf);
  EXPECT_EQ(key_of(bench, 1), (Key{0, 5}));
  bench.update();
  EXPECT_EQ(key_of(bench, 1), (Key{0, 500'005}));
}

/// PREMA with one TB of isolated time 1000 cycles per job; updates and rankings every 1000 and 10 000 cycles.
class Prema : public testing::Test {
 protected:
  Prema() : bench(params(8, 1, 8, 8)) {
    bench.write(reg::kUpdPeriod, 1'000);
    bench.write(reg::kPremaPeriod, 10'000);
    for (unsigned k = 0; k < 8; ++k) {
      bench.write(reg::kTpwIso + 4 * k, 1'000 << 8);
      bench.preload(k, (100 + 100 * k) << 8);
    }
    bench.write(reg::kMinWg, 255);
    bench.policy(Policy::kPrema);
  }
  std::uint32_t token(unsigned q) { return bench.engine.state().queue[q].token; }
  /// Runs until the next ranking has ended.
  void rank() {
    while (bench.engine.state().f != MainState::kR1) bench.step();
    while (bench.engine.state().f != MainState::kIdle) bench.step();
  }

  Bench bench;
};

TEST_F(Prema, TokensGrowByPriorityTimesWaitOverIsolatedTimeWhileAJobWaits) {
  bench.write(reg::kPremaP, 3);
  bench.run(300);
  bench.judge({0, {{0, 1}}, 1'000'000});
  bench.judge({1, {{1, 1}}, 1'000'000});
  EXPECT_EQ(token(0), 3U * 256);
  bench.launch(1, 1);
  bench.step();
  bench.update();
  // The first wait is the age at the visit, which is shorter than the period.
  const std::uint32_t age = bench.job(0, 0x10);
  EXPECT_LT(age, 1'000U);
  EXPECT_EQ(token(0), 3U * 256 + 3 * age * 256 / 1'000);
  EXPECT_EQ(token(1), 3U * 256);  // executes
  const std::uint32_t before = token(0);
  bench.update();
  EXPECT_EQ(token(0), before + 3U * 256);  // 1000 cycles between two updates
  EXPECT_EQ(token(1), 3U * 256);
}

TEST_F(Prema, TokensSaturate) {
  bench.write(reg::kTpwIso, 1);  // isolated time 1
  bench.judge({0, {{0, 1}}, 1'000'000});
  bench.update();
  bench.time += 100'000;
  bench.update();
  bench.update();
  EXPECT_EQ(token(0), 0xff'ffffU);
  EXPECT_EQ(key_of(bench, 0), (Key{0, 100}));
}

TEST_F(Prema, CandidatesRankByRemainingTimeTheRestByTokens) {
  // Queue 0 runs from the start, so it keeps its one token; queues 1, 2 wait for nine and more.
  bench.judge({0, {{0, 1}}, 1'000'000});
  bench.launch(0, 0);
  bench.step();
  bench.judge({1, {{5, 1}}, 1'000'000});
  bench.judge({2, {{2, 1}}, 1'000'000});
  rank();
  EXPECT_GE(token(1), 9U * 256);
  EXPECT_EQ(bench.engine.state().thr, 9);
  EXPECT_EQ(key_of(bench, 0), (Key{1, kTimeMask - 256}));
  EXPECT_EQ(key_of(bench, 1), (Key{0, 600}));
  EXPECT_EQ(key_of(bench, 2), (Key{0, 300}));
  // Admission and update use the threshold of the last ranking.
  bench.judge({3, {{3, 1}}, 1'000'000});
  EXPECT_EQ(key_of(bench, 3), (Key{1, kTimeMask - 256}));
  bench.update();
  EXPECT_EQ(key_of(bench, 3), (Key{1, kTimeMask - token(3)}));
  EXPECT_GT(token(3), 256U);
}

TEST_F(Prema, TheThresholdIsTheLargestStepThatATokenReaches) {
  const std::uint32_t tokens[] = {256, 3 * 256 - 1, 3 * 256, 9 * 256 - 1, 9 * 256};
  const unsigned thresholds[] = {1, 1, 3, 3, 9};
  for (unsigned i = 0; i < 5; ++i) {
    Bench fresh(params(8, 1, 8, 8));
    fresh.write(reg::kPremaPeriod, 1'000);
    fresh.write(reg::kTpwIso, 256 * 256);  // isolated time 256: one step of a token per cycle waited
    fresh.policy(Policy::kPrema);
    fresh.judge({0, {{0, 1}}, 1'000'000});
    // Runs one update whose wait makes the token.
    while (fresh.engine.state().utmr != 149'990) {
      fresh.look();
      const base::Cycle quiet = fresh.engine.quiet();
      if (quiet > 1 && fresh.engine.state().utmr < 149'000) {
        const base::Cycle n = std::min<base::Cycle>(quiet, 149'000 - fresh.engine.state().utmr);
        fresh.engine.idle(n);
        fresh.now += static_cast<std::int64_t>(n);
      } else {
        fresh.step();
      }
    }
    const std::uint64_t start = fresh.engine.state().queue[0].job.start;
    while (!(fresh.engine.state().f == MainState::kVOpen && fresh.engine.state().ph == Phase::kUpdate)) fresh.step();
    fresh.look();
    fresh.time += start + (tokens[i] - 256) - fresh.in.now;
    fresh.step();
    while (fresh.look().upd_busy != 0) fresh.step();
    EXPECT_EQ(fresh.engine.state().queue[0].token, tokens[i]);
    while (fresh.engine.state().f != MainState::kR1) fresh.step();
    while (fresh.engine.state().f != MainState::kIdle) fresh.step();
    EXPECT_EQ(fresh.engine.state().thr, thresholds[i]) << tokens[i];
  }
}

TEST_F(Prema, ABlockedCandidatePreemptsTheRunningJobWithTheFewestTokens) {
  for (unsigned q = 0; q < 3; ++q) {
    bench.judge({q, {{q, 1}}, 1'000'000});
    bench.launch(q, q);
    bench.step();
  }
  bench.judge({4, {{4, 1}}, 1'000'000});
  bench.in.df_vec = QueueBits(1U << 4U);
  rank();
  // Three candidates with one token each: the highest queue is preempted.
  EXPECT_EQ(bench.look().pre_vec, QueueBits(1U << 2U));
  EXPECT_EQ(bench.read(reg::kCounters + 0x28), 1U);
  // The token of the preempted queue grows; it gains at most one more until the next ranking.
  const std::uint32_t before = token(2);
  bench.update();
  EXPECT_GT(token(2), before);
  EXPECT_EQ(token(1), 256U);
  rank();
  // Queue 2 has become a candidate, which ends its request; queue 1 is next.
  EXPECT_EQ(bench.look().pre_vec, QueueBits(1U << 1U));
  EXPECT_EQ(bench.read(reg::kCounters + 0x28), 2U);
  // No queue is blocked: all preemption requests end.
  bench.in.df_vec = {};
  rank();
  EXPECT_TRUE(bench.look().pre_vec.none());
  EXPECT_EQ(bench.read(reg::kCounters + 0x28), 2U);
}

TEST_F(Prema, APreemptedJobIsNotOfferedToTheDispatcher) {
  bench.judge({2, {{2, 1}}, 1'000'000});
  bench.ks(2, 2);  // kernel 2 has TBs left to issue
  bench.step();
  bench.in.de_vec = QueueBits(1U << 2U);
  bench.judge({4, {{4, 1}}, 1'000'000});
  bench.run(4);
  EXPECT_EQ(bench.look().dsel_valid, 1);
  bench.in.df_vec = QueueBits(1U << 4U);
  rank();
  EXPECT_EQ(bench.look().pre_vec, QueueBits(1U << 2U));
  EXPECT_EQ(bench.look().dsel_valid, 0);
  bench.run(4);
  EXPECT_EQ(bench.look().dsel_valid, 0);
  // The end of its kernel ends the request, too.
  bench.ki(2);
  bench.kd(2, 2, false);
  bench.step();
  EXPECT_TRUE(bench.look().pre_vec.none());
}

TEST_F(Prema, APreemptedJobDoesNotHideOthersFromTheDispatcher) {
  // Among the jobs below the threshold queue 2 has the most tokens, but it is being preempted.
  bench.judge({2, {{2, 1}}, 1'000'000});
  bench.run(1'500);
  bench.ks(2, 2);
  bench.step();
  bench.judge({4, {{4, 1}}, 1'000'000});
  bench.in.df_vec = QueueBits(1U << 4U);
  rank();
  ASSERT_EQ(bench.look().pre_vec, QueueBits(1U << 2U));
  bench.judge({5, {{5, 1}}, 1'000'000});
  bench.in.de_vec = QueueBits(1U << 2U | 1U << 5U);
  bench.run(4);
  EXPECT_LT(key_of(bench, 2).value, key_of(bench, 5).value);
  EXPECT_EQ(bench.look().dsel_valid, 1);
  EXPECT_EQ(bench.look().dsel_qid, 5);
}

TEST_F(Prema, AVictimThatEndsDuringTheRankingIsNotAskedToStop) {
  bench.judge({2, {{2, 1}}, 1'000'000});
  bench.launch(2, 2);
  bench.step();
  bench.judge({4, {{4, 1}}, 1'000'000});
  bench.in.df_vec = QueueBits(1U << 4U);
  while (bench.engine.state().f != MainState::kR2 || bench.engine.state().q != 6) bench.step();
  EXPECT_EQ(bench.engine.state().victim_v, 1);
  bench.kd(2, 2, false);
  bench.step();
  while (bench.engine.state().f != MainState::kIdle) bench.step();
  EXPECT_TRUE(bench.look().pre_vec.none());
  EXPECT_EQ(bench.read(reg::kCounters + 0x28), 0U);
}

TEST(LaxKeys, OtherPoliciesAreNotRanked) {
  Bench bench;
  bench.write(reg::kPremaPeriod, 1'000);
  bench.policy(Policy::kLax);
  for (int i = 0; i < 5'000; ++i) {
    ASSERT_EQ(bench.engine.probes().main_state, MainState::kIdle);
    bench.step();
  }
}

TEST_F(Prema, AnotherPolicyEndsAllRequests) {
  bench.judge({2, {{2, 1}}, 1'000'000});
  bench.launch(2, 2);
  bench.step();
  bench.judge({4, {{4, 1}}, 1'000'000});
  bench.in.df_vec = QueueBits(1U << 4U);
  rank();
  EXPECT_TRUE(bench.look().pre_vec.any());
  bench.policy(Policy::kRr);
  EXPECT_TRUE(bench.look().pre_vec.none());
}

TEST_F(Prema, NobodyIsPreemptedWithoutANonCandidateThatRuns) {
  bench.judge({2, {{2, 1}}, 1'000'000});
  bench.judge({4, {{4, 1}}, 1'000'000});
  bench.in.df_vec = QueueBits(1U << 4U);
  rank();
  EXPECT_TRUE(bench.look().pre_vec.none());
  EXPECT_EQ(bench.read(reg::kCounters + 0x28), 0U);
}

}  // namespace
}  // namespace castor::lax::test::engine_policy_test
