#include "tb/saws/cover/cta_points.h"

namespace castor::saws::tb {

using namespace has;  // NOLINT(google-build-using-namespace): constants of one meaning

CtaPoints::CtaPoints(const CoverList& list)
    : operations_(list, {{"error: slot that does not exist", kRaggedSlots,
                          [](const Now& n) { return n.in.cta_id >= n.params.MaxCta; }},
                         {"error: unused slot freed", 0,
                          [](const Now& n) {
                            return n.frees() && n.in.cta_id < n.params.MaxCta && !at(n.probes.cta_used, n.in.cta_id);
                          }}}),
      places_(list, {{"error: used slot placed", 0, [](const Place& p) { return p.used(); }},
                     {"error: CTA without warps placed", 0, [](const Place& p) { return p.nothing(); }},
                     {"error: CTA with taken warps placed", kCtas, [](const Place& p) { return p.taken(); }},
                     {"CTA placed in SAWS mode", kSaws, [](const Place& p) { return p.good() && !p.now.gto(); }},
                     {"slot placed in the cycle after it was freed", 0,
                      [](const Place& p) { return p.good() && p.freed == p.now.in.cta_id; }},
                     {"all CTA slots used", kAllSlots,
                      [](const Place& p) {
                        const U32 used = p.now.probes.cta_used | U32{1} << p.now.in.cta_id;
                        return p.good() && used == twin::mask(p.now.params.MaxCta);
                      }},
                     {"all warps used", 0,
                      [](const Place& p) {
                        return p.good() &&
                               (p.now.probes.allocated.word(0) | p.mask()) == twin::mask(p.now.params.NumWarps);
                      }}}),
      placed_(list,
              {{"CTA placed on an empty list", 0, [](const PlaceOn& p) { return p.present && p.length == 0; }},
               {"CTA placed behind others", kTwoCtas, [](const PlaceOn& p) { return p.present && p.length != 0; }},
               {"CTA placed without warps on a scheduler", kSchedulers, [](const PlaceOn& p) { return !p.present; }},
               {"a CTA per warp in a list", kLongestList,
                [](const PlaceOn& p) { return p.present && p.length + 1 == p.now.params.warps_per_scheduler(); }}}),
      meets_placed_(list, {{"slot placed again while a message of its last CTA waits", kSaws,
                            [](const Meets& m) { return m.same(); }}}),
      meets_freed_(list, {{"CTA freed while a message of it waits", kSaws, [](const Meets& m) { return m.same(); }}}),
      frees_(list, {{"CTA with live warps freed", 0, [](const Free& f) { return f.live; }},
                    {"CTA without live warps freed", 0, [](const Free& f) { return !f.live; }}}),
      freed_(list, {{"head freed", kTwoCtas, [](const FreeOn& f) { return f.length > 1 && f.position == 0; }},
                    {"middle of a list freed", kThreeCtas,
                     [](const FreeOn& f) { return f.length > 1 && f.position != 0 && f.position + 1 != f.length; }},
                    {"tail freed", kTwoCtas,
                     [](const FreeOn& f) { return f.length > 1 && f.position != 0 && f.position + 1 == f.length; }},
                    {"freed above P, P falls", kSaws | kSchedulers | kTwoCtas,
                     [](const FreeOn& f) { return !f.now.gto() && f.position < f.p && f.p > f.now.params.PFloor; }},
                    {"freed above P at the floor", kSaws | kFloor,
                     [](const FreeOn& f) { return !f.now.gto() && f.position < f.p && f.p <= f.now.params.PFloor; }},
                    {"freed at or behind P", kSaws | kTwoCtas,
                     [](const FreeOn& f) { return !f.now.gto() && f.position >= f.p; }},
                    {"greedy CTA freed", 0, [](const FreeOn& f) { return f.greedy; }},
                    {"greedy CTA freed while one of its warps issues", 0, [](const FreeOn& f) { return f.issues; }},
                    {"greedy CTA freed while a warp of another CTA issues", kTwoCtas,
                     [](const FreeOn& f) { return f.issues_other; }}}) {}

bool CtaPoints::see(const Now& now, Queues& queues, unsigned freed) {
  operations_.see(now);
  const unsigned cta = now.in.cta_id;
  if (cta >= now.params.MaxCta) return true;
  if (now.frees()) {
    if (!at(now.probes.cta_used, cta)) return true;
    free(now, queues);
    return false;
  }
  const Place operation{now, freed};
  places_.see(operation);
  if (!operation.good()) return true;
  place(now, queues, operation);
  return false;
}

void CtaPoints::place(const Now& now, const Queues& queues, const Place& operation) {
  for (unsigned s = 0; s < now.params.NumSched; ++s) {
    placed_.see({now, s, now.probes.length[s], (operation.mask() & now.on[s]) != 0});
  }
  for (const auto& queue : queues.of) {
    for (const Message& message : queue) meets_placed_.see({now, message});
  }
}

void CtaPoints::free(const Now& now, Queues& queues) {
  const unsigned cta = now.in.cta_id;
  frees_.see({now, (now.warps_of(cta) & now.probes.live.word(0)) != 0});
  for (unsigned s = 0; s < now.params.NumSched; ++s) {
    for (Message& message : queues.of[s]) {
      const Meets meets{now, message};
      meets_freed_.see(meets);
      message.killed |= meets.same();
    }
    const unsigned warp = now.warp_on(cta, s);
    if (warp != now.params.NumWarps) freed_.see(look(now, s, warp));
  }
}

CtaPoints::FreeOn CtaPoints::look(const Now& now, unsigned scheduler, unsigned warp) {
  const unsigned cta = now.in.cta_id;
  const Probes& probes = now.probes;
  FreeOn subject{now,   scheduler, probes.position[warp], probes.length[scheduler], probes.pointer[scheduler], false,
                 false, false};
  subject.greedy = now.gto() && at(probes.greedy, scheduler) && now.greedy_cta(scheduler) == cta;
  const U64 ready = now.ready() & now.on[scheduler];
  if (!subject.greedy || !at(now.in.issue_ack, scheduler) || ready == 0) return subject;
  // Recomputes the pick: the greedy warp if it is ready, else the oldest ready warp.
  unsigned picked = lowest(ready);
  for (U64 rest = ready; rest != 0; rest &= rest - 1) {
    if (probes.position[lowest(rest)] < probes.position[picked]) picked = lowest(rest);
  }
  const unsigned greedy = now.warp(scheduler, subject.p);
  if (at(ready, greedy)) picked = greedy;
  subject.issues = probes.warp_cta[picked] == cta;
  subject.issues_other = !subject.issues;
  return subject;
}

}  // namespace castor::saws::tb
