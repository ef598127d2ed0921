#include "tb/saws/cover/message_points.h"

namespace castor::saws::tb {

using namespace has;  // NOLINT(google-build-using-namespace): constants of one meaning

MessagePoints::MessagePoints(const CoverList& list)
    : waiting_(
          list,
          {{"queue full", kSaws, [](const Waiting& w) { return w.full > 0; }},
           {"all queues full", kSaws | kSchedulers, [](const Waiting& w) { return w.full == w.now.params.NumSched; }},
           {"messages in several queues", kSaws | kSchedulers, [](const Waiting& w) { return w.waiting > 1; }},
           {"20 CTA operations in consecutive cycles with a full queue", kSaws,
            [](const Waiting& w) { return w.full_operations == 20; }},
           {"switch put off by a CTA operation", kSaws, [](const Waiting& w) { return w.put_off() && w.now.gto(); }},
           {"message put off by a CTA operation", kSaws,
            [](const Waiting& w) { return w.put_off() && !w.now.gto(); }}}),
      lists_(list, {{"P is 0", kSaws | kNoFloor, [](const List& l) { return l.now.probes.pointer[l.scheduler] == 0; }},
                    {"P reaches the length of the list", kSaws | kSchedulers | kTwoCtas,
                     [](const List& l) {
                       const Probes& probes = l.now.probes;
                       return probes.length[l.scheduler] > 1 &&
                              probes.pointer[l.scheduler] == probes.length[l.scheduler];
                     }}}),
      switches_(list, {{"switch", kSaws, [](const Now&) { return true; }},
                       {"switch while a pick issues", kSaws, [](const Now& n) { return n.in.issue_ack != 0; }}}),
      switched_(
          list,
          {{"switch moves the greedy CTA to the head", kSaws | kTwoCtas | kByGreed,
            [](const Switch& s) { return s.resident() && !s.at_head; }},
           {"switch leaves the greedy CTA where it is", kSaws | kTwoCtas | kByAge,
            [](const Switch& s) { return s.resident() && !s.at_head; }},
           {"switch with the greedy CTA at the head", kSaws, [](const Switch& s) { return s.resident() && s.at_head; }},
           {"switch without a greedy warp on a scheduler that has CTAs", kSaws,
            [](const Switch& s) { return !s.greedy && s.now.probes.length[s.scheduler] > 0; }},
           {"switch with a greedy pointer to a free slot", kSaws | kLocalWarps,
            [](const Switch& s) { return s.greedy && !s.resident(); }},
           {"switch by a CTA that is not the greedy one", kSaws | kTwoCtas,
            [](const Switch& s) { return s.resident() && !s.queue.empty() && s.queue.front().cta != s.cta; }}}),
      taken_(list, {{"message of a hit", kSaws | kWarps,
                     [](const Taken& t) { return !t.message.killed && t.message.hit && !t.message.all_blocked; }},
                    {"message of all blocked", kSaws | kLocalWarps,
                     [](const Taken& t) { return !t.message.killed && !t.message.hit; }},
                    {"message of both", kSaws,
                     [](const Taken& t) { return !t.message.killed && t.message.hit && t.message.all_blocked; }},
                    {"message of a freed CTA", kSaws, [](const Taken& t) { return t.message.killed; }},
                    {"message of scheduler 0", kSaws, [](const Taken& t) { return t.from == 0; }},
                    {"message of scheduler 1", kSaws | kSchedulers, [](const Taken& t) { return t.from == 1; }},
                    {"message of scheduler 2", kSaws | kFourSchedulers, [](const Taken& t) { return t.from == 2; }},
                    {"message of scheduler 3", kSaws | kFourSchedulers, [](const Taken& t) { return t.from == 3; }},
                    {"turn passes over an empty queue", kSaws | kSchedulers,
                     [](const Taken& t) { return t.from != t.now.probes.turn; }},
                    {"message taken out of a full queue", kSaws, [](const Taken& t) { return t.was_full; }}}),
      broadcasts_(list,
                  {{"promotion moves a CTA", kSaws | kSchedulers | kThreeCtas,
                    [](const Broadcast& b) { return b.promotes() && b.position > b.p; }},
                   {"promotion passes several CTAs", kSaws | kSchedulers | kFourCtas,
                    [](const Broadcast& b) { return b.promotes() && b.position > b.p + 1; }},
                   {"promotion of the CTA at P", kSaws | kSchedulers | kTwoCtas,
                    [](const Broadcast& b) { return b.promotes() && b.position == b.p; }},
                   {"promotion of a CTA above P", kSaws | kSchedulers,
                    [](const Broadcast& b) { return b.promotes() && b.position < b.p; }},
                   {"promotion meets a scheduler without the CTA", kSaws | kSchedulers,
                    [](const Broadcast& b) { return !b.present && b.message.hit; }},
                   {"demotion lowers P", kSaws | kSchedulers | kTwoCtas,
                    [](const Broadcast& b) { return b.demotes() && b.position < b.p && b.p > b.now.params.PFloor; }},
                   {"demotion at the floor", kSaws | kFloor,
                    [](const Broadcast& b) { return b.demotes() && b.position < b.p && b.p <= b.now.params.PFloor; }},
                   {"demotion of a CTA at or behind P", kSaws | kTwoCtas,
                    [](const Broadcast& b) { return b.demotes() && b.position >= b.p; }},
                   {"demotion of the tail", kSaws,
                    [](const Broadcast& b) { return b.demotes() && b.position + 1 == b.length; }},
                   {"demotion by a hit alone", kSaws | kDemotesAtHit | kWarps,
                    [](const Broadcast& b) { return b.demotes() && !b.message.all_blocked; }}}) {}

void MessagePoints::see(const Now& now, Queues& queues) {
  unsigned full = 0, waiting = 0;
  for (unsigned s = 0; s < now.params.NumSched; ++s) {
    full += queues.of[s].size() == now.params.EvqDepth ? 1 : 0;
    waiting += queues.of[s].empty() ? 0 : 1;
    if (!now.gto()) lists_.see({now, s});
  }
  full_operations_ = now.operates() && full > 0 ? full_operations_ + 1 : 0;
  if (waiting == 0) return;
  waiting_.see({now, full, waiting, full_operations_});
  if (now.operates()) return;
  if (now.gto()) {
    switch_mode(now, queues);
  } else {
    take(now, queues);
  }
}

void MessagePoints::switch_mode(const Now& now, const Queues& queues) {
  switches_.see(now);
  for (unsigned s = 0; s < now.params.NumSched; ++s) {
    Switch subject{now, s, queues.of[s], at(now.probes.greedy, s), now.params.MaxCta, false};
    if (subject.greedy) subject.cta = now.greedy_cta(s);
    if (subject.resident()) subject.at_head = now.probes.position[now.warp_on(subject.cta, s)] == 0;
    switched_.see(subject);
  }
}

void MessagePoints::take(const Now& now, Queues& queues) {
  unsigned from = now.probes.turn;
  while (queues.of[from].empty()) from = (from + 1) % now.params.NumSched;
  const bool was_full = queues.of[from].size() == now.params.EvqDepth;
  const Message message = queues.of[from].front();
  queues.of[from].pop_front();
  taken_.see({now, message, from, was_full});
  if (message.killed) return;
  for (unsigned s = 0; s < now.params.NumSched; ++s) {
    const unsigned w = now.warp_on(message.cta, s);
    const bool present = w != now.params.NumWarps;
    broadcasts_.see({now, message, s == from, present, present ? now.probes.position[w] : 0U, now.probes.pointer[s],
                     now.probes.length[s]});
  }
}

}  // namespace castor::saws::tb
