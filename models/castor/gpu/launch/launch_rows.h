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

/// What the row of a kernel counts besides of groups that ran with it.
inline constexpr base::StatisticInfo kGroups = {"groups", "", "groups of thread blocks that ran with the kernel"};
inline constexpr base::StatisticInfo kGroupBlocks = {
    "group_thread_blocks", "", "their thread blocks, which all other counts take in; `thread_blocks` does not"};

/// Adds what was counted of one kernel to what was counted of another: `counts`, `alone`, `l2_bytes`.
void add_counts(KernelStatistics& to, const KernelStatistics& more);
/// The same with times, thread blocks and instructions.
void add_row(KernelStatistics& to, const KernelStatistics& more);

/// What reports say of trees of launches: a row for each of the host's launches, and before it one for each (level,
/// kernel) that device code below it has launched, since programs make 10^5 such launches.
class LaunchRows {
 public:
  static constexpr base::StatisticInfo kLevel = {"level", "",
                                                 "generations between them and the host's launch, whose row follows"};
  /// What rows of launches by device code count besides.
  [[nodiscard]] static const std::vector<base::StatisticInfo>& infos();
  /// A launch of the host has completed, its children not yet.
  void keep(LaunchId root, KernelStatistics launch) { trees_[root].host = std::move(launch); }
  /// A launch by device code has completed.
  void add(LaunchId root, unsigned level, KernelStatistics launch);
  /// The rows of a tree, the host's last; `now`: time of its closing.
  [[nodiscard]] std::vector<KernelStatistics> close(LaunchId root, Picoseconds now);
  /// Launches of the host so closed, from the beginning.
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
