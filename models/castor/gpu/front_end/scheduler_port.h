#pragma once

#include <optional>
#include <string>

#include "castor/gpu/front_end/hook_events.h"
#include "castor/gpu/front_end/mounted_hook.h"
#include "castor/gpu/hooks/job_scheduler.h"

namespace castor::gpu {

/// The place of a job scheduler: what it is shown, and what it said last (docs/gpu/hooks.md, "Hooks"). What follows
/// from its outputs is the matter of those whom they concern. Without a scheduler it must not be asked to settle.
///
/// In a cycle: `begin` before anything happens; `settle` in F8; `grant` behind it if a lane takes a queue, `take_beat`
/// if the beat was taken; `clock` in F10.
class SchedulerPort {
 public:
  /// `scheduler`: null = none.
  SchedulerPort(JobScheduler* scheduler, const HookPlace& place, const HookEvents& events);

  [[nodiscard]] bool on() const { return scheduler_ != nullptr; }
  [[nodiscard]] const char* block() const { return scheduler_->block(); }
  /// Jobs are announced to it.
  [[nodiscard]] bool judges() const { return scheduler_ != nullptr && scheduler_->judges(); }
  /// Number of the register window that it serves, -1 = none.
  [[nodiscard]] int window() const { return scheduler_ == nullptr ? -1 : scheduler_->window(); }
  void begin() {
    in_.granted = -1;
    beat_taken_ = false;
  }
  /// `fits`: entries of which a TB could be placed; `verdicts`: a verdict of this cycle is taken. Both masks are also
  /// what the scheduler sees in `clock`, as they are then.
  const JobOut& settle(const QueueMask& eligible, const KdMask& fits, const Maybe<JobBeat>& beat, bool verdicts,
                       Cycle now);
  void take_beat() { beat_taken_ = true; }
  void grant(int queue) { in_.granted = queue; }
  void clock(Cycle now);
  void idle(Cycle cycles) { scheduler_->idle(cycles); }
  /// The block forgets everything; the device is idle.
  void reset() { scheduler_->reset(); }

  /// Level of its interrupt.
  [[nodiscard]] bool irq() const { return irq_; }
  /// The scheduler has been told something in this cycle that it does not see in the next.
  [[nodiscard]] bool stirred() const { return in_.granted >= 0 || beat_taken_; }
  [[nodiscard]] bool inert() const { return scheduler_ == nullptr || scheduler_->inert(); }
  /// First cycle after `now` in which the scheduler has to be clocked.
  [[nodiscard]] Cycle next(Cycle now) const {
    return scheduler_ == nullptr ? kForever : next_edge_of(*scheduler_, now);
  }
  void add_waves(Waves& waves, const std::string& scope) const {
    if (scheduler_ != nullptr) scheduler_->add_waves(waves, scope);
  }

 private:
  JobScheduler* scheduler_;
  const HookEvents& events_;
  JobIn in_;
  QueueMask eligible_;
  bool beat_taken_ = false;
  bool irq_ = false;
  std::optional<MountedHook> mounted_;
};

}  // namespace castor::gpu
