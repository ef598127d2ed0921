#pragma once

#include <optional>
#include <vector>

#include "castor/gpu/sm/filter_statistics.h"
#include "castor/gpu/sm/thread_blocks.h"

namespace castor::gpu {

/// What is counted at an SM's fetch filter: for the SM, and for the kernels of each entry of the kernel table.
class FilterCounters {
 public:
  FilterCounters(const ThreadBlocks& tbs, unsigned entries) : tbs_(tbs), entries_(entries) {}
  /// Registers what is counted for the SM.
  void add_statistics(base::StatisticGroup& sm) { statistics_.emplace(sm, all_); }

  /// `count(FilterCounts&)` adds to what belongs to a TB context.
  template <class Count>
  void add(unsigned context, Count&& count) {
    count(all_);
    count(entries_[tbs_[context].kernel->entry]);
  }
  /// What was counted for the kernels in a table entry since `clear_entry`.
  [[nodiscard]] const FilterCounts& of_entry(unsigned entry) const { return entries_[entry]; }
  void clear_entry(unsigned entry) { entries_[entry] = {}; }

 private:
  const ThreadBlocks& tbs_;
  FilterCounts all_;
  std::vector<FilterCounts> entries_;
  std::optional<FilterStatistics> statistics_;
};

}  // namespace castor::gpu
