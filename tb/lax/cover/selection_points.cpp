#include "tb/lax/cover/selection_points.h"

#include <algorithm>

namespace castor::lax::tb {
namespace {

using castor::tb::crossed;

std::vector<std::string> numbers(unsigned count) {
  std::vector<std::string> names;
  for (unsigned i = 0; i < count; ++i) names.push_back(std::to_string(i));
  return names;
}

/// Returns whether a queue is offered that was not offered in the previous cycle.
bool fresh(unsigned valid, unsigned queue, unsigned was_valid, unsigned was_queue) {
  return valid != 0 && (was_valid == 0 || was_queue != queue);
}

}  // namespace

SelectionPoints::Selection::Selection(const CoverList& list, const std::string& name)
    : eligible(
          list,
          crossed(crossed({name + ", policy "}, numbers(10)), {", none eligible", ", one eligible", ", many eligible"}),
          [](const Eligible& e) { return e.policy * 3 + std::min(e.queues, 2U); }),
      classes(list, list.can(has::kPeek) ? crossed({name + " won by class "}, numbers(4)) : std::vector<std::string>{},
              [](const Offer& o) { return o.rank; }),
      ends(list, {{name + " won by the first queue", 0, [](const Offer& o) { return o.queue == 0; }},
                  {name + " won by the last queue", 0,
                   [](const Offer& o) { return o.queue + 1 == o.now.params.NumQueues; }}}) {}

SelectionPoints::SelectionPoints(const CoverList& list, unsigned groups)
    : parse_(list, "parse"),
      dispatch_(list, "dispatch"),
      grants_(list, crossed(crossed({"parse grant while group "}, numbers(groups)), {" is compared"}),
              [](const Now& n) { return n.probes.group; }),
      cycles_(list, {{"offer withdrawn without grant", 0,
                      [](const Now& n) {
                        return n.before != nullptr && n.before->out.psel_valid != 0 && n.before->in.psel_grant == 0 &&
                               n.out.psel_valid == 0;
                      }},
                     {"preemption requested", 0, [](const Now& n) { return n.out.pre_vec.any(); }},
                     {"preemption request ends", 0,
                      [](const Now& n) {
                        return n.before != nullptr && !n.after_reset && n.before->probes.preempted.any() &&
                               n.out.pre_vec.none();
                      }}}),
      offers_(list, {{"job below the threshold offered under PREMA", has::kPeek,
                      [](const Offer& o) { return o.rank == 1 && o.now.policy() == 7; }},
                     {"demoted job offered under MLFQ", has::kPeek | has::kFewQueues,
                      [](const Offer& o) { return o.rank == 1 && o.now.policy() == 6; }}}),
      peeks_(list.can(has::kPeek)) {}

void SelectionPoints::see(const Now& now) {
  if (now.probes.group == 0) {
    const QueueBits live = now.probes.job_state1.without(now.probes.job_state2);
    const QueueBits ready = live.without(now.probes.job_state0);
    const QueueBits parse = now.in.pe_vec & ((now.control & reg::kPreparse) != 0 ? live : ready);
    const QueueBits dispatch = (now.in.de_vec & ready).without(now.probes.preempted);
    parse_.eligible.see({now.policy(), parse.count()});
    dispatch_.eligible.see({now.policy(), dispatch.count()});
  }
  static const Outputs none;
  const Outputs &out = now.out, &was = now.before != nullptr ? now.before->out : none;
  if (fresh(out.psel_valid, out.psel_qid, was.psel_valid, was.psel_qid)) offer(parse_, now, out.psel_qid);
  if (fresh(out.dsel_valid, out.dsel_qid, was.dsel_valid, was.dsel_qid)) offer(dispatch_, now, out.dsel_qid);
  if (now.in.psel_grant != 0 && out.psel_valid != 0) grants_.see(now);
  cycles_.see(now);
}

void SelectionPoints::offer(Selection& selection, const Now& now, unsigned queue) {
  Offer subject{now, queue, 0};
  if (peeks_) {
    subject.rank = (now.look(reg::kQueueState + 4 * queue) >> 3U) & 3U;
    selection.classes.see(subject);
    offers_.see(subject);
  }
  selection.ends.see(subject);
}

}  // namespace castor::lax::tb
