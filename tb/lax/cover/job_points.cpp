#include "tb/lax/cover/job_points.h"

namespace castor::lax::tb {
namespace {

using J = JobState;

/// Returns the number of jobs in state Ready.
unsigned ready_jobs(const Now& now) {
  return (now.probes.job_state1 & QueueBits::ones(now.params.NumQueues))
      .without(now.probes.job_state0)
      .without(now.probes.job_state2)
      .count();
}

}  // namespace

// A job may take several transitions in one cycle: acknowledged and submitted, admitted and started, issued and ended.
// The silent transitions are such combinations; they are rare.
JobPoints::JobPoints(const CoverList& list)
    : cover_(list.cover),
      arcs_(list,
            {{J::kFree, J::kInit},
             {J::kInit, J::kReady},
             {J::kInit, J::kRejected},
             {J::kReady, J::kRunning},
             {J::kReady, J::kDone},
             {J::kReady, J::kRejected},
             {J::kRunning, J::kReady},
             {J::kRunning, J::kDone},
             {J::kDone, J::kFree},
             {J::kRejected, J::kFree}},
            {{J::kInit, J::kRunning}, {J::kInit, J::kDone}, {J::kDone, J::kInit}, {J::kRejected, J::kInit}}),
      changes_(list,
               {{"arrival numbers wrap with jobs ready", 0,
                 [](const Change& c) { return c.comes(J::kInit) && c.arrivals % 65536 == 0 && ready_jobs(c.now) >= 2; },
                 true},
                {"job dropped", 0, [](const Change& c) { return c.is(J::kReady, J::kRejected); }},
                {"job ends while work is appended to it", 0,
                 [](const Change& c) {
                   const castor::tb::Cycle<Block>& before = *c.now.before;
                   return c.comes(J::kDone) && before.probes.submit_state >= SubmitState::kCheck &&
                          before.in.kd_valid != 0 && before.in.kd_last != 0;
                 }}}),
      starts_(list, {{"live jobs whose starts are 2^32 cycles apart", 0,
                      [](const Starts& s) { return (s.one >> 32U) != (s.other >> 32U); }}}) {}

void JobPoints::see(const Now& now, const Submitted& submitted) {
  if (now.before == nullptr) return;
  const Probes &is = now.probes, &was = now.before->probes;
  for (unsigned w = 0; w < QueueBits::kWords; ++w) {
    U64 changed = (is.job_state0.word(w) ^ was.job_state0.word(w)) | (is.job_state1.word(w) ^ was.job_state1.word(w)) |
                  (is.job_state2.word(w) ^ was.job_state2.word(w));
    for (; changed != 0; changed &= changed - 1) {
      change(now, w * 64 + static_cast<unsigned>(__builtin_ctzll(changed)), submitted);
    }
  }
}

void JobPoints::change(const Now& now, unsigned queue, const Submitted& submitted) {
  const unsigned from = job_state(now.before->probes, queue), to = job_state(now.probes, queue);
  if (!Arcs<J>::exists(from) || !Arcs<J>::exists(to)) {
    cover_.impossible("a job is in a state without name");
    return;
  }
  arcs_.see(from, to);
  if (to == number(J::kInit)) ++arrivals_;
  const Change subject{now, queue, from, to, arrivals_};
  changes_.see(subject);
  if (!subject.is(J::kInit, J::kReady) || starts_.reached()) return;
  for (unsigned other = 0; other < now.params.NumQueues; ++other) {
    const bool live = now.probes.job_state1.test(other) && !now.probes.job_state2.test(other);
    if (live) starts_.see({submitted.start[queue], submitted.start[other]});
  }
}

}  // namespace castor::lax::tb
