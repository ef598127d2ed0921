// The properties of docs/blocks/darsie.md, "Properties", hold for the engine in every cycle of every sequence that
// keeps the contract.

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <utility>

#include "castor/darsie/engine.h"
#include "castor/darsie/masks.h"
#include "tests/common/sanitized.h"
#include "unit/darsie/parameter_sets.h"
#include "unit/darsie/run.h"

namespace castor::darsie::test::engine_legal_test {
namespace {

/// Returns the live warps of TB slot t.
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

/// Follows one run and checks each cycle of it.
class Checker {
 public:
  Checker(const Engine& engine, const Params& params) : engine_(engine), p_(params) {}

  /// Records the inputs, outputs and state of a cycle, before its edge, and checks the previous cycle.
  void see(const Inputs& in, const Outputs& out) {
    if (seen_) check_cycle();
    check_state(engine_.state(), p_);
    before_ = engine_.state();
    in_ = in;
    out_ = out;
    seen_ = true;
  }
  /// Forgets the recorded cycle, because the block was reset.
  void reset() {
    seen_ = false;
    parked_.clear();
  }

 private:
  // Checks the recorded cycle: the state before its edge, its inputs and outputs, and the state after its edge.
  void check_cycle() {
    const State& after = engine_.state();
    EXPECT_EQ(out_.f_skip & ~(out_.f_hold & in_.f_elig & before_.maj), 0U);
    if (in_.lnch_valid == 0 && in_.bar == 0) {
      EXPECT_EQ(after.maj & ~before_.maj, 0U);
    }
    for (unsigned s = 0; s < p_.DecW; ++s) {
      if (out_.d_act[s] == kActLead) check_lead(s);
    }
    for_each_bit(out_.f_skip, [&](unsigned w) {
      const U32 taken = after.versions[w].ref & before_.versions[w].pend;
      EXPECT_NE(taken, 0U) << "warp " << w;
      EXPECT_EQ(taken & before_.tbs[before_.tb[w]].inv, 0U) << "warp " << w;
    });
    for_each_bit(before_.tl, [&](unsigned t) { check_meeting(t); });
    note_parked(after);
  }

  // Checks that the rows given to a leader are written back, and that no warp may still read them.
  void check_lead(unsigned s) {
    const unsigned t = before_.tb[in_.d_warp];
    for (unsigned a = 0; a < in_.d_ndst[s]; ++a) {
      EXPECT_TRUE(has(before_.tbs[t].wb, out_.d_tag[a]));
      for_each_bit(warps_of(before_, t), [&](unsigned w) {
        const WarpVersions& v = before_.versions[w];
        EXPECT_FALSE(has(v.pend | v.ref | v.ling, out_.d_tag[a])) << "warp " << w;
      });
    }
  }

  // Checks meetings of warps: warps that meet at a branch have passed all versions, and warps parked at a
  // synchronisation point are parked at one PC.
  void check_meeting(unsigned t) {
    const U64 all = warps_of(before_, t), majority = all & before_.maj;
    if (majority != 0 && (majority & ~before_.stop) == 0 && !has(before_.sync, t)) {
      for_each_bit(all, [&](unsigned w) { EXPECT_EQ(before_.versions[w].pend, 0U) << "meeting, warp " << w; });
    }
    if (!has(before_.sync, t)) return;
    std::set<U64> pcs;
    for_each_bit(majority & before_.stop, [&](unsigned w) {
      if (const auto found = parked_.find(w); found != parked_.end()) pcs.insert(found->second);
    });
    EXPECT_LE(pcs.size(), 1U) << "TB " << t;
  }

  // Records the PC at which decode parks a warp in this cycle.
  void note_parked(const State& after) {
    for_each_bit(before_.stop & ~after.stop, [&](unsigned w) { parked_.erase(w); });
    if (in_.d_valid == 0 || !has(after.stop & ~before_.stop, in_.d_warp) || has(in_.br, in_.d_warp)) return;
    unsigned s = 0;
    while (out_.d_act[s] != kActSquash) ++s;
    parked_[in_.d_warp] = in_.d_pc + 8 * s;
  }

  const Engine& engine_;
  const Params p_;
  State before_;
  Inputs in_;
  Outputs out_;
  bool seen_ = false;
  std::map<unsigned, U64> parked_;  // by warp
};

class DarsieEngineLegal : public testing::TestWithParam<ParameterSet> {};
INSTANTIATE_TEST_SUITE_P(Sets, DarsieEngineLegal, testing::ValuesIn(sample_if_sanitized(kParameterSets)),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(DarsieEngineLegal, PropertiesHoldInEveryCycle) {
  const Params& params = GetParam().params;
  for (const castor::tb::SequenceInfo& info : tb::sequences().infos()) {
    if (!info.keeps_contract) continue;
    SCOPED_TRACE("sequence " + std::string(info.name));
    twin::Model<Block> model(params);
    Checker checker(model.engine(), params);
    const auto sequence = tb::sequences().make(info.name, params, 5);
    run(
        model, *sequence, unless_sanitized(1'500U, 300U),
        [&](const Inputs& in, const Outputs& out) { checker.see(in, out); }, [&] { checker.reset(); });
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace castor::darsie::test::engine_legal_test
