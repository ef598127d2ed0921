// Events of kernels and TBs (docs/blocks/lax.md, "Cycle", step E).

#include <algorithm>

#include "castor/lax/event_step.h"

namespace castor::lax {

void EventStep::step(const Inputs& in, Edge& edge) {
  // The order allows a kernel of one TB to start, be issued, complete and end in one cycle.
  if (in.ks_valid != 0) kernel_started(in, edge);
  if (in.ki_valid != 0) kernel_issued(in, edge);
  if (in.wgc_valid != 0) tb_completed(in, edge);
  if (in.kd_valid != 0) kernel_done(in, edge);
}

KernelType& EventStep::touch(unsigned kid, U64 now) {
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

void EventStep::kernel_started(const Inputs& in, Edge& edge) {
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

void EventStep::kernel_issued(const Inputs& in, Edge& edge) {
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

void EventStep::tb_completed(const Inputs& in, Edge& edge) {
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
  const unsigned slot = list.find(kid);
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
  state_.count(Count::kTbs);
}

void EventStep::kernel_done(const Inputs& in, Edge& edge) {
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

void EventStep::job_done(const Inputs& in, Edge& edge) {
  State& s = state_;
  const Queue& queue = s.queue[in.kd_qid];
  const std::uint32_t latency = duration(in.now, queue.job.start);
  const bool met = queue.job.deadline == kNone || latency <= queue.job.deadline;
  s.jd = JobDone{1, in.kd_qid, met, latency};
  state_.count(Count::kDone);
  edge.irq |= irq::kDone;
  if (met) {
    state_.count(Count::kMet);
    state_.count(Count::kUsefulTbs, queue.wgdone);
  } else {
    state_.count(Count::kLate);
    edge.irq |= irq::kMissed;
  }
  if (s.done.count == params_.NumQueues) {
    edge.err |= err::kDoneFull;
  } else {
    s.done.push(Done{in.kd_qid, met});
  }
}

}  // namespace castor::lax
