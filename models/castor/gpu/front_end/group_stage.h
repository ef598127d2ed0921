#pragma once

#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "castor/base/statistics.h"
#include "castor/gpu/front_end/device_launcher.h"
#include "castor/gpu/front_end/dispatch_port.h"
#include "castor/gpu/front_end/dispatcher.h"
#include "castor/gpu/front_end/kernel_table.h"
#include "castor/gpu/front_end/launch_port.h"
#include "castor/gpu/front_end/ledger.h"
#include "castor/gpu/front_end/memory_client.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/sm_unit.h"

namespace castor::gpu {

/// Groups of thread blocks in the front end (docs/gpu/launches.md, "Groups of thread blocks"): shows the commands of
/// SMs to the launch unit, a group per cycle, and does what it says. Without a launch unit every group becomes a
/// kernel.
///
/// In a cycle: `count` in F2; `step` in F6; `look` in F9.
class GroupStage final : public KernelKeys {
 public:
  /// `memory` is used by nobody else.
  GroupStage(const Machine& machine, const std::vector<SmUnit*>& sms, KernelTable& table, Dispatcher& dispatcher,
             DispatchPort& policy, LaunchPort& unit, DeviceLauncher& launches, LaunchTrees& trees,
             MemoryClient& memory);

  [[nodiscard]] KernelKey key(unsigned entry) const override;

  void step(Cycle now);
  /// A TB of a group is to be counted.
  void count(const TbEvent& tb);
  /// Counts in memory that are performed.
  void look(Cycle now);
  /// A group has attached, or was pushed, in this cycle.
  [[nodiscard]] bool attached(Cycle now) const { return attached_at_ == now; }
  /// First cycle after `now` with a beat.
  [[nodiscard]] Cycle next(Cycle now) const;

 private:
  [[nodiscard]] Maybe<GroupBeat> beat(Cycle now);
  void take_beat(Cycle now);
  void attach(const GroupAttach& attach, Cycle now);
  void push(Cycle now);
  void finish(LaunchRecord& record);

  struct Open {
    unsigned requests = 0;
    bool done = false;  ///< all its TBs are counted
  };

  const Machine& machine_;
  std::vector<SmUnit*> sms_;
  KernelTable& table_;
  Dispatcher& dispatcher_;
  DispatchPort& policy_;
  LaunchPort& unit_;
  DeviceLauncher& launches_;
  LaunchTrees& trees_;
  MemoryClient& memory_;
  SmSearch last_served_;
  int serving_ = -1;                              ///< SM whose command is shown, -1 = none
  std::size_t beat_ = 0;                          ///< of it
  std::deque<std::uint32_t> pushes_;              ///< groups that have attached and that the policy is to be told of
  std::deque<LaunchRecord*> counting_;            ///< whose count in memory goes down, in the order of requests
  std::unordered_map<LaunchRecord*, Open> open_;  ///< of them those that are not finished
  Cycle attached_at_ = kForever;
};

}  // namespace castor::gpu
