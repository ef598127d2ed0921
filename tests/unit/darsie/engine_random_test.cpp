// The engine against the cycle as the document has it, register by register, in random cycles at all parameters, legal
// and illegal ones; and skipping of idle cycles against clocking them.

#include <gtest/gtest.h>

#include <sstream>

#include "castor/base/rng.h"
#include "castor/darsie/engine.h"
#include "castor/twin/block.h"
#include "tests/common/difference.h"
#include "tests/common/sanitized.h"
#include "unit/darsie/engine_cycle_model.h"
#include "unit/darsie/parameter_sets.h"

namespace castor::darsie::test::engine_random_test {
namespace {

/// Random inputs: events that the state makes meaningful, and with `rude` any. Phases differ in how busy they are and
/// in how often registers' versions are torn down (leaves, barriers, exits, writes), so that in some several versions
/// stay pending.
class Stimulus {
 public:
  Stimulus(const Params& p, std::uint64_t seed, bool rude) : p_(p), random_(seed), rude_(rude) {}

  void drive(const State& s, Inputs& in) {
    if (chance(150)) new_phase();
    if (phase_ == Phase::kResting) return;
    fetch(s, in);
    launch(s, in);
    retire(s, in);
    decode(s, in);
    issue(s, in);
    write_back(s, in);
    events(s, in);
    if (s.cpv != 0 ? chance(3) : rude(40)) in.cp_ack = 1;
  }

 private:
  enum class Phase { kBusy, kKeeping, kResting };

  [[nodiscard]] bool chance(std::uint64_t one_in) { return random_.below(one_in) == 0; }
  [[nodiscard]] bool rude(std::uint64_t one_in) { return rude_ && chance(one_in); }
  [[nodiscard]] unsigned below(unsigned n) { return static_cast<unsigned>(random_.below(n)); }
  [[nodiscard]] U64 word(unsigned bits) { return random_() & twin::mask(bits); }
  /// A number below `count`, or now and then one that the port can carry and that does not exist.
  [[nodiscard]] U8 number(unsigned count) {
    return static_cast<U8>(below(rude(12) ? 1U << Params::number_bits(count) : count));
  }
  /// Each bit is set with the probability 1 / one_in.
  [[nodiscard]] U64 sparse(unsigned bits, unsigned one_in) {
    U64 mask = 0;
    for (unsigned i = 0; i < bits; ++i) mask |= U64{chance(one_in)} << i;
    return mask;
  }
  /// One of the bits of `mask`, or any number if there is none.
  [[nodiscard]] U8 one_of(U64 mask, unsigned count) {
    if (mask == 0 || rude(20)) return number(count);
    for (unsigned skip = below(static_cast<unsigned>(__builtin_popcountll(mask))); skip != 0; --skip) mask &= mask - 1;
    return static_cast<U8>(__builtin_ctzll(mask));
  }
  [[nodiscard]] U64 pc() { return (chance(30) ? random_() : U64{8} * below(pcs_)) & twin::mask(p_.PcW); }
  [[nodiscard]] U8 slot() {
    return static_cast<U8>(chance(20) ? word(p_.slot_bits()) : below(std::min(slots_, p_.NumSlots)));
  }

  void new_phase() {
    const unsigned kind = below(5);
    phase_ = kind == 0 ? Phase::kResting : kind < 3 ? Phase::kBusy : Phase::kKeeping;
    pcs_ = 1 + below(6);
    slots_ = 1 + below(3);
    eligible_one_in_ = 1 + below(4);
    oc_idle_one_in_ = 1 + below(3);
    teardown_ = phase_ == Phase::kBusy ? 4 : 60;
  }

  void fetch(const State& s, Inputs& in) {
    if (chance(2)) in.f_elig = sparse(p_.NumWarps, eligible_one_in_);
    if (chance(2)) in.oc_idle = sparse(p_.NumWarps, oc_idle_one_in_);
    if (!rude(3)) in.f_elig &= ~s.stop & ~s.cpy;
    for (unsigned w = 0; w < p_.NumWarps; ++w) {
      if (chance(4)) in.f_pc[w] = pc();
    }
  }

  void launch(const State& s, Inputs& in) {
    if (!chance(s.live == 0 ? 2 : 25)) return;
    const U64 free = ~s.live & twin::mask(p_.NumWarps);
    in.lnch_valid = 1;
    in.lnch_tb = one_of(~s.tl & twin::mask(p_.NumTbs), p_.NumTbs);
    in.lnch_warps = (rude(10) ? twin::mask(p_.NumWarps) : free) & sparse(p_.NumWarps, 1 + below(3));
    in.lnch_full = chance(4) ? in.lnch_warps & random_() : in.lnch_warps;
    if (rude(20)) in.lnch_full = word(p_.NumWarps);
    in.lnch_en = chance(8) ? 0 : 1;
    in.lnch_promote = static_cast<U8>(below(2));
    in.lnch_base = static_cast<U16>(word(p_.RowW));
    in.lnch_rows = static_cast<U8>(chance(2) ? p_.NumRows : below(p_.NumRows + 1));
    if (rude(20)) in.lnch_rows = static_cast<U8>(word(p_.row_bits() + 1));
    in.lnch_slots = static_cast<U8>(chance(8) ? below(p_.NumSlots + 1) : p_.NumSlots);
    if (rude(20)) in.lnch_slots = static_cast<U8>(word(p_.slot_bits() + 1));
    if (!rude(4) && (in.lnch_warps == 0 || (s.tl >> in.lnch_tb & 1U) != 0)) in.lnch_valid = 0;
  }

  void retire(const State& s, Inputs& in) {
    U32 empty = s.tl;
    for (unsigned w = 0; w < p_.NumWarps; ++w) {
      if ((s.live >> w & 1U) != 0) empty &= ~(U32{1} << s.tb[w]);
    }
    if (empty != 0 ? !chance(3) : !rude(60)) return;
    in.retire_valid = 1;
    in.retire_tb = one_of(empty, p_.NumTbs);
    if (in.lnch_valid != 0 && chance(2)) in.lnch_tb = in.retire_tb;
  }

  void decode(const State& s, Inputs& in) {
    if (!chance(2)) return;
    const U64 free = s.maj & ~s.stop & ~s.cpy & ~s.lat;
    in.d_valid = static_cast<U8>(rude(8) ? word(p_.DecW) : twin::mask(1 + below(p_.DecW)));
    in.d_warp = one_of(chance(12) ? s.live : free, p_.NumWarps);
    if (free == 0 && !rude(2)) in.d_valid = 0;
    in.d_pc = pc();
    for (unsigned i = 0; i < p_.DecW; ++i) {
      in.d_mark[i] = static_cast<U8>(rude(12) ? 3 : below(3));
      in.d_ndst[i] = static_cast<U8>(rude(12) ? below(4) : 1 + below(p_.NumSlots > 1 ? 2 : 1));
      if (in.d_mark[i] == 0 && chance(2)) in.d_ndst[i] = 0;
      in.d_ldkind[i] = static_cast<U8>(chance(2) ? 0 : rude(12) ? 3 : below(3));
      in.d_dst[2 * i] = slot();
      in.d_dst[2 * i + 1] = slot();
    }
    if (chance(4)) in.f_elig &= ~(U64{1} << in.d_warp);
  }

  void issue(const State& s, Inputs& in) {
    if (!chance(2)) return;
    in.i_valid = static_cast<U16>(sparse(p_.NumIss, 3));
    if (s.live == 0 && !rude(4)) in.i_valid = 0;
    for (unsigned port = 0; port < p_.NumIss; ++port) {
      const U8 w = one_of(s.live, p_.NumWarps);
      in.i_warp[port] = w;
      in.i_dv[port] = static_cast<U8>(chance(teardown_) ? below(4) : 0);
      in.i_sv[port] = static_cast<U8>(word(p_.NumSrc));
      for (unsigned a = 0; a < p_.NumSrc; ++a) in.i_src[port * p_.NumSrc + a] = slot();
      const TbState& tb = s.tbs[s.tb[w % kMaxWarps]];
      const bool lead = chance(phase_ == Phase::kKeeping ? 12 : 4);
      in.i_lead = static_cast<U16>(in.i_lead | unsigned{lead} << port);
      if (lead) in.i_dv[port] = static_cast<U8>(1 + below(3));
      for (unsigned a = 0; a < 2; ++a) {
        const U8 k = one_of(~tb.wb & twin::mask(p_.NumRows), p_.NumRows);
        in.i_tag[2 * port + a] = k;
        in.i_dst[2 * port + a] = lead && !rude(4) ? tb.slot[k] : slot();
      }
    }
  }

  void write_back(const State& s, Inputs& in) {
    if (!chance(phase_ == Phase::kKeeping ? 3 : 2)) return;
    for (unsigned port = 0; port < p_.NumWb; ++port) {
      const U8 t = one_of(s.tl, p_.NumTbs);
      const U64 waiting = ~s.tbs[t % kMaxTbs].wb & twin::mask(p_.NumRows);
      in.wb_tb[port] = t;
      in.wb_tag[port] = one_of(waiting, p_.NumRows);
      if ((waiting != 0 && chance(2)) || rude(50)) in.wb_valid = static_cast<U16>(in.wb_valid | 1U << port);
    }
  }

  void events(const State& s, Inputs& in) {
    if (chance(10)) in.ev_store = static_cast<U32>(sparse(p_.NumTbs, 2));
    if (chance(40)) in.ev_global = 1;
    if (chance(3)) in.br = sparse(p_.NumWarps, 2) & (rude(20) ? ~U64{0} : s.maj & ~s.stop & ~s.lat & ~s.cpy);
    in.br_taken = (chance(3) ? ~U64{0} : random_()) & in.br;
    if (chance(4 * teardown_)) in.leave = sparse(p_.NumWarps, 6);
    if (chance(5 * teardown_)) {
      in.bar = static_cast<U32>(sparse(p_.NumTbs, 3));
      in.bar_join = chance(3) ? word(p_.NumWarps) : twin::mask(p_.NumWarps);
    }
    if (chance(5 * teardown_)) {
      in.exit = (rude(5) ? twin::mask(p_.NumWarps) : s.live) & (chance(4) ? ~U64{0} : sparse(p_.NumWarps, 4));
    }
  }

  Params p_;
  base::Xoshiro256 random_;
  bool rude_;
  Phase phase_ = Phase::kBusy;
  unsigned pcs_ = 3, slots_ = 2, eligible_one_in_ = 2, oc_idle_one_in_ = 2, teardown_ = 4;
};

struct Course {
  const char* set;
  Params params;
  std::uint64_t seed;
  bool rude;
  unsigned cycles;

  [[nodiscard]] std::string text() const {
    return std::string(set) + ", seed " + std::to_string(seed) + (rude ? ", rude" : "");
  }
};

/// What is no probe.
bool rows_agree(const Registers& q, const State& s, const Params& p) {
  for (unsigned t = 0; t < p.NumTbs; ++t) {
    for (unsigned k = 0; k < p.NumRows; ++k) {
      if (q.t[t].row[k].slot != s.tbs[t].slot[k] || q.t[t].row[k].seq != s.tbs[t].seq[k]) return false;
    }
    for (unsigned e = 0; e < p.NumPst; ++e) {
      const Registers::Entry& entry = q.t[t].pst[e];
      if (entry.pv && (entry.pc != s.tbs[t].pc[e] || entry.tag0 != s.tbs[t].tags[e].row[0] ||
                       entry.tag1 != s.tbs[t].tags[e].row[1] || entry.two != s.tbs[t].tags[e].two)) {
        return false;
      }
    }
  }
  return true;
}

/// Runs engine and literal model side by side; what the engine counted is added to `sum`.
void compare(const Course& run, Counters& sum) {
  SCOPED_TRACE(run.text());
  const Params& p = run.params;
  Engine engine(p);
  CycleModel model(p);
  Stimulus stimulus(p, run.seed, run.rude);
  base::Xoshiro256 random(run.seed + 1);
  Inputs in;
  for (unsigned cycle = 0; cycle < run.cycles; ++cycle) {
    twin::make_idle<Block>(in, p);
    stimulus.drive(engine.state(), in);
    if (random.below(4) == 0) engine.settle(Inputs{});  // early in the cycle, when nothing is known
    ASSERT_EQ(tests::difference<Block>(engine.settle(in), model.outputs(in), p), "") << "cycle " << cycle;
    if (random.below(4) == 0) engine.settle(Inputs{});  // and the edge finds out by itself
    const bool idle = model.idle(in);
    const Probes before = model.probes();
    model.clock(in);
    engine.clock(in);
    if (idle) {
      ASSERT_EQ(tests::difference<Block>(model.probes(), before, p), "") << "idle cycle " << cycle;
    }
    ASSERT_EQ(tests::difference<Block>(engine.probes(), model.probes(), p), "") << "cycle " << cycle;
    ASSERT_TRUE(rows_agree(model.q, engine.state(), p)) << "cycle " << cycle;
  }
  Counters::each([&](auto name, auto, auto, auto member) {
    EXPECT_EQ(engine.counters().*member, model.counted.*member) << name;
    sum.*member += engine.counters().*member;
  });
}

}  // namespace

TEST(DarsieEngineRandom, IsTheCycleOfTheDocumentAtAllParameters) {
  Counters sum;
  for (const ParameterSet& set : kParameterSets) {
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      compare({set.name, set.params, seed, seed % 2 == 0, kSanitized ? 300U : 1'500U}, sum);
      if (HasFatalFailure()) return;
    }
  }
  Counters::each([&](auto name, auto, auto, auto member) { EXPECT_GT(sum.*member, 20U) << name; });
}

TEST(DarsieEngineRandom, SkipsIdleCyclesAsIfTheyWereClocked) {
  unsigned skipped = 0;
  for (const ParameterSet& set : kParameterSets) {
    const Course run{set.name, set.params, 21, false, 0};
    SCOPED_TRACE(run.text());
    Engine engine(set.params);
    Stimulus stimulus(set.params, run.seed, run.rude);
    Inputs in;
    for (unsigned cycle = 0; cycle < unless_sanitized(6'000U, 600U); ++cycle) {
      twin::make_idle<Block>(in, set.params);
      stimulus.drive(engine.state(), in);
      engine.settle(in);
      engine.clock(in);
      ASSERT_EQ(Block::quiet(engine.probes(), in, set.params), engine.quiet()) << "cycle " << cycle;
      if (engine.quiet() == 0) continue;
      ++skipped;
      Engine slow = engine;
      Inputs idle = in;
      twin::make_idle<Block>(idle, set.params);
      const Outputs shown = slow.settle(idle);
      const unsigned n = 1 + cycle % 7;
      for (unsigned i = 0; i < n; ++i) {
        slow.clock(idle);
        ASSERT_EQ(tests::difference<Block>(slow.settle(idle), shown, set.params), "") << "cycle " << cycle;
      }
      engine.idle(n);
      std::ostringstream states;
      states << slow.state() << engine.state();
      ASSERT_TRUE(slow.state() == engine.state()) << "cycle " << cycle << '\n' << states.str();
      ASSERT_TRUE(slow.counters() == engine.counters()) << "cycle " << cycle;
    }
  }
  EXPECT_GT(skipped, unless_sanitized(500U, 50U));
}

}  // namespace castor::darsie::test::engine_random_test
