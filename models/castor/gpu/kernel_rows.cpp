#include "castor/gpu/kernel_rows.h"

#include <algorithm>
#include <utility>

#include "castor/gpu/launch/launch_rows.h"

namespace castor::gpu {

void KernelRows::add(KernelStatistics row) {
  if (sums_.empty() && rows_.size() < most_) return rows_.push_back(std::move(row));
  const auto [at, is_new] = sums_.try_emplace({row.level, row.kernel}, rows_.size());
  if (is_new) {
    row.sum = length(row);
    rows_.push_back(std::move(row));
  } else {
    add_to(rows_[at->second], std::move(row));
  }
}

KernelStatistics::Sum KernelRows::length(const KernelStatistics& row) const {
  return {1, row.end - row.start, clock_ == nullptr ? 0 : cycles_between(*clock_, row.start, row.end)};
}

void KernelRows::add_to(KernelStatistics& sum, KernelStatistics row) const {
  const KernelStatistics::Sum more = length(row);
  sum.sum.kernels += more.kernels;
  sum.sum.time += more.time;
  sum.sum.cycles += more.cycles;
  // All kernels of a row have the same level, so the level counter must not be summed.
  const auto level = std::remove_if(row.counts.begin(), row.counts.end(),
                                    [](const auto& count) { return count.first == LaunchRows::kLevel.name; });
  row.counts.erase(level, row.counts.end());
  add_row(sum, row);
}

}  // namespace castor::gpu
