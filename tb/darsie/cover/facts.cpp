#include "tb/darsie/cover/facts.h"

#include "tb/darsie/bits.h"

namespace castor::darsie::tb {

Needs features(const Params& p) {
  using namespace has;  // NOLINT(google-build-using-namespace): constants of one meaning
  Needs all = 0;
  const auto add = [&all](Needs feature, bool there) { all |= there ? feature : 0; };
  add(kSkips, p.SkipEn != 0);
  add(kWarps, p.NumWarps > 1);
  add(kThreeWarps, p.NumWarps > 2);
  add(kFourWarps, p.NumWarps > 3);
  add(kTbs, p.NumTbs > 1);
  add(kRows, p.NumRows > 1);
  add(kThreeRows, p.NumRows > 2);
  add(kSlots, p.NumSlots > 1);
  add(kGroups, p.PstRd > 1);
  add(kWide, p.DecW > 1);
  add(kLoads, p.LoadSkip != 0);
  add(kStores, p.StoreInv != 0);
  add(kRaggedWarps, bit(p.warp_bits()) > p.NumWarps);
  add(kRaggedTbs, bit(p.tb_bits()) > p.NumTbs);
  add(kRaggedRows, bit(p.row_bits()) > p.NumRows);
  add(kWritePorts, p.NumWb > 1);
  add(kEntries, p.NumPst > 1);
  add(kIssues, p.NumIss > 1);
  return all;
}

Facts::Facts(const castor::tb::Cycle<Block>& cycle, const Hidden& followed) : Cycle<Block>(cycle), hidden(followed) {
  for (U64 left = probes.live; left != 0; left &= left - 1) team[tb_of(lowest(left))] |= left & -left;
  for (unsigned t = 0; t < params.NumTbs; ++t) majority[t] = team[t] & probes.majority;
  find_groups();
  find_verdict();
  find_events();
}

U64 Facts::probing() const {
  U64 all = 0;
  for (U64 left = probes.majority & ~blocked() & ~probes.miss; left != 0; left &= left - 1) {
    if (probes.pv[tb_of(lowest(left))] != 0) all |= left & -left;
  }
  return all;
}

void Facts::find_groups() {
  const U64 wake = ready(), probe = probing();
  U64 rest = in.f_elig & probes.majority & (wake | probe);
  for (unsigned g = 0; g < params.PstRd && rest != 0; ++g) {
    const U64 from = rest & ~twin::mask(probes.rrf);
    const unsigned r = lowest(from != 0 ? from : rest), t = tb_of(r);
    Group group{Group::Kind::kWake, t, 0, false};
    const bool wakes = contains(wake, r);
    for (U64 left = rest & team[t]; left != 0; left &= left - 1) {
      const unsigned w = lowest(left);
      const bool same =
          wakes ? contains(wake, w) && probes.lt0[w] == probes.lt0[r] : contains(probe, w) && in.f_pc[w] == in.f_pc[r];
      if (same) group.warps |= bit(w);
    }
    if (wakes) {
      group.two = contains(probes.two, r);
    } else {
      group.kind = Group::Kind::kMiss;
      for (unsigned e = 0; e < params.NumPst; ++e) {
        if (!contains(probes.pv[t], e) || hidden.pc[t][e] != in.f_pc[r]) continue;
        const unsigned tag0 = hidden.tag0[t][e];
        group.two = hidden.two[t][e] != 0;
        const bool written = contains(probes.wb[t], tag0) && (!group.two || contains(probes.wb[t], hidden.tag1[t][e]));
        group.kind = !contains(probes.pend[r], tag0) ? Group::Kind::kPassed
                     : written                       ? Group::Kind::kHit
                                                     : Group::Kind::kLatch;
        break;
      }
    }
    rest &= ~group.warps;
    (group.kind == Group::Kind::kLatch                                     ? latched
     : group.kind == Group::Kind::kWake || group.kind == Group::Kind::kHit ? skipped
                                                                           : missed) |= group.warps;
    groups.push_back(group);
  }
}

void Facts::find_verdict() {
  if (in.d_valid == 0 || in.d_warp >= params.NumWarps || !contains(probes.majority, in.d_warp) || params.SkipEn == 0)
    return;
  warp = in.d_warp;
  tb = tb_of(warp);
  bool found = false;
  for (unsigned s = 0; s < params.DecW; ++s) {
    if (!contains(in.d_valid, s)) continue;
    const unsigned n = in.d_ndst[s];
    const bool marked = in.d_mark[s] == 2 || (in.d_mark[s] == 1 && contains(probes.prom, tb));
    bool redundant = marked && (n == 1 || n == 2) && (params.LoadSkip != 0 || in.d_ldkind[s] == 0);
    for (unsigned a = 0; redundant && a < n; ++a) redundant = in.d_dst[2 * s + a] < probes.slots[tb];
    if (!redundant) continue;
    if (found) {
      second = out.d_act[place] != 3;
      return;
    }
    found = true;
    judge(s);
  }
}

void Facts::judge(unsigned s) {
  place = s;
  count = in.d_ndst[s];
  U64 used = ~U64{probes.wb[tb]}, others = 0;
  for (U64 left = team[tb]; left != 0; left &= left - 1) {
    const unsigned w = lowest(left);
    used |= probes.pend[w] | probes.ref[w] | probes.ling[w];
  }
  free = ~used & twin::mask(probes.rows[tb]);
  const bool room = size(free) >= count;
  const U64 ages = twin::mask(params.seq_bits());
  unsigned v0 = 32;
  U64 oldest = 0;
  for (unsigned k = 0; k < params.NumRows; ++k) {
    if (!contains(probes.pend[warp], k) || hidden.slot[tb][k] != in.d_dst[2 * s]) continue;
    const U64 age = (U64{probes.ctr[tb]} - hidden.seq[tb][k]) & ages;
    if (v0 != 32 && age <= oldest) continue;
    v0 = k;
    oldest = age;
  }
  if (v0 == 32) {
    heirs = majority[tb] & ~bit(warp);
    why = heirs == 0                    ? Why::kAlone
          : contains(probes.noel, tb)   ? Why::kNoElect
          : contains(probes.sync, tb)   ? Why::kPark
          : room                        ? Why::kLead
          : contains(probes.synced, tb) ? Why::kSetNoElect
                                        : Why::kSetSync;
  } else {
    first = v0;
    versions = bit(v0);
    unsigned v1 = 0;
    for (unsigned k = params.NumRows; count == 2 && k-- > 0;) {
      const bool same = hidden.slot[tb][k] == in.d_dst[2 * s + 1] && hidden.seq[tb][k] == hidden.seq[tb][v0];
      if (contains(probes.pend[warp], k) && same) v1 = k;
    }
    if (count == 2) versions |= bit(v1);
    for (U64 left = team[tb] & ~bit(warp); left != 0; left &= left - 1) {
      if (contains(probes.pend[lowest(left)], v0)) others |= left & -left;
    }
    heirs = others;
    const bool stale = contains(probes.inv[tb], v0);
    why = contains(probes.nosk[tb], v0)                 ? Why::kNosk
          : stale && others == 0                        ? Why::kLast
          : stale && room && !contains(probes.noel, tb) ? Why::kRelead
          : stale                                       ? Why::kNoRow
                                                        : Why::kLatch;
  }
  if (!leads()) return;
  rows = free & -free;
  if (count == 2) rows |= (free & ~rows) & -(free & ~rows);
}

void Facts::find_events() {
  branches = in.br & probes.majority;
  leaves = in.leave & probes.majority;
  exits = in.exit & probes.live;
  barriers = in.bar & probes.en;
  for (unsigned t = 0; t < params.NumTbs; ++t) {
    const U64 maj = majority[t];
    if (maj != 0 && (maj & ~probes.stop) == 0) completes |= U32{1} << t;
    if (contains(barriers, t)) joins |= in.bar_join & team[t] & ~probes.cpy;
  }
  if (completes != 0) {
    const U32 from = completes & ~static_cast<U32>(twin::mask(probes.rrt));
    completed = lowest(from != 0 ? from : completes);
    const U64 m = majority[completed], taken = m & probes.tk, straight = m & ~taken;
    if (!contains(probes.sync, completed)) {
      const bool tie = size(taken) == size(straight);
      losers = (tie ? contains(taken, lowest(m)) : size(taken) > size(straight)) ? straight : taken;
    }
  }
  for (U64 left = probes.live; left != 0; left &= left - 1) {
    const unsigned w = lowest(left), t = tb_of(w);
    if (contains(probes.cpy, w) && probes.ref[w] == 0) done |= bit(w);
    if (contains(probes.cpy, w) && (probes.ref[w] & probes.wb[t]) != 0) picks = picks || probes.cpv == 0;
    const bool waits = contains(probes.lat | latched, w) || (why == Why::kLatch && w == warp);
    if (!waits || contains(skipped, w)) continue;
    bool load = contains(probes.lld, w), global = contains(probes.lgl, w);
    if (why == Why::kLatch && w == warp) {
      load = contains(probes.ld[t], first);
      global = contains(probes.gl[t], first);
    } else if (contains(latched, w)) {
      for (unsigned e = 0; e < params.NumPst; ++e) {
        if (!contains(probes.pv[t], e) || hidden.pc[t][e] != in.f_pc[w]) continue;
        load = contains(probes.pld[t], e);
        global = contains(probes.pgl[t], e);
        break;
      }
    }
    if ((stores(t) && load) || (in.ev_global != 0 && global)) dropped |= bit(w);
  }
  retires = in.retire_valid != 0 && in.retire_tb < params.NumTbs && contains(probes.tl, in.retire_tb) &&
            team[in.retire_tb] == 0;
  launches = in.lnch_valid != 0 && in.lnch_tb < params.NumTbs &&
             (!contains(probes.tl, in.lnch_tb) || (retires && in.retire_tb == in.lnch_tb)) && in.lnch_warps != 0 &&
             (in.lnch_warps & probes.live) == 0 && (in.lnch_full & ~in.lnch_warps) == 0 &&
             in.lnch_rows <= params.NumRows && in.lnch_slots <= params.NumSlots;
}

void Facts::move(Hidden& next) const {
  if (!leads()) return;
  const unsigned k0 = lowest(rows), k1 = count == 2 ? lowest(rows & (rows - 1)) : 0, e = probes.ptr[tb];
  const U8 number = why == Why::kLead ? probes.ctr[tb] : hidden.seq[tb][first];
  for (unsigned a = 0; a < count; ++a) {
    next.slot[tb][a == 0 ? k0 : k1] = in.d_dst[2 * place + a];
    next.seq[tb][a == 0 ? k0 : k1] = number;
  }
  next.pc[tb][e] = (in.d_pc + 8 * place) & twin::mask(params.PcW);
  next.two[tb][e] = count == 2 ? 1 : 0;
  next.tag0[tb][e] = static_cast<U8>(k0);
  next.tag1[tb][e] = static_cast<U8>(k1);
}

}  // namespace castor::darsie::tb
