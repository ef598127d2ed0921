#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "castor/base/statistics.h"
#include "castor/gpu/front_end/device_launcher.h"
#include "castor/gpu/front_end/dispatcher.h"
#include "castor/gpu/front_end/kernel_table.h"
#include "castor/gpu/front_end/ledger.h"
#include "castor/gpu/front_end/parse_lanes.h"
#include "castor/gpu/front_end/retire_unit.h"
#include "castor/gpu/front_end/swapped_tb.h"
#include "castor/gpu/sm_unit.h"

namespace castor::gpu {

/// Suspender (docs/gpu/launches.md, "Waiting for launches"): holds thread blocks that have left their SM to wait for
/// launches. It also holds kernels that have left their table entry because all their remaining blocks wait this way.
/// The launch side owns it.
///
/// In a cycle: `look` in F1, `take` in F2 (retire), `restore` in F5 before other TBs are placed, `children_closed` and
/// `detach` in F7 (release), `grant` and `finish` in F8 (parse); `stop` in any step.
class Suspender {
 public:
  Suspender(const Machine& machine, const std::vector<SmUnit*>& sms, KernelTable& table, Ledger& ledger,
            Dispatcher& dispatcher, RetireUnit& retire, DeviceLauncher& launches, ParseLanes& lanes, HookEvents& events,
            base::StatisticGroup& statistics);

  /// Starts a cycle: fixes whether a block is offered for a lane in it.
  void look() {
    stirred_ = false;
    offers_ = !ready_.empty();
  }
  /// Takes the blocks that have left their SM to wait for launches.
  void take(Cycle now);
  /// Places the oldest block that is ready to be placed again, if an SM has resources for it.
  void restore(Cycle now);
  /// Makes a block ready because all its launches are closed. Returns false if the block has not left its SM.
  bool children_closed(BlockId block);
  /// Returns the lowest entry, not in `held`, whose kernel has only suspended blocks left; -1 = none.
  [[nodiscard]] int deserted(const KdMask& held) const;
  /// Removes the kernel of a deserted entry from the table.
  void detach(unsigned entry, Cycle now);
  /// Returns whether a block may be granted a lane in this cycle. `is_next`: `now` is the next cycle, and the result is
  /// a prediction from the present state.
  [[nodiscard]] bool ready(Cycle now, bool is_next = false) const {
    return (is_next ? !ready_.empty() : offers_) && (in_table(*ready_.front().record) || table_.first_free(now) >= 0);
  }
  /// Grants a lane to the block that has been ready longest. If the block's kernel has no entry, the kernel takes one.
  /// Returns that entry, or -1 if the kernel has an entry already.
  int grant(Cycle now);
  /// Ends the lane of the block that was granted first. The block may be placed from then on, or is dropped if its
  /// kernel is stopped.
  void finish(Cycle now);
  /// Stops the tree of a host launch: its suspended blocks are restored only to be dropped.
  void stop(const LaunchRecord& root);

  /// Adds the blocks that are to be placed again.
  void add_waiting(DispatchState& state) const;
  /// Returns the first cycle after `now` in which the suspender has work.
  [[nodiscard]] Cycle next(const KdMask& held, Cycle now) const;
  /// Returns a line about suspended blocks; empty if there are none.
  [[nodiscard]] std::string waiting() const;

 private:
  [[nodiscard]] bool in_table(const LaunchRecord& record) const { return detached_.count(&record) == 0; }
  void drop(const SwappedTb& away);

  const Machine& machine_;
  std::vector<SmUnit*> sms_;
  KernelTable& table_;
  Ledger& ledger_;
  Dispatcher& dispatcher_;
  RetireUnit& retire_;
  DeviceLauncher& launches_;
  ParseLanes& lanes_;
  HookEvents& events_;
  std::map<BlockId, SwappedTb> waiting_;                           ///< blocks with open launches
  std::deque<SwappedTb> ready_;                                    ///< blocks whose launches are closed
  std::deque<SwappedTb> in_lanes_;                                 ///< blocks that were granted a lane
  std::deque<SwappedTb> placeable_;                                ///< blocks whose lane is done, to be placed
  std::unordered_map<const LaunchRecord*, KernelEntry> detached_;  ///< kernels without a table entry
  bool offers_ = false;                                            ///< a block is offered for a lane in this cycle
  bool stirred_ = false;                                           ///< a block became ready in this cycle
  base::StatisticGroup group_;
  base::Counter suspended_, resumed_, detached_kernels_;
};

}  // namespace castor::gpu
