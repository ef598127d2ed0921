#include "castor/gpu/launch/launch_rows.h"

#include <algorithm>
#include <string_view>

namespace castor::gpu {

namespace {

constexpr base::StatisticInfo kLaunches = {"device_launches", "",
                                           "launches by device code that the row sums: launches of one kernel at one "
                                           "level of a tree; grid and block are those of the first launch"};

}  // namespace

const std::vector<base::StatisticInfo>& LaunchRows::infos() {
  static const std::vector<base::StatisticInfo> infos = {kLaunches, kLevel, kGroups, kGroupBlocks};
  return infos;
}

void add_counts(KernelStatistics& to, const KernelStatistics& more) {
  to.alone.add(more.alone);
  to.l2_bytes += more.l2_bytes;
  for (const auto& [name, value] : more.counts) {
    const auto found = std::find_if(to.counts.begin(), to.counts.end(),
                                    [name = name](const auto& count) { return count.first == name; });
    if (found == to.counts.end())
      to.counts.emplace_back(name, value);
    else
      found->second += value;
  }
}

void add_row(KernelStatistics& to, const KernelStatistics& more) {
  to.start = std::min(to.start, more.start);
  to.end = std::max(to.end, more.end);
  to.thread_blocks += more.thread_blocks;
  to.warp_instructions += more.warp_instructions;
  to.thread_instructions += more.thread_instructions;
  add_counts(to, more);
}

void LaunchRows::add(LaunchId root, unsigned level, KernelStatistics launch) {
  Row& row = trees_[root].children[{level, launch.kernel}];
  if (row.launches++ == 0) {
    row.sum = std::move(launch);
    return;
  }
  add_row(row.sum, launch);
}

std::vector<KernelStatistics> LaunchRows::close(LaunchId root, Picoseconds now) {
  ++closed_;
  std::vector<KernelStatistics> rows;
  auto node = trees_.extract(root);
  if (node.empty()) return rows;
  for (auto& [key, row] : node.mapped().children) {
    row.sum.counts.emplace_back(kLaunches.name, row.launches);
    row.sum.counts.emplace_back(kLevel.name, key.first);
    row.sum.level = key.first;
    rows.push_back(std::move(row.sum));
  }
  node.mapped().host.end = now;
  rows.push_back(std::move(node.mapped().host));
  return rows;
}

}  // namespace castor::gpu
