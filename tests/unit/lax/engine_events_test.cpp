// Tests of events of kernels and TBs, in order and out of order, and their effects on jobs (docs/blocks/lax.md,
// "Cycle", "Breaking the rules").

#include <functional>

#include "unit/lax/engine_support.h"

namespace castor::lax::test::engine_events_test {
namespace {

constexpr unsigned kBusy = 3;
constexpr unsigned kNoJob = 7;

/// A disabled engine with one queue in each state.
class LaxRules : public testing::Test {
 protected:
  static constexpr unsigned kFree = 0, kInit = 1, kReady = 2, kRunning = 3, kDone = 4, kRejected = 5;

  LaxRules() : bench(params(16, 3, 5, 4)) {
    bench.policy(Policy::kLax);
    const auto good = [this](unsigned q) { EXPECT_TRUE(bench.judge({q, {{0, 5}, {4, 1}}}).accept); };
    good(kReady);
    good(kRunning);
    bench.launch(kRunning, 0);
    bench.step();
    good(kDone);
    bench.launch(kDone, 0);
    bench.step();
    bench.kd(kDone, 0, true);
    bench.step();
    EXPECT_FALSE(bench.judge({kRejected, {{0, 1}}, 5, 0}).accept);
    // A job stays in Init while the engine is disabled, which it is from the cycle after its commit on.
    bench.submit({kInit, {{0, 5}}});
    bench.ctrl(0, 1);
    bench.run(4);
    const JobState expected[] = {JobState::kFree,    JobState::kInit, JobState::kReady,
                                 JobState::kRunning, JobState::kDone, JobState::kRejected};
    for (unsigned q = 0; q < 6; ++q) EXPECT_EQ(bench.state_of(q), expected[q]) << q;
    EXPECT_EQ(bench.errors(), 0U);
  }

  /// Expects that `event` raises the error `expected` and changes no state except ERR_STAT and what changes with time.
  void ignored(std::uint32_t expected, const std::function<void()>& event, const char* what) {
    while (bench.engine.state().g != 0) bench.step();
    const State before = bench.engine.state();
    event();
    bench.step();
    while (bench.engine.state().g != 0) bench.step();
    State after = bench.engine.state();
    EXPECT_EQ(after.err_stat, expected) << what;
    EXPECT_EQ(after.irq_stat, before.irq_stat | irq::kProtocol) << what;
    after.err_stat = before.err_stat;
    after.irq_stat = before.irq_stat;
    EXPECT_EQ(after, before) << what;
    bench.errors();
  }

  Bench bench;
};

TEST_F(LaxRules, EventsOfQueuesWithoutLiveJobAreIgnored) {
  for (const unsigned q : {kFree, kInit, kDone, kRejected}) {
    ignored(
        err::kNoJob, [&] { bench.ks(q, 0); }, "ks");
    ignored(
        err::kNoJob, [&] { bench.ki(q); }, "ki");
    ignored(
        err::kNoJob, [&] { bench.wgc(q, 0); }, "wgc");
    ignored(
        err::kNoJob, [&] { bench.kd(q, 0, true); }, "kd");
  }
}

TEST_F(LaxRules, KernelTypesThatAreNotThereAreIgnored) {
  ignored(
      err::kNoSlot, [&] { bench.wgc(kRunning, 1); }, "not in the list");
  ignored(
      err::kNoSlot, [&] { bench.wgc(kRunning, 5); }, "no kernel type");
  ignored(
      err::kNoSlot, [&] { bench.wgc(kRunning, 255); }, "no kernel type");
  ignored(
      err::kNoSlot, [&] { bench.ks(kReady, 5); }, "start of no kernel type");
}

TEST_F(LaxRules, CompletionsOutsideAKernelAreIgnored) {
  ignored(
      err::kInFlight, [&] { bench.wgc(kReady, 0); }, "before ks");
  bench.kd(kRunning, 0, false);
  bench.step();
  ignored(
      err::kInFlight, [&] { bench.wgc(kRunning, 0); }, "after kd");
}

TEST_F(LaxRules, ACompletionMoreThanThereAreTbsIsIgnored) {
  for (int i = 0; i < 5; ++i) {
    bench.wgc(kRunning, 0);
    bench.step();
  }
  const std::uint32_t count = bench.kpt(0, 4);
  ignored(
      err::kUnderflow, [&] { bench.wgc(kRunning, 0); }, "sixth");
  EXPECT_EQ(bench.kpt(0, 4), count);
  EXPECT_EQ(bench.read(reg::kCounters + 0x1c), 5U);
  // The job ends with its last kernel, whatever the TB counts are.
  bench.kd(kRunning, 0, true);
  bench.step();
  EXPECT_EQ(bench.state_of(kRunning), JobState::kDone);
  EXPECT_EQ(bench.errors(), 0U);
}

TEST_F(LaxRules, EndsThatDoNotFitAreIgnored) {
  ignored(
      err::kOrder, [&] { bench.kd(kReady, 0, true); }, "ready, not open");
  bench.ks(kReady, 0);
  bench.step();
  ignored(
      err::kOrder, [&] { bench.kd(kReady, 0, true); }, "ready, open");
  ignored(
      err::kInFlight, [&] { bench.kd(kRunning, 4, true); }, "type without instance");
  ignored(
      err::kInFlight, [&] { bench.kd(kRunning, 5, true); }, "no kernel type");
}

TEST_F(LaxRules, StartsAndIssuesOutOfOrderAreIgnored) {
  ignored(
      err::kOrder, [&] { bench.ks(kRunning, 0); }, "ks while running");
  ignored(
      err::kOrder, [&] { bench.ki(kRunning); }, "second ki");
  ignored(
      err::kOrder, [&] { bench.ki(kReady); }, "ki before ks");
  bench.ks(kReady, 0);
  bench.step();
  ignored(
      err::kOrder, [&] { bench.ks(kReady, 4); }, "second ks of an open kernel");
}

TEST_F(LaxRules, GrantsWithoutAnOfferAreIgnored) {
  ignored(
      err::kGrant, [&] { bench.in.psel_grant = 1; }, "parse");
  ignored(
      err::kGrant, [&] { bench.in.dsel_grant = 1; }, "dispatch");
}

TEST_F(LaxRules, ErrorsOfOneCycleAddUp) {
  bench.ks(kFree, 0);
  bench.ki(kRunning);
  bench.wgc(kRunning, 3);
  bench.kd(kRunning, 1, false);
  bench.in.psel_grant = 1;
  bench.step();
  EXPECT_EQ(bench.errors(), err::kNoJob | err::kOrder | err::kNoSlot | err::kInFlight | err::kGrant);
}

TEST_F(LaxRules, ADisabledEngineRefusesEverySubmission) {
  for (unsigned q = 0; q < 6; ++q) {
    const std::size_t index = bench.verdicts.size();
    bench.submit({q, {{0, 1}}});
    EXPECT_EQ(bench.verdict(index).reason, kNoJob) << q;
    bench.submit({q, {{0, 1}}, kNone, 0, true});
    EXPECT_EQ(bench.verdict(index + 1).reason, kNoJob) << q;
  }
  EXPECT_EQ(bench.errors(), 0U);
  EXPECT_EQ(bench.state_of(kInit), JobState::kInit);
}

TEST_F(LaxRules, ADisabledEngineCountsEvents) {
  bench.wgc(kRunning, 0);
  bench.kd(kRunning, 0, true);
  bench.step();
  EXPECT_EQ(bench.state_of(kRunning), JobState::kDone);
  EXPECT_EQ(bench.read(reg::kCounters + 0x1c), 1U);
}

TEST_F(LaxRules, BusyQueuesRefuseNewJobsAndAreLeftAlone) {
  bench.ctrl(1);
  bench.run(60);
  bench.write(reg::kIrqStat, irq::kAll);
  for (unsigned q = 1; q < 6; ++q) {
    const JobState state = bench.state_of(q);
    const std::uint32_t slot = bench.slot(q, 0);
    const VerdictSeen verdict = bench.judge({q, {{1, 9}}});
    EXPECT_FALSE(verdict.accept);
    EXPECT_EQ(verdict.reason, kBusy) << q;
    EXPECT_EQ(verdict.est, 0U);
    EXPECT_EQ(bench.state_of(q), state);
    EXPECT_EQ(bench.slot(q, 0), slot);
  }
  EXPECT_EQ(bench.read(reg::kIrqStat), irq::kBusy | irq::kReject);
  EXPECT_EQ(bench.errors(), 0U);
}

TEST_F(LaxRules, AppendsNeedALiveJob) {
  bench.ctrl(1);
  bench.run(60);
  for (const unsigned q : {kFree, kDone, kRejected}) {
    EXPECT_EQ(bench.judge({q, {{0, 1}}, kNone, 0, true}).reason, kNoJob) << q;
    EXPECT_EQ(bench.errors(), err::kNoJob) << q;
  }
  EXPECT_TRUE(bench.judge({kReady, {{0, 1}}, kNone, 0, true}).accept);
  EXPECT_TRUE(bench.judge({kRunning, {{0, 1}}, kNone, 0, true}).accept);
}

TEST(LaxLife, AKernelMayStartAndEndInOneCycle) {
  Bench bench;
  bench.policy(Policy::kLax);
  bench.judge({1, {{0, 1}, {1, 1}}, 10'000});
  bench.launch(1, 0);
  bench.wgc(1, 0);
  bench.kd(1, 0, false);
  bench.step();
  EXPECT_EQ(bench.engine.state().job_state(1), JobState::kReady);
  EXPECT_FALSE(bench.engine.state().open[1]);
  bench.launch(1, 1);
  bench.wgc(1, 1);
  bench.kd(1, 1, true);
  const std::int64_t end = bench.now;
  bench.step();
  EXPECT_EQ(bench.look().jd_valid, 1);
  bench.step();
  EXPECT_EQ(bench.look().jd_valid, 0);
  EXPECT_EQ(bench.look().jd_lat, 0U);
  ASSERT_EQ(bench.jobs.size(), 1U);
  EXPECT_EQ(bench.jobs[0].cycle, end + 1);
  EXPECT_EQ(bench.jobs[0].q, 1U);
  EXPECT_TRUE(bench.jobs[0].met);
  EXPECT_EQ(bench.errors(), 0U);
  EXPECT_EQ(bench.read(reg::kCounters + 0x20), 2U);  // useful TBs, including the last TB's of the same cycle
  EXPECT_EQ(bench.read(reg::kDonePop), reg::kValid | 1U << 8U | 1U);
}

TEST(LaxLife, TheDeadlineItselfIsMetAndOneCycleMoreIsNot) {
  for (const unsigned late : {0U, 1U}) {
    Bench bench;
    bench.policy(Policy::kLax);
    bench.look();
    const std::uint64_t start = bench.in.now;
    bench.judge({2, {{0, 1}}, 5'000, start});
    bench.launch(2, 0);
    bench.run(1);
    while (wrap48(static_cast<std::uint64_t>(bench.now) + bench.time) < start + 5'000 + late) bench.step();
    bench.wgc(2, 0);
    bench.kd(2, 0, true);
    bench.step();
    bench.step();
    ASSERT_EQ(bench.jobs.size(), 1U);
    EXPECT_EQ(bench.jobs[0].latency, 5'000U + late);
    EXPECT_EQ(bench.jobs[0].met, late == 0);
    EXPECT_EQ(bench.read(reg::kCounters + 0x0c), 1U);         // done
    EXPECT_EQ(bench.read(reg::kCounters + 0x10), 1U - late);  // met
    EXPECT_EQ(bench.read(reg::kCounters + 0x14), late);       // late
    EXPECT_EQ(bench.read(reg::kCounters + 0x1c), 1U);         // TBs
    EXPECT_EQ(bench.read(reg::kCounters + 0x20), 1U - late);  // useful TBs
    EXPECT_EQ(bench.read(reg::kIrqStat), irq::kDone | (late != 0 ? irq::kMissed : 0U));
    EXPECT_EQ(bench.read(reg::kDonePop), reg::kValid | (1U - late) << 8U | 2U);
  }
}

TEST(LaxLife, LatencyOfAJobFromTheFutureIsZeroAndALongOneSaturates) {
  Bench bench;
  bench.policy(Policy::kLax);
  bench.time = 1'000'000;
  bench.judge({0, {{0, 1}}, 5'000, 2'000'000});
  bench.kernel(0, 0, 1, 1, true);
  bench.judge({1, {{0, 1}}});
  bench.launch(1, 0);
  bench.step();
  bench.time += std::uint64_t{1} << 33U;
  bench.kd(1, 0, true);
  bench.step();
  bench.step();
  ASSERT_EQ(bench.jobs.size(), 2U);
  EXPECT_EQ(bench.jobs[0].latency, 0U);
  EXPECT_EQ(bench.jobs[1].latency, 0xffff'fffeU);
  EXPECT_TRUE(bench.jobs[1].met);  // the job has no deadline, so it counts as met
}

TEST(LaxLife, AJobOf361KernelsEndsWithTheLast) {
  Bench bench(params(4, 6, 8, 4));
  bench.policy(Policy::kLax);
  std::vector<Beat> list;
  std::array<std::uint32_t, 6> calls{3, 5, 2, 151, 150, 50};  // sums up to 361
  for (unsigned k = 0; k < 6; ++k) list.push_back({k, calls[k] * 2});
  ASSERT_TRUE(bench.judge({3, list}).accept);
  unsigned left = 361;
  for (unsigned k = 0; left > 0; k = (k + 1) % 6) {
    if (calls[k] == 0) continue;
    --calls[k];
    bench.kernel(3, k, 2, 3, --left == 0);
    EXPECT_EQ(bench.engine.state().job_state(3), left == 0 ? JobState::kDone : JobState::kReady);
  }
  EXPECT_EQ(bench.read(reg::kCounters + 0x1c), 722U);
  for (unsigned s = 0; s < 6; ++s) EXPECT_EQ(bench.slot(3, s) & 0xffffffU, 0U);
  EXPECT_EQ(bench.errors(), 0U);
}

/// An end of a job in each cycle of its visit; the visit must leave no trace in its key or record.
TEST(LaxLife, AJobMayEndInAnyCycleOfItsVisit) {
  for (const MainState at : {MainState::kVOpen, MainState::kVMac, MainState::kVAcc, MainState::kVKey}) {
    Bench bench;
    bench.write(reg::kUpdPeriod, 1'000);
    bench.write(reg::kMinWg, 2);  // the preloaded rate stays
    bench.policy(Policy::kLax);
    bench.preload(0, 100 << 8);
    bench.judge({1, {{0, 7}}, 100'000});
    const std::uint32_t rem = bench.job(1, 0x0c);
    const std::uint32_t dur = bench.job(1, 0x10);
    EXPECT_EQ(rem, 700U);
    bench.launch(1, 0);
    bench.step();
    bench.wgc(1, 0);
    bench.step();
    while (!(bench.engine.state().f == at && bench.engine.state().q == 1)) bench.step();
    bench.kd(1, 0, true);
    bench.step();
    bench.run(30);
    EXPECT_EQ(bench.state_of(1), JobState::kDone);
    EXPECT_EQ(bench.jobs.size(), 1U);
    // In VKey the visit is decided in the same cycle, before the event.
    const bool recorded = at == MainState::kVKey;
    EXPECT_EQ(bench.job(1, 0x0c), recorded ? 600U : rem);
    EXPECT_EQ(bench.job(1, 0x10) == dur, !recorded);
    EXPECT_EQ(bench.errors(), 0U);
  }
}

TEST(LaxLife, AScanStillAddsTheWorkOfAJobThatEndsMeanwhile) {
  for (const MainState at : {MainState::kVOpen, MainState::kVMac, MainState::kVAcc, MainState::kVKey}) {
    Bench bench;
    bench.policy(Policy::kLax);
    bench.preload(0, 100 << 8);
    bench.judge({1, {{0, 7}}, 100'000});
    bench.launch(1, 0);
    bench.step();
    bench.submit({2, {{0, 1}}, 100'000});
    while (!(bench.engine.state().f == at && bench.engine.state().q == 1)) bench.step();
    bench.kd(1, 0, true);
    bench.step();
    const VerdictSeen verdict = bench.verdict(1);
    const std::uint32_t age = bench.job(2, 0x10);
    EXPECT_EQ(verdict.est, 700U + 100U + age) << static_cast<int>(at);
  }
}

TEST(LaxLife, TheDoneQueueHoldsOneEntryPerQueue) {
  Bench bench;  // 4 queues
  bench.policy(Policy::kRr);
  const auto one = [&](unsigned q) {
    bench.judge({q, {{0, 1}}});
    bench.kernel(q, 0, 1, 1, true);
    bench.write(reg::kQState + 4 * q, reg::kHostAck);
  };
  for (unsigned q = 0; q < 4; ++q) one(q);
  EXPECT_EQ(bench.errors(), 0U);
  one(2);
  EXPECT_EQ(bench.errors(), err::kDoneFull);
  EXPECT_EQ(bench.jobs.size(), 5U);  // jd still comes
  // An entry taken in the same cycle frees a queue entry.
  bench.judge({3, {{0, 1}}});
  bench.launch(3, 0);
  bench.step();
  bench.in.reg_req = 1;
  bench.in.reg_addr = reg::kDonePop;
  bench.kd(3, 0, true);
  bench.step();
  EXPECT_EQ(bench.look().reg_rdata, reg::kValid | 1U << 8U);
  bench.step();
  EXPECT_EQ(bench.errors(), 0U);
  for (const unsigned q : {1U, 2U, 3U, 3U}) EXPECT_EQ(bench.read(reg::kDonePop), reg::kValid | 1U << 8U | q);
  EXPECT_EQ(bench.read(reg::kDonePop), 0U);
}

}  // namespace
}  // namespace castor::lax::test::engine_events_test
