#pragma once

#include <array>
#include <deque>

#include "castor/saws/ports.h"

/// One cycle of the warp scheduler as docs/blocks/saws.md, "Cycle", has it, with the registers as the hardware has
/// them: a position per warp, changed on all warps at once, and arrays per warp instead of masks. Slow and simple, to
/// hold the engine's ordered lists against.
namespace castor::saws::test {

class CycleModel {
 public:
  explicit CycleModel(const Params& p)
      : p_(p), schedulers_(static_cast<int>(p.NumSched)), per_(static_cast<int>(p.warps_per_scheduler())) {
    restart(0, true);
  }

  void restart(unsigned mode_sel, bool toggle_en) {
    wa = wl = wb = {};
    wc = wpos = {};
    cu = {};
    tog.fill(true);
    mode = rr = err = 0;
    sel = p_.SawsEn != 0 ? static_cast<int>(mode_sel) : 0;
    tg = p_.SawsEn != 0 ? toggle_en : true;
    gp = n = {};
    gv = {};
    for (auto& queue : queues) queue.clear();
    if (sel == 2) {
      mode = 1;
      for (int s = 0; s < schedulers_; ++s) gp[s] = 1;
    }
  }

  [[nodiscard]] Outputs outputs(const Inputs& in) const {
    Outputs out;
    for (int s = 0; s < schedulers_; ++s) {
      const int best = pick(in, s);
      if (best >= 0) {
        out.issue_valid |= static_cast<U8>(1U << s);
        out.issue_idx[s] = static_cast<U8>(best);
      }
      if (queues[s].size() < p_.EvqDepth) out.wev_ready |= static_cast<U8>(1U << s);
    }
    out.mode_saws = static_cast<U8>(mode);
    out.err = static_cast<U8>(err);
    return out;
  }

  void clock(const Inputs& in) {
    if (in.kernel_start != 0) {
      restart(in.mode_sel, in.toggle_en != 0);
      return;
    }
    const CycleModel was = *this;
    err = 0;
    std::array<bool, 4> wrote{};
    for (int s = 0; s < schedulers_; ++s) {
      const int best = was.pick(in, s);
      if (was.mode == 0 && best >= 0 && (in.issue_ack >> s & 1) != 0) {
        gp[s] = best;
        gv[s] = wrote[s] = true;
      }
    }
    if (p_.SawsEn != 0 && in.cta_valid == 0) message(was);
    events(in, was);
    if (in.cta_valid != 0) {
      if (in.cta_free == 0) {
        place(in, was);
      } else {
        free(in, was, wrote);
      }
    }
  }

  [[nodiscard]] Probes probes() const {
    Probes probes;
    probes.mode = static_cast<Mode>(mode);
    probes.selected = static_cast<U8>(sel);
    probes.toggling = tg ? 1 : 0;
    probes.turn = static_cast<U8>(rr);
    for (unsigned c = 0; c < p_.MaxCta; ++c) {
      if (cu[c]) probes.cta_used |= U32{1} << c;
      if (tog[c]) probes.toggle |= U32{1} << c;
    }
    for (unsigned w = 0; w < p_.NumWarps; ++w) {
      probes.allocated.assign(w, wa[w]);
      probes.live.assign(w, wl[w]);
      probes.blocked.assign(w, wb[w]);
      probes.warp_cta[w] = static_cast<U8>(wc[w]);
      probes.position[w] = static_cast<U8>(wpos[w]);
    }
    for (int s = 0; s < schedulers_; ++s) {
      probes.pointer[s] = static_cast<U8>(gp[s]);
      if (gv[s]) probes.greedy |= static_cast<U8>(1U << s);
      probes.length[s] = static_cast<U8>(n[s]);
      probes.waiting[s] = static_cast<U8>(queues[s].size());
      if (queues[s].empty()) continue;
      const Message& oldest = queues[s].front();
      probes.oldest[s] = static_cast<U8>(oldest.cta + 32 * oldest.hit + 64 * oldest.ab + 128 * oldest.kill);
    }
    probes.error = static_cast<U8>(err);
    return probes;
  }

  struct Message {
    int cta;
    bool hit, ab, kill;
  };

  std::array<bool, 64> wa, wl, wb;
  std::array<int, 64> wc, wpos;
  std::array<bool, 32> cu, tog;
  int mode, sel, rr, err;
  bool tg;
  std::array<int, 4> gp, n;
  std::array<bool, 4> gv;
  std::array<std::deque<Message>, 4> queues;

 private:
  [[nodiscard]] int warp(int s, int index) const { return index * schedulers_ + s; }

  [[nodiscard]] int pick(const Inputs& in, int s) const {
    const auto candidate = [&](int i) { return in.w_ready[warp(s, i)] && wa[warp(s, i)]; };
    int best = -1;
    for (int i = 0; i < per_; ++i) {
      if (candidate(i) && (best < 0 || wpos[warp(s, i)] < wpos[warp(s, best)])) best = i;
    }
    if (mode == 0 && gv[s] && candidate(gp[s])) best = gp[s];
    return best;
  }

  /// Returns the position of a CTA in a scheduler's list; -1 if it has no warp slot there.
  [[nodiscard]] int position(int s, int cta) const {
    for (int i = 0; i < per_; ++i) {
      if (wa[warp(s, i)] && wc[warp(s, i)] == cta) return wpos[warp(s, i)];
    }
    return -1;
  }
  /// Gives each allocated warp of a scheduler the position change(wpos, same CTA).
  template <class F>
  void change(int s, int cta, F new_position) {
    for (int i = 0; i < per_; ++i) {
      const int w = warp(s, i);
      if (wa[w]) wpos[w] = new_position(wpos[w], wc[w] == cta);
    }
  }
  [[nodiscard]] int lowered(int pointer) const { return std::max(static_cast<int>(p_.PFloor), pointer - 1); }

  void message(const CycleModel& was) {
    int s0 = -1;
    for (int i = schedulers_ - 1; i >= 0; --i) {
      const int s = (rr + i) % schedulers_;
      if (!was.queues[s].empty()) s0 = s;
    }
    if (s0 < 0) return;
    if (was.mode == 0) {
      for (int s = 0; s < schedulers_; ++s) {
        const int greedy = warp(s, was.gp[s]);
        if (p_.InitOrder == 0 && was.gv[s] && was.wa[greedy]) {
          const int pg = was.wpos[greedy];
          change(s, -1, [pg](int p, bool) { return p == pg ? 0 : p < pg ? p + 1 : p; });
        }
        gp[s] = 1;
        gv[s] = false;
      }
      mode = 1;
      return;
    }
    const Message m = queues[s0].front();
    queues[s0].pop_front();
    rr = (s0 + 1) % schedulers_;
    if (m.kill) return;
    for (int s = 0; s < schedulers_; ++s) {
      const int pc = position(s, m.cta);
      const int pointer = gp[s];
      if (pc < 0) continue;
      if (s != s0 && m.hit) {
        if (pc > pointer) {
          change(s, m.cta, [=](int p, bool same) { return same ? pointer : p >= pointer && p < pc ? p + 1 : p; });
        }
        if (pc >= pointer) gp[s] = pointer + 1;
      }
      if (s == s0 && (m.ab || (p_.DemoteAt == 1 && m.hit))) {
        change(s, m.cta, [&](int p, bool same) { return same ? n[s] - 1 : p > pc ? p - 1 : p; });
        if (pc < pointer) gp[s] = lowered(pointer);
      }
    }
  }

  void events(const Inputs& in, const CycleModel& was) {
    for (unsigned w = 0; w < p_.NumWarps; ++w) wb[w] = wb[w] && !in.unblock[w];
    std::array<bool, 4> accepted{}, hit{};
    for (int s = 0; s < schedulers_; ++s) {
      if ((in.wev_valid >> s & 1) == 0) continue;
      const int w = warp(s, in.wev_idx[s]);
      if (in.wev_idx[s] >= per_ || !was.wl[w]) {
        err |= 1;
      } else if ((in.wev_exit >> s & 1) != 0) {
        wl[w] = wb[w] = false;
        accepted[s] = true;
      } else if (wb[w]) {
        err |= 2;
      } else {
        hit[s] = true;
        for (unsigned x = 0; x < p_.NumWarps; ++x) {
          if (was.wa[x] && was.wc[x] == was.wc[w] && wb[x]) hit[s] = false;
        }
        wb[w] = accepted[s] = true;
      }
    }
    for (int s = 0; s < schedulers_; ++s) {
      if (!accepted[s]) continue;
      const int c = was.wc[warp(s, in.wev_idx[s])];
      bool any = false, all = true;
      for (int i = 0; i < per_; ++i) {
        const int x = warp(s, i);
        if (!was.wa[x] || was.wc[x] != c || !wl[x]) continue;
        any = true;
        all = all && wb[x];
      }
      const bool ab = any && all;
      const bool pr = hit[s] && (!was.tg || was.tog[c]);
      if (hit[s] && was.tg && p_.SawsEn != 0) tog[c] = !was.tog[c];
      if (p_.SawsEn == 0 || was.sel == 0 || !(pr || ab)) continue;
      if (in.cta_valid != 0 && in.cta_free != 0 && in.cta_id == c) continue;
      if (was.queues[s].size() == p_.EvqDepth) {
        err |= 4;
      } else {
        queues[s].push_back({c, pr, ab, false});
      }
    }
  }

  void place(const Inputs& in, const CycleModel& was) {
    const unsigned c = in.cta_id;
    bool legal = c < p_.MaxCta && !was.cu[c] && in.cta_wmask.any();
    for (unsigned w = 0; w < p_.NumWarps; ++w) legal = legal && !(in.cta_wmask[w] && was.wa[w]);
    if (!legal) {
      err |= 1;
      return;
    }
    for (int s = 0; s < schedulers_; ++s) {
      bool any = false;
      for (int i = 0; i < per_; ++i) {
        const int w = warp(s, i);
        if (!in.cta_wmask[w]) continue;
        any = wa[w] = wl[w] = true;
        wb[w] = false;
        wc[w] = static_cast<int>(c);
        wpos[w] = was.n[s];
      }
      if (any) ++n[s];
    }
    cu[c] = tog[c] = true;
  }

  void free(const Inputs& in, const CycleModel& was, const std::array<bool, 4>& wrote) {
    const int c = in.cta_id;
    if (in.cta_id >= p_.MaxCta || !was.cu[c]) {
      err |= 1;
      return;
    }
    for (int s = 0; s < schedulers_; ++s) {
      const int greedy = warp(s, was.gp[s]);
      if (was.mode == 0 && was.gv[s] && was.wa[greedy] && was.wc[greedy] == c && !wrote[s]) gv[s] = false;
      const int pc = position(s, c);
      if (pc < 0) continue;
      change(s, c, [pc](int p, bool same) { return same ? 0 : p > pc ? p - 1 : p; });
      --n[s];
      if (was.mode == 1 && pc < gp[s]) gp[s] = lowered(gp[s]);
    }
    for (unsigned w = 0; w < p_.NumWarps; ++w) {
      if (!was.wa[w] || was.wc[w] != c) continue;
      wa[w] = wl[w] = wb[w] = false;
      wc[w] = wpos[w] = 0;
    }
    cu[c] = false;
    for (auto& queue : queues) {
      for (Message& m : queue) m.kill = m.kill || m.cta == c;
    }
  }

  Params p_;
  int schedulers_, per_;
};

}  // namespace castor::saws::test
