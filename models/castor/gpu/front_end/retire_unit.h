#pragma once

#include <boost/circular_buffer.hpp>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "castor/gpu/front_end/hook_events.h"
#include "castor/gpu/front_end/kernel_table.h"
#include "castor/gpu/front_end/ledger.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/sm_unit.h"

namespace castor::gpu {

class Waves;

/// Retire unit (docs/gpu/front-end.md, "Front-end cycle", F2): takes the retire messages of the SMs into one done FIFO
/// per SM. It counts one TB per cycle in the whole GPU as complete, in round robin over the FIFOs. A TB's resources are
/// free as soon as its message is taken. The front end owns the unit.
///
/// In a cycle: `accept_messages`, then `drain`, both in F2; `drop` in F5 (placement).
class RetireUnit {
 public:
  RetireUnit(const Machine& machine, const std::vector<SmUnit*>& sms, KernelTable& table, Ledger& ledger,
             HookEvents& events);

  /// Takes at most one retired TB per SM into the done FIFOs.
  void accept_messages(Cycle now) {
    for (unsigned sm = 0; sm < sms_.size(); ++sm) {
      if (sms_[sm]->retired().head(now) != nullptr) take_wire(sm, now);
    }
  }
  /// Counts one TB as complete, if a done FIFO or the list of dropped TBs has one.
  void drain(Cycle now);
  /// Drops a TB of a stopped kernel that a dispatch policy has placed now. Hooks see the TB retire on that SM in a
  /// later cycle. The dropped TB is counted as complete in that later cycle, after all TBs that really retired.
  void drop(const TbEvent& tb, Cycle now) { dropped_.push_back({tb, now}); }

  /// Returns the number of TBs of an entry that have retired and are not counted as complete.
  [[nodiscard]] std::uint32_t uncounted(unsigned entry) const;

  /// Notes the end of a TB that had called the device runtime and is dropped while it is swapped out.
  void end_caller(BlockId block) { callers_.push_back(block); }
  /// Returns the TBs that have ended since the last call and had called the device runtime.
  [[nodiscard]] std::vector<BlockId> take_callers() { return std::exchange(callers_, {}); }

  /// Returns the TB of a group that `drain` took from a done FIFO; the caller counts it.
  [[nodiscard]] std::optional<TbEvent> take_group_tb() { return std::exchange(counted_group_, std::nullopt); }

  /// Returns whether TBs wait to be counted as complete.
  [[nodiscard]] bool busy() const { return waiting_ != 0 || !dropped_.empty(); }
  /// Returns the stamp of the oldest retire message that was not taken.
  [[nodiscard]] Cycle next() const {
    Cycle next = kForever;
    for (SmUnit* const sm : sms_) next = std::min(next, sm->retired().next());
    return next;
  }
  void add_waves(Waves& waves, const std::string& scope) const;

 private:
  struct Dropped {
    TbEvent tb;
    Cycle since = 0;
  };

  void take_wire(unsigned sm, Cycle now);
  void drain_dropped();
  void count(const TbEvent& tb);

  std::vector<SmUnit*> sms_;
  KernelTable& table_;
  Ledger& ledger_;
  HookEvents& events_;
  std::vector<boost::circular_buffer<TbEvent>> done_;  // per SM: TBs retired and not counted as complete
  SmMask waiting_;                                     // SMs whose done FIFO is not empty
  SmSearch last_;                                      // SM whose TB was counted last
  std::deque<Dropped> dropped_;                        // dropped TBs to be reported as retired and counted
  std::vector<BlockId> callers_;                       // retired TBs that had called the device runtime
  std::optional<TbEvent> counted_group_;
};

}  // namespace castor::gpu
