#pragma once

#include <optional>
#include <vector>

#include "castor/base/statistics.h"
#include "castor/gpu/front_end/built_in_dispatch.h"
#include "castor/gpu/front_end/dispatch_port.h"
#include "castor/gpu/front_end/governors.h"
#include "castor/gpu/front_end/grid_starts.h"
#include "castor/gpu/front_end/hook_events.h"
#include "castor/gpu/front_end/job_table.h"
#include "castor/gpu/front_end/kernel_table.h"
#include "castor/gpu/front_end/ledger.h"
#include "castor/gpu/front_end/retire_unit.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/observer.h"
#include "castor/gpu/sm_unit.h"

namespace castor::gpu {

/// Dispatcher: sends at most one TB per cycle of the whole GPU to an SM, chosen by the dispatch policy (a hook) or,
/// without one, by the built-in policy (docs/gpu/front-end.md, "Placement", "Dispatch"). The front end owns it.
///
/// In a cycle: in F5 (placement) first `place_restored` if a swapped-out TB is placed again, then `step`; `push` in F8
/// (parse); `hold_queues` in F10 (clock); `rest` at the end of the cycle. `stop` and `cancel` may be called in any
/// step; no TB of a kernel that they drop is placed afterwards.
class Dispatcher {
 public:
  /// `observer`: null if no observer is attached.
  Dispatcher(const Machine& machine, const std::vector<SmUnit*>& sms, KernelTable& table, Ledger& ledger,
             const Governors& governors, DispatchPort& policy, RetireUnit& retire, JobTable& jobs, HookEvents& events,
             Observer* observer, base::StatisticGroup& statistics);

  /// Returns whether the entry of a kernel may be written now. A dispatch policy chooses kernels in its own order. So a
  /// kernel whose TBs must be resident at once is written only when no other kernel has TBs to place. No other kernel
  /// is written until its last TB is placed.
  [[nodiscard]] bool takes(unsigned entry) const;
  /// Returns whether `takes` is true for every entry in any state.
  [[nodiscard]] bool takes_all() const { return !policy_.present(); }
  /// Ends the placement of a kernel that owns the machine: its other TBs stay in the table's list of TBs to place.
  void end_fill(unsigned entry) { withdraw(entry); }
  /// Adds a kernel whose entry was written. Its TBs can be placed from the next cycle on.
  void push(unsigned entry);
  /// Notes that a group has attached to the entry's kernel. The group's TBs can be placed from the next cycle on.
  void attach(unsigned entry);
  /// Reports an attached group to the dispatch policy.
  void push_group(const LaunchRecord& record);
  /// Places a TB if one can be placed.
  void step(Cycle now);
  /// Uses the placement of the cycle for a TB that was swapped out. Every SM of `sms` has room for the TB. Returns the
  /// chosen SM.
  [[nodiscard]] unsigned place_restored(unsigned entry, const SmMask& sms, Cycle now);
  /// Returns whether a kernel whose TBs must be resident at once has TBs to place.
  [[nodiscard]] bool starts_grid() const { return !starts_.empty(); }
  /// Returns the number of TBs of such a kernel that could be placed now; nullopt if the kernel has started, or if its
  /// TBs need not be resident at once.
  [[nodiscard]] std::optional<std::uint64_t> grid_room(unsigned entry) const;
  /// Holds these queues and no others: no TB of their kernels is placed from the next cycle on.
  void hold_queues(const QueueMask& queues);
  /// Stops a kernel after a fault. A dispatch policy continues to offer its TBs; they are dropped when offered.
  void stop(unsigned entry);
  /// Drops all kernels of a queue from the table because the queue's job is dropped. Returns their number.
  [[nodiscard]] unsigned cancel(unsigned queue);

  /// Returns the entries whose next TB could be placed now, for hooks. A stopped kernel is included while the policy
  /// still has TBs of it to offer. The returned reference is the same in every cycle.
  [[nodiscard]] const KdMask& show_fits();
  /// Returns the state of the dispatch as input of the governors: the policy's choice in F5, and whether TBs wait now.
  [[nodiscard]] DispatchState state() const;
  /// Returns the SMs that could take the next TB of an entry now.
  [[nodiscard]] SmMask takers(unsigned entry) const { return view().takers(entry); }
  /// Returns the SMs with resources for the next TB of an entry, within their quota, open or not.
  [[nodiscard]] SmMask room_in_quota(unsigned entry) const {
    return within_quota(ledger_.fits(entry), governors_.quota(), ledger_, entry);
  }
  /// Returns the SMs with resources for a swapped-out TB of an entry, open or not.
  [[nodiscard]] SmMask room_again(unsigned entry) const;
  /// Returns the SMs on which a swapped-out TB of an entry could be placed again.
  [[nodiscard]] SmMask sms_for_restored(unsigned entry) const;
  /// Returns the entry whose TBs the built-in policy places before those of `entry`, -1 = none.
  [[nodiscard]] int ahead_of(unsigned entry) const;

  /// Returns why no TB is placed until the next tick. Valid for the built-in policy only.
  [[nodiscard]] DispatchWait rest(Cycle now);
  /// Returns whether a TB may be placed in the next cycle, as of the last `rest`.
  [[nodiscard]] bool placeable() const { return placeable_; }

 private:
  [[nodiscard]] DispatchView view() const {
    return {ledger_, governors_.open(), governors_.quota(), withheld(), starts_.empty() ? nullptr : &starts_.passing()};
  }
  // Returns the entries of which no TB is placed now; null = none.
  [[nodiscard]] const KdMask* withheld() const {
    if (!starts_.empty()) return &starts_.withheld(held_, governors_.open(), governors_.quota());
    return holding_ ? &held_ : nullptr;
  }
  [[nodiscard]] DispatchState built_in_state() const;
  void step_policy(Cycle now);
  void step_scan(Cycle now);
  void check_offer(const Placement& offer, Cycle now) const;
  void place(const LaunchRecord& record, unsigned sm, bool linear, Cycle now);
  void drop(const KernelContext& context, unsigned sm, Cycle now);
  void withdraw(unsigned entry);

  std::vector<SmUnit*> sms_;
  KernelTable& table_;
  Ledger& ledger_;
  const Governors& governors_;
  DispatchPort& policy_;
  RetireUnit& retire_;
  JobTable& jobs_;
  HookEvents& events_;
  Observer* observer_;

  FcfsDispatcher fcfs_;
  DispatchScan scan_;
  SmSearch search_;
  GridStarts starts_;
  KdMask held_;  // entries of held queues
  bool holding_ = false;
  KdMask fits_;
  DispatchState state_;         // of the built-in policy in F5
  Cycle placed_at_ = kForever;  // cycle of the last placement
  bool placeable_ = false;
  base::Counter offers_refused_;
};

}  // namespace castor::gpu
