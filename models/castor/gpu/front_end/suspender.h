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
#include "castor/gpu/sm_unit.h"
#include "castor/gpu/suspended_tb.h"

namespace castor::gpu {

/// Thread blocks that wait for launches away from their SM, and kernels that have given their table entry up because
/// all that is left of them waits so (docs/gpu/launches.md, "Waiting for launches").
///
/// In a cycle: `look` in F1, `take` in F2, `restore` in F5 before anything else is placed, `children_closed` and
/// `detach` in F7, `grant` and `finish` in F8; `stop` in any step.
class Suspender {
 public:
  Suspender(const std::vector<SmUnit*>& sms, KernelTable& table, Ledger& ledger, Dispatcher& dispatcher,
            RetireUnit& retire, DeviceLauncher& launches, ParseLanes& lanes, HookEvents& events,
            base::StatisticGroup& statistics);

  void look() {
    stirred_ = false;
    offers_ = !ready_.empty();
  }
  /// Blocks that have left their SM.
  void take(Cycle now);
  /// A block that has a place again comes back, if there is room for it.
  void restore(Cycle now);
  /// The launches of a block are closed. False if the block is not away.
  bool children_closed(BlockId block);
  /// An entry whose kernel has nothing but blocks that are away, and that nobody holds, -1 = none. The lowest.
  [[nodiscard]] int deserted(const KdMask& held) const;
  /// That kernel leaves the table.
  void detach(unsigned entry, Cycle now);
  /// A block may be granted a lane in this cycle; in the next, `now`, as things stand.
  [[nodiscard]] bool ready(Cycle now, bool is_next = false) const {
    return (is_next ? !ready_.empty() : offers_) && (in_table(*ready_.front().record) || table_.first_free(now) >= 0);
  }
  /// The block that has been ready the longest takes a lane. Its kernel takes an entry, if it has none: then the entry
  /// is returned, else -1.
  int grant(Cycle now);
  /// The lane of the block that was granted first is done.
  void finish(Cycle now);
  /// Nothing of the tree of this launch goes on: its blocks come back to be dropped.
  void stop(const LaunchRecord& root);

  /// First cycle after `now` with work.
  [[nodiscard]] Cycle next(const KdMask& held, Cycle now) const;
  /// A line about blocks that wait; empty if there are none.
  [[nodiscard]] std::string waiting() const;

 private:
  struct Away {
    std::shared_ptr<const SuspendedTb> tb;
    LaunchRecord* record = nullptr;  ///< which the block holds
  };
  [[nodiscard]] bool in_table(const LaunchRecord& record) const { return detached_.count(&record) == 0; }
  void drop(const Away& away);

  std::vector<SmUnit*> sms_;
  KernelTable& table_;
  Ledger& ledger_;
  Dispatcher& dispatcher_;
  RetireUnit& retire_;
  DeviceLauncher& launches_;
  ParseLanes& lanes_;
  HookEvents& events_;
  std::map<BlockId, Away> waiting_;
  std::deque<Away> ready_;     ///< their launches are closed
  std::deque<Away> in_lanes_;  ///< granted
  std::deque<Away> placeable_;
  std::unordered_map<const LaunchRecord*, KernelEntry> detached_;
  bool offers_ = false;
  bool stirred_ = false;  ///< something became ready in this cycle
  base::StatisticGroup group_;
  base::Counter suspended_, resumed_, detached_kernels_;
};

}  // namespace castor::gpu
