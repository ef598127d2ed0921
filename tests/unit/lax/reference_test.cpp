#include "unit/lax/reference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "castor/base/rng.h"
#include "tests/common/sanitized.h"

// The reference algorithm alone: worked examples, its error against fractions, and the published algorithms.

namespace castor::lax::reference::reference_test {
namespace {

using base::Xoshiro256;

Integer cycles(std::uint64_t value) { return Integer(value); }

std::optional<Integer> active_rate(std::uint64_t time, std::uint64_t completed) {
  return refresh(Rules{}, {completed, time, time, time}, std::nullopt);
}

struct RateExample {
  std::uint64_t time, completed, expected;
};

TEST(LaxReference, TimePerGroupOfWorkedExamples) {
  const std::uint64_t longest_time = (std::uint64_t{1} << 32U) - 1;
  const RateExample examples[] = {{150000, 40, 0x000EA600},     {100000, 30, 0x000D0555}, {60000, 77, 0x00030B38},
                                  {150000, 1, 0x0249F000},      {2250000, 8, 0x044AA200}, {1, 3, 0x00000055},
                                  {longest_time, 1, 0xFFFFFFFF}};
  for (const RateExample& example : examples) {
    EXPECT_EQ(active_rate(example.time, example.completed), cycles(example.expected)) << example.time;
  }
}

/// Rates of kernel types 5, 4 and 3 in the worked examples.
Table example_table() { return {{5, 0x000EA600}, {4, 0x000D0555}, {3, 0x00030B38}}; }
Launches example_list() { return {{5, 52}, {4, 78}, {3, 40}}; }

TEST(LaxReference, RemainingTimeOfTheWorkedExample) {
  EXPECT_EQ(remaining(example_list(), example_table()), 486168);
  ExactTable exact;
  exact[5] = Rational(150000, 40);
  exact[4] = Rational(100000, 30);
  exact[3] = Rational(60000, 77);
  const Rational value = exact_remaining(example_list(), exact);
  EXPECT_EQ(Integer(boost::multiprecision::numerator(value) * 100 / boost::multiprecision::denominator(value)),
            48616883);
}

struct RankExample {
  std::uint64_t deadline, duration;
  unsigned level;
  std::uint64_t value;
};

TEST(LaxReference, RankOfWorkedExamples) {
  const RankExample examples[] = {{10500000, 0, 0, 10013832},
                                  {10500000, 10000000, 0, 13832},
                                  {10500000, 10500000, 1, 10986168},
                                  {10500000, 10500001, 3, 0xFFFFFFFF},
                                  {900000, 400000, 0, 13832}};
  for (const RankExample& example : examples) {
    Job job;
    job.deadline = example.deadline;
    EXPECT_EQ(rank(Rules{}, job, 486168, example.duration, false), Rank(example.level, example.value))
        << example.deadline << " after " << example.duration;
  }
}

Job job_of(unsigned queue, JobState state, Launches launches, std::uint64_t deadline) {
  Job job;
  job.queue = queue;
  job.state = state;
  job.launches = std::move(launches);
  job.deadline = deadline;
  job.start = 0;
  job.arrival = queue;
  return job;
}

TEST(LaxReference, AdmissionIsStrictInTheWorkedExample) {
  const Job a = job_of(0, JobState::Ready, {{5, 20}, {4, 10}}, 10500000);
  const Job b = job_of(1, JobState::Running, example_list(), 10500000);
  EXPECT_EQ(work_ahead(Rules{}, a, example_table()), 108333);
  const Integer ahead = work_ahead(Rules{}, a, example_table()) + work_ahead(Rules{}, b, example_table());
  Job job = job_of(2, JobState::Init, {{5, 4}, {4, 6}, {3, 4}}, 632617);
  Verdict verdict = admit(Rules{}, job, ahead, 0, example_table(), false);
  EXPECT_EQ(verdict.work, 38116);
  EXPECT_FALSE(verdict.accept);
  EXPECT_EQ(verdict.reason, Reason::PredictMiss);
  job.deadline = 632618;
  verdict = admit(Rules{}, job, ahead, 0, example_table(), false);
  EXPECT_TRUE(verdict.accept);
  EXPECT_EQ(verdict.estimate, 632617);
}

TEST(LaxReference, JobAsOldAsItsDeadlineIsExpired) {
  Job job = job_of(0, JobState::Init, {{5, 1}}, 1000);
  EXPECT_EQ(admit(Rules{}, job, 0, 1000, {}, false).reason, Reason::Expired);
  EXPECT_TRUE(admit(Rules{}, job, 0, 999, {}, false).accept);
  job.deadline = infinite();
  EXPECT_TRUE(admit(Rules{}, job, power(39), 5000, example_table(), false).accept);
}

TEST(LaxReference, UnknownRateAheadCountsAsItsWholeDeadlineUnderThatPolicyOnly) {
  const Job job = job_of(0, JobState::Ready, {{5, 20}, {9, 1}}, 777777);
  Rules rules;
  EXPECT_EQ(work_ahead(rules, job, example_table()), 777777);
  rules.warm = Warm::Optimistic;
  EXPECT_EQ(work_ahead(rules, job, example_table()), 20 * 3750);
  Job finished = job;
  finished.launches[1].groups = 0;  // no thread blocks of the unknown type are left
  rules.warm = Warm::DeadlineAhead;
  EXPECT_EQ(work_ahead(rules, finished, example_table()), 20 * 3750);
}

TEST(LaxReference, BypassNeedsAnIdleDeviceAndTimeOfItsOwn) {
  Rules rules;
  rules.bypass = true;
  Job job = job_of(0, JobState::Init, {{5, 10}}, 37501);
  job.fits = true;
  EXPECT_TRUE(admit(rules, job, power(38), 0, example_table(), false).accept);
  EXPECT_FALSE(admit(rules, job, power(38), 0, example_table(), true).accept);
  EXPECT_FALSE(admit(rules, job, power(38), 1, example_table(), false).accept);
  job.fits = false;
  EXPECT_FALSE(admit(rules, job, power(38), 0, example_table(), false).accept);
}

TEST(LaxReference, MlfqChangesLevelJustAfterOneThirdAndTwoThirds) {
  Rules rules;
  rules.policy = Policy::Mlfq;
  Job job = job_of(0, JobState::Ready, {}, 900);
  const auto level = [&](std::uint64_t age) { return rank(rules, job, 0, age, false).first; };
  EXPECT_EQ(level(300), 0);
  EXPECT_EQ(level(301), 1);
  EXPECT_EQ(level(600), 1);
  EXPECT_EQ(level(601), 0);
  EXPECT_EQ(level(5000), 0);
}

TEST(LaxReference, EdfOrderOfTwoJobsDoesNotChangeWithTime) {
  Rules rules;
  rules.policy = Policy::Edf;
  Job early = job_of(0, JobState::Ready, {{5, 1}}, 40000), late = job_of(1, JobState::Ready, {{5, 900}}, 30000);
  late.start = 10001;
  for (std::uint64_t now = 10001; now < 100000; now += 997) {
    EXPECT_LT(rank(rules, early, 3750, now, false), rank(rules, late, 900 * 3750, now - 10001, false));
  }
}

TEST(LaxReference, NewJobComesBeforeLaxityOneUntilTheNextUpdate) {
  Job job = job_of(0, JobState::Ready, {}, 1000);
  EXPECT_EQ(rank(Rules{}, job, 0, 999, false), Rank(0, 1));
  EXPECT_LT(rank(Rules{}, job, 100, 0, true), Rank(0, 1));
  Rules rules;
  rules.initial = Initial::Lowest;
  EXPECT_EQ(rank(rules, job, 100, 0, true), Rank(3, infinite()));
  rules.initial = Initial::Computed;
  EXPECT_EQ(rank(rules, job, 100, 0, true), Rank(0, 900));
}

TEST(LaxReference, DurationWrapsAt48BitsAndTakesStartsAheadAsNow) {
  bool future = true;
  EXPECT_EQ(duration(5, power(48) - 10, &future), 15);
  EXPECT_FALSE(future);
  EXPECT_EQ(duration(5, 6, &future), 0);
  EXPECT_TRUE(future);
  EXPECT_EQ(duration(power(47) - 1, 0, &future), longest());
  EXPECT_FALSE(future);
  EXPECT_EQ(duration(power(47), 0, &future), 0);
  EXPECT_TRUE(future);
}

// A smoothed rate approaches a constant measurement exactly from above and to within 2^shift - 1 from below.
TEST(LaxReference, SmoothedRateConvergesWithinItsStatedDistance) {
  for (unsigned shift = 0; shift <= 4; ++shift) {
    Rules rules;
    rules.ewma_shift = shift;
    const Window window{1, 1000, 1000, 1000};
    for (const Integer& from : {Integer(1), Integer(1 << 30)}) {
      std::optional<Integer> value = from;
      for (int round = 0; round < 2000; ++round) value = refresh(rules, window, value);
      const Integer distance = 256000 - *value;
      EXPECT_GE(distance, 0);
      EXPECT_LE(distance, from == 1 ? Integer(power(shift) - 1) : Integer(0)) << shift;
    }
  }
}

TEST(LaxReference, PeakHoldFallsAtOnceAndRisesByTheLeak) {
  Rules rules;
  rules.rate = RateMode::PeakHold;
  EXPECT_EQ(refresh(rules, {1, 0, 10, 0}, Integer(800000)), 2560);
  EXPECT_EQ(refresh(rules, {1, 0, 1000000, 0}, Integer(800000)), 900000);
  EXPECT_EQ(refresh(rules, {1, 0, 1, 0}, Integer(0xFFFFFFFF)), 256);
  EXPECT_EQ(refresh(rules, {1, 0, (std::uint64_t{1} << 32U), 0}, Integer(0xFFFFFFFF)), infinite());
  EXPECT_EQ(refresh(rules, {0, 0, 10, 0}, Integer(800000)), std::nullopt);
}

TEST(LaxReference, LaxityIsLimitedToSigned32Bits) {
  EXPECT_EQ(laxity(infinite(), 5, 5), power(31) - 1);
  EXPECT_EQ(laxity(longest(), 0, 0), power(31) - 1);
  EXPECT_EQ(laxity(1, longest(), longest()), -power(31));
  EXPECT_EQ(laxity(100, 60, 50), -10);
}

// ---- random cases -------------------------------------------------------------------------------------------------

struct RandomRates {
  Table rounded;
  ExactTable exact;
};

/// Returns rates as measured: both tables from the same windows. No measurement reaches a limit.
RandomRates random_rates(Xoshiro256& rng, unsigned kernel_types) {
  RandomRates rates;
  for (unsigned kernel = 0; kernel < kernel_types; ++kernel) {
    if (rng.below(8) == 0) continue;
    Window window;
    window.completed = 1 + rng.below(std::uint64_t{1} << rng.below(12));
    window.active = 1 + rng.below(std::uint64_t{1} << rng.below(19));  // 2^18 * 8 * 2000 fits into 32 bits
    const std::optional<Integer> rounded = refresh(Rules{}, window, std::nullopt);
    const Rational exact = exact_time_per_group(RateMode::Active, window);
    // The least estimate of the table is 1/256 cycle: faster kernels lie outside the bound.
    if (exact < Rational(1, 256)) continue;
    rates.rounded[kernel] = *rounded;
    rates.exact[kernel] = exact;
  }
  return rates;
}

Launches random_launches(Xoshiro256& rng, unsigned kernel_types, unsigned count) {
  Launches launches;
  for (unsigned i = 0; i < count; ++i) {
    launches.push_back({static_cast<unsigned>(rng.below(kernel_types)), Integer(rng.below(2000))});
  }
  return launches;
}

// Returns the largest error of a key: one cycle of the last rounding and 1/256 per thread block.
Rational bound_of(const Launches& launches) { return 1 + Rational(groups(launches), 256); }

TEST(LaxReference, RemainingTimeIsBelowTheExactValueByLessThanTheBound) {
  Xoshiro256 rng(20260101);
  for (int round = 0; round < unless_sanitized(20000, 4000); ++round) {
    const RandomRates rates = random_rates(rng, 16);
    const Launches launches = random_launches(rng, 16, 1 + static_cast<unsigned>(rng.below(8)));
    const Rational exact = exact_remaining(launches, rates.exact);
    const Rational error = exact - Rational(remaining(launches, rates.rounded));
    ASSERT_GE(error, 0) << "round " << round;
    ASSERT_LT(error, bound_of(launches)) << "round " << round;
  }
}

TEST(LaxReference, OneElementPerKernelTypeGivesTheRemainingTimeOfOnePerLaunch) {
  Xoshiro256 rng(20260102);
  for (int round = 0; round < unless_sanitized(2000, 400); ++round) {
    const RandomRates rates = random_rates(rng, 8);
    const Launches launches = random_launches(rng, 8, 1 + static_cast<unsigned>(rng.below(361)));
    ASSERT_EQ(remaining(aggregated(launches), rates.rounded), remaining(launches, rates.rounded)) << "round " << round;
  }
}

TEST(LaxReference, RanksChangePlacesOnlyWithinTheRoundingBound) {
  Xoshiro256 rng(20260103);
  int close = 0;
  for (int round = 0; round < unless_sanitized(5000, 1000); ++round) {
    const RandomRates rates = random_rates(rng, 6);
    struct Case {
      Rank rounded;
      ExactRank exact;
      Rational bound;
    };
    std::vector<Case> cases;
    const std::uint64_t deadline = 1 + rng.below(10000000);
    for (int i = 0; i < 2; ++i) {
      // The second is a small change of the first, so that ranks come close to one another.
      Launches launches = random_launches(rng, 6, 3);
      if (i == 1 && rng.below(2) == 0) launches = random_launches(rng, 2, 1);
      const std::uint64_t age = rng.below(deadline + deadline / 4 + 1);
      Job job;
      job.deadline = deadline;
      const Integer rem = remaining(launches, rates.rounded);
      cases.push_back({rank(Rules{}, job, rem, age, false),
                       exact_rank(deadline, exact_remaining(launches, rates.exact), age), bound_of(launches)});
    }
    const auto level = [](const Case& entry) { return entry.rounded.first.convert_to<int>(); };
    for (const Case& entry : cases) {
      // Rounding is downwards, so a level may be one better than the exact one, and only at the border.
      if (level(entry) != entry.exact.first) {
        ++close;
        ASSERT_EQ(level(entry), 0);
        ASSERT_EQ(entry.exact.first, 1);
        ASSERT_LT(entry.exact.second - Rational(deadline), entry.bound);
      }
    }
    if (level(cases[0]) != cases[0].exact.first || level(cases[1]) != cases[1].exact.first) continue;
    if (cases[0].exact == cases[1].exact) continue;
    const bool exact_first = cases[0].exact < cases[1].exact;
    const bool inverted = exact_first ? cases[1].rounded < cases[0].rounded : cases[0].rounded < cases[1].rounded;
    if (inverted) {
      ASSERT_EQ(cases[0].exact.first, cases[1].exact.first);
      const Rational distance = abs(cases[0].exact.second - cases[1].exact.second);
      ASSERT_LT(distance, std::max(cases[0].bound, cases[1].bound)) << "round " << round;
    }
  }
}

TEST(LaxReference, RankWithoutClassesIsThePublishedPriority) {
  Xoshiro256 rng(20260104);
  Rules rules;
  rules.classes = false;
  for (int round = 0; round < unless_sanitized(5000, 1000); ++round) {
    Job job;
    job.deadline = 1 + rng.below(1000000);
    const Integer rem = rng.below(1000000), age = rng.below(1500000);
    const auto literal = literal_priority<Integer>(job.deadline, rem, age);
    ASSERT_EQ(rank(rules, job, rem, age, false), Rank(0, literal.value_or(infinite())));
  }
}

// With equal deadlines the classes change nothing; with mixed ones they do, which is why they exist.
TEST(LaxReference, ClassesChangeTheOrderOnlyIfDeadlinesDiffer) {
  Xoshiro256 rng(20260105);
  Rules literal;
  literal.classes = false;
  int changed = 0;
  for (int round = 0; round < unless_sanitized(5000, 1000); ++round) {
    const std::uint64_t deadline = 1 + rng.below(100000);
    for (const bool equal : {true, false}) {
      Rank with[2], without[2];
      for (int i = 0; i < 2; ++i) {
        Job job;
        job.deadline = equal || i == 0 ? deadline : 1 + rng.below(10000000);
        const Integer rem = rng.below(100000), age = rng.below(150000);
        with[i] = rank(Rules{}, job, rem, age, false);
        without[i] = rank(literal, job, rem, age, false);
      }
      const bool same = (with[0] < with[1]) == (without[0] < without[1]);
      ASSERT_TRUE(same || !equal) << "round " << round;
      changed += same ? 0 : 1;
    }
  }
  EXPECT_GT(changed, 0);
}

// Jobs are judged one after the other, each behind the admitted ones. The result equals that of the published walk over
// the whole queue, if that walk tests new jobs only.
TEST(LaxReference, AdmissionOfABurstIsThePublishedWalk) {
  Xoshiro256 rng(20260106);
  Rules rules;
  rules.warm = Warm::Optimistic;
  std::set<std::string> outcomes;
  for (int round = 0; round < unless_sanitized(2000, 400); ++round) {
    const RandomRates rates = random_rates(rng, 6);
    std::vector<Job> jobs;
    std::vector<LiteralJob<Integer>> literal;
    const Integer now = 20000000;
    for (unsigned q = 0; q < 12; ++q) {
      const JobState state = q < 6 ? (rng.below(3) == 0 ? JobState::Running : JobState::Ready) : JobState::Init;
      Job job = job_of(q, state, random_launches(rng, 6, 2), 1 + rng.below(10000000));
      job.start = now - rng.below(1000000);
      literal.push_back({state, job.deadline, remaining(job.launches, rates.rounded), duration(now, job.start)});
      jobs.push_back(job);
    }
    auto retested = literal;
    literal_admission(literal, false);
    literal_admission(retested, true);
    Integer ahead = 0;
    for (const Job& job : jobs) ahead += work_ahead(rules, job, rates.rounded);
    for (Job& job : jobs) {
      if (job.state != JobState::Init) continue;
      const Verdict verdict = admit(rules, job, ahead, now, rates.rounded, false);
      job.state = verdict.accept ? JobState::Ready : JobState::Rejected;
      ahead += work_ahead(rules, job, rates.rounded);
    }
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      ASSERT_EQ(jobs[i].state, literal[i].state) << "round " << round << ", job " << i;
      if (i >= 6) outcomes.insert(jobs[i].state == JobState::Ready ? "accepted" : "refused");
      if (i < 6 && retested[i].state == JobState::Rejected) outcomes.insert("killed when retested");
    }
  }
  EXPECT_EQ(outcomes.size(), 3U);  // all three outcomes occurred, including the difference from the printed form
}

// ---- order, PREMA, lists ------------------------------------------------------------------------------------------

TEST(LaxReference, RoundRobinStartsBehindTheLastGrant) {
  std::vector<Ranked> jobs;
  for (const unsigned q : {0U, 2U, 3U}) jobs.push_back({job_of(q, JobState::Ready, {}, 1), {0, 0}});
  EXPECT_EQ(first_to_parse(Policy::Rr, jobs, 3, 4), 0U);
  EXPECT_EQ(first_to_parse(Policy::Rr, jobs, 0, 4), 2U);
  EXPECT_EQ(first_to_parse(Policy::Rr, jobs, 2, 4), 3U);
  EXPECT_EQ(first_to_parse(Policy::Fcfs, {}, 2, 4), std::nullopt);
}

TEST(LaxReference, EqualRanksGoByArrivalThenQueue) {
  std::vector<Ranked> jobs;
  for (const unsigned q : {1U, 2U, 3U}) jobs.push_back({job_of(q, JobState::Ready, {}, 1), {0, 5}});
  jobs[0].job.arrival = 9;
  jobs[1].job.arrival = 4;
  jobs[2].job.arrival = 4;
  EXPECT_EQ(first_to_parse(Policy::Lax, jobs, 0, 4), 2U);
  jobs[2].rank = {0, 4};
  EXPECT_EQ(first_to_dispatch(Policy::Lax, jobs), 3U);
  jobs[0].rank = {1, 0};
  EXPECT_EQ(first_to_dispatch(Policy::Lax, jobs), 3U);
}

TEST(LaxReference, PremaRanksCandidatesByTimeAndStopsTheExecutingJobWithFewestTokens) {
  std::vector<Job> live;
  const unsigned tokens[] = {900, 2400, 100, 100, 800};
  for (unsigned q = 0; q < 5; ++q) {
    Job job = job_of(q, JobState::Ready, {}, 1);
    job.token = tokens[q];
    job.open = q != 1;
    live.push_back(job);
  }
  const std::map<unsigned, Integer> rem = {{0, 70}, {1, 50}, {2, 1}, {3, 2}, {4, 60}};
  PremaRanking ranking = prema_rank(live, rem, {});
  EXPECT_EQ(ranking.threshold, 9U);  // 2400 is 9.375 tokens
  EXPECT_EQ(ranking.order, (std::vector<unsigned>{1, 0, 4, 2, 3}));
  EXPECT_EQ(ranking.victim, std::nullopt);
  ranking = prema_rank(live, rem, {{1, true}});
  EXPECT_EQ(ranking.victim, 3U);  // of the two queues with 100 tokens the one with the higher number
  live[1].token = 2303;           // just below nine tokens
  ranking = prema_rank(live, rem, {{1, true}});
  EXPECT_EQ(ranking.threshold, 3U);
  EXPECT_EQ(ranking.order, (std::vector<unsigned>{1, 4, 0, 2, 3}));
}

TEST(LaxReference, TokensGrowWhileAJobWaitsByWaitOverIsolatedTime) {
  Job job = job_of(0, JobState::Ready, {}, 1);
  job.token = 256;
  job.isolated = 1000;
  EXPECT_EQ(token_after(Rules{}, job, 500, 9999), 256 + 128);
  EXPECT_EQ(token_after(Rules{}, job, 500, 250), 256 + 64);
  job.open = true;
  EXPECT_EQ(token_after(Rules{}, job, 500, 9999), 256);
  job.preempted = true;
  EXPECT_EQ(token_after(Rules{}, job, 500, 9999), 256 + 128);
  job.isolated = 1;
  EXPECT_EQ(token_after(Rules{}, job, infinite(), longest()), power(24) - 1);
}

Submission submission_of(unsigned announced, Launches beats) {
  Submission submission;
  submission.announced = announced;
  submission.beats = std::move(beats);
  submission.deadline = 1000;
  return submission;
}

TEST(LaxReference, FirstReasonAgainstASubmissionWins) {
  const auto reason = [](const Submission& s, JobState state = JobState::Free, bool on = true) {
    return check(s, on, state, 8, 2);
  };
  EXPECT_EQ(reason(submission_of(1, {{1, 5}})), Reason::Ok);
  EXPECT_EQ(reason(submission_of(1, {{1, 5}}), JobState::Free, false), Reason::NoJob);
  EXPECT_EQ(reason(submission_of(1, {{1, 5}}), JobState::Done), Reason::BusyQid);
  EXPECT_EQ(reason(submission_of(2, {{1, 5}})), Reason::BadList);
  EXPECT_EQ(reason(submission_of(0, {})), Reason::BadList);
  EXPECT_EQ(reason(submission_of(3, {{1, 5}, {1, 5}, {1, 5}})), Reason::BadList);
  EXPECT_EQ(reason(submission_of(2, {{1, 0}, {2, 0}})), Reason::BadList);
  EXPECT_EQ(reason(submission_of(2, {{1, 0}, {8, 1}})), Reason::BadKid);
  Submission zero = submission_of(1, {{1, 5}});
  zero.deadline = 0;
  EXPECT_EQ(reason(zero), Reason::BadDeadline);
  zero.append = true;
  EXPECT_EQ(reason(zero, JobState::Ready), Reason::Ok);
  EXPECT_EQ(reason(zero, JobState::Init), Reason::BusyQid);
  EXPECT_EQ(reason(zero, JobState::Rejected), Reason::NoJob);
}

TEST(LaxReference, AppendedWorkAddsUpOrIsRefusedAsAWhole) {
  const Launches list = {{1, 5}};
  const auto sum = appended(list, {{2, 7}, {1, 0xFFFFFF}}, 2);
  ASSERT_TRUE(sum);
  EXPECT_EQ(sum->size(), 2U);
  EXPECT_EQ((*sum)[0].groups, 0xFFFFFF);
  EXPECT_EQ((*sum)[1].groups, 7);
  EXPECT_EQ(appended(list, {{2, 7}, {3, 1}}, 2), std::nullopt);
}

}  // namespace
}  // namespace castor::lax::reference::reference_test
