#pragma once

#include <optional>
#include <string>

#include "castor/gpu/front_end/hook_events.h"
#include "castor/gpu/front_end/mounted_hook.h"
#include "castor/gpu/hooks/job_scheduler.h"

namespace castor::gpu {

/// Port for a job scheduler (a hook) in the front end: presents its inputs and keeps its last outputs
/// (docs/gpu/hooks.md, "Hooks"). The job side owns it and acts on the outputs. `settle` must not be called without a
/// scheduler.
///
/// In a cycle: `begin` before all steps; `settle` in F8 (parse); `clock` in F10. After `settle` come `grant`, if a lane
/// is granted to a queue, and `take_beat`, if the beat was taken.
class SchedulerPort {
 public:
  /// `scheduler`: null if the machine has no job scheduler.
  SchedulerPort(JobScheduler* scheduler, const HookMount& place, const HookEvents& events);

  [[nodiscard]] bool on() const { return scheduler_ != nullptr; }
  [[nodiscard]] const char* block() const { return scheduler_->block(); }
  /// Returns whether the scheduler judges (accepts or rejects) jobs. Jobs are then announced to it.
  [[nodiscard]] bool judges() const { return scheduler_ != nullptr && scheduler_->judges(); }
  /// Takes the reply of the last outputs to a register access. Returns whether there was one.
  bool take_reply(const Maybe<RegisterReply>& reply, Cycle now) const { return mounted_->take(reply, now); }
  void begin() {
    in_.granted = -1;
    beat_taken_ = false;
  }
  /// Presents the inputs of the cycle and returns the scheduler's outputs. `fits`: entries of which a TB could be
  /// placed. `verdicts`: a verdict of this cycle is accepted. The scheduler also reads both masks in `clock`, with
  /// their values at that time.
  const JobOut& settle(const QueueMask& eligible, const KdMask& fits, const Maybe<JobBeat>& beat, bool verdicts,
                       Cycle now);
  void take_beat() { beat_taken_ = true; }
  void grant(int queue) { in_.granted = queue; }
  void clock(Cycle now);
  void idle(Cycle cycles) { scheduler_->idle(cycles); }
  /// Resets the scheduler to its initial state. The device is idle.
  void reset() { scheduler_->reset(); }

  /// Returns the level of the scheduler's interrupt.
  [[nodiscard]] bool irq() const { return irq_; }
  /// Returns whether the scheduler has inputs in this cycle (a grant, a taken beat, a register access) that may be
  /// absent in the next.
  [[nodiscard]] bool stirred() const { return in_.granted >= 0 || beat_taken_ || (mounted_ && mounted_->access()); }
  [[nodiscard]] bool inert() const { return scheduler_ == nullptr || scheduler_->inert(); }
  /// Returns the first cycle after `now` in which the scheduler must be clocked.
  [[nodiscard]] Cycle next(Cycle now) const {
    return scheduler_ == nullptr ? kForever : next_edge_of(*scheduler_, now);
  }
  void waits(WaitGraph& graph) const {
    if (mounted_) mounted_->waits(graph);
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
