#pragma once

#include <optional>
#include <vector>

#include "castor/gpu/sm/filter_statistics.h"
#include "castor/gpu/sm/thread_blocks.h"

namespace castor::gpu {

/// Counters of an SM's fetch filter: one set for the SM, and one for the kernels of each kernel table entry.
class FilterCounters {
 public:
  FilterCounters(const ThreadBlocks& tbs, unsigned entries) : tbs_(tbs), entries_(entries) {}
  /// Registers the SM's counters as statistics.
  void add_statistics(base::StatisticGroup& sm) { statistics_.emplace(sm, all_); }

  /// Calls `count(FilterCounts&)` for the SM's counters and for those of the kernel in TB context `context`.
  template <class Count>
  void add(unsigned context, Count&& count) {
    count(all_);
    count(entries_[tbs_[context].kernel->entry]);
  }
  /// Returns the counts for the kernels in a table entry since `clear_entry`.
  [[nodiscard]] const FilterCounts& of_entry(unsigned entry) const { return entries_[entry]; }
  void clear_entry(unsigned entry) { entries_[entry] = {}; }

 private:
  const ThreadBlocks& tbs_;
  FilterCounts all_;
  std::vector<FilterCounts> entries_;
  std::optional<FilterStatistics> statistics_;
};

}  // namespace castor::gpu
