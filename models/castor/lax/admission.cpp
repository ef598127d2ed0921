// Decisions of the main machine about a visited queue: key and record in an update, work ahead in a scan, accept or
// reject in an admission (docs/blocks/lax.md, "Cycle", step F).

#include <algorithm>

#include "castor/lax/main_machine.h"

namespace castor::lax {

KeyInput MainMachine::key_input(U32 remaining) const {
  const State& s = state_;
  const Queue& queue = s.queue[s.q];
  KeyInput in;
  in.policy = s.config.policy;
  in.classes = s.config.prio_class_en != 0;
  in.initial = s.config.init_prio;
  in.start = s.vj.start;
  in.deadline = s.vj.deadline;
  in.remaining = remaining;
  in.dur = s.vdur;
  in.iso = queue.iso;
  in.token = queue.token;
  in.threshold = s.thr;
  in.external_key = queue.qprio;
  return in;
}

void MainMachine::decide(Edge& edge) {
  State& s = state_;
  switch (s.ph) {
    case Phase::kScan:
      s.tot += s.config.warm_policy == 1 && s.vunprof != 0 ? s.vj.deadline : saturate(s.acc >> 8U);
      return next_queue();
    case Phase::kUpdate:
      return update_queue(edge);
    case Phase::kAdmit:
      return admit(edge);
  }
}

void MainMachine::update_queue(Edge& edge) {
  State& s = state_;
  // A job that ended during its visit is not changed.
  if (!s.live(s.q)) return next_queue();
  Queue& queue = s.queue[s.q];
  const std::uint32_t remaining = saturate(s.acc >> 8U);
  queue.rec = Record{remaining, s.vdur, laxity(s.vj.deadline, remaining, s.vdur)};
  const bool late = s.vj.deadline != kNone && s.vdur > s.vj.deadline;
  const bool unstarted = s.job_state(s.q) == JobState::kReady && !s.open[s.q];
  if (s.config.drop_expired != 0 && s.config.policy == Policy::kLax && unstarted && late && edge.space) {
    s.set_job_state(s.q, JobState::kRejected);
    s.verdicts.push(Verdict{s.q, 0, static_cast<U8>(Reason::kExpired), 0});
    state_.count(Count::kDrop);
    edge.irq |= irq::kReject;
    return next_queue();
  }
  const bool executes = s.open[s.q] && !s.pre[s.q];
  if (s.config.policy == Policy::kPrema && !executes) {
    // The token of a waiting job grows by its priority times the waiting time over the job's isolated time.
    const std::uint64_t wait = std::uint64_t{s.config.prema_p} * std::min(s.upd_dt, s.vdur);
    return start_division(std::uint64_t{clip(wait)} << 8U, queue.iso, MainState::kVDiv);
  }
  s.key[s.q] = job_key(key_input(remaining));
  next_queue();
}

void MainMachine::update_token() {
  State& s = state_;
  Queue& queue = s.queue[s.q];
  const std::uint64_t growth = std::min<std::uint64_t>(s.div_num / s.div_den, kMostTbs);
  queue.token = static_cast<U32>(std::min<std::uint64_t>(queue.token + growth, kMostTbs));
  if (s.live(s.q)) s.key[s.q] = job_key(key_input(saturate(s.acc >> 8U)));
  next_queue();
}

void MainMachine::admit(Edge& edge) {
  State& s = state_;
  Queue& queue = s.queue[s.q];
  const std::uint32_t deadline = s.vj.deadline;
  const std::uint64_t own = std::uint64_t{s.vwork} + s.vdur;
  const std::uint64_t sum = s.tot + own;
  const bool best_effort = deadline == kNone;
  bool accept = best_effort || s.act == 0;
  if (!accept && s.vdur < deadline) {
    const auto somebody_waits = [&s, this] {
      for (unsigned w = 0; w < (params_.NumQueues + 63) / 64; ++w) {
        if ((~s.st2.word(w) & s.st1.word(w) & ~s.st0.word(w) & ~s.open.word(w)) != 0) return true;
      }
      return false;
    };
    accept = sum < deadline || (s.config.bypass_en != 0 && s.vj.fits != 0 && own < deadline && !somebody_waits());
  }
  queue.rec = Record{s.vwork, s.vdur, laxity(deadline, s.vwork, s.vdur)};
  queue.iso = std::max(saturate(s.acc >> 8U), 1U);
  queue.token = s.config.prema_p * 256U;
  Reason reason = Reason::kOk;
  if (accept) {
    s.set_job_state(s.q, JobState::kReady);
    KeyInput key = key_input(s.vwork);
    key.admitted = true;
    s.key[s.q] = job_key(key);
    if (!best_effort) s.tot += s.config.warm_policy == 1 && s.vunprof != 0 ? deadline : s.vwork;
    state_.count(Count::kAccept);
  } else {
    reason = s.vdur >= deadline ? Reason::kExpired : Reason::kPredictMiss;
    s.set_job_state(s.q, JobState::kRejected);
    state_.count(Count::kReject);
    edge.irq |= irq::kReject;
  }
  s.verdicts.push(Verdict{s.q, accept, static_cast<U8>(reason), clip(sum)});
  s.f = MainState::kANext;
}

}  // namespace castor::lax
