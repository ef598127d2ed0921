#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "castor/base/statistics.h"
#include "castor/gpu/device.h"
#include "castor/gpu/launch/launcher.h"

namespace castor::gpu {

/// Statistics of groups of thread blocks in the row of the kernel to which they were attached.
inline constexpr base::StatisticInfo kGroups = {"groups", "", "groups of thread blocks that ran with the kernel"};
inline constexpr base::StatisticInfo kGroupBlocks = {
    "group_thread_blocks", "",
    "thread blocks of these groups; all other counts include them, `thread_blocks` does not"};

/// Adds the fields `counts`, `alone` and `l2_bytes` of one kernel's row to another row.
void add_counts(KernelStatistics& to, const KernelStatistics& more);
/// Adds all counts, times, thread blocks and instructions of one kernel's row to another row.
void add_row(KernelStatistics& to, const KernelStatistics& more);

/// Report rows for trees of launches: one row for each host launch, preceded by one row for each (level, kernel)
/// launched by device code below it. Launches by device code are summed because programs make 10^5 of them. The release
/// unit (or functional device) owns the rows.
class LaunchRows {
 public:
  static constexpr base::StatisticInfo kLevel = {
      "level", "", "nesting depth of these launches below the host's launch, whose row follows"};
  /// Returns the statistics that rows of launches by device code have in addition.
  [[nodiscard]] static const std::vector<base::StatisticInfo>& infos();
  /// Keeps the row of a host launch that is complete while its children are still open.
  void keep(LaunchId root, KernelStatistics launch) { trees_[root].host = std::move(launch); }
  /// Adds a completed launch by device code to the row of its level and kernel.
  void add(LaunchId root, unsigned level, KernelStatistics launch);
  /// Returns the rows of a closed tree, the host launch's row last. `now`: time of the closing.
  [[nodiscard]] std::vector<KernelStatistics> close(LaunchId root, Picoseconds now);
  /// Returns the number of trees closed since the beginning.
  [[nodiscard]] std::uint64_t closed() const { return closed_; }
  void clear() { trees_.clear(); }

 private:
  struct Row {
    KernelStatistics sum;
    std::uint64_t launches = 0;
  };
  struct Tree {
    KernelStatistics host;
    std::map<std::pair<unsigned, std::string>, Row> children;
  };
  std::map<LaunchId, Tree> trees_;
  std::uint64_t closed_ = 0;
};

}  // namespace castor::gpu
