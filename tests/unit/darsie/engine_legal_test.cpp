// The engine under an SM that keeps the rules of the ports: every operand read is what program order demands, and the
// properties of docs/blocks/darsie.md, "Properties", hold in every cycle.

#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "castor/darsie/masks.h"
#include "tests/common/sanitized.h"
#include "unit/darsie/parameter_sets.h"
#include "unit/darsie/small_sm.h"

namespace castor::darsie::test::engine_legal_test {
namespace {

/// Warps that are live and belong to TB slot t.
U64 warps_of(const State& s, unsigned t) {
  U64 mask = 0;
  for_each_bit(s.live, [&](unsigned w) { mask |= U64{s.tb[w] == t} << w; });
  return mask;
}

U32 slot_rows(const TbState& tb, unsigned slot, unsigned rows) {
  U32 mask = 0;
  for (unsigned k = 0; k < rows; ++k) mask |= U32{tb.slot[k] == slot} << k;
  return mask;
}

/// Properties of one state.
void check_state(const State& s, const Params& p) {
  EXPECT_EQ(s.maj & ~s.live, 0U);
  EXPECT_EQ(s.stop & ~s.maj, 0U);
  EXPECT_EQ((s.stop & s.lat) | (s.stop & s.cpy) | (s.lat & s.cpy), 0U);
  EXPECT_EQ(s.lat & ~s.maj, 0U);
  for_each_bit(s.live, [&](unsigned w) {
    const TbState& tb = s.tbs[s.tb[w]];
    const WarpVersions& v = s.versions[w];
    const U32 there = static_cast<U32>(twin::mask(tb.rows));
    EXPECT_EQ((v.pend | v.ref) & ~there, 0U) << "warp " << w;
    EXPECT_EQ(v.pend & v.ref, 0U) << "warp " << w;
    EXPECT_TRUE(v.pend == 0 || has(s.maj, w)) << "warp " << w;
    EXPECT_TRUE(v.ref == 0 || has(s.maj | s.cpy, w)) << "warp " << w;
    std::set<std::pair<unsigned, unsigned>> versions;
    for_each_bit(v.pend, [&](unsigned k) {
      EXPECT_TRUE(versions.insert({tb.slot[k], tb.seq[k]}).second) << "warp " << w << " row " << k;
      const U64 age = static_cast<U64>(tb.ctr - tb.seq[k]) & twin::mask(p.seq_bits());
      EXPECT_TRUE(age >= 1 && age <= p.NumRows) << "warp " << w << " row " << k << " age " << age;
    });
    for_each_bit(v.ref, [&](unsigned k) {
      EXPECT_EQ(v.ref & slot_rows(tb, tb.slot[k], p.NumRows), row_bit(k)) << "warp " << w;
    });
    if (!has(s.lat, w)) return;
    const U32 tags = row_bit(s.lt0[w]) | (has(s.two, w) ? row_bit(s.lt1[w]) : 0U);
    EXPECT_EQ(tags & ~v.pend, 0U) << "warp " << w;
    EXPECT_EQ(tags & tb.inv, 0U) << "warp " << w;
  });
  for_each_bit(s.tl, [&](unsigned t) {
    std::set<U64> pcs;
    for_each_bit(s.tbs[t].pv, [&](unsigned e) { EXPECT_TRUE(pcs.insert(s.tbs[t].pc[e]).second) << "TB " << t; });
  });
}

/// Properties of one cycle: the state before it, what it saw and showed, the state behind it.
void check_cycle(const State& before, const SmallSm& sm, const Params& p) {
  const State& after = sm.engine.state();
  const Inputs& in = sm.in;
  const Outputs& out = sm.out;
  EXPECT_EQ(out.f_skip & ~(out.f_hold & in.f_elig & before.maj), 0U);
  if (in.lnch_valid == 0 && in.bar == 0) {
    EXPECT_EQ(after.maj & ~before.maj, 0U);
  }
  for (unsigned s = 0; s < p.DecW; ++s) {
    if (out.d_act[s] != kActLead) continue;
    const unsigned t = before.tb[in.d_warp];
    for (unsigned a = 0; a < in.d_ndst[s]; ++a) {
      EXPECT_TRUE(has(before.tbs[t].wb, out.d_tag[a]));
      for_each_bit(warps_of(before, t), [&](unsigned w) {
        const WarpVersions& v = before.versions[w];
        EXPECT_FALSE(has(v.pend | v.ref | v.ling, out.d_tag[a])) << "warp " << w;
      });
    }
  }
  for_each_bit(out.f_skip, [&](unsigned w) {
    const U32 taken = after.versions[w].ref & before.versions[w].pend;
    EXPECT_NE(taken, 0U) << "warp " << w;
    EXPECT_EQ(taken & before.tbs[before.tb[w]].inv, 0U) << "warp " << w;
  });
  for_each_bit(before.tl, [&](unsigned t) {
    const U64 all = warps_of(before, t), majority = all & before.maj;
    if (majority != 0 && (majority & ~before.stop) == 0 && !has(before.sync, t)) {
      for_each_bit(all, [&](unsigned w) { EXPECT_EQ(before.versions[w].pend, 0U) << "meeting, warp " << w; });
    }
    if (!has(before.sync, t)) return;
    std::set<U64> pcs;
    for_each_bit(majority & before.stop, [&](unsigned w) { pcs.insert(sm.next_pc(w)); });
    EXPECT_LE(pcs.size(), 1U) << "TB " << t;
  });
}

struct Total {
  unsigned retired = 0, checked = 0, from_rows = 0;
  Counters counters;
};

void run(const char* name, const Params& p, std::uint64_t seed, const SmallSm::Knobs& knobs, Total& total) {
  SCOPED_TRACE(std::string(name) + ", seed " + std::to_string(seed));
  SmallSm sm(p, seed, knobs);
  for (unsigned cycle = 0; cycle < unless_sanitized(6'000U, 600U); ++cycle) {
    const State before = sm.engine.state();
    sm.cycle();
    check_cycle(before, sm, p);
    check_state(sm.engine.state(), p);
    ASSERT_EQ(sm.failure, "");
    ASSERT_FALSE(testing::Test::HasFailure()) << "cycle " << cycle << '\n' << before << sm.engine.state();
  }
  EXPECT_LT(sm.longest_wait, 4'000U);
  total.retired += sm.retired;
  total.checked += sm.checked;
  total.from_rows += sm.from_rows;
  Counters::each([&](auto, auto, auto, auto member) { total.counters.*member += sm.engine.counters().*member; });
}

}  // namespace

TEST(DarsieEngineLegal, EveryOperandIsWhatProgramOrderDemands) {
  Total total;
  for (const ParameterSet& set : kParameterSets) {
    for (std::uint64_t seed = 1; seed <= 4 && !HasFatalFailure(); ++seed) {
      run(set.name, set.params, seed, {}, total);
    }
  }
  EXPECT_GT(total.retired, unless_sanitized(500U, 20U));
  EXPECT_GT(total.from_rows, unless_sanitized(20'000U, 1'000U));
  Counters::each([&](auto name, auto, auto, auto member) {
    EXPECT_GT(total.counters.*member, unless_sanitized(10U, 0U)) << name;
  });
}

// Straight code full of redundant instructions and one warp that is far behind: many versions of a register pend.
TEST(DarsieEngineLegal, AWarpFarBehindFindsEveryVersion) {
  Total total;
  for (const ParameterSet& set : kParameterSets) {
    SmallSm::Knobs knobs;
    knobs.redundant = 4;
    knobs.slots = 2;
    knobs.stores = false;
    knobs.laggards = 2;
    knobs.longest_delay = 2;
    for (std::uint64_t seed = 1; seed <= 4 && !HasFatalFailure(); ++seed) run(set.name, set.params, seed, knobs, total);
  }
  EXPECT_GT(total.from_rows, unless_sanitized(5'000U, 250U));
  EXPECT_GT(total.counters.late_latches, unless_sanitized(300U, 10U));
  EXPECT_GT(total.counters.sync_points, unless_sanitized(100U, 3U));
}

}  // namespace castor::darsie::test::engine_legal_test
