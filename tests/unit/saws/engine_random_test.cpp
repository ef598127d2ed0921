// Compares the engine with the documented cycle, register by register, in random cycles at all parameters. Also
// compares skipping of idle cycles with clocking them.

#include <algorithm>
#include <sstream>

#include "castor/base/rng.h"
#include "castor/twin/block.h"
#include "tests/common/sanitized.h"
#include "unit/saws/engine_cycle_model.h"
#include "unit/saws/engine_support.h"

namespace castor::saws::test::engine_random_test {
namespace {

/// Random inputs of an SM that mostly keeps the rules, and often breaks them with `rude`.
class Stimulus {
 public:
  Stimulus(const Params& p, std::uint64_t seed, bool rude) : p_(p), random_(seed), rude_(rude) {}

  void drive(const State& s, Inputs& in) {
    in = {};
    if (chance(busy_ ? 2'000 : 300)) busy_ = !busy_;
    if (chance(1'500)) {
      in.kernel_start = 1;
      in.mode_sel = static_cast<U8>(random_.below(4));
      in.toggle_en = static_cast<U8>(random_.below(2));
    }
    in.w_ready = WarpBits(ready());
    in.issue_ack = static_cast<U8>(random_.below(1U << p_.NumSched) | (chance(2) ? twin::mask(p_.NumSched) : 0));
    cta_operation(s, in);
    if (busy_ || chance(4)) warp_events(s, in);
    if (chance(6)) unblock(s, in);
  }

 private:
  [[nodiscard]] bool chance(std::uint64_t one_in) { return random_.below(one_in) == 0; }
  [[nodiscard]] bool rude(std::uint64_t one_in) { return rude_ && chance(one_in); }

  std::uint64_t ready() {
    std::uint64_t mask = random_() & random_();
    if (chance(3)) mask &= random_() & random_();
    if (chance(8)) mask = last_ready_;
    last_ready_ = mask & twin::mask(p_.NumWarps);
    return last_ready_;
  }

  void cta_operation(const State& s, Inputs& in) {
    if (chance(burst_ ? 60 : 600)) burst_ = !burst_;
    if (burst_ ? chance(30) : !chance(25)) return;
    const auto cta = static_cast<U8>(random_.below(rude(3) ? 1U << p_.cta_bits() : p_.MaxCta));
    const bool used = (s.cta_used >> cta & 1U) != 0;
    const bool frees = rude(8) ? chance(2) : used;
    if (frees && s.allocated != twin::mask(p_.NumWarps) && !burst_ && !rude(2) && chance(2)) return;
    in.cta_valid = 1;
    in.cta_id = cta;
    in.cta_free = frees ? 1 : 0;
    std::uint64_t mask = rude(8) ? random_() : ~s.allocated;
    const unsigned count = 1 + static_cast<unsigned>(random_.below(std::max(1U, 3 * p_.NumWarps / p_.MaxCta)));
    std::uint64_t picked = 0;
    mask &= twin::mask(p_.NumWarps);
    for (unsigned i = 0; i < count && mask != 0; ++i) {
      picked |= mask & (~mask + 1);
      mask &= mask - 1;
      if (chance(6)) mask &= mask - 1;
    }
    in.cta_wmask = WarpBits(picked);
    if (!frees && picked == 0 && !rude(2)) in.cta_valid = 0;
  }

  void warp_events(const State& s, Inputs& in) {
    for (unsigned sched = 0; sched < p_.NumSched; ++sched) {
      const auto index = static_cast<U8>(random_.below(1U << p_.index_bits()));
      const unsigned w = index * p_.NumSched + sched;
      const bool lives = w < p_.NumWarps && (s.live >> w & 1U) != 0;
      const bool blocked = lives && (s.blocked >> w & 1U) != 0;
      const bool room = s.queues[sched].count < p_.EvqDepth;
      if (!chance(3) || (!(lives && !blocked && room) && !rude(3))) continue;
      in.wev_valid |= static_cast<U8>(1U << sched);
      in.wev_idx[sched] = index;
      if (chance(8)) in.wev_exit |= static_cast<U8>(1U << sched);
    }
  }

  void unblock(const State& s, Inputs& in) {
    std::uint64_t mask = 0;
    for (unsigned c = 0; c < p_.MaxCta; ++c) {
      if (chance(3)) mask |= s.cta_warps[c] & s.blocked;
    }
    if (rude(3)) mask = random_() & random_();
    in.unblock = WarpBits(mask & twin::mask(p_.NumWarps));
  }

  Params p_;
  base::Xoshiro256 random_;
  bool rude_;
  bool busy_ = true;
  bool burst_ = false;
  std::uint64_t last_ready_ = 0;
};

std::string text(const State& state) {
  std::ostringstream out;
  out << state;
  return out.str();
}

/// Returns the names of all fields that differ.
std::string difference(const Params& p, const Outputs& a, const Outputs& b) {
  std::string names;
  Block::each_output(
      [&](const twin::Port& port, auto member, auto) {
        if (a.*member != b.*member) names += std::string(port.name) + ' ';
      },
      p);
  return names;
}
std::string difference(const Params& p, const Probes& a, const Probes& b) {
  std::string names;
  Block::each_probe(
      [&](const twin::Port& port, auto member, auto) {
        if (a.*member != b.*member) names += std::string(port.name) + ' ';
      },
      p);
  return names;
}

struct Seen {
  unsigned errors = 0, switches = 0, promotions = 0, stale_greedy = 0;
};

void run(const Params& p, std::uint64_t seed, bool rude, unsigned cycles, Seen& seen) {
  SCOPED_TRACE(twin::params_text(p) + ", seed " + std::to_string(seed));
  Engine engine(p);
  CycleModel model(p);
  Stimulus stimulus(p, seed, rude);
  base::Xoshiro256 random(seed + 1);
  Inputs in;
  for (unsigned cycle = 0; cycle < cycles; ++cycle) {
    stimulus.drive(engine.state(), in);
    if (random.below(4) == 0) {  // settle may get inputs other than those of clock
      Inputs early = in;
      early.w_ready = WarpBits(random() & twin::mask(p.NumWarps));
      const Outputs before = engine.settle(early);
      ASSERT_EQ(difference(p, before, model.outputs(early)), "") << "cycle " << cycle << '\n' << text(engine.state());
    }
    if (random.below(8) != 0) {  // settle may also not be called at all
      ASSERT_EQ(difference(p, engine.settle(in), model.outputs(in)), "") << "cycle " << cycle << '\n'
                                                                         << text(engine.state());
    }
    const Mode was = engine.state().mode;
    engine.clock(in);
    model.clock(in);
    ASSERT_EQ(difference(p, engine.probes(), model.probes()), "") << "cycle " << cycle << '\n' << text(engine.state());
    const State& s = engine.state();
    seen.errors |= s.err;
    seen.switches += was == Mode::kGto && s.mode == Mode::kSaws && in.kernel_start == 0 ? 1 : 0;
    for (unsigned i = 0; i < p.NumSched; ++i) {
      const List& list = s.lists[i];
      seen.promotions += s.mode == Mode::kSaws && list.pointer > 1 ? 1 : 0;
      seen.stale_greedy += list.greedy && (s.allocated >> (list.pointer * p.NumSched + i) & 1U) == 0 ? 1 : 0;
    }
  }
}

const std::vector<Params> kParams{
    params(1, 1, 1, 1, 0, 1, 1),      params(2, 12, 5, 3, 1, 0, 0),  params(4, 64, 32, 4, 1, 0, 0),
    params(2, 64, 32, 16, 0, 0, 1),   params(2, 12, 3, 4, 1, 0, 0),  params(2, 6, 3, 2, 1, 0, 0),
    params(4, 64, 32, 4, 1, 0, 0, 0), params(1, 64, 32, 2, 1, 0, 0), params(4, 20, 7, 1, 0, 1, 0),
    params(4, 4, 32, 1, 1, 1, 1),     params(1, 7, 5, 3, 0, 0, 0),   params(4, 52, 16, 2, 1, 1, 1),
};

TEST(SawsRandom, EngineIsTheDocumentedCycleWhenTheRulesAreKept) {
  for (const Params& p : sample_if_sanitized(kParams)) {
    Seen seen;
    run(p, 11, false, 30'000, seen);
    if (HasFatalFailure()) return;
    EXPECT_EQ(seen.errors, 0U) << twin::params_text(p);
    if (p.SawsEn != 0 && p.NumWarps > 4) {
      EXPECT_GT(seen.switches, 0U) << twin::params_text(p);
    }
    if (p.SawsEn != 0 && p.NumSched > 1 && p.NumWarps > 4) {
      EXPECT_GT(seen.promotions, 0U) << twin::params_text(p);
    }
  }
}

TEST(SawsRandom, EngineIsTheDocumentedCycleWhenTheRulesAreBroken) {
  unsigned stale = 0;
  for (const Params& p : sample_if_sanitized(kParams)) {
    Seen seen;
    run(p, 12, true, 30'000, seen);
    if (HasFatalFailure()) return;
    EXPECT_EQ(seen.errors & 3U, 3U) << twin::params_text(p);
    if (p.SawsEn == 0) {
      EXPECT_EQ(seen.errors & 4U, 0U);
    } else if (p.NumSched > 1 && p.NumWarps > 4 && p.EvqDepth <= 4) {
      EXPECT_EQ(seen.errors & 4U, 4U) << twin::params_text(p);
    }
    stale += seen.stale_greedy;
  }
  EXPECT_GT(stale, 0U);
}

TEST(SawsRandom, SkippedCyclesAreClockedOnes) {
  for (const Params& p : sample_if_sanitized(kParams)) {
    SCOPED_TRACE(twin::params_text(p));
    Engine engine(p);
    Stimulus stimulus(p, 13, true);
    Inputs in;
    unsigned quiet = 0;
    for (unsigned cycle = 0; cycle < 4'000; ++cycle) {
      stimulus.drive(engine.state(), in);
      engine.settle(in);
      engine.clock(in);
      const base::Cycle n = engine.quiet();
      const State& s = engine.state();
      const bool waits = std::any_of(s.queues.begin(), s.queues.end(), [](const Queue& q) { return q.count > 0; });
      ASSERT_EQ(n, waits || s.err != 0 ? 0 : base::kForever) << text(s);
      if (n == 0) continue;
      ++quiet;
      Engine clocked = engine;
      twin::make_idle<Block>(in, p);
      const Outputs before = clocked.settle(in);
      for (unsigned i = 0; i < 5; ++i) {
        clocked.clock(in);
        ASSERT_EQ(difference(p, before, clocked.settle(in)), "") << text(s);
      }
      engine.idle(5);
      ASSERT_EQ(engine.state(), clocked.state());
      ASSERT_EQ(difference(p, engine.settle(in), clocked.settle(in)), "");
    }
    EXPECT_GT(quiet, 100U);
  }
}

}  // namespace
}  // namespace castor::saws::test::engine_random_test
