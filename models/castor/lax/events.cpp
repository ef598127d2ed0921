// Events of kernels and TBs, and the submit machine (docs/blocks/lax.md, "Cycle", steps E and S).

#include <algorithm>

#include "castor/lax/engine.h"

namespace castor::lax {
namespace {

/// Returns the slot of `kid` in the list, or `list.nl` if it has none.
unsigned find_slot(const List& list, unsigned kid) {
  unsigned s = 0;
  while (s < list.nl && list.slot[s].kid != kid) ++s;
  return s;
}

}  // namespace

void Engine::step_events(const Inputs& in, Edge& edge) {
  // The order allows a kernel of one TB to start, be issued, complete and end in one cycle.
  if (in.ks_valid != 0) kernel_started(in, edge);
  if (in.ki_valid != 0) kernel_issued(in, edge);
  if (in.wgc_valid != 0) tb_completed(in, edge);
  if (in.kd_valid != 0) kernel_done(in, edge);
}

KernelType& Engine::touch(unsigned kid, U64 now) {
  KernelType& type = state_.type[kid];
  if (type.kt == 0) {
    type.kt = 1;
    type.t_ref = now;
    type.cnt = 0;
    type.kact = 0;
    type.kins = 0;
    type.inflight = 0;
  }
  return type;
}

void Engine::kernel_started(const Inputs& in, Edge& edge) {
  State& s = state_;
  const unsigned q = in.ks_qid;
  if (!s.live(q)) {
    edge.err |= err::kNoJob;
  } else if (s.job_state(q) == JobState::kRunning || s.open[q]) {
    edge.err |= err::kOrder;
  } else if (in.ks_kid >= params_.NumKt) {
    edge.err |= err::kNoSlot;
  } else {
    s.open.set(q);
    KernelType& type = touch(in.ks_kid, in.now);
    const std::uint64_t since = elapsed(in.now, type.t_ref);
    type.kins = wrap48(type.kins - since);
    if (type.inflight == 0) type.kact = wrap48(type.kact - since);
    type.inflight = static_cast<U16>((type.inflight + 1U) & flight_mask_);
  }
}

void Engine::kernel_issued(const Inputs& in, Edge& edge) {
  State& s = state_;
  const unsigned q = in.ki_qid;
  if (!s.live(q)) {
    edge.err |= err::kNoJob;
  } else if (s.job_state(q) == JobState::kRunning || !s.open[q]) {
    edge.err |= err::kOrder;
  } else {
    s.set_job_state(q, JobState::kRunning);
  }
}

void Engine::tb_completed(const Inputs& in, Edge& edge) {
  State& s = state_;
  const unsigned q = in.wgc_qid;
  const unsigned kid = in.wgc_kid;
  if (!s.live(q)) {
    edge.err |= err::kNoJob;
    return;
  }
  if (!s.open[q]) {
    edge.err |= err::kInFlight;
    return;
  }
  List& list = s.queue[q].list;
  const unsigned slot = find_slot(list, kid);
  if (kid >= params_.NumKt || slot == list.nl) {
    edge.err |= err::kNoSlot;
    return;
  }
  if (list.slot[slot].n == 0) {
    edge.err |= err::kUnderflow;
    return;
  }
  --list.slot[slot].n;
  KernelType& type = touch(kid, in.now);
  if (type.cnt == kMostTbs) {
    edge.irq |= irq::kClipped;
  } else {
    ++type.cnt;
  }
  s.queue[q].wgdone = std::min(s.queue[q].wgdone + 1, kMostTbs);
  count(Count::kTbs);
}

void Engine::kernel_done(const Inputs& in, Edge& edge) {
  State& s = state_;
  const unsigned q = in.kd_qid;
  if (!s.live(q)) {
    edge.err |= err::kNoJob;
    return;
  }
  if (s.job_state(q) == JobState::kReady) {
    edge.err |= err::kOrder;
    return;
  }
  KernelType& type = s.type[in.kd_kid];
  if (in.kd_kid >= params_.NumKt || type.kt == 0 || type.inflight == 0) {
    edge.err |= err::kInFlight;
    return;
  }
  const std::uint64_t since = elapsed(in.now, type.t_ref);
  type.kins = wrap48(type.kins + since);
  if (type.inflight == 1) type.kact = wrap48(type.kact + since);
  --type.inflight;
  s.open.clear(q);
  s.pre.clear(q);
  s.set_job_state(q, in.kd_last != 0 ? JobState::kDone : JobState::kReady);
  if (in.kd_last != 0) job_done(in, edge);
}

void Engine::job_done(const Inputs& in, Edge& edge) {
  State& s = state_;
  const Queue& queue = s.queue[in.kd_qid];
  const std::uint32_t latency = duration(in.now, queue.job.start);
  const bool met = queue.job.deadline == kNone || latency <= queue.job.deadline;
  s.jd = JobDone{1, in.kd_qid, met, latency};
  count(Count::kDone);
  edge.irq |= irq::kDone;
  if (met) {
    count(Count::kMet);
    count(Count::kUsefulTbs, queue.wgdone);
  } else {
    count(Count::kLate);
    edge.irq |= irq::kMissed;
  }
  if (s.done.count == params_.NumQueues) {
    edge.err |= err::kDoneFull;
  } else {
    s.done.push(Done{in.kd_qid, met});
  }
}

void Engine::step_submit(const Inputs& in, Edge& edge) {
  State& s = state_;
  // TB completions use the only write port of the lists. A visit's decision uses the write port of the verdict queue.
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
      count(Count::kSubmit);
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

void Engine::take_beat(const Inputs& in) {
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

Reason Engine::refusal(JobState v, Edge& edge) const {
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

void Engine::commit(Edge& edge) {
  State& s = state_;
  const unsigned q = s.h.qid;
  const Reason reason = refusal(s.job_state(q), edge);
  s.sub = SubmitState::kIdle;
  if (reason != Reason::kOk) {
    if (reason == Reason::kBusyQueue) edge.irq |= irq::kBusy;
    s.verdicts.push(Verdict{s.h.qid, 0, static_cast<U8>(reason), 0});
    count(Count::kReject);
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

void Engine::check_slot() {
  State& s = state_;
  const List& list = s.queue[s.h.qid].list;
  if (find_slot(list, s.stage[s.ai].kid) == list.nl) ++s.an;
  if (++s.ai < s.sc) return;
  s.ai = 0;
  const bool fits = unsigned{list.nl} + s.an <= params_.MaxKt;
  s.ar = static_cast<U8>(fits ? Reason::kOk : Reason::kBadList);
  s.sub = fits ? SubmitState::kMerge : SubmitState::kVerdict;
}

void Engine::merge_slot() {
  State& s = state_;
  List& list = s.queue[s.h.qid].list;
  const Slot& staged = s.stage[s.ai];
  const unsigned at = find_slot(list, staged.kid);
  if (at < list.nl) {
    list.slot[at].n = add_tbs(list.slot[at].n, staged.n);
  } else {
    list.slot[list.nl++] = staged;
  }
  if (++s.ai >= s.sc) s.sub = SubmitState::kVerdict;
}

void Engine::finish_append(Edge& edge) {
  State& s = state_;
  auto reason = static_cast<Reason>(s.ar);
  if (!s.live(s.h.qid)) {
    reason = Reason::kNoLiveJob;
    edge.err |= err::kNoJob;
  }
  const bool accept = reason == Reason::kOk;
  s.verdicts.push(Verdict{s.h.qid, accept, static_cast<U8>(reason), 0});
  count(accept ? Count::kAccept : Count::kReject);
  if (!accept) edge.irq |= irq::kReject;
  s.sub = SubmitState::kIdle;
}

}  // namespace castor::lax
