// The submit machine (docs/blocks/lax.md, "Cycle", step S).

#include <algorithm>

#include "castor/lax/submit_machine.h"

namespace castor::lax {

void SubmitMachine::step(const Inputs& in, Edge& edge) {
  State& s = state_;
  // TB completions use the only write port of the lists; a visit's decision uses that of the verdict queue.
  const bool list_busy = in.wgc_valid != 0;
  const bool verdict_busy = edge.f == MainState::kVKey;
  switch (s.sub) {
    case SubmitState::kIdle:
      if (in.js_valid == 0 || !edge.space) return;
      s.h = Header{in.js_qid, in.js_deadline, in.js_start, in.js_nkt, in.js_append, in.js_fits};
      s.sc = 0;
      s.bc = 0;
      s.bad_kid = 0;
      s.overflow = 0;
      s.nonzero = 0;
      state_.count(Count::kSubmit);
      s.sub = in.js_nkt == 0 ? SubmitState::kCommit : SubmitState::kList;
      return;
    case SubmitState::kList:
      if (in.wl_valid != 0) take_beat(in);
      return;
    case SubmitState::kCommit:
      if (!list_busy && !verdict_busy) commit(edge);
      return;
    case SubmitState::kCheck:
      if (!list_busy) check_slot();
      return;
    case SubmitState::kMerge:
      if (!list_busy) merge_slot();
      return;
    case SubmitState::kVerdict:
      if (!verdict_busy) finish_append(edge);
      return;
  }
}

void SubmitMachine::take_beat(const Inputs& in) {
  State& s = state_;
  s.bc = static_cast<U8>(std::min(s.bc + 1, 31));
  if (in.wl_numwg > 0) s.nonzero = 1;
  unsigned at = 0;
  while (at < s.sc && s.stage[at].kid != in.wl_kid) ++at;
  if (in.wl_kid >= params_.NumKt) {
    s.bad_kid = 1;
  } else if (at < s.sc) {
    s.stage[at].n = add_tbs(s.stage[at].n, in.wl_numwg);
  } else if (s.sc < params_.MaxKt) {
    s.stage[s.sc++] = Slot{in.wl_kid, in.wl_numwg};
  } else {
    s.overflow = 1;
  }
  if (in.wl_last != 0) s.sub = SubmitState::kCommit;
}

Reason SubmitMachine::refusal(JobState v, Edge& edge) const {
  const State& s = state_;
  const bool append = s.h.append != 0;
  if (s.config.enable == 0) return Reason::kNoLiveJob;
  if (append && v == JobState::kInit) return Reason::kBusyQueue;
  if (append && v != JobState::kReady && v != JobState::kRunning) {
    edge.err |= err::kNoJob;
    return Reason::kNoLiveJob;
  }
  if (!append && v != JobState::kFree) return Reason::kBusyQueue;
  if (s.bc != s.h.nkt) {
    edge.err |= err::kBeat;
    return Reason::kBadList;
  }
  if (s.h.nkt == 0 || s.h.nkt > params_.MaxKt || s.overflow != 0 || s.nonzero == 0) return Reason::kBadList;
  if (s.bad_kid != 0) return Reason::kBadKernelType;
  if (!append && s.h.deadline == 0) return Reason::kBadDeadline;
  return Reason::kOk;
}

void SubmitMachine::commit(Edge& edge) {
  State& s = state_;
  const unsigned q = s.h.qid;
  const Reason reason = refusal(s.job_state(q), edge);
  s.sub = SubmitState::kIdle;
  if (reason != Reason::kOk) {
    if (reason == Reason::kBusyQueue) edge.irq |= irq::kBusy;
    s.verdicts.push(Verdict{s.h.qid, 0, static_cast<U8>(reason), 0});
    state_.count(Count::kReject);
    edge.irq |= irq::kReject;
    return;
  }
  if (s.h.append != 0) {
    s.ai = 0;
    s.an = 0;
    s.sub = SubmitState::kCheck;
    return;
  }
  Queue& queue = s.queue[q];
  queue.list.nl = s.sc;
  std::copy_n(s.stage.begin(), s.sc, queue.list.slot.begin());
  queue.job = Job{s.h.start, s.h.deadline, s.h.fits};
  queue.wgdone = 0;
  s.seq[q] = s.seq_ctr++;
  s.set_job_state(q, JobState::kInit);
  s.pend.push(s.h.qid);
}

void SubmitMachine::check_slot() {
  State& s = state_;
  const List& list = s.queue[s.h.qid].list;
  if (list.find(s.stage[s.ai].kid) == list.nl) ++s.an;
  if (++s.ai < s.sc) return;
  s.ai = 0;
  const bool fits = unsigned{list.nl} + s.an <= params_.MaxKt;
  s.ar = static_cast<U8>(fits ? Reason::kOk : Reason::kBadList);
  s.sub = fits ? SubmitState::kMerge : SubmitState::kVerdict;
}

void SubmitMachine::merge_slot() {
  State& s = state_;
  List& list = s.queue[s.h.qid].list;
  const Slot& staged = s.stage[s.ai];
  const unsigned at = list.find(staged.kid);
  if (at < list.nl) {
    list.slot[at].n = add_tbs(list.slot[at].n, staged.n);
  } else {
    list.slot[list.nl++] = staged;
  }
  if (++s.ai >= s.sc) s.sub = SubmitState::kVerdict;
}

void SubmitMachine::finish_append(Edge& edge) {
  State& s = state_;
  auto reason = static_cast<Reason>(s.ar);
  if (!s.live(s.h.qid)) {
    reason = Reason::kNoLiveJob;
    edge.err |= err::kNoJob;
  }
  const bool accept = reason == Reason::kOk;
  s.verdicts.push(Verdict{s.h.qid, accept, static_cast<U8>(reason), 0});
  state_.count(accept ? Count::kAccept : Count::kReject);
  if (!accept) edge.irq |= irq::kReject;
  s.sub = SubmitState::kIdle;
}

}  // namespace castor::lax
