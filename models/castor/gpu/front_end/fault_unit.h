#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "castor/gpu/device.h"
#include "castor/gpu/execution/system_call.h"
#include "castor/gpu/front_end/device_launcher.h"
#include "castor/gpu/front_end/dispatcher.h"
#include "castor/gpu/front_end/kernel_table.h"
#include "castor/gpu/front_end/ledger.h"
#include "castor/gpu/front_end/preemptor.h"
#include "castor/gpu/front_end/suspender.h"
#include "castor/gpu/sm_unit.h"

namespace castor::gpu {

/// Faults of kernels, and calls of device code into the runtime, which may end in one. A kernel with a fault is stopped
/// on all SMs: it places nothing more, and its TBs retire when what they have under way is over; others go on.
///
/// In a cycle: `step` in F2, behind the retire wires; `fail` and `hook_error` in any step.
class FaultUnit {
 public:
  FaultUnit(const std::vector<SmUnit*>& sms, KernelTable& table, const Ledger& ledger, Dispatcher& dispatcher,
            Preemptor& preemptor, DeviceLauncher& launches, Suspender& suspender);

  /// What device code can ask of the runtime; needed before the first call.
  void set_services(DeviceServices& services) { services_ = &services; }
  /// Takes the faults and calls of all SMs, in the order of SMs: what calls share does not depend on the order in which
  /// SMs tick.
  void step(Cycle now);
  /// Stops a kernel, unless it is stopped already: its first fault counts. If device code launches in its tree, the
  /// whole tree is stopped.
  void fail(unsigned entry, Fault fault, Cycle now);
  /// The same of the kernel of an SM's context, or of the group that it is of.
  void fail(const KernelContext& kernel, Fault fault, Cycle now);
  /// A block has found an error. Nobody can say which kernel it concerns: all in the table fail.
  void hook_error(const std::string& hook, unsigned code, std::uint64_t info, Cycle now);
  /// Stops all kernels, and forgets all faults.
  void abandon(Cycle now);

  /// The oldest fault that was not taken.
  [[nodiscard]] std::optional<Fault> take();
  /// Stamp of the oldest message of an SM.
  [[nodiscard]] Cycle next() const {
    Cycle next = kForever;
    for (SmUnit* const sm : sms_) next = std::min({next, sm->faults().next(), sm->services().next()});
    return next;
  }

 private:
  void serve(SmUnit& sm, const ServiceMessage& call, Cycle now);
  void stop(unsigned entry, Cycle now);
  void stop(GroupLedger::Group& group, Cycle now);
  void stop_tree(const LaunchRecord& record, Cycle now);

  std::vector<SmUnit*> sms_;
  KernelTable& table_;
  const Ledger& ledger_;
  Dispatcher& dispatcher_;
  Preemptor& preemptor_;
  DeviceLauncher& launches_;
  Suspender& suspender_;
  DeviceServices* services_ = nullptr;
  std::deque<Fault> faults_;
};

}  // namespace castor::gpu
