#pragma once

#include <vector>

#include "castor/base/statistics.h"
#include "castor/gpu/front_end/built_in_dispatch.h"
#include "castor/gpu/front_end/dispatch_port.h"
#include "castor/gpu/front_end/governors.h"
#include "castor/gpu/front_end/hook_events.h"
#include "castor/gpu/front_end/job_table.h"
#include "castor/gpu/front_end/kernel_table.h"
#include "castor/gpu/front_end/ledger.h"
#include "castor/gpu/front_end/retire_unit.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/observer.h"
#include "castor/gpu/sm_unit.h"

namespace castor::gpu {

/// The dispatcher: sends at most one TB per cycle of the whole GPU to an SM, as the dispatch policy says or the
/// built-in one (docs/gpu/front-end.md, "Placement", "Dispatch").
///
/// In a cycle: in F5 first `place_again` if a TB comes back, then `step`; `push` in F8; `hold_queues` in F10; `rest` at
/// its end. `stop` and `give_up` may come in any step, of kernels of which nothing is placed from then on.
class Dispatcher {
 public:
  /// `observer`: null = none.
  Dispatcher(const Machine& machine, const std::vector<SmUnit*>& sms, KernelTable& table, Ledger& ledger,
             const Governors& governors, DispatchPort& policy, RetireUnit& retire, JobTable& jobs, HookEvents& events,
             Observer* observer, base::StatisticGroup& statistics);

  /// An entry is written: its TBs can be placed from the next cycle on.
  void push(unsigned entry);
  /// A group has attached to it: its TBs can be placed from the next cycle on.
  void attach(unsigned entry);
  /// The policy is told of it.
  void push_group(const LaunchRecord& record);
  /// Places a TB, if one can be placed.
  void step(Cycle now);
  /// The placement of the cycle goes to a TB that comes back, to one of these SMs, all of which have room. Returns it.
  [[nodiscard]] unsigned place_again(unsigned entry, SmMask sms, Cycle now);
  /// Nothing of these queues is placed from the next cycle on, until this is called again.
  void hold_queues(const QueueMask& queues);
  /// A fault has stopped the kernel. A dispatch policy goes on to offer its TBs; they are dropped when it does.
  void stop(unsigned entry);
  /// The queue's job is dropped: all its kernels in the table are given up. Returns how many.
  [[nodiscard]] unsigned give_up(unsigned queue);

  /// Entries whose next TB could be placed now, for hooks; of a stopped kernel that a policy still offers anything can.
  /// The same place in every cycle.
  [[nodiscard]] const KdMask& show_fits();
  /// What governors see of it at the end of the cycle.
  [[nodiscard]] DispatchState state() const;
  /// SMs that could take the next TB of an entry now.
  [[nodiscard]] SmMask takers(unsigned entry) const { return view().takers(entry); }
  /// The same of a TB that was placed before.
  [[nodiscard]] SmMask takers_again(unsigned entry) const;
  /// The entry that the built-in policy places before this one, -1 = none.
  [[nodiscard]] int ahead_of(unsigned entry) const;

  /// Why nothing is placed until the next tick; only of the built-in policy.
  [[nodiscard]] DispatchWait rest(Cycle now);
  /// As of the last `rest`: something may be placed in the next cycle.
  [[nodiscard]] bool placeable() const { return placeable_; }

 private:
  [[nodiscard]] DispatchView view() const {
    return {ledger_, governors_.open() & ledger_.all(), governors_.quota(), holding_ ? &held_ : nullptr};
  }
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
  KdMask held_;  // entries of queues that are held
  bool holding_ = false;
  KdMask fits_;
  Cycle placed_at_ = kForever;  // of the last placement
  bool placeable_ = false;
  base::Counter offers_refused_;
};

}  // namespace castor::gpu
