#include "castor/gpu/front_end/job_side.h"

#include "castor/base/error.h"
#include "castor/gpu/hook_check.h"
#include "castor/gpu/hooks/hooks.h"

namespace castor::gpu {

JobSide::JobSide(const FrontEndParts& parts)
    : scheduler_(parts.hooks.job_scheduler, parts.place, parts.events),
      dispatcher_(parts.dispatcher),
      policy_(parts.policy),
      jobs_(parts.jobs),
      inspector_(parts.inspector),
      parse_(parts.parse),
      preemptor_(parts.preemptor) {}

std::optional<int> JobSide::choose(Cycle now) {
  const QueueMask eligible = parse_.entry_free(now) ? parse_.ready() : QueueMask();
  const Maybe<JobBeat> beat = inspector_.beat();
  const bool judging = inspector_.judging();
  const JobOut& out = scheduler_.settle(eligible, dispatcher_.show_fits(), beat, judging, now);
  preemptor_.preempt(out.preempt, now);
  if (beat && out.beat_ready) {
    inspector_.take_beat();
    scheduler_.take_beat();
  }
  if (judging && out.verdict) judge(*out.verdict, now);
  if (out.end) jobs_.end(*out.end, now);
  if (scheduler_.take_reply(out.reg, now)) inspector_.registers_changed();
  if (out.pick < 0) return -1;
  CASTOR_HOOK_CHECK(scheduler_, now, static_cast<std::size_t>(out.pick) < eligible.size(),
                    "job scheduler picks queue %d", out.pick);
  return eligible[static_cast<std::size_t>(out.pick)] ? out.pick : -1;
}

// Processes a verdict. A rejection that answers no announcement drops the queue's job, none of whose TBs was placed.
void JobSide::judge(const Verdict& verdict, Cycle now) {
  if (inspector_.answer(verdict, now) || verdict.accept || !jobs_.has(verdict.queue)) return;
  inspector_.drop_job(verdict, dispatcher_.cancel(verdict.queue), now);
}

void JobSide::device_reset() {
  if (!jobs_.judged()) return;
  scheduler_.reset();
  if (policy_.present()) policy_.reset();
}

}  // namespace castor::gpu
