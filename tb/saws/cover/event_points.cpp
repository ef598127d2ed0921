#include "tb/saws/cover/event_points.h"

namespace castor::saws::tb {

using namespace has;  // NOLINT(google-build-using-namespace): constants of one meaning

EventPoints::EventPoints(const CoverList& list)
    : reports_(
          list,
          {{"event before the first kernel_start", 0, [](const Report& r) { return !r.started; }},
           {"error: event of a warp that is not live", 0, [](const Report& r) { return r.exists() && !r.live; }},
           {"error: event of a warp that does not exist", kRaggedWarps, [](const Report& r) { return !r.exists(); }},
           {"error: a warp blocks twice", 0, [](const Report& r) { return r.twice(); }}}),
      events_(
          list,
          {{"1st hit", 0, [](const Event& e) { return e.hit; }},
           {"1st hit that promotes while toggling", kSaws,
            [](const Event& e) { return e.hit && e.now->probes.toggling != 0 && at(e.now->probes.toggle, e.cta); }},
           {"1st hit that does not promote", kSaws, [](const Event& e) { return e.hit && !e.promotes; }},
           {"1st hit without toggling", kSaws, [](const Event& e) { return e.hit && e.now->probes.toggling == 0; }},
           {"1st hit under mode_sel GTO", kSaws, [](const Event& e) { return e.hit && e.now->probes.selected == 0; }},
           {"1st hit in the cycle of the switch", kSaws | kWarps,
            [](const Event& e) { return e.hit && e.now->gto() && !e.now->operates() && e.queues->any(); }},
           {"arrival at an open barrier", kLocalWarps, [](const Event& e) { return !e.exit && !e.hit; }},
           {"last local warp blocks", 0, [](const Event& e) { return !e.exit && e.all_blocked; }},
           {"exit leaves only blocked warps", kLocalWarps, [](const Event& e) { return e.exit && e.all_blocked; }},
           {"last live warp of a CTA exits", 0, [](const Event& e) { return e.exit && e.last; }},
           {"exit together with the unblock of its siblings", kLocalWarps,
            [](const Event& e) { return e.exit && e.unblocks(); }},
           {"blocked warp exits", 0, [](const Event& e) { return e.exit && e.blocked_before; }},
           {"unblock of a CTA and its next 1st hit in one cycle", 0,
            [](const Event& e) { return e.hit && e.unblocks(); }},
           {"CTA freed in the cycle of an event of it", 0, [](const Event& e) { return e.now->frees(e.cta); }},
           {"message suppressed because its CTA is freed", kSaws, [](const Event& e) { return e.suppressed(); }},
           {"error: message lost", kSaws, [](const Event& e) { return e.lost(); }},
           {"message taken and another one queued behind it", kSaws | kDeepQueues,
            [](const Event& e) {
              return e.queued() && e.now->probes.waiting[e.scheduler] > e.queues->of[e.scheduler].size();
            }}}),
      pairs_(list, {{"two schedulers report 1st hits of a CTA in one cycle", kSchedulers,
                     [](const Pair& p) { return p.one_cta() && p.first.hit && !p.second.exit && !p.second.hit; }},
                    {"exit and arrival of one CTA in one cycle", kSchedulers,
                     [](const Pair& p) { return p.one_cta() && p.first.exit != p.second.exit; }},
                    {"events of different CTAs in one cycle", kSchedulers | kCtas,
                     [](const Pair& p) { return !p.one_cta(); }}}),
      together_(list, {{"all schedulers report events of one CTA", kSchedulers,
                        [](const Together& t) { return t.one_cta && t.accepted == t.now.params.NumSched; }},
                       {"unblock without an event", 0,
                        [](const Together& t) { return t.now.in.unblock.any() && t.now.in.wev_valid == 0; }}}) {}

EventPoints::Result EventPoints::see(const Now& now, const Queues& queues, bool started) {
  Result result;
  const U64 live = now.probes.live.word(0);
  U64 blocked = now.probes.blocked.word(0) & ~now.in.unblock.word(0), live_after = live;
  count_ = 0;
  for (unsigned s = 0; s < now.params.NumSched; ++s) {
    if (!at(now.in.wev_valid, s)) continue;
    Report report{now, s, now.in.wev_idx[s], started, false, false};
    const unsigned w = now.warp(s, report.local);
    if (report.exists()) {
      report.live = at(live, w);
      report.blocked = at(blocked, w);
    }
    reports_.see(report);
    if (!report.live || report.twice()) {
      result.errors |= report.live ? kErrorTwice : kErrorCta;
      continue;
    }
    const unsigned cta = now.probes.warp_cta[w];
    const U64 self = U64{1} << w, warps = now.warps_of(cta);
    const bool exit = report.exit(), hit = !exit && (blocked & warps) == 0;
    if (exit) {
      live_after &= ~self;
      blocked &= ~self;
    } else {
      blocked |= self;
    }
    accepted_[count_++] = {&now, &queues, s, cta, warps, exit, hit, report.blocked};
  }
  if (now.in.wev_valid == 0) {
    if (now.in.unblock.any()) together_.see({now, 0, true});
    return result;
  }
  // The effect of an event depends on all events of its cycle, so all events are collected first.
  for (unsigned i = 0; i < count_; ++i) {
    Event& event = accepted_[i];
    const U64 mine = event.warps & now.on[event.scheduler] & live_after;
    event.all_blocked = mine != 0 && (mine & ~blocked) == 0;
    event.last = (event.warps & live_after) == 0;
    event.promotes = event.hit && (now.probes.toggling == 0 || at(now.probes.toggle, event.cta));
    events_.see(event);
    if (event.lost()) result.errors |= kErrorLost;
    if (event.queued()) result.queued[event.scheduler] = {event.cta, event.promotes, event.all_blocked, false};
  }
  meet(now);
  return result;
}

void EventPoints::meet(const Now& now) {
  bool one_cta = true;
  for (unsigned i = 0; i < count_; ++i) {
    one_cta = one_cta && accepted_[i].cta == accepted_[0].cta;
    for (unsigned k = i + 1; k < count_; ++k) pairs_.see({accepted_[i], accepted_[k]});
  }
  together_.see({now, count_, one_cta});
}

}  // namespace castor::saws::tb
