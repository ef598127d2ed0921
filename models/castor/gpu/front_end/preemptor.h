#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "castor/gpu/front_end/dispatcher.h"
#include "castor/gpu/front_end/kernel_table.h"
#include "castor/gpu/front_end/ledger.h"
#include "castor/gpu/front_end/mechanism.h"
#include "castor/gpu/front_end/swapped_tb.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/sm_unit.h"

namespace castor::gpu {

/// Preemptor: holds the queues that a job scheduler preempts, their saved TBs, and the mover through which the contexts
/// of these TBs pass (docs/gpu/jobs.md, "Preemption"). Without a mover (context.mover drain) the TBs run to their end.
/// It also holds TBs that SMs swap out at random (context.random), which may be placed again at once, and without a
/// mover also while their queue is preempted.
///
/// In a cycle: `accept_messages` in F2 (retire), `restore` in F5 before other TBs are placed, `preempt` in F8 (parse);
/// `stopped` in any step.
class Preemptor : public FrontEndMechanism {
 public:
  /// `sms`: the SMs whose TBs are saved; empty: TBs drain.
  Preemptor(const Machine& machine, std::vector<SmUnit*> sms, KernelTable& table, Ledger& ledger,
            Dispatcher& dispatcher, RetireUnit& retire, HookEvents& events);
  explicit Preemptor(const FrontEndParts& parts);

  [[nodiscard]] bool present() const { return !sms_.empty(); }
  /// Preempts exactly these queues; all other queues are no longer preempted. Saves the TBs of newly preempted queues,
  /// except those of kernels that must be resident at once.
  void preempt(const QueueMask& queues, Cycle now);
  [[nodiscard]] const QueueMask& queues() const { return queues_; }
  /// Returns whether the last `preempt` changed the preempted queues.
  [[nodiscard]] bool changed() const { return changed_; }
  /// Takes TBs that have left their SM before they were complete. TBs of stopped kernels are dropped.
  void accept_messages(Cycle now) {
    for (SmUnit* const sm : sms_) take_saved(*sm, now);
  }
  /// Places a saved TB on an SM again, if an SM has resources for it. Hooks receive no second placement event for the
  /// TB.
  void restore(Cycle now) {
    if (!saved_.empty()) restore_first(now);
  }
  /// Drops the saved TBs of a stopped kernel, those of its groups included. `tree_stopped`: drops the saved TBs of
  /// groups that belong to a stopped launch tree. Hooks see a dropped TB retire and complete in a later cycle.
  void stopped(unsigned entry);
  void tree_stopped(const LaunchRecord& record);

  void add_waiting(DispatchState& state) const;

  /// Returns whether a saved TB could be placed now.
  [[nodiscard]] bool can_restore() const { return !saved_.empty() && restorable() != saved_.size(); }
  /// Returns the next cycle if a saved TB could be placed; otherwise the stamp of the oldest message about a saved TB.
  [[nodiscard]] Cycle next_work(Cycle now) const {
    if (can_restore()) return now + 1;
    Cycle next = kForever;
    for (SmUnit* const sm : sms_) next = std::min(next, sm->saved().next());
    return next;
  }

 private:
  void save(unsigned entry, Cycle now);
  void take_saved(SmUnit& sm, Cycle now);
  void drop(const SwappedTb& saved);
  template <class Gone>
  void drop_if(Gone&& gone);
  void restore_first(Cycle now);
  [[nodiscard]] bool held(const SwappedTb& saved) const;
  [[nodiscard]] SmMask room_for(const SwappedTb& saved) const;
  [[nodiscard]] std::size_t restorable() const;

  const Machine& machine_;
  std::vector<SmUnit*> sms_;
  KernelTable& table_;
  Ledger& ledger_;
  Dispatcher& dispatcher_;
  RetireUnit& retire_;
  HookEvents& events_;
  QueueMask queues_;
  bool changed_ = false;
  std::vector<SwappedTb> saved_;  // saved TBs, in the order in which they left their SMs
  Cycle mover_free_ = 0;          // first cycle in which the mover is free
};

}  // namespace castor::gpu
