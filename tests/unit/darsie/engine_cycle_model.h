#pragma once

#include <array>
#include <vector>

#include "castor/darsie/counters.h"
#include "castor/darsie/ports.h"

/// One cycle of the block as docs/blocks/darsie.md, "Cycle", has it, line by line, with the registers as the hardware
/// has them: flags in arrays per warp, TB, entry and row instead of masks, and a copy of everything at the start of the
/// cycle. Slow and simple, to hold the engine against.
namespace castor::darsie::test {

struct Registers {
  struct Row {
    bool wb = false, ld = false, gl = false, inv = false, nosk = false;
    unsigned slot = 0, seq = 0;
  };
  struct Entry {
    bool pv = false, pld = false, pgl = false, two = false;
    U64 pc = 0;
    unsigned tag0 = 0, tag1 = 0;
  };
  struct Tb {
    bool tl = false, en = false, prom = false, sync = false, synced = false, noel = false;
    unsigned base = 0, rows = 0, slots = 0, ctr = 0, ptr = 0;
    std::array<Entry, 16> pst;
    std::array<Row, 32> row;
  };
  struct Warp {
    bool live = false, maj = false, miss = false, lat = false, two = false, lr0 = false, lr1 = false, lld = false,
         lgl = false, stop = false, tk = false, cpy = false;
    unsigned tb = 0, lt0 = 0, lt1 = 0;
    std::array<bool, 32> pend{}, ref{}, ling{};
  };
  std::array<Warp, 64> w;
  std::array<Tb, 32> t;
  unsigned rrf = 0, rrt = 0, cpw = 0, cpk = 0, err = 0;
  bool cpv = false;
};

class CycleModel {
 public:
  enum class Why {
    kNone,
    kNosk,
    kLast,
    kRelead,
    kNoRow,
    kLatch,
    kAlone,
    kNoElect,
    kPark,
    kLead,
    kSetNoElect,
    kSetSync
  };
  enum class Kind { kMiss, kLatch, kSkip };
  struct Group {
    std::vector<unsigned> warps;
    Kind kind = Kind::kMiss;
    bool two = false, load = false, global = false;
    unsigned first = 0, tag0 = 0, tag1 = 0;
  };
  struct Verdicts {
    std::array<unsigned, 4> act{};
    Why why = Why::kNone;
    unsigned slot = 0;    // of the decode group
    unsigned second = 0;  // redundant, but not the first
    unsigned v0 = 0, v1 = 0, k0 = 0, k1 = 0;
  };

  explicit CycleModel(const Params& p) : p_(p) {}

  Registers q;
  Counters counted;

  [[nodiscard]] Outputs outputs(const Inputs& in) const {
    Outputs out;
    for (unsigned w = 0; w < p_.NumWarps; ++w) {
      out.f_hold |= U64{blocked(w) || probe(w)} << w;
      out.maj |= U64{q.w[w].maj} << w;
    }
    for (const Group& group : groups(in)) {
      if (group.kind != Kind::kSkip) continue;
      for (const unsigned w : group.warps) out.f_skip |= U64{1} << w;
    }
    const Verdicts v = verdicts(in);
    for (unsigned s = 0; s < p_.DecW; ++s) out.d_act[s] = static_cast<U8>(v.act[s]);
    if (v.why == Why::kLead || v.why == Why::kRelead) {
      out.d_tag[0] = static_cast<U8>(v.k0);
      out.d_tag[1] = static_cast<U8>(in.d_ndst[v.slot] == 2 ? v.k1 : 0);
    }
    for (unsigned port = 0; port < p_.NumIss; ++port) operands(in, port, out);
    if (q.cpv) {
      const Registers::Tb& t = q.t[q.w[q.cpw].tb];
      out.cp_valid = 1;
      out.cp_warp = static_cast<U8>(q.cpw);
      out.cp_row = reg(t.base + q.cpk);
      out.cp_slot = static_cast<U8>(t.row[q.cpk].slot);
    }
    out.err = static_cast<U8>(q.err);
    return out;
  }

  [[nodiscard]] std::vector<Group> groups(const Inputs& in) const {
    std::vector<unsigned> rest;  // in the order of service
    for (unsigned i = 0; i < p_.NumWarps; ++i) {
      const unsigned w = (q.rrf + i) % p_.NumWarps;
      if (bit(in.f_elig, w) && q.w[w].maj && (ready(w) || probe(w))) rest.push_back(w);
    }
    std::vector<Group> result;
    for (unsigned g = 0; g < p_.PstRd && !rest.empty(); ++g) {
      Group group;
      const unsigned r = group.first = rest[0];
      const unsigned t = q.w[r].tb;
      std::vector<unsigned> others;
      for (const unsigned w : rest) {
        const bool same =
            q.w[w].tb == t && (ready(r) ? ready(w) && q.w[w].lt0 == q.w[r].lt0 : probe(w) && in.f_pc[w] == in.f_pc[r]);
        (same ? group.warps : others).push_back(w);
      }
      if (ready(r)) {
        group.kind = Kind::kSkip;
        group.tag0 = q.w[r].lt0;
        group.two = q.w[r].two;
        group.tag1 = group.two ? q.w[r].lt1 : 0;
      } else {
        for (unsigned e = 0; e < p_.NumPst; ++e) {
          const Registers::Entry& entry = q.t[t].pst[e];
          if (!entry.pv || entry.pc != in.f_pc[r]) continue;
          if (!q.w[r].pend[entry.tag0]) break;
          group.tag0 = entry.tag0;
          group.two = entry.two;
          group.tag1 = entry.two ? entry.tag1 : 0;
          group.load = entry.pld;
          group.global = entry.pgl;
          const bool written = q.t[t].row[group.tag0].wb && (!group.two || q.t[t].row[group.tag1].wb);
          group.kind = written ? Kind::kSkip : Kind::kLatch;
          break;
        }
      }
      result.push_back(group);
      rest = others;
    }
    return result;
  }

  [[nodiscard]] Verdicts verdicts(const Inputs& in) const {
    Verdicts result;
    if (in.d_warp >= p_.NumWarps) return result;
    bool squash = false, seen = false;
    for (unsigned s = 0; s < p_.DecW; ++s) {
      if (!bit(in.d_valid, s)) continue;
      if (squash) {
        result.act[s] = 3;
      } else if (!red(in, s)) {
        result.act[s] = 0;
      } else if (seen) {
        result.act[s] = 3;
        ++result.second;
      } else {
        seen = true;
        result.slot = s;
        result.act[s] = judge(in, s, result);
      }
      squash = squash || result.act[s] == 3;
    }
    return result;
  }

  /// 3.7: an edge now would change no register.
  [[nodiscard]] bool idle(const Inputs& in) const {
    if (in.lnch_valid || in.retire_valid || in.ev_store || in.ev_global || in.br || in.leave || in.exit || in.bar ||
        in.d_valid || in.i_valid || in.wb_valid || in.cp_ack || !groups(in).empty() || q.err != 0) {
      return false;
    }
    for (unsigned t = 0; t < p_.NumTbs; ++t) {
      if (complete(t)) return false;
    }
    for (unsigned w = 0; w < p_.NumWarps; ++w) {
      const Registers::Warp& x = q.w[w];
      if ((x.miss && !bit(in.f_elig, w)) || (x.cpy && none(x.ref))) return false;
      if (x.live && bit(in.oc_idle, w) && !none(x.ling)) return false;
    }
    return q.cpv || !pick().found;
  }

  void clock(const Inputs& in) {
    const Registers o = q;  // plain names
    const std::vector<Group> groups = this->groups(in);
    const Verdicts v = verdicts(in);
    const Pick pick = this->pick();
    std::array<bool, 32> completes{};
    for (unsigned t = 0; t < p_.NumTbs; ++t) completes[t] = complete(t);
    const auto of = [&o](unsigned w, unsigned t) { return o.w[w].live && o.w[w].tb == t; };
    const auto each = [&](unsigned t, auto f) {
      for (unsigned w = 0; w < p_.NumWarps; ++w) {
        if (of(w, t)) f(w);
      }
    };
    const auto region_end = [&](unsigned t) {
      for (Registers::Entry& e : q.t[t].pst) e.pv = false;
      q.t[t].noel = q.t[t].synced = false;
    };
    count(in, groups, v);
    q.err = errors(in);

    // 1
    for (unsigned port = 0; port < p_.NumWb; ++port) {
      if (!bit(in.wb_valid, port) || in.wb_tb[port] >= p_.NumTbs || in.wb_tag[port] >= p_.NumRows) continue;
      const unsigned t = in.wb_tb[port], k = in.wb_tag[port];
      if (o.t[t].row[k].wb) continue;
      q.t[t].row[k].wb = true;
      each(t, [&](unsigned w) {
        if (!o.w[w].lat) return;
        if (o.w[w].lt0 == k) q.w[w].lr0 = true;
        if (o.w[w].two && o.w[w].lt1 == k) q.w[w].lr1 = true;
      });
    }
    // 2
    for (unsigned t = 0; t < p_.NumTbs; ++t) {
      if (p_.StoreInv != 0 && bit(in.ev_store, t)) {
        for (auto& row : q.t[t].row) row.inv = row.inv || row.ld;
        for (auto& e : q.t[t].pst) e.pv = e.pv && !e.pld;
      }
      if (in.ev_global != 0) {
        for (auto& row : q.t[t].row) row.inv = row.inv || row.gl;
        for (auto& e : q.t[t].pst) e.pv = e.pv && !e.pgl;
      }
    }
    // 3
    std::array<bool, 64> skipped{}, missed{};
    for (const Group& g : groups) {
      q.rrf = (g.first + 1) % p_.NumWarps;
      const unsigned t = o.w[g.first].tb;
      for (const unsigned w : g.warps) {
        Registers::Warp& x = q.w[w];
        if (g.kind == Kind::kMiss) missed[w] = true;
        if (g.kind == Kind::kLatch) latch(w, t, g.two, g.tag0, g.tag1, g.load, g.global);
        if (g.kind != Kind::kSkip) continue;
        skipped[w] = true;
        x.lat = false;
        for (unsigned k = 0; k < p_.NumRows; ++k) {
          if (o.t[t].row[k].slot == o.t[t].row[g.tag0].slot) x.ref[k] = false;
          if (g.two && o.t[t].row[k].slot == o.t[t].row[g.tag1].slot) x.ref[k] = false;
        }
        x.ref[g.tag0] = true;
        x.pend[g.tag0] = false;
        if (g.two) x.ref[g.tag1] = true, x.pend[g.tag1] = false;
      }
    }
    for (unsigned w = 0; w < p_.NumWarps; ++w) {
      q.w[w].miss = (q.w[w].miss || missed[w]) && bit(in.f_elig, w) && !skipped[w];
    }
    // 4
    decode(in, v, o, each);
    for (unsigned w = 0; w < p_.NumWarps; ++w) {
      Registers::Warp& x = q.w[w];
      if (x.lat && ((p_.StoreInv != 0 && bit(in.ev_store, x.tb) && x.lld) || (in.ev_global != 0 && x.lgl))) {
        ++counted.load_drops;
        x.lat = false;
      }
    }
    // 5
    for (unsigned port = 0; port < p_.NumIss; ++port) {
      const unsigned w = in.i_warp[port];
      if (!bit(in.i_valid, port) || w >= p_.NumWarps || !o.w[w].live) continue;
      for (unsigned a = 0; a < 2; ++a) {
        if (!bit(in.i_dv[port], a)) continue;
        for (unsigned k = 0; k < p_.NumRows; ++k) {
          if (o.t[o.w[w].tb].row[k].slot == in.i_dst[port * 2 + a]) q.w[w].ref[k] = false;
        }
      }
      for (unsigned a = 0; a < 2; ++a) {
        const unsigned k = in.i_tag[port * 2 + a];
        if (bit(in.i_lead, port) && bit(in.i_dv[port], a) && k < p_.NumRows) q.w[w].ref[k] = true;
      }
    }
    // 6
    for (unsigned i = 0; i < p_.NumTbs; ++i) {
      const unsigned t = (o.rrt + i) % p_.NumTbs;
      if (!completes[t]) continue;
      q.rrt = (t + 1) % p_.NumTbs;
      std::vector<unsigned> m;
      unsigned taken = 0;
      each(t, [&](unsigned w) {
        if (!o.w[w].maj) return;
        m.push_back(w);
        taken += o.w[w].tk ? 1U : 0U;
        q.w[w].stop = false;
      });
      if (o.t[t].sync) {
        q.t[t].sync = false;
        q.t[t].synced = true;
      } else {
        const unsigned straight = static_cast<unsigned>(m.size()) - taken;
        const bool keep = taken > straight || (taken == straight && o.w[m[0]].tk);
        for (const unsigned w : m) {
          if (o.w[w].tk == keep) continue;
          counted.leavers += q.w[w].maj ? 1U : 0U;
          q.w[w].maj = false;
          q.w[w].cpy = true;
        }
        ++counted.meetings;
        region_end(t);
      }
      break;
    }
    // 7
    for (unsigned w = 0; w < p_.NumWarps; ++w) {
      if (!bit(in.br, w) || !o.w[w].maj) continue;
      q.w[w].stop = true;
      q.w[w].tk = bit(in.br_taken, w);
    }
    // 8
    for (unsigned w = 0; w < p_.NumWarps; ++w) {
      Registers::Warp& x = q.w[w];
      if (!bit(in.leave, w) || !o.w[w].maj) continue;
      counted.leavers += x.maj ? 1U : 0U;
      x.maj = false;
      x.cpy = true;
      x.pend.fill(false);
      x.lat = x.miss = x.stop = false;
    }
    // 9
    for (unsigned t = 0; t < p_.NumTbs; ++t) {
      if (!bit(in.bar, t) || !o.t[t].en) continue;
      each(t, [&](unsigned w) {
        Registers::Warp& x = q.w[w];
        const bool joins = bit(in.bar_join, w) && !o.w[w].cpy;
        if (o.w[w].maj && !joins) x.cpy = true;
        counted.leavers += o.w[w].maj && x.maj && !joins ? 1U : 0U;
        counted.joins += joins && !o.w[w].maj ? 1U : 0U;
        x.maj = joins;
        x.pend.fill(false);
        x.stop = x.lat = false;
      });
      q.t[t].sync = false;
      region_end(t);
    }
    // 10
    if (o.cpv) {
      if (in.cp_ack != 0) {
        q.w[o.cpw].ref[o.cpk] = false;
        q.cpv = false;
        ++counted.copies;
      }
    } else if (pick.found) {
      q.cpv = true;
      q.cpw = pick.w;
      q.cpk = pick.k;
    }
    for (unsigned w = 0; w < p_.NumWarps; ++w) {
      if (o.w[w].cpy && none(o.w[w].ref)) q.w[w].cpy = false;
    }
    // 11
    for (unsigned w = 0; w < p_.NumWarps; ++w) {
      Registers::Warp& x = q.w[w];
      if (!bit(in.exit, w) || !o.w[w].live) continue;
      x.live = x.maj = x.miss = x.lat = x.stop = x.cpy = false;
      x.pend.fill(false);
      x.ref.fill(false);
    }
    // 12
    for (unsigned w = 0; w < p_.NumWarps; ++w) {
      Registers::Warp& x = q.w[w];
      if (!o.w[w].live) continue;
      for (unsigned k = 0; k < p_.NumRows; ++k) {
        x.ling[k] = !bit(in.oc_idle, w) && !bit(in.exit, w) && (x.ling[k] || (o.w[w].ref[k] && !x.ref[k]));
      }
    }
    // 13
    if (retires(in, o)) q.t[in.retire_tb].tl = q.t[in.retire_tb].en = false;
    if (in.lnch_valid != 0 && launches(in, o)) launch(in);
  }

  [[nodiscard]] Probes probes() const {
    Probes p;
    for (unsigned w = 0; w < p_.NumWarps; ++w) {
      const Registers::Warp& x = q.w[w];
      const auto put = [w](U64& mask, bool value) { mask |= U64{value} << w; };
      put(p.live, x.live);
      put(p.majority, x.maj);
      put(p.miss, x.miss);
      put(p.lat, x.lat);
      put(p.two, x.two && x.lat);
      put(p.lr0, x.lr0 && x.lat);
      put(p.lr1, x.lr1 && x.lat);
      put(p.lld, x.lld && x.lat);
      put(p.lgl, x.lgl && x.lat);
      put(p.stop, x.stop);
      put(p.tk, x.tk && x.stop);
      put(p.cpy, x.cpy);
      if (x.live) p.warp_tb[w] = static_cast<U8>(x.tb);
      if (x.lat) p.lt0[w] = static_cast<U8>(x.lt0);
      if (x.lat) p.lt1[w] = static_cast<U8>(x.lt1);
      p.pend[w] = mask(x.pend);
      p.ref[w] = mask(x.ref);
      p.ling[w] = mask(x.ling);
    }
    for (unsigned i = 0; i < p_.NumTbs; ++i) {
      const Registers::Tb& t = q.t[i];
      if (!t.tl) continue;
      const auto put = [i](U32& mask, bool value) { mask |= U32{value} << i; };
      put(p.tl, t.tl);
      put(p.en, t.en);
      put(p.prom, t.prom);
      put(p.sync, t.sync);
      put(p.synced, t.synced);
      put(p.noel, t.noel);
      p.base[i] = static_cast<U16>(t.base);
      p.rows[i] = static_cast<U8>(t.rows);
      p.slots[i] = static_cast<U8>(t.slots);
      p.ctr[i] = static_cast<U8>(t.ctr);
      p.ptr[i] = static_cast<U8>(t.ptr);
      for (unsigned e = 0; e < p_.NumPst; ++e) {
        if (!t.pst[e].pv) continue;
        p.pv[i] = static_cast<U16>(p.pv[i] | 1U << e);
        p.pld[i] = static_cast<U16>(p.pld[i] | unsigned{t.pst[e].pld} << e);
        p.pgl[i] = static_cast<U16>(p.pgl[i] | unsigned{t.pst[e].pgl} << e);
      }
      for (unsigned k = 0; k < p_.NumRows; ++k) {
        p.wb[i] |= U32{t.row[k].wb} << k;
        p.ld[i] |= U32{t.row[k].ld} << k;
        p.gl[i] |= U32{t.row[k].gl} << k;
        p.inv[i] |= U32{t.row[k].inv} << k;
        p.nosk[i] |= U32{t.row[k].nosk} << k;
      }
    }
    p.rrf = static_cast<U8>(q.rrf);
    p.rrt = static_cast<U8>(q.rrt);
    p.cpv = q.cpv ? 1 : 0;
    p.cpw = static_cast<U8>(q.cpv ? q.cpw : 0);
    p.cpk = static_cast<U8>(q.cpv ? q.cpk : 0);
    p.error = static_cast<U8>(q.err);
    return p;
  }

 private:
  struct Pick {
    bool found = false;
    unsigned w = 0, k = 0;
  };

  [[nodiscard]] static bool bit(U64 mask, unsigned i) { return (mask >> i & 1U) != 0; }
  [[nodiscard]] static bool none(const std::array<bool, 32>& rows) { return mask(rows) == 0; }
  [[nodiscard]] static U32 mask(const std::array<bool, 32>& rows) {
    U32 all = 0;
    for (unsigned k = 0; k < 32; ++k) all |= U32{rows[k]} << k;
    return all;
  }
  [[nodiscard]] U16 reg(unsigned number) const { return static_cast<U16>(number & twin::mask(p_.RowW)); }

  [[nodiscard]] bool blocked(unsigned w) const { return q.w[w].stop || q.w[w].cpy || q.w[w].lat; }
  [[nodiscard]] bool probe(unsigned w) const {
    bool any = false;
    for (const auto& e : q.t[q.w[w].tb].pst) any = any || e.pv;
    return q.w[w].maj && !blocked(w) && !q.w[w].miss && any;
  }
  [[nodiscard]] bool ready(unsigned w) const { return q.w[w].lat && q.w[w].lr0 && (q.w[w].lr1 || !q.w[w].two); }
  [[nodiscard]] bool complete(unsigned t) const {
    bool any = false, all = true;
    for (unsigned w = 0; w < p_.NumWarps; ++w) {
      if (!q.w[w].live || q.w[w].tb != t || !q.w[w].maj) continue;
      any = true;
      all = all && q.w[w].stop;
    }
    return any && all;
  }
  [[nodiscard]] Pick pick() const {
    for (unsigned w = 0; w < p_.NumWarps; ++w) {
      for (unsigned k = 0; k < p_.NumRows; ++k) {
        if (q.w[w].cpy && q.w[w].ref[k] && q.t[q.w[w].tb].row[k].wb) return {true, w, k};
      }
    }
    return {};
  }

  [[nodiscard]] bool red(const Inputs& in, unsigned s) const {
    const Registers::Warp& x = q.w[in.d_warp];
    const Registers::Tb& t = q.t[x.tb];
    const unsigned mark = in.d_mark[s], n = in.d_ndst[s];
    if (p_.SkipEn == 0 || !x.maj || !(mark == 2 || (mark == 1 && t.prom)) || n < 1 || n > 2) return false;
    for (unsigned a = 0; a < n; ++a) {
      if (in.d_dst[2 * s + a] >= t.slots) return false;
    }
    return p_.LoadSkip != 0 || in.d_ldkind[s] == 0;
  }

  unsigned judge(const Inputs& in, unsigned s, Verdicts& v) const {
    constexpr unsigned kLead = 1, kPriv = 2, kSquash = 3;
    const unsigned w = in.d_warp, t = q.w[w].tb, n = in.d_ndst[s];
    const auto other = [&](auto condition) {
      for (unsigned x = 0; x < p_.NumWarps; ++x) {
        if (x != w && q.w[x].live && q.w[x].tb == t && condition(q.w[x])) return true;
      }
      return false;
    };
    std::vector<unsigned> free;
    for (unsigned k = 0; k < q.t[t].rows; ++k) {
      bool used = !q.t[t].row[k].wb;
      for (unsigned x = 0; x < p_.NumWarps; ++x) {
        const Registers::Warp& y = q.w[x];
        used = used || (y.live && y.tb == t && (y.pend[k] || y.ref[k] || y.ling[k]));
      }
      if (!used) free.push_back(k);
    }
    const bool room = free.size() >= n;
    if (room) v.k0 = free[0], v.k1 = n == 2 ? free[1] : 0;
    int greatest = -1;
    for (unsigned k = 0; k < p_.NumRows; ++k) {
      const Registers::Row& row = q.t[t].row[k];
      if (!q.w[w].pend[k] || row.slot != in.d_dst[2 * s]) continue;
      const int age = static_cast<int>((q.t[t].ctr - row.seq) & twin::mask(p_.seq_bits()));
      if (age > greatest) greatest = age, v.v0 = k;
    }
    const auto because = [&v](Why why, unsigned act) {
      v.why = why;
      return act;
    };
    const Registers::Tb& tb = q.t[t];
    if (greatest >= 0) {
      for (unsigned k = p_.NumRows; n == 2 && k-- > 0;) {
        const Registers::Row& row = tb.row[k];
        if (q.w[w].pend[k] && row.slot == in.d_dst[2 * s + 1] && row.seq == tb.row[v.v0].seq) v.v1 = k;
      }
      if (tb.row[v.v0].nosk) return because(Why::kNosk, kPriv);
      if (!tb.row[v.v0].inv) return because(Why::kLatch, kSquash);
      if (!other([&](const Registers::Warp& x) { return x.pend[v.v0]; })) return because(Why::kLast, kPriv);
      return room && !tb.noel ? because(Why::kRelead, kLead) : because(Why::kNoRow, kPriv);
    }
    if (!other([](const Registers::Warp& x) { return x.maj; })) return because(Why::kAlone, kPriv);
    if (tb.noel) return because(Why::kNoElect, kPriv);
    if (tb.sync) return because(Why::kPark, kSquash);
    if (room) return because(Why::kLead, kLead);
    return tb.synced ? because(Why::kSetNoElect, kPriv) : because(Why::kSetSync, kSquash);
  }

  void operands(const Inputs& in, unsigned port, Outputs& out) const {
    const unsigned w = in.i_warp[port];
    if (!bit(in.i_valid, port) || w >= p_.NumWarps || !q.w[w].live) return;
    const Registers::Tb& t = q.t[q.w[w].tb];
    for (unsigned a = 0; a < p_.NumSrc; ++a) {
      const unsigned source = port * p_.NumSrc + a;
      for (unsigned k = 0; k < p_.NumRows && bit(in.i_sv[port], a); ++k) {
        if (!q.w[w].ref[k] || t.row[k].slot != in.i_src[source]) continue;
        out.i_sren[port] = static_cast<U8>(out.i_sren[port] | 1U << a);
        out.i_srow[source] = reg(t.base + k);
        break;
      }
    }
  }

  void latch(unsigned w, unsigned t, bool two, unsigned tag0, unsigned tag1, bool load, bool global) {
    Registers::Warp& x = q.w[w];
    x.lat = true;
    x.two = two;
    x.lt0 = tag0;
    x.lt1 = two ? tag1 : 0;
    x.lr0 = q.t[t].row[tag0].wb;
    x.lr1 = two && q.t[t].row[x.lt1].wb;
    x.lld = load;
    x.lgl = global;
  }

  template <class Each>
  void decode(const Inputs& in, const Verdicts& v, const Registers& o, Each each) {
    if (v.why == Why::kNone) return;
    const unsigned w = in.d_warp, t = o.w[w].tb, n = in.d_ndst[v.slot];
    Registers::Tb& tb = q.t[t];
    const auto pass = [&](unsigned x) {
      q.w[x].pend[v.v0] = false;
      if (n == 2) q.w[x].pend[v.v1] = false;
    };
    switch (v.why) {
      case Why::kNoRow:
        tb.row[v.v0].nosk = true;
        if (n == 2) tb.row[v.v1].nosk = true;
        [[fallthrough]];
      case Why::kNosk:
      case Why::kLast:
        pass(w);
        return;
      case Why::kAlone:
        tb.sync = false;
        return;
      case Why::kSetNoElect:
        tb.noel = true;
        tb.synced = false;
        return;
      case Why::kSetSync:
        tb.sync = true;
        [[fallthrough]];
      case Why::kPark:
        q.w[w].stop = true;
        return;
      case Why::kLatch:
        latch(w, t, n == 2, v.v0, v.v1, o.t[t].row[v.v0].ld, o.t[t].row[v.v0].gl);
        return;
      case Why::kNone:
      case Why::kNoElect:
        return;
      case Why::kLead:
      case Why::kRelead:
        break;
    }
    unsigned seq = 0;
    std::vector<unsigned> heirs;
    if (v.why == Why::kLead) {
      seq = o.t[t].ctr;
      tb.ctr = (seq + 1) & static_cast<unsigned>(twin::mask(p_.seq_bits()));
      tb.synced = false;
      each(t, [&](unsigned x) {
        if (x != w && o.w[x].maj) heirs.push_back(x);
      });
    } else {
      seq = o.t[t].row[v.v0].seq;
      each(t, [&](unsigned x) {
        if (x != w && o.w[x].pend[v.v0]) heirs.push_back(x);
        pass(x);
      });
    }
    const unsigned load = in.d_ldkind[v.slot];
    for (unsigned a = 0; a < n; ++a) {
      const unsigned k = a == 0 ? v.k0 : v.k1;
      for (const unsigned x : heirs) q.w[x].pend[k] = true;
      tb.row[k] = {false, load != 0, load >= 2, false, false, in.d_dst[2 * v.slot + a], seq};
    }
    Registers::Entry& e = tb.pst[tb.ptr];
    counted.evictions += e.pv ? 1U : 0U;
    e = {true, load != 0, load >= 2, n == 2, (in.d_pc + 8 * v.slot) & twin::mask(p_.PcW), v.k0, n == 2 ? v.k1 : 0};
    tb.ptr = (tb.ptr + 1) % p_.NumPst;
    each(t, [&](unsigned x) { q.w[x].miss = false; });
  }

  [[nodiscard]] bool empty(const Registers& o, unsigned t) const {
    for (unsigned w = 0; w < p_.NumWarps; ++w) {
      if (o.w[w].live && o.w[w].tb == t) return false;
    }
    return true;
  }
  [[nodiscard]] bool retires(const Inputs& in, const Registers& o) const {
    return in.retire_valid != 0 && in.retire_tb < p_.NumTbs && o.t[in.retire_tb].tl && empty(o, in.retire_tb);
  }
  [[nodiscard]] bool launches(const Inputs& in, const Registers& o) const {
    if (in.lnch_tb >= p_.NumTbs || (o.t[in.lnch_tb].tl && !(retires(in, o) && in.retire_tb == in.lnch_tb)))
      return false;
    for (unsigned w = 0; w < p_.NumWarps; ++w) {
      if (bit(in.lnch_warps, w) && o.w[w].live) return false;
      if (bit(in.lnch_full, w) && !bit(in.lnch_warps, w)) return false;
    }
    return in.lnch_warps != 0 && in.lnch_rows <= p_.NumRows && in.lnch_slots <= p_.NumSlots;
  }
  void launch(const Inputs& in) {
    Registers::Tb& t = q.t[in.lnch_tb];
    t.tl = true;
    t.en = in.lnch_en != 0;
    t.prom = in.lnch_promote != 0;
    t.sync = t.synced = t.noel = false;
    t.base = in.lnch_base;
    t.rows = in.lnch_rows;
    t.slots = in.lnch_slots;
    t.ctr = t.ptr = 0;
    for (auto& e : t.pst) e.pv = false;
    for (unsigned k = 0; k < p_.NumRows; ++k) {
      Registers::Row& row = t.row[k];
      row.wb = true;
      row.ld = row.gl = row.inv = row.nosk = false;
    }
    for (unsigned w = 0; w < p_.NumWarps; ++w) {
      if (!bit(in.lnch_warps, w)) continue;
      Registers::Warp& x = q.w[w];
      x.live = true;
      x.tb = in.lnch_tb;
      x.maj = t.en && bit(in.lnch_full, w);
      x.miss = x.lat = x.stop = x.cpy = false;
      x.pend.fill(false);
      x.ref.fill(false);
      x.ling.fill(false);
    }
  }

  /// What the cycle that ends counts by its state and inputs alone.
  void count(const Inputs& in, const std::vector<Group>& groups, const Verdicts& v) {
    Counters& c = counted;
    for (const Group& g : groups) {
      const bool woken = q.w[g.first].lat;
      const U64 n = g.warps.size();
      c.probes += woken ? 0U : 1U;
      c.probe_misses += g.kind == Kind::kMiss ? 1U : 0U;
      c.latches_fetch += g.kind == Kind::kLatch ? n : 0U;
      c.skip_groups += g.kind == Kind::kSkip ? 1U : 0U;
      if (g.kind == Kind::kSkip) (woken ? c.skips_wake : c.skips_hit) += n;
    }
    const auto is = [&v](auto... any) { return ((v.why == any) || ...) ? 1U : 0U; };
    c.leads += is(Why::kLead);
    c.releads += is(Why::kRelead);
    c.late_latches += is(Why::kLatch);
    c.priv_alone += is(Why::kAlone);
    c.priv_noelect += is(Why::kNoElect, Why::kSetNoElect);
    c.priv_stale += is(Why::kNosk, Why::kLast, Why::kNoRow);
    c.squash_sync += is(Why::kPark, Why::kSetSync);
    c.sync_points += is(Why::kSetSync);
    c.squash_second += v.second;
    for (unsigned w = 0; w < p_.NumWarps; ++w) {
      c.wait_wb += q.w[w].lat ? 1U : 0U;
      c.wait_stop += q.w[w].stop ? 1U : 0U;
      c.wait_copy += q.w[w].cpy ? 1U : 0U;
    }
    Outputs out;
    for (unsigned port = 0; port < p_.NumIss; ++port) {
      operands(in, port, out);
      c.row_lookups += static_cast<U64>(__builtin_popcount(out.i_sren[port]));
    }
  }

  [[nodiscard]] unsigned errors(const Inputs& in) const {
    unsigned err = 0;
    const auto waits = [this](unsigned w) { return q.w[w].stop || q.w[w].lat || q.w[w].cpy; };
    const auto live = [this](unsigned w) { return w < p_.NumWarps && q.w[w].live; };
    if (in.lnch_valid != 0 && !launches(in, q)) err |= 0x01;
    if (in.retire_valid != 0 && !retires(in, q)) err |= 0x02;
    for (unsigned port = 0; port < p_.NumWb; ++port) {
      if (!bit(in.wb_valid, port)) continue;
      if (in.wb_tb[port] >= p_.NumTbs || in.wb_tag[port] >= p_.NumRows || q.t[in.wb_tb[port]].row[in.wb_tag[port]].wb) {
        err |= 0x04;
      }
    }
    if (in.d_valid != 0) {
      for (unsigned s = 0; s < p_.DecW && in.d_warp < p_.NumWarps; ++s) {
        const unsigned mark = in.d_mark[s], n = in.d_ndst[s];
        if (bit(in.d_valid, s) && (mark == 3 || (mark != 0 && (n == 0 || n == 3)))) err |= 0x08;
      }
      if (!live(in.d_warp)) err |= 0x10;
      if (live(in.d_warp) && waits(in.d_warp)) err |= 0x20;
    }
    for (unsigned port = 0; port < p_.NumIss; ++port) {
      if (bit(in.i_valid, port) && !live(in.i_warp[port])) err |= 0x10;
    }
    for (unsigned w = 0; w < p_.NumWarps; ++w) {
      if (bit(in.exit, w) && !live(w)) err |= 0x10;
      if (bit(in.exit, w) && live(w) && waits(w)) err |= 0x20;
      const unsigned t = q.w[w].tb;
      if (live(w) && bit(in.bar, t) && q.t[t].en && (q.w[w].stop || q.w[w].lat || !none(q.w[w].pend))) err |= 0x40;
    }
    if (in.cp_ack != 0 && !q.cpv) err |= 0x80;
    return err;
  }

  Params p_;
};

}  // namespace castor::darsie::test
