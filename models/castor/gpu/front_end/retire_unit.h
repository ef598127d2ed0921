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

/// The retire unit: takes the retire wires of the SMs into a done FIFO per SM, whose TBs have room again at once, and
/// counts one TB per cycle in the whole GPU, in round robin over the FIFOs (docs/gpu/front-end.md, "Front-end cycle",
/// F2).
///
/// In a cycle: `take_wires`, then `drain`, both in F2; `drop` in F5.
class RetireUnit {
 public:
  RetireUnit(const Machine& machine, const std::vector<SmUnit*>& sms, KernelTable& table, Ledger& ledger,
             HookEvents& events);

  /// At most one TB per SM.
  void take_wires(Cycle now) {
    for (unsigned sm = 0; sm < sms_.size(); ++sm) {
      if (sms_[sm]->retired().head(now) != nullptr) take_wire(sm, now);
    }
  }
  /// Counts a TB, if any waits.
  void drain(Cycle now);
  /// A TB of a stopped kernel that a policy has placed now: to hooks it retires on that SM in a later cycle, and is
  /// counted then, after all that really retired.
  void drop(const TbEvent& tb, Cycle now) { dropped_.push_back({tb, now}); }

  /// TBs that have left since the last call and had called the device runtime.
  [[nodiscard]] std::vector<BlockId> take_callers() { return std::exchange(callers_, {}); }

  /// The TB of a group that `drain` has left to its caller to count.
  [[nodiscard]] std::optional<TbEvent> take_group_tb() { return std::exchange(counted_group_, std::nullopt); }

  /// TBs are left to be counted.
  [[nodiscard]] bool busy() const { return waiting_ != 0 || !dropped_.empty(); }
  /// Stamp of the oldest message on a wire.
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
  std::vector<boost::circular_buffer<TbEvent>> done_;  // per SM: retired, not counted
  SmMask waiting_ = 0;                                 // SMs with something in done_
  SmSearch last_;                                      // SM whose TB was counted last
  std::deque<Dropped> dropped_;
  std::vector<BlockId> callers_;
  std::optional<TbEvent> counted_group_;
};

}  // namespace castor::gpu
