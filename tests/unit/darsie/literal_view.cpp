// Outputs of the literal machine for tests: errors, counts, registers, groups as text, and whether it is idle.

#include <cstring>

#include "unit/darsie/literal.h"

namespace castor::darsie::literal {
namespace {

constexpr bool has(U64 mask, unsigned bit) { return (mask >> bit & 1U) != 0; }
constexpr U64 bit(unsigned b) { return U64{1} << b; }
unsigned size(U64 mask) { return static_cast<unsigned>(__builtin_popcountll(mask)); }

}  // namespace

U64 Machine::errors(const Inputs& in) const {
  const Params& p = params();
  U64 found = 0;
  const auto raise = [&found](unsigned code, bool wrong) { found |= wrong ? bit(code) : 0; };
  const auto live = [&](unsigned w) { return w < p.NumWarps && state_.live[w] != 0; };
  const auto blocked = [&](unsigned w) { return state_.stop[w] != 0 || state_.lat[w] != 0 || state_.cpy[w] != 0; };

  const bool retires =
      in.retire_valid != 0 && in.retire_tb < p.NumTbs && state_.tl[in.retire_tb] != 0 && warps_of(in.retire_tb) == 0;
  raise(1, in.retire_valid != 0 && !retires);
  const bool slot_free =
      in.lnch_tb < p.NumTbs && (state_.tl[in.lnch_tb] == 0 || (retires && in.retire_tb == in.lnch_tb));
  raise(0, in.lnch_valid != 0 && !launches(in, slot_free));
  for (unsigned i = 0; i < p.NumWb; ++i) {
    if (!has(in.wb_valid, i)) continue;
    const bool there = in.wb_tb[i] < p.NumTbs && in.wb_tag[i] < p.NumRows;
    raise(2, !there || has(state_.wb[in.wb_tb[i]], in.wb_tag[i]));
  }
  if (in.d_valid != 0) {
    raise(4, !live(in.d_warp));
    if (live(in.d_warp)) raise(5, blocked(in.d_warp));
    for (unsigned s = 0; s < p.DecW && in.d_warp < p.NumWarps; ++s) {
      if (!has(in.d_valid, s)) continue;
      const bool no_result = in.d_ndst[s] == 0 || in.d_ndst[s] == 3;
      raise(3, in.d_mark[s] == 3 || (in.d_mark[s] != 0 && no_result));
    }
  }
  for (unsigned i = 0; i < p.NumIss; ++i) raise(4, has(in.i_valid, i) && !live(in.i_warp[i]));
  for (unsigned w = 0; w < p.NumWarps; ++w) {
    if (!has(in.exit, w)) continue;
    raise(4, !live(w));
    if (live(w)) raise(5, blocked(w));
  }
  for (unsigned t = 0; t < p.NumTbs; ++t) {
    if (!has(in.bar, t) || state_.en[t] == 0) continue;
    for (unsigned w = 0; w < p.NumWarps; ++w) {
      if (has(warps_of(t), w)) raise(6, state_.pend[w] != 0 || state_.stop[w] != 0 || state_.lat[w] != 0);
    }
  }
  raise(7, in.cp_ack != 0 && state_.cpv == 0);
  return found;
}

// Adds the events of the cycle that follow from its state and inputs alone.
void Machine::count() {
  Counters& c = counted_;
  for (const Group& group : groups_) {
    const bool woken = state_.lat[group.first] != 0;
    c.probes += woken ? 0 : 1;
    c.probe_misses += group.kind == Kind::kMiss ? 1 : 0;
    c.latches_fetch += group.kind == Kind::kLatch ? size(group.warps) : 0;
    c.skip_groups += group.kind == Kind::kSkip ? 1 : 0;
    if (group.kind == Kind::kSkip) (woken ? c.skips_wake : c.skips_hit) += size(group.warps);
  }
  const auto is = [this](auto... any) { return ((decision_.why == any) || ...) ? 1U : 0U; };
  c.leads += is(Why::kLead);
  c.releads += is(Why::kRelead);
  c.late_latches += is(Why::kLatch);
  c.priv_alone += is(Why::kAlone);
  c.priv_noelect += is(Why::kNoElect, Why::kSetNoElect);
  c.priv_stale += is(Why::kNosk, Why::kLast, Why::kNoRow);
  c.squash_sync += is(Why::kPark, Why::kSetSync);
  c.sync_points += is(Why::kSetSync);
  c.squash_second += decision_.second;
  for (unsigned w = 0; w < params().NumWarps; ++w) {
    c.wait_wb += state_.lat[w];
    c.wait_stop += state_.stop[w];
    c.wait_copy += state_.cpy[w];
  }
  for (unsigned p = 0; p < params().NumIss; ++p) c.row_lookups += size(out_.i_sren[p]);
}

base::Cycle Machine::quiet() const {
  Machine after(params(), rules_);
  after.state_ = state_;
  after.count_warps();
  Inputs idle = levels_;
  twin::make_idle<Block>(idle, params());
  after.clock(idle);
  const bool rests = std::memcmp(&after.state_, &state_, sizeof state_) == 0;
  return rests ? base::kForever : 0;
}

std::string Machine::groups_text() const {
  static constexpr const char* kNames[] = {"SKIP", "LATCH", "MISS"};
  std::string text;
  for (const Group& group : groups_) {
    text += (text.empty() ? "" : " ") + std::string(kNames[static_cast<unsigned>(group.kind)]) + "{";
    for (unsigned w = 0; w < params().NumWarps; ++w) {
      if (has(group.warps, w)) text += (text.back() == '{' ? "w" : ",w") + std::to_string(w);
    }
    text += "}";
  }
  return text;
}

Probes Machine::probes() const {
  Probes seen;
  const State& s = state_;
  for (unsigned w = 0; w < params().NumWarps; ++w) {
    if (s.live[w] == 0) continue;
    const auto put = [w](U64& mask, U64 value) { mask |= value << w; };
    put(seen.live, 1);
    seen.warp_tb[w] = static_cast<U8>(s.tb[w]);
    put(seen.majority, s.maj[w]);
    put(seen.miss, s.miss[w]);
    put(seen.lat, s.lat[w]);
    if (s.lat[w] != 0) {
      put(seen.two, s.two[w]);
      seen.lt0[w] = static_cast<U8>(s.lt0[w]);
      seen.lt1[w] = static_cast<U8>(s.lt1[w]);
      put(seen.lr0, s.lr0[w]);
      put(seen.lr1, s.lr1[w]);
      put(seen.lld, s.lld[w]);
      put(seen.lgl, s.lgl[w]);
    }
    put(seen.stop, s.stop[w]);
    if (s.stop[w] != 0) put(seen.tk, s.tk[w]);
    put(seen.cpy, s.cpy[w]);
    seen.pend[w] = static_cast<U32>(s.pend[w]);
    seen.ref[w] = static_cast<U32>(s.ref[w]);
    seen.ling[w] = static_cast<U32>(s.ling[w]);
  }
  for (unsigned t = 0; t < params().NumTbs; ++t) {
    if (s.tl[t] == 0) continue;
    const auto put = [t](U32& mask, U64 value) { mask |= static_cast<U32>(value << t); };
    put(seen.tl, 1);
    put(seen.en, s.en[t]);
    put(seen.prom, s.prom[t]);
    seen.base[t] = static_cast<U16>(s.base[t]);
    seen.rows[t] = static_cast<U8>(s.rows[t]);
    seen.slots[t] = static_cast<U8>(s.slots[t]);
    seen.ctr[t] = static_cast<U8>(s.ctr[t]);
    put(seen.sync, s.sync[t]);
    put(seen.synced, s.synced[t]);
    put(seen.noel, s.noel[t]);
    seen.ptr[t] = static_cast<U8>(s.ptr[t]);
    seen.pv[t] = static_cast<U16>(s.pv[t]);
    seen.pld[t] = static_cast<U16>(s.pld[t] & s.pv[t]);
    seen.pgl[t] = static_cast<U16>(s.pgl[t] & s.pv[t]);
    seen.wb[t] = static_cast<U32>(s.wb[t]);
    seen.ld[t] = static_cast<U32>(s.ld[t]);
    seen.gl[t] = static_cast<U32>(s.gl[t]);
    seen.inv[t] = static_cast<U32>(s.inv[t]);
    seen.nosk[t] = static_cast<U32>(s.nosk[t]);
  }
  seen.rrf = static_cast<U8>(s.rrf);
  seen.rrt = static_cast<U8>(s.rrt);
  seen.cpv = static_cast<U8>(s.cpv);
  if (s.cpv != 0) {
    seen.cpw = static_cast<U8>(s.cpw);
    seen.cpk = static_cast<U8>(s.cpk);
  }
  seen.error = static_cast<U8>(s.err);
  return seen;
}

}  // namespace castor::darsie::literal
