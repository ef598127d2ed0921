#pragma once

#include <deque>
#include <vector>

#include "castor/base/statistics.h"
#include "castor/gpu/front_end/front_end.h"
#include "castor/gpu/hooks/hooks.h"

namespace castor::gpu {

/// What the front end keeps for hooks; a machine without hooks has none of it.
struct FrontEnd::HookState {
  explicit HookState(const Machine& machine)
      : pulses(machine.chip.sms),
        loads(machine.chip.sms),
        allowed(std::size_t{machine.chip.sms} * machine.table.entries),
        combined{machine.table.entries, allowed.data()} {
    retired.reserve(machine.chip.sms);
    govern.pulse = {pulses.data(), pulses.size()};
    govern.load = {loads.data(), loads.size()};
    dispatch.fits = &fits;
    job.fits = &fits;
    job.eligible = &eligible;
  }

  FrontEvents events;
  std::vector<TbEvent> retired;
  std::vector<SmPulse> pulses;
  std::vector<SmLoad> loads;
  std::vector<std::uint8_t> allowed;  ///< minimum of several governors' quotas
  Quota combined;
  KdMask fits;
  KdMask hold;     ///< entries that the dispatch policy holds
  KdMask stopped;  ///< entries of preempted queues
  QueueMask preempt;
  QueueMask eligible;
  GovernIn govern;
  std::vector<GovernOut> governed;  ///< what each governor said in this cycle
  DispatchIn dispatch;
  JobIn job;
  SmMask fits_head = 0, bound_wait = 0;
  bool ready = false, waiting = false;
  bool push_ready = true;
  bool irq = false;               ///< of the job scheduler
  bool beat_taken = false;        ///< in this cycle
  Cycle closed_since = kForever;  ///< all SMs are closed and empty while TBs wait
  bool moving = false;            ///< a TB is on its way: the view of its SM changes in the next cycle
  std::deque<base::StatisticGroup> groups;
};

}  // namespace castor::gpu
