// Three jobs on two slots, cycle by cycle: the worked example of docs/blocks/lax.md, "Policies".

#include <gmock/gmock.h>

#include <array>
#include <map>

#include "unit/lax/engine_support.h"

namespace castor::lax::test::engine_golden_test {
namespace {

constexpr std::int64_t kUnit = 10'000;
constexpr unsigned kJobs = 3;

struct Interval {
  std::int64_t start = -1;
  std::int64_t end = -1;
  friend bool operator==(const Interval& a, const Interval& b) { return a.start == b.start && a.end == b.end; }
  friend std::ostream& operator<<(std::ostream& out, const Interval& i) { return out << i.start << ".." << i.end; }
};

/// Environment of the engine: a command processor that parses at once, and a dispatcher with two slots, each for one
/// kernel of one TB.
class Example {
 public:
  Example(Policy policy, bool admission) : bench(params(4, 2, 8, 4)) {
    bench.now = -100;
    bench.write(reg::kUpdPeriod, 7'000);
    bench.write(reg::kParseLat, 0);
    for (unsigned kid = 0; kid < 6; ++kid) {
      bench.preload(kid, static_cast<std::uint32_t>(kDurations[kid / 2][kid % 2]) << 8U);
    }
    bench.run_to(-2);
    bench.policy(policy, 0, admission ? 0U : 2U);  // the register access is in cycle -2
    for (std::int64_t end = 300'000; bench.now < end;) cycle();
  }

  Bench bench;
  std::array<std::array<Interval, 2>, kJobs> kernels{};

 private:
  static constexpr std::int64_t kDurations[kJobs][2] = {{20'000, 50'000}, {25'000, 65'000}, {10'000, 90'000}};

  void cycle() {
    const std::int64_t now = bench.now;
    static constexpr std::int64_t kHeaders[kJobs] = {0, 4, 10'000};
    static constexpr std::uint32_t kDeadlines[kJobs] = {10 * kUnit, 17 * kUnit, 13 * kUnit};
    Inputs& in = bench.in;
    for (unsigned j = 0; j < kJobs; ++j) {
      const std::int64_t beat = now - kHeaders[j] - 1;
      if (beat == -1) {
        ASSERT_EQ(bench.look().js_ready, 1);
        in.js_valid = 1;
        in.js_qid = static_cast<U8>(j);
        in.js_deadline = kDeadlines[j];
        in.js_start = j == 2 ? 10'000 : 0;
        in.js_nkt = 2;
      } else if (beat == 0 || beat == 1) {
        in.wl_valid = 1;
        in.wl_kid = static_cast<U8>(2 * j + beat);
        in.wl_numwg = 1;
        in.wl_last = beat == 1;
      }
    }
    // Completions, one slot per cycle, lower slot first.
    for (Slot& slot : slots_) {
      if (slot.job < 0 || slot.end > now) continue;
      const auto j = static_cast<unsigned>(slot.job);
      bench.wgc(j, 2 * j + done_[j]);
      bench.kd(j, 2 * j + done_[j], done_[j] == 1);
      kernels[j][done_[j]].end = now;
      if (done_[j]++ == 0) in.pe_vec.set(j);
      slot = Slot{-1, 0, now + 100};
      break;
    }
    const Outputs& verdict = bench.look();
    if (verdict.adm_valid != 0 && verdict.adm_accept != 0) in.pe_vec.set(verdict.adm_qid);
    Slot* offered = nullptr;
    for (Slot& slot : slots_) {
      if (slot.job < 0 && slot.offered <= now && offered == nullptr) offered = &slot;
    }
    in.de_vec = offered != nullptr ? parsed_ : QueueBits{};
    const Outputs out = bench.look();
    if (out.dsel_valid != 0) {
      const unsigned j = out.dsel_qid;
      in.dsel_grant = 1;
      bench.launch(j, 2 * j + done_[j]);
      kernels[j][done_[j]].start = now;
      *offered = Slot{static_cast<int>(j), now + kDurations[j][done_[j]], 0};
      parsed_.clear(j);
    }
    in.psel_grant = out.psel_valid;
    bench.step();
    if (out.psel_valid != 0) {
      in.pe_vec.clear(out.psel_qid);
      parsed_.set(out.psel_qid);
    }
  }

  struct Slot {
    int job = -1;
    std::int64_t end = 0;      // end of the kernel in the slot
    std::int64_t offered = 0;  // first cycle in which the slot may be used
  };
  std::array<Slot, 2> slots_;
  std::array<unsigned, kJobs> done_{};
  QueueBits parsed_;
};

TEST(LaxGolden, RoundRobinLetsTheThirdJobMissItsDeadline) {
  const Example example(Policy::kRr, false);
  const auto& v = example.bench.verdicts;
  ASSERT_EQ(v.size(), 3U);
  const std::array<std::int64_t, 3> cycles{14, 23, 10'014};
  const std::array<std::uint32_t, 3> estimates{70'006, 160'015, 100'006};
  for (unsigned j = 0; j < 3; ++j) {
    EXPECT_TRUE(v[j].accept);
    EXPECT_EQ(v[j].q, j);
    EXPECT_EQ(v[j].cycle, cycles[j]);
    EXPECT_EQ(v[j].est, estimates[j]);
  }
  EXPECT_EQ(example.kernels[0][0], (Interval{17, 20'017}));
  EXPECT_EQ(example.kernels[1][0], (Interval{26, 25'026}));
  EXPECT_EQ(example.kernels[2][0], (Interval{20'118, 30'118}));
  EXPECT_EQ(example.kernels[0][1], (Interval{25'127, 75'127}));
  EXPECT_EQ(example.kernels[1][1], (Interval{30'219, 95'219}));
  EXPECT_EQ(example.kernels[2][1], (Interval{75'228, 165'228}));
  const auto& jobs = example.bench.jobs;
  ASSERT_EQ(jobs.size(), 3U);
  EXPECT_EQ(jobs[0].latency, 75'127U);
  EXPECT_EQ(jobs[1].latency, 95'219U);
  EXPECT_EQ(jobs[2].latency, 155'228U);
  EXPECT_TRUE(jobs[0].met && jobs[1].met);
  EXPECT_FALSE(jobs[2].met);
}

TEST(LaxGolden, LeastLaxityMeetsAllThreeDeadlines) {
  const Example example(Policy::kLax, false);
  const auto& v = example.bench.verdicts;
  ASSERT_EQ(v.size(), 3U);
  const std::array<std::int64_t, 3> cycles{14, 23, 10'014};
  const std::array<std::uint32_t, 3> estimates{70'006, 160'015, 100'006};
  for (unsigned j = 0; j < 3; ++j) {
    EXPECT_TRUE(v[j].accept);
    EXPECT_EQ(v[j].cycle, cycles[j]);
    EXPECT_EQ(v[j].est, estimates[j]);
  }
  EXPECT_EQ(example.kernels[0][0], (Interval{17, 20'017}));
  EXPECT_EQ(example.kernels[1][0], (Interval{26, 25'026}));
  EXPECT_EQ(example.kernels[2][0], (Interval{25'127, 35'127}));
  EXPECT_EQ(example.kernels[0][1], (Interval{20'118, 70'118}));
  EXPECT_EQ(example.kernels[1][1], (Interval{70'219, 135'219}));
  EXPECT_EQ(example.kernels[2][1], (Interval{35'228, 125'228}));
  std::map<unsigned, std::uint32_t> latency;
  for (const JobSeen& job : example.bench.jobs) {
    latency[job.q] = job.latency;
    EXPECT_TRUE(job.met) << job.q;
  }
  EXPECT_THAT(latency,
              testing::ElementsAre(testing::Pair(0, 70'118), testing::Pair(1, 135'219), testing::Pair(2, 115'228)));
}

TEST(LaxGolden, AdmissionRefusesTheThirdJobBecauseItAddsUpWhatRunsAtOnce) {
  const Example example(Policy::kLax, true);
  const auto& v = example.bench.verdicts;
  ASSERT_EQ(v.size(), 3U);
  const std::array<std::int64_t, 3> cycles{18, 27, 10'026};
  const std::array<std::uint32_t, 3> estimates{70'010, 160'019, 260'018};
  for (unsigned j = 0; j < 3; ++j) {
    EXPECT_EQ(v[j].accept, j < 2);
    EXPECT_EQ(v[j].cycle, cycles[j]);
    EXPECT_EQ(v[j].est, estimates[j]);
  }
  EXPECT_EQ(v[2].reason, static_cast<unsigned>(Reason::kPredictMiss));
  EXPECT_EQ(example.kernels[0][0], (Interval{21, 20'021}));
  EXPECT_EQ(example.kernels[1][0], (Interval{30, 25'030}));
  EXPECT_EQ(example.kernels[2][0], (Interval{-1, -1}));
  EXPECT_EQ(example.kernels[0][1], (Interval{20'122, 70'122}));
  EXPECT_EQ(example.kernels[1][1], (Interval{25'131, 90'131}));
  ASSERT_EQ(example.bench.jobs.size(), 2U);
  EXPECT_EQ(example.bench.jobs[0].latency, 70'122U);
  EXPECT_EQ(example.bench.jobs[1].latency, 90'131U);
}

}  // namespace
}  // namespace castor::lax::test::engine_golden_test
