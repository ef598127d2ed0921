#include "castor/gpu/front_end/scheduler_port.h"

namespace castor::gpu {

SchedulerPort::SchedulerPort(JobScheduler* scheduler, const HookMount& place, const HookEvents& events)
    : scheduler_(scheduler), events_(events) {
  in_.eligible = &eligible_;
  if (scheduler != nullptr) mounted_.emplace(*scheduler, "job_scheduler", place);
}

const JobOut& SchedulerPort::settle(const QueueMask& eligible, const KdMask& fits, const Maybe<JobBeat>& beat,
                                    bool verdicts, Cycle now) {
  in_.now = now;
  in_.granted = -1;
  eligible_ = eligible;
  in_.fits = &fits;
  in_.ev = events_.with(mounted_->access());
  in_.verdict_ready = verdicts;
  in_.beat = beat;
  const JobOut& out = scheduler_->settle(in_);
  irq_ = out.irq;
  return out;
}

void SchedulerPort::clock(Cycle now) {
  in_.now = now;
  in_.ev = events_.with(mounted_->access());
  scheduler_->clock(in_);
}

}  // namespace castor::gpu
