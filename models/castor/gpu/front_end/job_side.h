#pragma once

#include "castor/gpu/front_end/dispatcher.h"
#include "castor/gpu/front_end/job_inspector.h"
#include "castor/gpu/front_end/job_table.h"
#include "castor/gpu/front_end/mechanism.h"
#include "castor/gpu/front_end/parse_stage.h"
#include "castor/gpu/front_end/preemptor.h"
#include "castor/gpu/front_end/scheduler_port.h"

namespace castor::gpu {

/// Job scheduler as a mechanism of the front end. It chooses the queue that is granted a lane in F8 (parse). It passes
/// the scheduler's outputs to the job table, inspector and preemptor.
class JobSide : public FrontEndMechanism {
 public:
  explicit JobSide(const FrontEndParts& parts);

  /// Returns the level of the scheduler's interrupt, as of the last tick.
  [[nodiscard]] bool irq() const { return scheduler_.irq(); }

  [[nodiscard]] bool present() const { return scheduler_.on(); }
  [[nodiscard]] bool clocked() const { return true; }
  void idle(Cycle cycles) { scheduler_.idle(cycles); }
  void begin() { scheduler_.begin(); }
  [[nodiscard]] std::optional<int> choose(Cycle now);
  [[nodiscard]] bool grant(unsigned source, Cycle /*now*/, ParseStage::Granted& /*granted*/) {
    if (source < parse_.device_source()) scheduler_.grant(static_cast<int>(source));
    return false;
  }
  void clock_block(Cycle now) { scheduler_.clock(now); }
  [[nodiscard]] QueueMask held_queues() const { return preemptor_.queues(); }
  /// Returns whether inputs of hooks may differ in the next cycle. Preempted queues are held from then on.
  [[nodiscard]] bool stirred() const {
    return scheduler_.stirred() || preemptor_.changed() || inspector_.grantable() != parse_.ready();
  }
  [[nodiscard]] Cycle next(Cycle now) const { return scheduler_.next(now); }
  [[nodiscard]] bool inert() const { return scheduler_.inert(); }
  /// Resets a scheduler that judges jobs, and the dispatch policy. The device has been reset.
  void device_reset();
  void waits(WaitGraph& graph) const { scheduler_.waits(graph); }
  void add_waves(Waves& waves, const std::string& scope) const { scheduler_.add_waves(waves, scope); }

 private:
  void judge(const Verdict& verdict, Cycle now);

  SchedulerPort scheduler_;
  Dispatcher& dispatcher_;
  DispatchPort& policy_;
  JobTable& jobs_;
  JobInspector& inspector_;
  const ParseStage& parse_;
  Preemptor& preemptor_;
};

}  // namespace castor::gpu
