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

/// Group stage of the front end (docs/gpu/launches.md, "Groups of thread blocks"). It presents the groups of the SMs'
/// commands to the launch unit, one group per cycle, and carries out the launch unit's outputs. Without a launch unit
/// every group becomes a kernel. The launch side owns the stage.
///
/// In a cycle: `count` in F2 (retire); `step` in F6 (groups); `look` in F9.
class GroupStage final : public KernelKeys {
 public:
  /// `memory`: client used only by this stage.
  GroupStage(const Machine& machine, const std::vector<SmUnit*>& sms, KernelTable& table, Dispatcher& dispatcher,
             DispatchPort& policy, LaunchPort& unit, DeviceLauncher& launches, LaunchTrees& trees,
             MemoryClient& memory);

  [[nodiscard]] KernelKey key(unsigned entry) const override;

  /// Presents one group to the launch unit and carries out the unit's outputs.
  void step(Cycle now);
  /// Counts a TB of a group as complete.
  void count(const TbEvent& tb);
  /// Takes the replies to adds that decremented group counts in memory.
  void look(Cycle now);
  /// Returns whether a group has attached, or was pushed to the dispatch policy, in this cycle.
  [[nodiscard]] bool attached(Cycle now) const { return attached_at_ == now; }
  /// Returns the first cycle after `now` in which a group can be presented or pushed, or a reply can be taken.
  [[nodiscard]] Cycle next(Cycle now) const;

 private:
  [[nodiscard]] Maybe<GroupBeat> beat(Cycle now);
  void take_beat(Cycle now);
  void attach(const GroupAttach& attach, Cycle now);
  void push(Cycle now);
  void finish(LaunchRecord& record);

  struct Open {
    unsigned requests = 0;  ///< adds in flight
    bool done = false;      ///< all TBs of the group are counted
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
  int serving_ = -1;                    ///< SM whose command is presented, -1 = none
  std::size_t beat_ = 0;                ///< index of the group within the presented command
  std::deque<std::uint32_t> pushes_;    ///< attached groups to be pushed to the dispatch policy
  std::deque<LaunchRecord*> counting_;  ///< groups whose count in memory is being decremented, in the order of requests
  std::unordered_map<LaunchRecord*, Open> open_;  ///< groups with decrements in flight
  Cycle attached_at_ = kForever;
};

}  // namespace castor::gpu
