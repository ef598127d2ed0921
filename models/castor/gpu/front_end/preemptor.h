#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "castor/gpu/front_end/dispatcher.h"
#include "castor/gpu/front_end/kernel_table.h"
#include "castor/gpu/front_end/ledger.h"
#include "castor/gpu/front_end/mechanism.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/tb_saver.h"

namespace castor::gpu {

/// Queues that a job scheduler preempts, the TBs of them that were saved, and the mover that all contexts go through
/// (docs/gpu/jobs.md, "Preemption"). TBs on SMs that cannot give them up drain.
///
/// In a cycle: `take_wires` in F2, `restore` in F5 before anything else is placed, `preempt` in F8; `stopped` in any
/// step.
class Preemptor : public FrontEndMechanism {
 public:
  /// `savers`: per SM, null where TBs drain; empty: everywhere.
  Preemptor(const Machine& machine, std::vector<TbSaver*> savers, KernelTable& table, Ledger& ledger,
            Dispatcher& dispatcher, HookEvents& events);
  explicit Preemptor(const FrontEndParts& parts);

  [[nodiscard]] bool present() const { return !savers_.empty(); }
  /// These queues are preempted, and no others. The TBs of those that were not before are saved.
  void preempt(const QueueMask& queues, Cycle now);
  [[nodiscard]] const QueueMask& queues() const { return queues_; }
  /// TBs that have left before they were complete. Of a stopped kernel that is their end.
  void take_wires(Cycle now) {
    for (unsigned sm = 0; sm < savers_.size(); ++sm) {
      if (savers_[sm] != nullptr) take_saved(sm, now);
    }
  }
  /// A saved TB comes back, if there is room for one. Hooks do not see it again.
  void restore(Cycle now) {
    if (!saved_.empty()) restore_first(now);
  }
  /// A stopped kernel's saved TBs do not come back.
  void stopped(unsigned entry);

  /// A saved TB could come back now.
  [[nodiscard]] bool can_restore() const { return !saved_.empty() && restorable() != saved_.size(); }
  /// Else: stamp of the oldest TB that is leaving.
  [[nodiscard]] Cycle next_work(Cycle now) const {
    if (can_restore()) return now + 1;
    Cycle next = kForever;
    for (TbSaver* const saver : savers_) {
      if (saver != nullptr) next = std::min(next, saver->saved().next());
    }
    return next;
  }

 private:
  struct Saved {
    LaunchRecord* record = nullptr;  // which the TB holds
    SavedTb tb;
    [[nodiscard]] unsigned entry() const { return record->context.entry; }
  };

  void save(unsigned entry, Cycle now);
  void take_saved(unsigned sm, Cycle now);
  void restore_first(Cycle now);
  [[nodiscard]] SmMask room_for(const Saved& saved) const;
  [[nodiscard]] std::size_t restorable() const;

  const Machine& machine_;
  std::vector<TbSaver*> savers_;
  SmMask movable_ = 0;  // SMs that can give up TBs
  KernelTable& table_;
  Ledger& ledger_;
  Dispatcher& dispatcher_;
  HookEvents& events_;
  QueueMask queues_;
  std::vector<Saved> saved_;  // in the order in which they left
  Cycle mover_free_ = 0;      // first cycle in which no context moves any more
};

}  // namespace castor::gpu
