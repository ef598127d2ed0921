#include "unit/darsie/literal.h"

namespace castor::darsie::literal {
namespace {

constexpr bool has(U64 mask, unsigned bit) { return (mask >> bit & 1U) != 0; }
constexpr U64 bit(unsigned b) { return U64{1} << b; }
unsigned size(U64 mask) { return static_cast<unsigned>(__builtin_popcountll(mask)); }
unsigned lowest(U64 mask) { return static_cast<unsigned>(__builtin_ctzll(mask)); }

}  // namespace

void Machine::reset() {
  state_ = {};
  levels_ = {};
  count_warps();
}

// Sets

void Machine::count_warps() {
  warps_of_ = majority_of_ = {};
  for (unsigned w = 0; w < params().NumWarps; ++w) {
    if (state_.live[w] != 0) warps_of_[state_.tb[w]] |= bit(w);
    if (state_.live[w] != 0 && state_.maj[w] != 0) majority_of_[state_.tb[w]] |= bit(w);
  }
}

bool Machine::complete(unsigned t) const {
  const U64 majority = majority_of(t);
  for (unsigned w = 0; w < params().NumWarps; ++w) {
    if (has(majority, w) && state_.stop[w] == 0) return false;
  }
  return majority != 0;
}

bool Machine::probes_table(unsigned w) const {
  const bool blocked = state_.stop[w] != 0 || state_.cpy[w] != 0 || state_.lat[w] != 0;
  return state_.maj[w] != 0 && !blocked && state_.miss[w] == 0 && state_.pv[state_.tb[w]] != 0;
}

bool Machine::ready(unsigned w) const {
  return state_.lat[w] != 0 && state_.lr0[w] != 0 && (state_.lr1[w] != 0 || state_.two[w] == 0);
}

// Fetch groups

Machine::Group Machine::probe_group(const Inputs& in, unsigned r, U64 rest) const {
  const unsigned t = static_cast<unsigned>(state_.tb[r]);
  Group group{Kind::kMiss, r, 0, 0, 0, 0, 0};
  for (unsigned w = 0; w < params().NumWarps; ++w) {
    if (has(rest, w) && probes_table(w) && state_.tb[w] == t && in.f_pc[w] == in.f_pc[r]) group.warps |= bit(w);
  }
  for (unsigned e = 0; e < params().NumPst; ++e) {
    if (!has(state_.pv[t], e) || state_.pc[t][e] != in.f_pc[r]) continue;
    const unsigned tag0 = static_cast<unsigned>(state_.ptag0[t][e]), tag1 = static_cast<unsigned>(state_.ptag1[t][e]);
    if (rules_.pend_in_match && !has(state_.pend[r], tag0)) return group;
    group.entry = e;
    group.two = static_cast<unsigned>(state_.ptwo[t][e]);
    group.tag0 = tag0;
    group.tag1 = tag1;
    const bool written = has(state_.wb[t], tag0) && (group.two == 0 || has(state_.wb[t], tag1));
    group.kind = written ? Kind::kSkip : Kind::kLatch;
    return group;
  }
  return group;
}

void Machine::find_groups(const Inputs& in) {
  const unsigned n = params().NumWarps;
  U64 rest = 0;
  for (unsigned w = 0; w < n; ++w) {
    if (has(in.f_elig, w) && state_.maj[w] != 0 && (ready(w) || probes_table(w))) rest |= bit(w);
  }
  groups_.clear();
  for (unsigned g = 0; g < params().PstRd && rest != 0; ++g) {
    unsigned r = static_cast<unsigned>(state_.rrf);
    while (!has(rest, r)) r = (r + 1) % n;
    Group group{Kind::kSkip, r, 0, 0, 0, 0, 0};
    if (ready(r)) {
      group.two = static_cast<unsigned>(state_.two[r]);
      group.tag0 = static_cast<unsigned>(state_.lt0[r]);
      group.tag1 = static_cast<unsigned>(state_.lt1[r]);
      for (unsigned w = 0; w < n; ++w) {
        if (has(rest, w) && ready(w) && state_.tb[w] == state_.tb[r] && state_.lt0[w] == state_.lt0[r]) {
          group.warps |= bit(w);
        }
      }
    } else {
      group = probe_group(in, r, rest);
    }
    groups_.push_back(group);
    rest &= ~group.warps;
  }
}

// Decode verdicts

bool Machine::redundant(const Inputs& in, unsigned s) const {
  const unsigned w = in.d_warp, t = static_cast<unsigned>(state_.tb[w]);
  if (params().SkipEn == 0 || state_.maj[w] == 0) return false;
  if (in.d_mark[s] != 2 && !(in.d_mark[s] == 1 && state_.prom[t] != 0)) return false;
  if (in.d_ndst[s] != 1 && in.d_ndst[s] != 2) return false;
  for (unsigned a = 0; a < in.d_ndst[s]; ++a) {
    if (in.d_dst[2 * s + a] >= state_.slots[t]) return false;
  }
  return params().LoadSkip != 0 || in.d_ldkind[s] == 0;
}

void Machine::decide(const Inputs& in) {
  decision_ = {};
  out_.d_act = {};
  out_.d_tag = {};
  if (in.d_valid == 0 || in.d_warp >= params().NumWarps) return;
  bool squashed = false, was_redundant = false;
  for (unsigned s = 0; s < params().DecW; ++s) {
    if (!has(in.d_valid, s)) continue;
    unsigned act = 0;
    if (squashed) {
      act = 3;
    } else if (redundant(in, s)) {
      act = was_redundant ? 3 : verdict(in, s);
      decision_.second += was_redundant ? 1 : 0;
      was_redundant = true;
    }
    squashed = squashed || act == 3;
    out_.d_act[s] = static_cast<U8>(act);
    if (act != 1) continue;
    out_.d_tag[0] = static_cast<U8>(decision_.k0);
    out_.d_tag[1] = static_cast<U8>(decision_.ndst == 2 ? decision_.k1 : 0);
  }
}

U64 Machine::free_rows(unsigned t) const {
  U64 used = 0;
  for (unsigned w = 0; w < params().NumWarps; ++w) {
    if (!has(warps_of(t), w)) continue;
    used |= state_.pend[w] | state_.ref[w];
    if (rules_.linger) used |= state_.ling[w];
  }
  if (rules_.free_only_if_written) used |= ~state_.wb[t];
  return ~used & twin::mask(static_cast<unsigned>(state_.rows[t]));
}

unsigned Machine::verdict(const Inputs& in, unsigned s) {
  enum : unsigned { kLead = 1, kPriv = 2, kSquash = 3 };
  const unsigned w = in.d_warp, t = static_cast<unsigned>(state_.tb[w]);
  Decision& d = decision_;
  d.warp = w;
  d.place = s;
  d.ndst = in.d_ndst[s];
  const U64 free = free_rows(t);
  const bool room = size(free) >= d.ndst;
  if (free != 0) d.k0 = lowest(free);
  if ((free & (free - 1)) != 0) d.k1 = lowest(free & (free - 1));
  const auto because = [&d](Why why, unsigned act) {
    d.why = why;
    return act;
  };

  bool any = false;
  U64 best = 0;
  const U64 ages = twin::mask(params().seq_bits());
  for (unsigned k = 0; k < params().NumRows; ++k) {
    if (!has(state_.pend[w], k) || state_.slot[t][k] != in.d_dst[2 * s]) continue;
    const U64 age = (state_.ctr[t] - state_.seq[t][k]) & ages;
    if (any && (rules_.oldest_first ? age <= best : age >= best)) continue;
    any = true;
    best = age;
    d.v0 = k;
  }
  if (any) {
    for (unsigned k = params().NumRows; d.ndst == 2 && k-- > 0;) {
      if (has(state_.pend[w], k) && state_.slot[t][k] == in.d_dst[2 * s + 1] &&
          state_.seq[t][k] == state_.seq[t][d.v0]) {
        d.v1 = k;
      }
    }
    bool others = false;
    for (unsigned x = 0; x < params().NumWarps; ++x) {
      others = others || (x != w && has(warps_of(t), x) && has(state_.pend[x], d.v0));
    }
    const bool stale = has(state_.inv[t], d.v0);
    if (has(state_.nosk[t], d.v0)) return because(Why::kNosk, kPriv);
    if (stale && !others) return because(Why::kLast, kPriv);
    if (stale && room && state_.noel[t] == 0) return because(Why::kRelead, kLead);
    if (stale) return because(Why::kNoRow, kPriv);
    return because(Why::kLatch, kSquash);
  }
  if ((majority_of(t) & ~bit(w)) == 0) return because(Why::kAlone, kPriv);
  if (state_.noel[t] != 0) return because(Why::kNoElect, kPriv);
  if (state_.sync[t] != 0) return because(Why::kPark, kSquash);
  if (room) return because(Why::kLead, kLead);
  if (state_.synced[t] != 0) return because(Why::kSetNoElect, kPriv);
  return because(Why::kSetSync, kSquash);
}

// Operands

void Machine::read_operands(const Inputs& in) {
  const unsigned width = params().NumSrc;
  out_.i_sren = {};
  out_.i_srow = {};
  for (unsigned p = 0; p < params().NumIss; ++p) {
    const unsigned w = in.i_warp[p];
    if (!has(in.i_valid, p) || w >= params().NumWarps || state_.live[w] == 0) continue;
    const unsigned t = static_cast<unsigned>(state_.tb[w]);
    for (unsigned a = 0; a < width; ++a) {
      if (!has(in.i_sv[p], a)) continue;
      for (unsigned k = 0; k < params().NumRows; ++k) {
        if (!has(state_.ref[w], k) || state_.slot[t][k] != in.i_src[p * width + a]) continue;
        out_.i_sren[p] = static_cast<U8>(out_.i_sren[p] | bit(a));
        out_.i_srow[p * width + a] = static_cast<U16>((state_.base[t] + k) & twin::mask(params().RowW));
        break;
      }
    }
  }
}

const Outputs& Machine::settle(const Inputs& in) {
  find_groups(in);
  out_.f_hold = out_.f_skip = out_.maj = 0;
  for (unsigned w = 0; w < params().NumWarps; ++w) {
    const bool blocked = state_.stop[w] != 0 || state_.cpy[w] != 0 || state_.lat[w] != 0;
    if (blocked || probes_table(w)) out_.f_hold |= bit(w);
    if (state_.maj[w] != 0) out_.maj |= bit(w);
  }
  for (const Group& group : groups_) {
    if (group.kind == Kind::kSkip) out_.f_skip |= group.warps;
  }
  decide(in);
  read_operands(in);
  out_.cp_valid = static_cast<U8>(state_.cpv);
  out_.cp_warp = out_.cp_slot = 0;
  out_.cp_row = 0;
  if (state_.cpv != 0) {
    const U64 t = state_.tb[state_.cpw];
    out_.cp_warp = static_cast<U8>(state_.cpw);
    out_.cp_row = static_cast<U16>((state_.base[t] + state_.cpk) & twin::mask(params().RowW));
    out_.cp_slot = static_cast<U8>(state_.slot[t][state_.cpk]);
  }
  out_.err = static_cast<U8>(state_.err);
  return out_;
}

// The edge

void Machine::clock(const Inputs& in) {
  static_cast<void>(settle(in));
  levels_ = in;
  next_ = state_;
  next_.err = errors(in);
  count();
  write_back(in);
  memory(in);
  move_groups(in);
  move_decode(in);
  drop(in);
  issue(in);
  completion();
  branches_and_leaves(in);
  barriers(in);
  copies(in);
  exits(in);
  linger(in);
  tbs(in);
  state_ = next_;
  count_warps();
}

void Machine::write_back(const Inputs& in) {
  for (unsigned p = 0; p < params().NumWb; ++p) {
    const unsigned t = in.wb_tb[p], k = in.wb_tag[p];
    if (!has(in.wb_valid, p) || t >= params().NumTbs || k >= params().NumRows) continue;
    next_.wb[t] |= bit(k);
    for (unsigned w = 0; w < params().NumWarps; ++w) {
      if (!has(warps_of(t), w) || state_.lat[w] == 0) continue;
      if (state_.lt0[w] == k) next_.lr0[w] = 1;
      if (state_.two[w] != 0 && state_.lt1[w] == k) next_.lr1[w] = 1;
    }
  }
}

void Machine::memory(const Inputs& in) {
  for (unsigned t = 0; t < params().NumTbs; ++t) {
    if (params().StoreInv != 0 && has(in.ev_store, t)) {
      if (rules_.stale) next_.inv[t] |= state_.ld[t];
      next_.pv[t] &= ~state_.pld[t];
    }
    if (in.ev_global != 0) {
      if (rules_.stale) next_.inv[t] |= state_.gl[t];
      next_.pv[t] &= ~state_.pgl[t];
    }
  }
}

void Machine::move_groups(const Inputs& in) {
  U64 missed = 0, skipped = 0;
  for (const Group& group : groups_) {
    next_.rrf = (group.first + 1) % params().NumWarps;
    const U64 t = state_.tb[group.first];
    if (group.kind == Kind::kMiss) missed |= group.warps;
    for (unsigned w = 0; w < params().NumWarps; ++w) {
      if (!has(group.warps, w)) continue;
      if (group.kind == Kind::kLatch) {
        next_.lat[w] = 1;
        next_.two[w] = group.two;
        next_.lt0[w] = group.tag0;
        next_.lt1[w] = group.two != 0 ? group.tag1 : 0;
        next_.lr0[w] = has(next_.wb[t], group.tag0) ? 1 : 0;
        next_.lr1[w] = group.two != 0 && has(next_.wb[t], group.tag1) ? 1 : 0;
        next_.lld[w] = state_.pld[t] >> group.entry & 1U;
        next_.lgl[w] = state_.pgl[t] >> group.entry & 1U;
      } else if (group.kind == Kind::kSkip) {
        skipped |= bit(w);
        next_.lat[w] = 0;
        const U64 tags = bit(group.tag0) | (group.two != 0 ? bit(group.tag1) : 0);
        for (unsigned k = 0; k < params().NumRows; ++k) {
          const bool same = state_.slot[t][k] == state_.slot[t][group.tag0] ||
                            (group.two != 0 && state_.slot[t][k] == state_.slot[t][group.tag1]);
          if (same) next_.ref[w] &= ~bit(k);
        }
        next_.ref[w] |= tags;
        next_.pend[w] &= ~tags;
      }
    }
  }
  for (unsigned w = 0; w < params().NumWarps; ++w) {
    const bool miss = state_.miss[w] != 0 || has(missed, w);
    next_.miss[w] = miss && has(in.f_elig, w) && !has(skipped, w) ? 1 : 0;
  }
}

void Machine::move_decode(const Inputs& in) {
  const Decision& d = decision_;
  if (d.why == Why::kNone) return;
  const U64 t = state_.tb[d.warp];
  const U64 versions = bit(d.v0) | (d.ndst == 2 ? bit(d.v1) : 0);
  switch (d.why) {
    case Why::kNosk:
    case Why::kLast:
      next_.pend[d.warp] &= ~versions;
      break;
    case Why::kNoRow:
      next_.pend[d.warp] &= ~versions;
      next_.nosk[t] |= versions;
      break;
    case Why::kAlone:
      next_.sync[t] = 0;
      break;
    case Why::kSetNoElect:
      next_.noel[t] = 1;
      next_.synced[t] = 0;
      break;
    case Why::kPark:
      next_.stop[d.warp] = 1;
      break;
    case Why::kSetSync:
      next_.stop[d.warp] = 1;
      next_.sync[t] = 1;
      break;
    case Why::kLatch:
      next_.lat[d.warp] = 1;
      next_.two[d.warp] = d.ndst == 2 ? 1 : 0;
      next_.lt0[d.warp] = d.v0;
      next_.lt1[d.warp] = d.ndst == 2 ? d.v1 : 0;
      next_.lr0[d.warp] = has(next_.wb[t], d.v0) ? 1 : 0;
      next_.lr1[d.warp] = d.ndst == 2 && has(next_.wb[t], d.v1) ? 1 : 0;
      next_.lld[d.warp] = state_.ld[t] >> d.v0 & 1U;
      next_.lgl[d.warp] = state_.gl[t] >> d.v0 & 1U;
      break;
    case Why::kLead:
      elect(in, false);
      break;
    case Why::kRelead:
      elect(in, true);
      break;
    default:
      break;
  }
}

void Machine::elect(const Inputs& in, bool again) {
  const Decision& d = decision_;
  const unsigned t = static_cast<unsigned>(state_.tb[d.warp]), s = d.place;
  const U64 versions = bit(d.v0) | (d.ndst == 2 ? bit(d.v1) : 0), rows = bit(d.k0) | (d.ndst == 2 ? bit(d.k1) : 0);
  U64 heirs = majority_of(t) & ~bit(d.warp), number = state_.ctr[t];
  if (again) {
    heirs = 0;
    for (unsigned x = 0; x < params().NumWarps; ++x) {
      if (!has(warps_of(t), x)) continue;
      if (x != d.warp && has(state_.pend[x], d.v0)) heirs |= bit(x);
      next_.pend[x] &= ~versions;
    }
    number = state_.seq[t][d.v0];
  } else {
    next_.ctr[t] = (number + 1) & twin::mask(params().seq_bits());
    next_.synced[t] = 0;
  }
  for (unsigned x = 0; x < params().NumWarps; ++x) {
    if (has(heirs, x)) next_.pend[x] |= rows;
    if (has(warps_of(t), x)) next_.miss[x] = 0;
  }
  const bool load = in.d_ldkind[s] != 0, global = in.d_ldkind[s] >= 2;
  for (unsigned a = 0; a < d.ndst; ++a) {
    const unsigned k = a == 0 ? d.k0 : d.k1;
    next_.slot[t][k] = in.d_dst[2 * s + a];
    next_.seq[t][k] = number;
    for (auto* flags : {&next_.wb[t], &next_.inv[t], &next_.nosk[t]}) *flags &= ~bit(k);
    next_.ld[t] = (next_.ld[t] & ~bit(k)) | (load ? bit(k) : 0);
    next_.gl[t] = (next_.gl[t] & ~bit(k)) | (global ? bit(k) : 0);
  }
  const unsigned e = static_cast<unsigned>(state_.ptr[t]);
  counted_.evictions += has(next_.pv[t], e) ? 1 : 0;
  next_.pv[t] |= bit(e);
  next_.pc[t][e] = (in.d_pc + 8 * s) & twin::mask(params().PcW);
  next_.ptwo[t][e] = d.ndst == 2 ? 1 : 0;
  next_.ptag0[t][e] = d.k0;
  next_.ptag1[t][e] = d.ndst == 2 ? d.k1 : 0;
  next_.pld[t] = (next_.pld[t] & ~bit(e)) | (load ? bit(e) : 0);
  next_.pgl[t] = (next_.pgl[t] & ~bit(e)) | (global ? bit(e) : 0);
  next_.ptr[t] = (e + 1) % params().NumPst;
}

void Machine::drop(const Inputs& in) {
  if (!rules_.drop) return;
  for (unsigned w = 0; w < params().NumWarps; ++w) {
    if (next_.lat[w] == 0) continue;
    const bool store = params().StoreInv != 0 && has(in.ev_store, static_cast<unsigned>(state_.tb[w]));
    if ((!store || next_.lld[w] == 0) && (in.ev_global == 0 || next_.lgl[w] == 0)) continue;
    ++counted_.load_drops;
    next_.lat[w] = 0;
  }
}

void Machine::issue(const Inputs& in) {
  for (unsigned p = 0; p < params().NumIss; ++p) {
    const unsigned w = in.i_warp[p];
    if (!has(in.i_valid, p) || w >= params().NumWarps || state_.live[w] == 0) continue;
    const U64 t = state_.tb[w];
    for (unsigned a = 0; a < 2; ++a) {
      for (unsigned k = 0; k < params().NumRows; ++k) {
        if (has(in.i_dv[p], a) && state_.slot[t][k] == in.i_dst[2 * p + a]) next_.ref[w] &= ~bit(k);
      }
    }
    for (unsigned a = 0; a < 2; ++a) {
      if (!has(in.i_lead, p) || !has(in.i_dv[p], a) || in.i_tag[2 * p + a] >= params().NumRows) continue;
      next_.ref[w] |= bit(in.i_tag[2 * p + a]);
    }
  }
}

void Machine::completion() {
  for (unsigned i = 0; i < params().NumTbs; ++i) {
    const unsigned t = static_cast<unsigned>(state_.rrt + i) % params().NumTbs;
    if (!complete(t)) continue;
    next_.rrt = (t + 1) % params().NumTbs;
    const U64 m = majority_of(t);
    U64 taken = 0;
    for (unsigned w = 0; w < params().NumWarps; ++w) {
      if (!has(m, w)) continue;
      next_.stop[w] = 0;
      if (state_.tk[w] != 0) taken |= bit(w);
    }
    if (state_.sync[t] != 0) {
      next_.sync[t] = 0;
      next_.synced[t] = 1;
      return;
    }
    const U64 others = m & ~taken;
    const bool keep_taken = size(taken) > size(others) || (size(taken) == size(others) && has(taken, lowest(m)));
    for (unsigned w = 0; w < params().NumWarps; ++w) {
      if (!has(keep_taken ? others : taken, w)) continue;
      ++counted_.leavers;
      next_.maj[w] = 0;
      next_.cpy[w] = 1;
    }
    ++counted_.meetings;
    region_end(t);
    return;
  }
}

void Machine::region_end(unsigned t) {
  if (rules_.region_end_clears) next_.pv[t] = 0;
  next_.noel[t] = next_.synced[t] = 0;
}

void Machine::branches_and_leaves(const Inputs& in) {
  for (unsigned w = 0; w < params().NumWarps; ++w) {
    if (rules_.meet && has(in.br, w) && state_.maj[w] != 0) {
      next_.stop[w] = 1;
      next_.tk[w] = has(in.br_taken, w) ? 1 : 0;
    }
    if (has(in.leave, w) && state_.maj[w] != 0) {
      counted_.leavers += next_.maj[w];
      next_.maj[w] = next_.pend[w] = next_.lat[w] = next_.miss[w] = next_.stop[w] = 0;
      next_.cpy[w] = 1;
    }
  }
}

void Machine::barriers(const Inputs& in) {
  for (unsigned t = 0; t < params().NumTbs; ++t) {
    if (!has(in.bar, t) || state_.en[t] == 0) continue;
    for (unsigned w = 0; w < params().NumWarps; ++w) {
      if (!has(warps_of(t), w)) continue;
      const bool joins = has(in.bar_join, w) && state_.cpy[w] == 0;
      counted_.leavers += joins ? 0 : next_.maj[w];
      counted_.joins += joins && state_.maj[w] == 0 ? 1 : 0;
      if (state_.maj[w] != 0 && !joins) next_.cpy[w] = 1;
      next_.maj[w] = joins ? 1 : 0;
      next_.pend[w] = next_.stop[w] = next_.lat[w] = 0;
    }
    next_.sync[t] = 0;
    region_end(t);
  }
}

void Machine::copies(const Inputs& in) {
  if (state_.cpv != 0) {
    if (in.cp_ack != 0) {
      ++counted_.copies;
      next_.ref[state_.cpw] &= ~bit(static_cast<unsigned>(state_.cpk));
      next_.cpv = 0;
    }
  } else {
    for (unsigned w = 0; w < params().NumWarps; ++w) {
      const U64 rows = state_.ref[w] & state_.wb[state_.tb[w]];
      if (state_.cpy[w] == 0 || rows == 0) continue;
      next_.cpv = 1;
      next_.cpw = w;
      next_.cpk = lowest(rows);
      break;
    }
  }
  for (unsigned w = 0; w < params().NumWarps; ++w) {
    if (state_.cpy[w] != 0 && state_.ref[w] == 0) next_.cpy[w] = 0;
    if (!rules_.copy_out && next_.cpy[w] != 0) next_.ref[w] = 0;
  }
}

void Machine::exits(const Inputs& in) {
  for (unsigned w = 0; w < params().NumWarps; ++w) {
    if (!has(in.exit, w) || state_.live[w] == 0) continue;
    next_.live[w] = next_.maj[w] = next_.miss[w] = next_.lat[w] = next_.stop[w] = next_.cpy[w] = 0;
    next_.pend[w] = next_.ref[w] = 0;
  }
}

void Machine::linger(const Inputs& in) {
  for (unsigned w = 0; w < params().NumWarps; ++w) {
    if (state_.live[w] == 0) continue;
    if (has(in.oc_idle, w) || has(in.exit, w)) {
      next_.ling[w] = 0;
    } else {
      next_.ling[w] |= state_.ref[w] & ~next_.ref[w];
    }
  }
}

bool Machine::launches(const Inputs& in, bool slot_free) const {
  U64 live = 0;
  for (unsigned w = 0; w < params().NumWarps; ++w) live |= state_.live[w] != 0 ? bit(w) : 0;
  return slot_free && in.lnch_warps != 0 && (in.lnch_warps & live) == 0 && (in.lnch_full & ~in.lnch_warps) == 0 &&
         in.lnch_rows <= params().NumRows && in.lnch_slots <= params().NumSlots;
}

void Machine::tbs(const Inputs& in) {
  if (in.retire_valid != 0 && in.retire_tb < params().NumTbs) {
    const unsigned t = in.retire_tb;
    if (state_.tl[t] != 0 && warps_of(t) == 0) next_.tl[t] = next_.en[t] = 0;
  }
  if (in.lnch_valid == 0 || in.lnch_tb >= params().NumTbs) return;
  const unsigned t = in.lnch_tb;
  if (!launches(in, next_.tl[t] == 0)) return;
  next_.tl[t] = 1;
  next_.en[t] = in.lnch_en;
  next_.prom[t] = in.lnch_promote;
  next_.base[t] = in.lnch_base;
  next_.rows[t] = in.lnch_rows;
  next_.slots[t] = in.lnch_slots;
  next_.ctr[t] = next_.ptr[t] = next_.sync[t] = next_.synced[t] = next_.noel[t] = next_.pv[t] = 0;
  next_.wb[t] = twin::mask(params().NumRows);
  next_.ld[t] = next_.gl[t] = next_.inv[t] = next_.nosk[t] = 0;
  for (unsigned w = 0; w < params().NumWarps; ++w) {
    if (!has(in.lnch_warps, w)) continue;
    next_.live[w] = 1;
    next_.tb[w] = t;
    next_.maj[w] = in.lnch_en != 0 && has(in.lnch_full, w) ? 1 : 0;
    next_.miss[w] = next_.lat[w] = next_.stop[w] = next_.cpy[w] = 0;
    next_.pend[w] = next_.ref[w] = next_.ling[w] = 0;
  }
}

}  // namespace castor::darsie::literal
