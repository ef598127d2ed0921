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

/// Tickets of launches by device code: behind all that the host gets.
inline constexpr Ticket kFirstDeviceTicket = Ticket{1} << 48;

/// Launches by device code in the front end (docs/gpu/launches.md, "Launches by device code"): serves the calls of SMs,
/// keeps the records of launches that wait, and says which of them is granted a lane next and which trees are closed.
///
/// In a cycle: `look` in F1; in F7 `close`, then `complete`; in F8 `grant`; in F9 `step`. Without a program that
/// launches nobody calls it.
class DeviceLauncher final : public LaunchService {
 public:
  /// A launch that is granted a parse lane.
  struct Granted {
    ChildLaunch child;
    LaunchRecord* record = nullptr;  ///< the caller holds it
  };

  /// `memory` is used by nobody else; `observer`: null = none; `order`: null = launches wait in one list.
  DeviceLauncher(const Machine& machine, Store& store, const ProgramTable& programs, const std::vector<SmUnit*>& sms,
                 const KernelTable& table, LaunchTrees& trees, MemoryClient& memory, Observer* observer,
                 base::StatisticGroup& statistics, const SourceOrder* order = nullptr);

  /// A program is loaded that calls the device runtime.
  void enable() { on_ = true; }
  [[nodiscard]] bool on() const { return on_; }

  // LaunchService, for the SM whose call is served.
  [[nodiscard]] Launcher& launcher() override { return launcher_; }
  [[nodiscard]] Caller caller(const KernelContext& kernel, unsigned sm, BlockId& block) override;
  [[nodiscard]] bool stopped(const KernelContext& kernel) const override {
    return table_.of(kernel).killed || (kernel.group != kNoGroup && table_.groups().at(kernel.group).stopped);
  }
  [[nodiscard]] StoredRecord admitted(LaunchId launch, const LaunchOrigin& origin) override;

  // Groups, which are known by the device address of their parameters.

  /// What the launch unit is shown of a group but for who launches it.
  [[nodiscard]] GroupBeat beat(LaunchId launch) const;
  /// The group goes to a kernel in the table. The caller holds its record.
  [[nodiscard]] LaunchRecord& attach(std::uint64_t parameters);
  /// It becomes a launch as any other, as late as the call of a warp for so many kernels is.
  void fall_back(std::uint64_t parameters, unsigned ordinal, Cycle now);

  void look() { pool_.look(); }
  /// A launch may be granted a lane in this cycle.
  [[nodiscard]] bool ready() const;
  /// The lists with such a launch, by SM; bit = level - 1. In the next cycle: as things stand.
  void ready_lists(std::vector<std::uint16_t>& by_sm, bool in_next_cycle) const;
  /// The oldest of a list.
  [[nodiscard]] Granted grant(unsigned sm = 0, unsigned level = 1);
  /// Closes launches of which nothing is open. Returns the records of the host's that are closed with their trees.
  [[nodiscard]] const std::vector<LaunchRecord*>& close();
  /// Blocks whose launches are all closed since the last call.
  [[nodiscard]] std::vector<BlockId> take_childless() { return launcher_.take_childless(); }
  /// Tells the SM of such a block.
  void tell_closed(BlockId block, Cycle now);
  /// A block leaves its SM to come back; it is on this one again.
  void leave(BlockId block) { sms_of_blocks_.erase(block); }
  void come(BlockId block, unsigned sm) { sms_of_blocks_[block] = sm; }
  [[nodiscard]] bool stopped(const LaunchRecord& record) const { return launcher_.stopped(record.launch); }
  /// All TBs of a launch are counted; its tree has launches by device code.
  void complete(const LaunchRecord& record) { launcher_.complete(record.launch); }
  /// A TB that has called leaves its SM.
  void end_block(BlockId block);
  /// Calls, pointers, records that are read, launches of stopped trees.
  void step(Cycle now);

  /// A fault stops the tree of this record: nothing of it starts any more.
  void stop(const LaunchRecord& record) {
    launcher_.stop(record.root->launch);
    stirred_ = true;
  }
  /// The same of all trees, whose launches by the host are returned.
  std::vector<const LaunchRecord*> abandon();
  /// After `abandon`, when nothing is open: streams, events and buffers are forgotten.
  void reset();

  /// First cycle after `now` with work; what memory answers aside.
  [[nodiscard]] Cycle next(Cycle now) const;
  [[nodiscard]] bool idle() const { return launcher_.idle(); }
  [[nodiscard]] std::uint64_t progress() const {
    return counts_.launches.value() + counts_.granted.value() + counts_.dropped.value() + counts_.groups.value() +
           counts_.attached.value() + counts_.fallbacks.value();
  }
  /// The host's launch of this ticket is complete but for what device code has launched below it.
  [[nodiscard]] bool waits_for_tree(Ticket ticket) const;
  /// A line about launches that have not started; empty if there are none.
  [[nodiscard]] std::string waiting() const { return launcher_.waiting(); }

 private:
  void serve(Cycle now);
  void take_pointer(Cycle now);
  void place(Cycle now);
  void drop_stopped();
  [[nodiscard]] bool starts(LaunchId offered) const { return offered != 0 && !launcher_.stopped(offered); }
  /// A list that offers a launch of a stopped tree, -1 = none.
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
  std::unordered_map<LaunchId, LaunchRecord*> waiting_;  ///< admitted and not granted; held
  std::unordered_map<std::uint64_t, LaunchId> groups_;   ///< of them groups, by their parameters
  std::multimap<Cycle, LaunchId> fallbacks_;             ///< groups that become kernels, and when
  std::unordered_map<LaunchId, LaunchRecord*> roots_;    ///< of the host, in open trees; held by their tree
  std::unordered_map<BlockId, unsigned> sms_of_blocks_;
  BlockId last_block_ = 0;
  SmSearch last_served_, last_pointer_;
  Cycle serves_from_ = 0;
  Cycle arrivals_from_ = 0;
  bool arrived_ = false;                   ///< a pointer has, in this run
  bool stirred_ = false;                   ///< something was closed in this cycle, or stopped
  std::deque<LaunchId> arrived_launches_;  ///< that wait for no other one; they go into the pool, one per cycle
  std::vector<LaunchRecord*> closed_;
  struct Counts {
    explicit Counts(base::StatisticGroup& parent) : group(parent, "device_launches") {}
    base::StatisticGroup group;
    base::Counter launches{group, {"launches", "", "launches by device code that were admitted"}};
    base::Counter granted{
        group, {"granted", "", "of them, and of groups that became kernels, those that were granted a parse lane"}};
    base::Counter dropped{group, {"dropped", "", "the same that a fault of their tree kept from starting"}};
    base::Counter groups{group, {"groups", "", "groups of thread blocks launched by device code"}};
    base::Counter attached{group, {"attached", "", "of them those that ran with a resident kernel"}};
    base::Counter fallbacks{group, {"fallbacks", "", "of them those that became kernels of their own"}};
    base::Counter pending_peak{group, {"pending_peak", "", "most launches that were admitted and not granted"}};
  };
  Counts counts_;
};

}  // namespace castor::gpu
