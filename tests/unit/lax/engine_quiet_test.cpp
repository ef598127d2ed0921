// Skipping of idle cycles is exact: idle(n) leaves the state that n idle edges leave, and no output changes meanwhile.

#include <memory>

#include "castor/base/rng.h"
#include "castor/twin/block.h"
#include "tests/common/difference.h"
#include "unit/lax/engine_support.h"

namespace castor::lax::test::engine_quiet_test {
namespace {

/// Random inputs: a small model of the engine's environment that mostly keeps the rules, and sometimes breaks them.
class Stimulus {
 public:
  Stimulus(const Params& p, std::uint64_t seed) : p_(p), random_(seed), left_(p.NumQueues) {}

  void drive(const Engine& engine, const Outputs& out, Inputs& in) {
    const State& s = engine.state();
    const auto chance = [this](std::uint64_t one_in) { return random_.below(one_in) == 0; };
    const auto queue = [this] { return static_cast<U8>(random_.below(p_.NumQueues)); };
    const auto kid = [this] { return static_cast<U8>(random_.below(random_.below(50) == 0 ? 256 : p_.NumKt)); };
    twin::make_idle<Block>(in, p_);
    // Submissions.
    if (beats_ > 0) {
      if (out.wl_ready != 0) {
        in.wl_valid = 1;
        in.wl_kid = kid();
        in.wl_numwg = static_cast<U32>(random_.below(6));
        in.wl_last = --beats_ == 0;
      }
    } else if (chance(20) && out.js_ready != 0) {
      in.js_valid = 1;
      in.js_qid = queue();
      in.js_nkt = static_cast<U8>(1 + random_.below(p_.MaxKt));
      in.js_append = chance(5) ? 1 : 0;
      in.js_fits = chance(2) ? 1 : 0;
      in.js_start = wrap48(in.now - random_.below(2'000));
      in.js_deadline = chance(4) ? kNone : static_cast<U32>(random_.below(20'000));
      beats_ = in.js_nkt;
    }
    // Events of a queue that is in a state for them.
    const unsigned q = queue();
    if (s.live(q) && chance(2)) {
      if (!s.open[q] && s.job_state(q) == JobState::kReady) {
        in.ks_valid = 1;
        in.ks_qid = static_cast<U8>(q);
        in.ks_kid = s.queue[q].list.slot[0].kid;
        left_[q] = in.ks_kid;
      } else if (s.job_state(q) == JobState::kReady) {
        in.ki_valid = 1;
        in.ki_qid = static_cast<U8>(q);
      } else if (chance(2)) {
        in.wgc_valid = 1;
        in.wgc_qid = static_cast<U8>(q);
        in.wgc_kid = left_[q];
      } else {
        in.kd_valid = 1;
        in.kd_qid = static_cast<U8>(q);
        in.kd_kid = left_[q];
        in.kd_last = chance(3) ? 1 : 0;
      }
    }
    if (chance(100)) {
      in.wgc_valid = 1;
      in.wgc_qid = queue();
      in.wgc_kid = kid();
    }
    // Levels and grants.
    if (chance(6)) in.pe_vec.assign(queue(), chance(2));
    if (chance(6)) in.de_vec.assign(queue(), chance(2));
    if (chance(6)) in.df_vec.assign(queue(), chance(2));
    if (chance(30)) in.adm_ready ^= 1;
    in.psel_grant = chance(4) && out.psel_valid != 0 && in.pe_vec[out.psel_qid] ? 1 : 0;
    in.dsel_grant = chance(4) && out.dsel_valid != 0 && in.de_vec[out.dsel_qid] ? 1 : 0;
    // Registers.
    if (asks_ || chance(12)) {
      if (!asks_) {
        address_ = address();
        write_ = chance(2);
        data_ = address_ == reg::kCtrl ? ctrl() : static_cast<U32>(random_());
        if (address_ >= reg::kQState && address_ < reg::kTpwIso) data_ |= reg::kHostAck;
        if (address_ == reg::kUpdPeriod || address_ == reg::kPremaPeriod) data_ = 1'000 + data_ % 4'000;
      }
      asks_ = out.reg_ack == 0;
      in.reg_req = 1;
      in.reg_we = write_;
      in.reg_addr = address_;
      in.reg_wdata = data_;
    }
  }

  base::Xoshiro256& random() { return random_; }

 private:
  U16 address() {
    static constexpr U16 kSingle[] = {reg::kCtrl,    reg::kUpdPeriod, reg::kPremaPeriod, reg::kIrqStat,
                                      reg::kErrStat, reg::kDonePop,   reg::kVerdictPop,  reg::kNowLow};
    switch (random_.below(4)) {
      case 0:
        return kSingle[random_.below(8)];
      case 1:
        return static_cast<U16>(reg::kQPrio + 4 * random_.below(p_.NumQueues));
      case 2:
        return static_cast<U16>(reg::kTpwIso + 4 * random_.below(p_.NumKt));
      default:
        return static_cast<U16>(reg::kQState + 4 * random_.below(p_.NumQueues));
    }
  }
  U32 ctrl() {
    U32 value = reg::kCtrlReset & ~0xf0U;
    value |= static_cast<U32>(random_.below(10)) << 4U;
    value ^= static_cast<U32>(random_.below(4)) << 15U;
    if (random_.below(8) != 0) value |= 1U;
    if (random_.below(16) == 0) value |= reg::kCtrlSoftReset;
    if (random_.below(6) == 0) value |= 8U;
    if (random_.below(3) == 0) value |= 1U << 24U;
    return value;
  }

  Params p_;
  base::Xoshiro256 random_;
  std::vector<U8> left_;
  unsigned beats_ = 0;
  bool asks_ = false;
  bool write_ = false;
  U16 address_ = 0;
  U32 data_ = 0;
};

class LaxQuiet : public testing::TestWithParam<Params> {};
INSTANTIATE_TEST_SUITE_P(Sets, LaxQuiet,
                         testing::Values(Params{4, 1, 1, 1, 4, 1}, Params{16, 3, 5, 4, 5, 3},
                                         Params{128, 8, 64, 16, 32, 4}, Params{256, 16, 256, 32, 64, 8},
                                         Params{4, 2, 8, 4, 32, 4}),
                         [](const auto& info) {
                           return std::to_string(info.param.NumQueues) + "_by_" + std::to_string(info.param.SelWidth);
                         });

TEST_P(LaxQuiet, SkippingEqualsClocking) {
  const Params& p = GetParam();
  const std::uint64_t seed = p.NumQueues * 31 + p.SelWidth;
  SCOPED_TRACE(seed);
  Stimulus stimulus(p, seed);
  base::Xoshiro256& random = stimulus.random();
  auto skipped = std::make_unique<Engine>(p);
  Inputs in;
  std::uint64_t longest = 0;
  unsigned enabled = 0, offered = 0, waiting = 0;
  const auto advance = [&] { in.now = wrap48(in.now + 1); };
  for (unsigned trial = 0; trial < 120; ++trial) {
    for (std::uint64_t i = random.below(600); i > 0; --i) {
      stimulus.drive(*skipped, skipped->settle(in), in);
      skipped->settle(in);
      skipped->clock(in);
      advance();
    }
    // Clocks idle edges until the engine is quiet (an enabled engine waits for its updates).
    twin::make_idle<Block>(in, p);
    for (unsigned i = 0; i < 20'000 && skipped->quiet() == 0; ++i) {
      skipped->clock(in);
      advance();
    }
    const base::Cycle quiet = skipped->quiet();
    if (quiet == 0) continue;
    longest = std::max(longest, std::min<base::Cycle>(quiet, 100'000));
    const State& s = skipped->state();
    enabled += s.config.enable;
    offered += s.p.valid != 0 && s.d.valid != 0 ? 1 : 0;
    waiting += s.verdicts.empty() ? 0 : 1;
    // Skips the whole quiet period now and then, otherwise a part of it.
    const base::Cycle most = std::min<base::Cycle>(quiet, 4'000);
    const base::Cycle n = random.below(3) == 0 ? most : random.below(most + 1);
    auto clocked = std::make_unique<Engine>(*skipped);
    const Outputs before = clocked->settle(in);
    for (base::Cycle i = 0; i < n; ++i) {
      ASSERT_EQ(tests::difference<Block>(clocked->settle(in), before, p), "") << "trial " << trial << " edge " << i;
      clocked->clock(in);
      advance();
    }
    ASSERT_EQ(tests::difference<Block>(clocked->settle(in), before, p), "") << "trial " << trial;
    // Skips the cycles in one step or in two.
    const base::Cycle first = random.below(n + 1);
    skipped->idle(first);
    ASSERT_GE(skipped->quiet(), n - first);
    skipped->idle(n - first);
    ASSERT_EQ(skipped->state(), clocked->state()) << "trial " << trial << " after " << n;
    ASSERT_EQ(skipped->quiet(), clocked->quiet());
    // Both engines then continue in the same way.
    for (unsigned i = 0; i < 400; ++i) {
      const Outputs out = clocked->settle(in);
      stimulus.drive(*clocked, out, in);
      ASSERT_EQ(tests::difference<Block>(clocked->settle(in), skipped->settle(in), p), "")
          << "trial " << trial << " cycle " << i;
      clocked->clock(in);
      skipped->clock(in);
      advance();
    }
    ASSERT_EQ(skipped->state(), clocked->state());
  }
  // The trials included long quiet periods.
  EXPECT_GT(longest, 500U);
  EXPECT_GT(enabled, 20U);
  EXPECT_GT(offered, 5U);
  EXPECT_GT(waiting, 5U);
}

TEST(LaxQuietBound, ReachesToTheNextTickAndForEverWhenDisabled) {
  Bench bench(params(16, 1, 1, 4));
  bench.run(8);
  EXPECT_EQ(bench.engine.quiet(), base::kForever);
  bench.policy(Policy::kLax);
  bench.run(20);
  const base::Cycle quiet = bench.engine.quiet();
  EXPECT_EQ(quiet, 150'000 - bench.engine.probes().update_timer - 1);
  bench.engine.idle(quiet);
  bench.now += static_cast<std::int64_t>(quiet);
  EXPECT_EQ(bench.engine.quiet(), 0U);
  bench.step();  // the tick
  EXPECT_EQ(bench.look().upd_busy, 0);
  bench.step();
  EXPECT_EQ(bench.look().upd_busy, 1);
}

TEST(LaxQuietBound, IsZeroWhileAnythingMoves) {
  Bench bench(params(16, 1, 1, 4));
  bench.policy(Policy::kLax);
  bench.run(20);
  const auto quiet = [&] { return bench.engine.quiet(); };
  ASSERT_GT(quiet(), 0U);
  bench.in.pe_vec.set(3);  // a new level may lead to an offer
  bench.step();
  EXPECT_EQ(quiet(), 0U);
  bench.run(20);
  EXPECT_GT(quiet(), 0U);
  bench.in.adm_ready = 0;
  bench.submit({3, {{0, 1}}});
  EXPECT_EQ(quiet(), 0U);
  bench.run(60);
  EXPECT_EQ(bench.look().adm_valid, 1);
  EXPECT_GT(quiet(), 0U);  // a verdict that is not accepted changes no state
  bench.in.adm_ready = 1;
  bench.step();
  bench.run(20);
  EXPECT_EQ(bench.look().psel_valid, 1);
  EXPECT_GT(quiet(), 0U);
  bench.in.psel_grant = 1;
  bench.step();
  EXPECT_EQ(quiet(), 0U);
  // Three verdicts wait; one is accepted per cycle.
  bench.in.adm_ready = 0;
  for (int i = 0; i < 3; ++i) bench.submit({3, {{0, 1}}});
  bench.run(60);
  EXPECT_GT(quiet(), 0U);
  bench.in.adm_ready = 1;
  bench.step();
  EXPECT_EQ(bench.engine.probes().verdict_count, 2);
  EXPECT_EQ(quiet(), 0U);
  bench.run(20);
  bench.in.reg_req = 1;
  bench.in.reg_addr = reg::kId;
  bench.step();
  EXPECT_EQ(quiet(), 0U);
}

TEST(LaxQuietBound, PeriodsShorterThanTheirTimerAreDueAtOnce) {
  Bench bench(params(4, 1, 1, 4));
  bench.policy(Policy::kLax);
  bench.run(20);
  bench.engine.idle(5'000);
  bench.now += 5'000;
  bench.write(reg::kUpdPeriod, 1'000);
  bench.run(1);
  EXPECT_LT(bench.engine.probes().update_timer, 50U);  // it ticked
  EXPECT_EQ(bench.read(reg::kUpdPeriod), 1'000U);
}

TEST(LaxReset, PutsEverythingBack) {
  Stimulus stimulus(params(16, 3, 5, 4), 7);
  Engine used(params(16, 3, 5, 4));
  Inputs in;
  for (unsigned i = 0; i < 5'000; ++i) {
    stimulus.drive(used, used.settle(in), in);
    used.settle(in);
    used.clock(in);
    in.now = wrap48(in.now + 1);
  }
  const Engine fresh(params(16, 3, 5, 4));
  EXPECT_NE(used.state(), fresh.state());
  used.reset();
  EXPECT_EQ(used.state(), fresh.state());
  EXPECT_EQ(tests::difference<Block>(used.settle(in), Engine(fresh).settle(in), used.params()), "");
}

TEST(LaxState, IsPrintedByNameWithoutZeros) {
  Bench bench;
  bench.policy(Policy::kLax);
  bench.judge({2, {{3, 7}}});
  std::ostringstream text;
  text << bench.engine.state();
  EXPECT_NE(text.str().find("queue[2].list.slot[0].kid = 3\n"), std::string::npos);
  EXPECT_NE(text.str().find("queue[2].list.slot[0].n = 7\n"), std::string::npos);
  EXPECT_NE(text.str().find("config.enable = 1\n"), std::string::npos);
  EXPECT_EQ(text.str().find(" = 0\n"), std::string::npos);
}

}  // namespace
}  // namespace castor::lax::test::engine_quiet_test
