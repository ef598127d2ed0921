// Hooks of the front end: what they are told and when (docs/gpu.md, "Hooks").

#include <algorithm>
#include <string>

#include "castor/base/error.h"
#include "castor/gpu/front_end/front_end.h"

namespace castor::gpu {

HookPlace FrontEnd::hook_place(base::StatisticGroup& statistics) {
  return {machine_, statistics,
          [&faults = faults_, &events = events_](const std::string& hook, unsigned code, std::uint64_t info) {
            faults.hook_error(hook, code, info, events.cycle());
          }};
}

// Without the uncore only governors are clocked; it was on or off in all of the skipped cycles.
void FrontEnd::skip_hooks(Cycle cycles) {
  governors_.idle(cycles);
  if (!uncore_enable()) return;
  if (policy_.on()) policy_.idle(cycles);
  if (scheduler_.on()) scheduler_.idle(cycles);
}

// What holds at the start of the cycle, before anything in it happens.
void FrontEnd::begin_hooks(Cycle now) {
  events_.begin(now);
  governors_.begin(now);
  policy_.begin();
  scheduler_.begin();
}

// F8: which queue the job scheduler wants, if it may be granted; announcements, verdicts, ends of jobs.
int FrontEnd::job_pick(Cycle now) {
  const QueueMask eligible = parse_.entry_free(now) ? parse_.ready() : QueueMask();
  events_.access(registers_.head(scheduler_.window(), now));
  const Maybe<JobBeat> beat = inspector_.beat();
  const bool judging = inspector_.judging();
  const JobOut& out = scheduler_.settle(eligible, dispatcher_.show_fits(), beat, judging, now);
  preemptor_.preempt(out.preempt, now);
  if (beat && out.beat_ready) {
    inspector_.take_beat();
    scheduler_.take_beat();
  }
  if (judging && out.verdict) take_verdict(*out.verdict, now);
  if (out.end) jobs_.end(*out.end, now);
  if (out.reg) {
    registers_.answer(*out.reg, now);
    inspector_.registers_changed();
  }
  if (out.pick < 0) return -1;
  CASTOR_ASSERT_AT(now, static_cast<std::size_t>(out.pick) < eligible.size(), "job scheduler picks queue %d", out.pick);
  return eligible[static_cast<std::size_t>(out.pick)] ? out.pick : -1;
}

// A rejection that answers nothing drops the queue's job: none of its TBs was placed.
void FrontEnd::take_verdict(const Verdict& verdict, Cycle now) {
  if (inspector_.answer(verdict, now) || verdict.accept || !jobs_.has(verdict.queue)) return;
  inspector_.give_up(verdict, dispatcher_.give_up(verdict.queue), now);
}

void FrontEnd::reset_jobs() {
  if (!jobs_.judged()) return;
  scheduler_.reset();
  if (policy_.on()) policy_.reset();
}

std::uint64_t FrontEnd::access_register(const RegisterAccess& access, Cycle visible, bool wanted) {
  wake_at(visible);
  return registers_.access(access, visible, wanted);
}

// Work is on its way to the dispatcher. A kernel whose entry is written in this cycle has left its lane and is not in
// the policy yet.
bool FrontEnd::work_comes(Cycle now) const {
  return events_.all().pushed.has_value() || queues_.kernel_waits(now) || lanes_.busy() != 0;
}

// F10: all hooks see what happened.
void FrontEnd::clock_hooks(Cycle now) {
  if (governors_.any()) {
    governors_.show(dispatcher_.state());
    governors_.clock(work_comes(now), now);
    governors_.check_open(now);
  }
  if (policy_.on()) policy_.clock(now);
  if (scheduler_.on()) scheduler_.clock(now);
  dispatcher_.hold_queues(preemptor_.queues());
}

// What happened in this cycle may change what hooks see in the next; from then on their inputs rest.
bool FrontEnd::hooks_stirred() const {
  return governors_.stirred() || events_.any() || scheduler_.stirred() || policy_.stirred() ||
         (scheduler_.on() && grantable() != parse_.ready());
}

Cycle FrontEnd::next_hook(Cycle now) const {
  if (hooks_stirred()) return now + 1;
  const Cycle next = governors_.next(now);
  return uncore_enable() ? std::min({next, policy_.next(now), scheduler_.next(now)}) : next;
}

}  // namespace castor::gpu
