#include "tb/saws/cover/pick_points.h"

namespace castor::saws::tb {

using namespace has;  // NOLINT(google-build-using-namespace): constants of one meaning

PickPoints::PickPoints(const CoverList& list)
    : cycles_(
          list,
          {{"ready warp that is not allocated", 0,
            [](const Now& n) { return (n.in.w_ready.word(0) & ~n.probes.allocated.word(0)) != 0; }},
           {"all schedulers issue", kSchedulers,
            [](const Now& n) { return (n.in.issue_ack & n.out.issue_valid) == twin::mask(n.params.NumSched); }},
           {"acknowledge without a pick", 0, [](const Now& n) { return (n.in.issue_ack & ~n.out.issue_valid) != 0; }}}),
      offers_(list, {{"no candidate", 0, [](const Offer& o) { return !o.valid(); }},
                     {"pick that is not acknowledged", 0,
                      [](const Offer& o) { return o.valid() && !at(o.now.in.issue_ack, o.scheduler); }}}),
      gto_(list, {{"greedy pick", 0, [](const Pick& p) { return p.greedy(); }},
                  {"greedy pick though an older warp is ready", kTwoCtas,
                   [](const Pick& p) { return p.greedy() && p.older; }},
                  {"oldest pick because the greedy warp is not ready", kLocalWarps,
                   [](const Pick& p) { return p.greedy_valid() && !p.greedy(); }}}),
      saws_(list, {{"SAWS pick of the head", kSaws, [](const Pick& p) { return p.now.probes.position[p.warp] == 0; }},
                   {"SAWS pick behind the head", kSaws | kTwoCtas,
                    [](const Pick& p) { return p.now.probes.position[p.warp] != 0; }},
                   {"SAWS pick above a lower local index", kSaws | kTwoCtas, [](const Pick& p) { return p.lower; }},
                   {"SAWS pick of the lower of two warps of a CTA", kSaws | kLocalWarps,
                    [](const Pick& p) { return p.sibling; }}}) {}

PickPoints::Pick PickPoints::look(const Now& now, unsigned scheduler) {
  Pick pick{now, scheduler, now.warp(scheduler, now.out.issue_idx[scheduler]), false, false, false};
  const auto& position = now.probes.position;
  for (U64 others = now.ready() & now.on[scheduler] & ~(U64{1} << pick.warp); others != 0; others &= others - 1) {
    const unsigned w = lowest(others);
    pick.older |= position[w] < position[pick.warp];
    pick.lower |= w < pick.warp;
    pick.sibling |= position[w] == position[pick.warp];
  }
  return pick;
}

void PickPoints::see(const Now& now) {
  cycles_.see(now);
  for (unsigned s = 0; s < now.params.NumSched; ++s) {
    offers_.see({now, s});
    if (at(now.out.issue_valid, s)) (now.gto() ? gto_ : saws_).see(look(now, s));
  }
}

}  // namespace castor::saws::tb
