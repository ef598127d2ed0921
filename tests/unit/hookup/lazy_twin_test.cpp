// Compares a lazily clocked twin with one that is queried and clocked in every cycle, under random stimulus with idle
// periods. Also compares what waves read of it.

#include "castor/hookup/lazy_twin.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <utility>

#include "castor/base/rng.h"
#include "castor/gpu/trace/wave_file.h"
#include "castor/twin/stimulus.h"
#include "tests/twin/turnstile/engine.h"

namespace castor::hookup {
namespace {

using turnstile::Block;
using turnstile::Inputs;
using turnstile::Outputs;
using turnstile::Probes;
using twin::Cycle;
using twin::Port;

/// Counts of the calls of a twin.
struct Calls {
  unsigned settles = 0, clocks = 0, idles = 0;
};

/// The model with counted calls. It checks that callers keep the contract: the kSettle inputs of a clock are those of
/// the settle before it. Time, if it is used, is that of the next edge.
class Counted final : public twin::Twin<Block> {
 public:
  Counted(const turnstile::Params& params, Calls& calls) : Twin(params), model_(params), calls_(calls) {}

  const Outputs& settle(const Inputs& in) override {
    ++calls_.settles;
    check_time(in);
    settled_ = true;
    req_ = in.req;
    return model_.settle(in);
  }
  void clock(const Inputs& in) override {
    ++calls_.clocks;
    check_time(in);
    now_ = in.now;
    EXPECT_TRUE(!settled_ || req_ == in.req) << "settled for other requests";
    settled_ = false;
    model_.clock(in);
  }
  void reset() override {
    settled_ = false;
    model_.reset();
  }
  [[nodiscard]] Cycle quiet() const override { return model_.quiet(); }
  void idle(Cycle n) override {
    ++calls_.idles;
    EXPECT_LE(n, quiet());
    settled_ = false;
    if (now_ != 0) now_ += n;
    model_.idle(n);
  }
  [[nodiscard]] Probes probes() const override { return model_.probes(); }

 private:
  void check_time(const Inputs& in) const {
    EXPECT_TRUE(now_ == 0 || in.now == now_ + 1) << "cycle " << in.now << " behind " << now_;
  }

  twin::Model<Block> model_;
  Calls& calls_;
  twin::U64 now_ = 0;  // time of the last edge
  bool settled_ = false;
  turnstile::Ports req_;
};

void expect_equal(const Outputs& lazy, const Outputs& eager) {
  Block::each_output(
      [&](const Port& port, auto member, auto) { EXPECT_EQ(lazy.*member, eager.*member) << "output " << port.name; },
      {});
}

/// Compares all probes, or only the probes that idle edges do not change.
void expect_equal(const Probes& lazy, const Probes& eager, bool all) {
  Block::each_probe(
      [&](const Port& port, auto member, auto) {
        if (!all && twin::runs<Block>(port.name)) return;
        EXPECT_EQ(lazy.*member, eager.*member) << "probe " << port.name;
      },
      {});
}

/// Drives both twins with the same stimulus. Early queries, their times and their requests are random, too.
class Race {
 public:
  explicit Race(std::uint64_t seed) : random_(seed), sequence_(params_, seed), lazy_(make()), eager_(params_) {
    sequence_.begin(in_);
    set_period(static_cast<twin::U16>(seed % 4 == 0 ? 0 : 3 + random_.below(200)));
  }

  void cycle() {
    next();
    sequence_.drive(in_);
    if (random_.below(8) == 0) look_early();
    if (random_.below(2) == 0) look(in_);
    const Outputs shown = eager_.settle(in_);
    sequence_.react(in_, shown);
    edge(shown);
  }

  /// Lets both twins pass idle cycles as a sleeping owner does: `idle` covers all of them at once.
  void sleep() {
    const Cycle n = std::min<Cycle>(lazy_.quiet(), 1 + random_.below(60));
    if (n == 0) return;
    lazy_.idle(n);
    const Outputs before = eager_.settle(in_idle());
    for (Cycle i = 0; i < n; ++i) {
      next();
      expect_equal(before, eager_.settle(in_));
      eager_.clock(in_);
    }
    slept_ += n;
  }

  void check_state() {
    EXPECT_LE(lazy_.quiet(), eager_.quiet());
    expect_equal(lazy_.probes(), eager_.probes(), false);
    if (random_.below(4) == 0) expect_equal(lazy_.twin().probes(), eager_.probes(), true);
  }

  Calls calls;
  unsigned looks = 0, owed = 0, early = 0, beats = 0;
  [[nodiscard]] Cycle slept() const { return slept_; }

 private:
  std::unique_ptr<Counted> make() { return std::make_unique<Counted>(params_, calls); }

  [[nodiscard]] Inputs in_idle() const {
    Inputs in = in_;
    twin::make_idle<Block>(in, params_);
    return in;
  }
  void next() {
    twin::make_idle<Block>(in_, params_);
    twin::advance_time<Block>(in_, params_, 1);
  }

  void look(const Inputs& in) {
    lazy_.in = in;
    ++looks;
    if (lazy_.look()) told_ = lazy_.out();
    expect_equal(told_, eager_.settle(in));
    expect_equal(lazy_.out(), told_);
  }
  /// Reads outputs for requests other than the final ones of the cycle; now and then for those of the previous cycle.
  void look_early() {
    Inputs in = in_;
    if (random_.below(2) == 0) {
      in.req = lazy_.held().req;
    } else {
      in.req = turnstile::Ports(random_() & 0xff);
    }
    early += in.req != in_.req ? 1 : 0;
    look(in);
  }

  void edge(const Outputs& shown) {
    lazy_.in = in_;
    const Edge edge = lazy_.edge([&](const Inputs& in, const Outputs& out) {
      EXPECT_EQ(in.req, in_.req);
      expect_equal(out, shown);
    });
    owed += edge == Edge::kSkipped ? 1 : 0;
    beats += shown.beat;
    EXPECT_EQ(edge == Edge::kEvents, in_.pick_grant != 0 || in_.reg_req != 0);
    eager_.clock(in_);
  }

  void set_period(twin::U16 period) {
    for (unsigned i = 0; i < 2; ++i) {
      next();
      in_.reg_req = in_.reg_we = 1;
      in_.reg_addr = 0x04;
      in_.reg_wdata = period;
      edge(eager_.settle(in_));
    }
  }

  const turnstile::Params params_;
  base::Xoshiro256 random_;
  twin::RandomSequence<Block> sequence_;
  LazyTwin<Block> lazy_;
  twin::Model<Block> eager_;
  Inputs in_;
  Outputs told_;  // last outputs that a read reported as new
  Cycle slept_ = 0;
};

TEST(LazyTwin, IsToldFromNoEagerOne) {
  constexpr unsigned kCycles = 3000;
  unsigned owed = 0, asked = 0, looks = 0, early = 0, beats = 0;
  Cycle slept = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Race race(seed);
    base::Xoshiro256 random(seed + 1000);
    for (unsigned i = 0; i < kCycles && !testing::Test::HasFailure(); ++i) {
      SCOPED_TRACE("cycle " + std::to_string(i));
      if (random.below(50) == 0) race.sleep();
      race.cycle();
      race.check_state();
    }
    owed += race.owed;
    asked += race.calls.settles;
    looks += race.looks;
    early += race.early;
    beats += race.beats;
    slept += race.slept();
    if (testing::Test::HasFailure()) return;
  }
  // Lazy clocking had cycles to skip, and skipped them.
  EXPECT_GT(owed, 60 * kCycles / 20);
  EXPECT_LT(asked, looks * 9 / 10);
  EXPECT_GT(early, 60 * kCycles / 50);
  EXPECT_GT(beats, 500U);
  EXPECT_GT(slept, 1000U);
}

/// An idle twin that counts its calls.
struct Resting {
  Resting() {
    lazy.in.req.set(3);
    lazy.edge();
    calls = {};
  }
  Calls calls;
  LazyTwin<Block> lazy{std::make_unique<Counted>(turnstile::Params{}, calls)};
};

TEST(LazyTwin, AsksAndClocksATwinAtRestOnceAndPaysInOnePiece) {
  Resting rig;
  for (unsigned i = 0; i < 10; ++i) {
    EXPECT_EQ(rig.lazy.look(), i == 0);
    EXPECT_EQ(rig.lazy.edge(), Edge::kSkipped);
  }
  EXPECT_EQ(rig.calls.settles, 1U);
  EXPECT_EQ(rig.calls.clocks + rig.calls.idles, 0U);
  static_cast<void>(rig.lazy.twin());
  EXPECT_EQ(rig.calls.idles, 1U);
  rig.lazy.in.pick_grant = 1;
  EXPECT_EQ(rig.lazy.edge(), Edge::kEvents);
  EXPECT_EQ(rig.calls.clocks, 1U);
}

TEST(LazyTwin, IsAskedAnewForOtherSettleInputsOnlyAndClockedForEveryOtherLevel) {
  Resting rig;
  EXPECT_TRUE(rig.lazy.look());
  rig.lazy.in.weight[1] = 5;  // kEdge
  EXPECT_FALSE(rig.lazy.look());
  EXPECT_EQ(rig.lazy.edge(), Edge::kLevels);
  EXPECT_TRUE(rig.lazy.look());
  rig.lazy.in.req.set(1);  // kSettle
  EXPECT_TRUE(rig.lazy.look());
  EXPECT_EQ(rig.lazy.out().pick_port, 1);
  EXPECT_EQ(rig.lazy.edge(), Edge::kLevels);
}

TEST(LazyTwin, ShowsObserversNoEdgeBeforeWhichNobodyLooked) {
  Resting rig;
  unsigned seen = 0;
  const auto observe = [&seen](const Inputs&, const Outputs&) { ++seen; };
  rig.lazy.edge(observe);
  EXPECT_EQ(seen, 0U);
  rig.lazy.look();
  rig.lazy.edge(observe);
  rig.lazy.edge(observe);  // the outputs are still known
  EXPECT_EQ(seen, 2U);
}

TEST(LazyTwin, StartsAnewAfterReset) {
  Resting rig;
  rig.lazy.look();
  rig.lazy.edge();
  rig.lazy.idle(5);
  rig.lazy.reset();
  EXPECT_FALSE(rig.lazy.in.req.any());
  EXPECT_TRUE(rig.lazy.look());
  EXPECT_EQ(rig.calls.idles, 0U);
}

// --- Waves ----------------------------------------------------------------------------------------------------------

/// Returns the waveform dump of a few cycles of the turnstile.
std::string dump(bool look) {
  const std::string path = testing::TempDir() + "castor_lazy_twin.vcd";
  Calls calls;
  LazyTwin<Block> lazy(std::make_unique<Counted>(turnstile::Params{}, calls));
  gpu::WaveFile waves(path, {});
  lazy.add_waves(waves, "gpu");
  for (unsigned cycle = 0; cycle < 6; ++cycle) {
    lazy.make_idle();
    lazy.in.now = cycle;
    lazy.in.req.set(70);
    if (look) lazy.look();
    if (cycle == 4) lazy.in.pick_grant = 1;
    lazy.edge();
    waves.sample(cycle, cycle * 1000);
  }
  waves.close(6000);
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(WavesOfABlock, AreItsPortsAndProbesWithoutTimeInWordsOf64) {
  const std::string text = dump(true);
  for (const char* const there : {" req0 [63:0]", " req1 [31:0]", " weight [11:0]", " pick_grant ", " served0 [63:0]",
                                  " served1 [31:0]", " level [1:0]", " total [35:0]", " pick_port [6:0]"}) {
    EXPECT_NE(text.find(there), std::string::npos) << there;
  }
  for (const char* const absent : {" now ", " timer "}) EXPECT_EQ(text.find(absent), std::string::npos) << absent;
}

TEST(WavesOfABlock, ShowInputsAndOutputsOfACycleAndTheProbesBehindItsEdge) {
  const std::string text = dump(true);
  const auto code = [&](const std::string& name) {
    const std::size_t end = text.find(" " + name + " ");
    const std::size_t begin = text.rfind(' ', end - 1) + 1;
    return text.substr(begin, end - begin);
  };
  const auto at = [&](unsigned cycle) {
    const std::size_t begin = text.find("\n#" + std::to_string(cycle * 1000) + "\n");
    return begin == std::string::npos ? "" : text.substr(begin, text.find("\n#", begin + 1) + 1 - begin);
  };
  EXPECT_NE(at(0).find("b1000110 " + code("pick_port") + "\n"), std::string::npos);
  EXPECT_NE(at(4).find("1" + code("pick_grant") + "\n"), std::string::npos);
  EXPECT_NE(at(4).find("b00001 " + code("count") + "\n"), std::string::npos) << "the probe behind the edge";
  EXPECT_EQ(at(4).find("1" + code("out_valid") + "\n"), std::string::npos) << "the output of the cycle";
  EXPECT_NE(at(5).find("1" + code("out_valid") + "\n"), std::string::npos);
  EXPECT_NE(at(5).find("0" + code("pick_grant") + "\n"), std::string::npos);
}

TEST(WavesOfABlock, AreTheSameWhereNobodyLooks) { EXPECT_EQ(dump(false), dump(true)); }

}  // namespace
}  // namespace castor::hookup
