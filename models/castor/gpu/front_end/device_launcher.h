#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "castor/base/statistics.h"
#include "castor/gpu/front_end/kernel_table.h"
#include "castor/gpu/front_end/launch_trees.h"
#include "castor/gpu/front_end/ledger.h"
#include "castor/gpu/front_end/memory_client.h"
#include "castor/gpu/front_end/pending_pool.h"
#include "castor/gpu/hooks/launch_unit.h"
#include "castor/gpu/launch/launch_service.h"
#include "castor/gpu/loaded_program.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/observer.h"
#include "castor/gpu/sm_unit.h"

namespace castor::gpu {

/// First ticket of launches by device code; larger than all tickets of the host.
inline constexpr Ticket kFirstDeviceTicket = Ticket{1} << 48;

/// Device launcher of the front end (docs/gpu/launches.md, "Launches by device code"): serves launch calls of SMs and
/// keeps the records of pending launches. It determines which launch is granted a parse lane next and which launch
/// trees are closed. The launch side owns it.
///
/// In a cycle: `look` in F1; in F7 (release) `close`, then `complete`; in F8 (parse) `grant`; in F9 `step`. It is used
/// only if a program launches from device code.
class DeviceLauncher final : public LaunchService {
 public:
  /// Launch that is granted a parse lane.
  struct Granted {
    ChildLaunch child;
    LaunchRecord* record = nullptr;  ///< launch record, held by the caller
  };

  /// `memory`: client used only by the launcher; `observer`: null = none; `order`: null = launches wait in one list.
  DeviceLauncher(const Machine& machine, Store& store, const ProgramTable& programs, const std::vector<SmUnit*>& sms,
                 const KernelTable& table, LaunchTrees& trees, MemoryClient& memory, Observer* observer,
                 base::StatisticGroup& statistics, const SourceOrder* order = nullptr);

  /// Enables the launcher because a program that calls the device runtime is loaded.
  void enable() { on_ = true; }
  [[nodiscard]] bool on() const { return on_; }

  // LaunchService, used while a call of an SM is served.
  [[nodiscard]] Launcher& launcher() override { return launcher_; }
  [[nodiscard]] Caller caller(const KernelContext& kernel, unsigned sm, BlockId& block) override;
  [[nodiscard]] bool stopped(const KernelContext& kernel) const override {
    return table_.of(kernel).killed || (kernel.group != kNoGroup && table_.groups().at(kernel.group).stopped);
  }
  [[nodiscard]] StoredRecord admitted(LaunchId launch, const LaunchOrigin& origin) override;

  // Groups, identified by the device address of their parameters.

  /// Returns the beat of a group for the launch unit, without the fields that name the launching warp.
  [[nodiscard]] GroupBeat beat(LaunchId launch) const;
  /// Attaches a group to a kernel in the table. Returns its launch record, held by the caller.
  [[nodiscard]] LaunchRecord& attach(std::uint64_t parameters);
  /// Turns a group into an ordinary launch of a kernel. It enters the pool as late as the `ordinal`-th launch of a
  /// warp's call would.
  void fall_back(std::uint64_t parameters, unsigned ordinal, Cycle now);

  /// Starts a cycle: fixes the launches that the pool offers in it.
  void look() { pool_.look(); }
  /// Returns whether a launch or group was admitted and has not begun.
  [[nodiscard]] bool pending() const { return !waiting_.empty(); }
  /// Returns whether a launch may be granted a lane in this cycle.
  [[nodiscard]] bool ready() const;
  /// Returns the lists with a launch that may be granted a lane, per SM; bit = level - 1. `in_next_cycle`: for the next
  /// cycle, based on the present state.
  void ready_lists(std::vector<std::uint16_t>& by_sm, bool in_next_cycle) const;
  /// Grants a lane to the oldest launch of a list.
  [[nodiscard]] Granted grant(unsigned sm = 0, unsigned level = 1);
  /// Closes launches without open work, one level of their trees per call. Returns the records of host launches that
  /// are closed with their trees.
  [[nodiscard]] const std::vector<LaunchRecord*>& close();
  /// Returns the blocks whose last open launch was closed since the last call.
  [[nodiscard]] std::vector<BlockId> take_childless() { return launcher_.take_childless(); }
  /// Notifies the SM of a block whose launches are all closed.
  void notify_closed(BlockId block, Cycle now);
  /// Returns whether a fault has stopped the tree of the launch.
  [[nodiscard]] bool stopped(const LaunchRecord& record) const { return launcher_.stopped(record.launch); }
  /// Completes a launch whose TBs are all counted and in whose tree device code launches.
  void complete(const LaunchRecord& record) { launcher_.complete(record.launch); }
  /// Ends a block that has called the device runtime and retires from its SM.
  void end_block(BlockId block);
  /// Serves calls, takes pointers of launches, moves launches that are ready into the pool, and drops launches of
  /// stopped trees.
  void step(Cycle now);

  /// Stops the tree of a record after a fault: no launch of the tree starts any more.
  void stop(const LaunchRecord& record) {
    launcher_.stop(record.root->launch);
    stirred_ = true;
  }
  /// Stops all trees. Returns the records of their host launches.
  std::vector<const LaunchRecord*> abandon();
  /// Forgets streams, events and buffers. Called after `abandon`, when no launch is open.
  void reset();

  /// Returns the first cycle after `now` with work, apart from memory replies.
  [[nodiscard]] Cycle next(Cycle now) const;
  [[nodiscard]] bool idle() const { return launcher_.idle(); }
  [[nodiscard]] std::uint64_t progress() const {
    return counts_.launches.value() + counts_.granted.value() + counts_.dropped.value() + counts_.groups.value() +
           counts_.attached.value() + counts_.fallbacks.value();
  }
  /// Returns whether the host launch of this ticket is complete but its tree has open launches by device code.
  [[nodiscard]] bool waits_for_tree(Ticket ticket) const;
  /// Returns a line about launches that have not started; empty if there are none.
  [[nodiscard]] std::string waiting() const { return launcher_.waiting(); }

 private:
  void serve(Cycle now);
  void take_pointer(Cycle now);
  void place(Cycle now);
  void drop_stopped();
  [[nodiscard]] bool starts(LaunchId offered) const { return offered != 0 && !launcher_.stopped(offered); }
  /// Returns a list that offers a launch of a stopped tree, -1 = none.
  [[nodiscard]] int stopped_list() const;
  LaunchRecord& take(LaunchId launch);
  [[nodiscard]] LaunchId take_group(std::uint64_t parameters);

  const Machine& machine_;
  const ProgramTable& programs_;
  std::vector<SmUnit*> sms_;
  const KernelTable& table_;
  LaunchTrees& trees_;
  Observer* const observer_;
  Launcher launcher_;
  PendingPool pool_;
  bool on_ = false;
  std::unordered_map<LaunchId, LaunchRecord*> waiting_;  ///< launches admitted and not granted; records are held
  std::unordered_map<std::uint64_t, LaunchId> groups_;   ///< waiting groups, by the address of their parameters
  /// groups that fall back to kernels, by the cycle in which they do
  std::multimap<Cycle, LaunchId> fallbacks_;
  std::unordered_map<LaunchId, LaunchRecord*> roots_;  ///< records of host launches with open trees, held by their tree
  std::unordered_map<BlockId, unsigned> sms_of_blocks_;  ///< SMs on which calling blocks have called last
  BlockId last_block_ = 0;
  SmSearch last_served_, last_pointer_;
  Cycle serves_from_ = 0;                  ///< first cycle in which the next call can be served
  Cycle arrivals_from_ = 0;                ///< first cycle in which pointers are taken (`pool.fixed_overhead`)
  bool arrived_ = false;                   ///< a pointer of a launch has arrived in this run
  bool stirred_ = false;                   ///< a launch was closed or stopped in this cycle
  std::deque<LaunchId> arrived_launches_;  ///< launches that are ready to enter the pool; one enters per cycle
  std::vector<LaunchRecord*> closed_;
  struct Counts {
    explicit Counts(base::StatisticGroup& parent) : group(parent, "device_launches") {}
    base::StatisticGroup group;
    base::Counter launches{group, {"launches", "", "launches by device code that were admitted"}};
    base::Counter granted{
        group,
        {"granted", "", "launches by device code, and groups that became kernels, that were granted a parse lane"}};
    base::Counter dropped{group,
                          {"dropped", "",
                           "launches by device code, and groups that became kernels, that did not start because of a "
                           "fault in their launch tree"}};
    base::Counter groups{group, {"groups", "", "groups of thread blocks launched by device code"}};
    base::Counter attached{group, {"attached", "", "groups of thread blocks that ran with a resident kernel"}};
    base::Counter fallbacks{group, {"fallbacks", "", "groups of thread blocks that became kernels of their own"}};
    base::Counter pending_peak{
        group, {"pending_peak", "", "largest number of launches that were admitted and not yet granted"}};
  };
  Counts counts_;
};

}  // namespace castor::gpu
