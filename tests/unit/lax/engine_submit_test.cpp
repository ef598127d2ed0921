// Submissions and appends, good and bad (docs/blocks/lax.md, "Submission").

#include "unit/lax/engine_support.h"

namespace castor::lax::test::engine_submit_test {
namespace {

constexpr unsigned kBusy = 3;
constexpr unsigned kBadList = 4;
constexpr unsigned kBadKid = 5;
constexpr unsigned kBadDeadline = 6;
constexpr unsigned kNoJob = 7;

TEST(LaxSubmission, AppendToAJobThatIsNotJudgedYetFindsItBusy) {
  Bench bench(params(128, 2, 4, 1));
  bench.policy(Policy::kLax);
  bench.submit({3, {{0, 1}}, 1'000'000});
  bench.submit({3, {{0, 1}}, kNone, 0, true});  // the scan of 128 queues is still in progress
  EXPECT_EQ(bench.verdict(0).reason, kBusy);
  EXPECT_TRUE(bench.verdict(1).accept);
  EXPECT_TRUE(bench.judge({3, {{0, 1}}, kNone, 0, true}).accept);
}

struct BadSubmission {
  const char* name;
  Submission submission;
  unsigned reason;
  std::uint32_t errors;
};

TEST(LaxSubmission, BadListsAreRefusedWithTheirReason) {
  // Three slots, five kernel types.
  const std::vector<BadSubmission> all{
      {"no beats", {1, {}}, kBadList, 0},
      {"last beat early", {1, {{0, 1}, {1, 1}}, 10, 0, false, false, 3}, kBadList, err::kBeat},
      {"last beat late", {1, {{0, 1}, {1, 1}}, 10, 0, false, false, 1}, kBadList, err::kBeat},
      {"four announced and sent", {1, {{0, 1}, {1, 1}, {2, 1}, {3, 1}}}, kBadList, 0},
      {"four beats of one type", {1, {{0, 1}, {0, 1}, {0, 1}, {0, 1}}}, kBadList, 0},
      {"no TBs", {1, {{0, 0}, {1, 0}}}, kBadList, 0},
      {"kernel type 5", {1, {{0, 1}, {5, 1}}}, kBadKid, 0},
      {"kernel type 255 only", {1, {{255, 1}}}, kBadKid, 0},
      {"kernel type 5 with no TBs", {1, {{5, 0}}}, kBadList, 0},
      {"deadline 0", {1, {{0, 1}}, 0}, kBadDeadline, 0},
      {"deadline 0 and kernel type 5", {1, {{5, 1}}, 0}, kBadKid, 0},
      {"forty beats announced as 31", {1, std::vector<Beat>(40), 10, 0, false, false, 31}, kBadList, 0},
      {"forty beats announced as 8", {1, std::vector<Beat>(40), 10, 0, false, false, 8}, kBadList, err::kBeat},
  };
  for (const BadSubmission& bad : all) {
    Bench bench(params(16, 3, 5, 4));
    bench.policy(Policy::kLax);
    ASSERT_TRUE(bench.judge({0, {{0, 1}, {1, 1}, {2, 1}}}).accept);
    const VerdictSeen verdict = bench.judge(bad.submission);
    EXPECT_FALSE(verdict.accept) << bad.name;
    EXPECT_EQ(verdict.reason, bad.reason) << bad.name;
    EXPECT_EQ(verdict.q, 1U) << bad.name;
    EXPECT_EQ(verdict.est, 0U) << bad.name;
    EXPECT_EQ(bench.state_of(1), JobState::kFree) << bad.name;
    EXPECT_EQ(bench.read(reg::kErrStat), bad.errors) << bad.name;
    EXPECT_EQ(bench.read(reg::kIrqStat), irq::kReject | (bad.errors != 0 ? irq::kProtocol : 0U)) << bad.name;
    EXPECT_EQ(bench.read(reg::kCounters), 2U);      // submitted
    EXPECT_EQ(bench.read(reg::kCounters + 8), 1U);  // rejected
    EXPECT_TRUE(bench.judge({1, {{0, 1}}}).accept) << bad.name;
  }
}

TEST(LaxSubmission, CountsOfOneTypeAddUpAndSaturate) {
  Bench bench(params(16, 3, 5, 4));
  bench.policy(Policy::kLax);
  EXPECT_TRUE(bench.judge({1, {{2, 4}, {1, 7}, {2, 5}}}).accept);
  EXPECT_EQ(bench.job(1, 0x1c) >> 16U, 2U);
  EXPECT_EQ(bench.slot(1, 0), 2U << 24U | 9U);
  EXPECT_EQ(bench.slot(1, 1), 1U << 24U | 7U);
  EXPECT_TRUE(bench.judge({2, {{2, 0xfffffe}, {2, 1}, {2, 1}}}).accept);
  EXPECT_EQ(bench.slot(2, 0), 2U << 24U | 0xffffffU);
  EXPECT_TRUE(bench.judge({1, {{2, 0xfffff7}}, kNone, 0, true}).accept);
  EXPECT_EQ(bench.slot(1, 0), 2U << 24U | 0xffffffU);
}

TEST(LaxSubmission, AStartInTheFutureCountsAsNow) {
  Bench bench;
  bench.policy(Policy::kLax);
  bench.preload(0, 100 << 8);
  bench.time = 1'000'000;
  const VerdictSeen verdict = bench.judge({1, {{0, 3}}, 400, 2'000'000});
  EXPECT_TRUE(verdict.accept);
  EXPECT_EQ(verdict.est, 300U);
  EXPECT_EQ(bench.read(reg::kErrStat), err::kTime);
  EXPECT_EQ(bench.job(1, 0x10), 0U);
  // A scan skips the queue without an error.
  bench.errors();
  bench.judge({2, {{0, 1}}, 100'000});
  EXPECT_EQ(bench.errors(), 0U);
}

TEST(LaxSubmission, AStartBeforeTheTimeWrapsCounts) {
  Bench bench;
  bench.policy(Policy::kLax);
  bench.time = 100 - static_cast<std::uint64_t>(bench.now);
  const VerdictSeen verdict = bench.judge({1, {{0, 3}}, 100'000, 0xffff'ffff'fff0});
  EXPECT_TRUE(verdict.accept);
  EXPECT_EQ(verdict.est, bench.job(1, 0x10));
  EXPECT_GT(verdict.est, 116U);
  EXPECT_LT(verdict.est, 150U);
  EXPECT_EQ(bench.errors(), 0U);
}

TEST(LaxSubmission, AnOldStartIsExpired) {
  Bench bench;
  bench.policy(Policy::kLax);
  const auto judge = [&](std::uint64_t age_at_visit, unsigned q) {
    // The visit opens 4 (scan) + 5 cycles after the header: header, beat, commit, idle, scan of 4, next.
    bench.look();
    return bench.judge({q, {{0, 1}}, 500, bench.in.now + 9 - age_at_visit});
  };
  const VerdictSeen late = judge(500, 0);
  EXPECT_EQ(late.est, 500U);
  EXPECT_FALSE(late.accept);
  EXPECT_EQ(late.reason, 2U);
  const VerdictSeen early = judge(499, 1);
  EXPECT_EQ(early.est, 499U);
  EXPECT_TRUE(early.accept);
}

TEST(LaxAppend, AddsToSlotsAllOrNothing) {
  Bench bench(params(16, 3, 5, 4));
  bench.policy(Policy::kLax);
  bench.judge({1, {{0, 4}, {1, 4}}, 10'000'000});
  // One new type fits, with counts for the old ones.
  EXPECT_TRUE(bench.judge({1, {{1, 2}, {3, 5}}, 1, 0, true}).accept);
  EXPECT_EQ(bench.slot(1, 0), 0U << 24U | 4U);
  EXPECT_EQ(bench.slot(1, 1), 1U << 24U | 6U);
  EXPECT_EQ(bench.slot(1, 2), 3U << 24U | 5U);
  EXPECT_EQ(bench.job(1, 0x1c) >> 16U, 3U);
  EXPECT_EQ(bench.job(1, 0), 10'000'000U);  // the deadline keeps its value
  // One type too many: nothing changes.
  const VerdictSeen verdict = bench.judge({1, {{0, 1}, {4, 1}}, 1, 0, true});
  EXPECT_EQ(verdict.reason, kBadList);
  EXPECT_FALSE(verdict.accept);
  EXPECT_EQ(bench.slot(1, 0), 0U << 24U | 4U);
  EXPECT_EQ(bench.job(1, 0x1c) >> 16U, 3U);
  EXPECT_TRUE(bench.judge({1, {{0, 1}, {3, 0}}, 1, 0, true}).accept);
  EXPECT_EQ(bench.slot(1, 0), 0U << 24U | 5U);
  EXPECT_EQ(bench.errors(), 0U);
  EXPECT_EQ(bench.read(reg::kCounters + 4), 3U);  // accepted
  EXPECT_EQ(bench.read(reg::kCounters + 8), 1U);
}

TEST(LaxAppend, MayComeWhileAKernelRuns) {
  Bench bench(params(16, 3, 5, 4));
  bench.policy(Policy::kLax);
  bench.judge({1, {{0, 2}}});
  bench.launch(1, 0);
  bench.step();
  EXPECT_TRUE(bench.judge({1, {{0, 2}}, kNone, 0, true}).accept);
  for (int i = 0; i < 4; ++i) {
    bench.wgc(1, 0);
    bench.step();
  }
  EXPECT_EQ(bench.errors(), 0U);
  EXPECT_EQ(bench.slot(1, 0), 0U);
}

TEST(LaxAppend, IsRefusedIfTheJobEndsMeanwhile) {
  // Cycles after the header: 1 beat, 2 S_COMMIT, 3 S_CHK, 4 S_MRG, 5 S_VER; the verdict is output in cycle 6.
  for (const std::int64_t end : {1, 2, 3, 4, 5, 6}) {
    Bench bench(params(16, 3, 5, 4));
    bench.policy(Policy::kLax);
    bench.judge({1, {{0, 2}}});
    bench.launch(1, 0);
    bench.step();
    bench.look();
    const std::int64_t header = bench.now;
    bench.in.js_valid = 1;
    bench.in.js_qid = 1;
    bench.in.js_nkt = 1;
    bench.in.js_append = 1;
    bench.step();
    while (bench.now <= header + 6) {
      if (bench.now == header + 1) {
        bench.in.wl_valid = 1;
        bench.in.wl_kid = 3;
        bench.in.wl_numwg = 1;
        bench.in.wl_last = 1;
      }
      if (bench.now == header + end) bench.kd(1, 0, true);
      bench.step();
    }
    const VerdictSeen verdict = bench.verdict(1);
    const bool in_time = end == 6;
    EXPECT_EQ(verdict.accept, in_time) << end;
    EXPECT_EQ(verdict.reason, in_time ? 0U : kNoJob) << end;
    // A refusal at the commit is earlier.
    EXPECT_EQ(verdict.cycle, header + (end <= 2 ? 3 : 6)) << end;
    EXPECT_EQ(bench.errors(), in_time ? 0U : err::kNoJob) << end;
    EXPECT_EQ(bench.state_of(1), JobState::kDone);
  }
}

TEST(LaxAppend, WaitsForCompletions) {
  Bench bench(params(16, 3, 5, 4));
  bench.policy(Policy::kLax);
  bench.judge({1, {{0, 100}, {1, 1}}});
  bench.launch(1, 0);
  bench.step();
  bench.submit({1, {{1, 1}, {2, 1}}, kNone, 0, true});
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(bench.engine.probes().submit_state, SubmitState::kCommit);
    bench.wgc(1, 0);
    bench.step();
  }
  const std::int64_t free = bench.now;
  EXPECT_EQ(bench.verdict(1).cycle, free + 6);  // S_COMMIT, 2 S_CHK, 2 S_MRG, S_VER
  EXPECT_EQ(bench.slot(1, 0), 50U);
  EXPECT_EQ(bench.slot(1, 1), 1U << 24U | 2U);
}

TEST(LaxAppend, WaitsForCompletionsInEveryStep) {
  Bench bench(params(16, 3, 5, 4));
  bench.policy(Policy::kLax);
  bench.judge({1, {{0, 100}, {1, 1}}});
  bench.launch(1, 0);
  bench.step();
  bench.submit({1, {{0, 7}}, kNone, 0, true});
  for (const SubmitState step : {SubmitState::kCommit, SubmitState::kCheck, SubmitState::kMerge}) {
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(bench.engine.probes().submit_state, step);
      bench.wgc(1, 0);
      bench.step();
    }
    EXPECT_EQ(bench.engine.probes().submit_state, step);
    bench.step();
  }
  EXPECT_EQ(bench.engine.probes().submit_state, SubmitState::kVerdict);
  bench.wgc(1, 0);  // a verdict does not touch the list
  bench.step();
  EXPECT_EQ(bench.engine.probes().submit_state, SubmitState::kIdle);
  EXPECT_EQ(bench.slot(1, 0), 97U);  // 100 - 10 + 7
}

TEST(LaxAppend, ItsVerdictWaitsWhileAVisitDecides) {
  Bench bench(params(16, 3, 5, 4));
  bench.write(reg::kUpdPeriod, 1'000);
  bench.policy(Policy::kLax);
  bench.judge({5, {{0, 100}}});
  // The visit of queue 5 decides 3 cycles after it opens, the append 5 cycles after its header.
  while (!(bench.engine.state().f == MainState::kVOpen && bench.look().upd_busy != 0 && bench.engine.state().q == 3)) {
    bench.step();
  }
  bench.submit({5, {{0, 7}}, kNone, 0, true});
  bench.run(3);
  EXPECT_EQ(bench.engine.probes().main_state, MainState::kVKey);
  EXPECT_EQ(bench.engine.probes().submit_state, SubmitState::kVerdict);
  bench.step();
  EXPECT_EQ(bench.engine.probes().submit_state, SubmitState::kVerdict);
  bench.step();
  EXPECT_EQ(bench.engine.probes().submit_state, SubmitState::kIdle);
}

TEST(LaxSubmission, ACommitWaitsWhileAVisitDecides) {
  Bench bench(params(16, 3, 5, 4));
  bench.write(reg::kUpdPeriod, 1'000);
  bench.policy(Policy::kLax);
  bench.judge({5, {{0, 100}}});
  while (!(bench.engine.state().f == MainState::kVMac && bench.look().upd_busy != 0)) bench.step();
  bench.submit({2, {{0, 7}}});
  EXPECT_EQ(bench.engine.probes().main_state, MainState::kVKey);
  EXPECT_EQ(bench.engine.probes().submit_state, SubmitState::kCommit);
  bench.step();
  EXPECT_EQ(bench.engine.probes().submit_state, SubmitState::kCommit);
  bench.step();
  EXPECT_EQ(bench.engine.probes().submit_state, SubmitState::kIdle);
  EXPECT_EQ(bench.engine.state().job_state(2), JobState::kInit);
}

TEST(LaxSubmission, HeadersAreTakenOnlyWhileAllVerdictsHaveRoom) {
  Bench bench(params(16, 1, 1, 16, 5));
  bench.in.adm_ready = 0;
  bench.policy(Policy::kRr);
  // The queue holds five verdicts: a header is accepted while two more fit.
  for (unsigned n = 0; n < 4; ++n) {
    ASSERT_EQ(bench.look().js_ready, 1) << n;
    bench.submit({n, {{0, 1}}});
    bench.run(12);
    EXPECT_EQ(bench.engine.probes().verdict_count, n + 1);
  }
  EXPECT_EQ(bench.look().js_ready, 0);
  bench.in.js_valid = 1;
  bench.in.js_qid = 9;
  bench.in.js_nkt = 1;
  bench.step();
  EXPECT_EQ(bench.engine.probes().submit_state, SubmitState::kIdle);
  const Outputs first = bench.look();
  bench.run(1'000);
  EXPECT_EQ(bench.look().adm_qid, first.adm_qid);  // the verdict is stable while it waits
  EXPECT_EQ(bench.look().adm_valid, 1);
  bench.in.adm_ready = 1;
  bench.step();
  bench.in.adm_ready = 0;
  EXPECT_EQ(bench.look().adm_qid, 1);
  EXPECT_EQ(bench.look().js_ready, 1);
}

}  // namespace
}  // namespace castor::lax::test::engine_submit_test
