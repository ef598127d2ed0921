#pragma once

#include <array>
#include <cstdint>
#include <deque>

#include "castor/base/statistics.h"
#include "castor/gpu/sm/counter_view.h"
#include "castor/gpu/sm/decoded.h"

namespace castor::gpu {

/// Counts of FilterUnit, for an SM or for the kernels of one kernel table entry. A marked instruction is one whose
/// compiler mark applies to the block shape of its TB.
struct FilterCounts {
  using ByClass = std::array<std::uint64_t, kInstructionClasses>;
  ByClass skipped{};   ///< marked instructions that a warp skipped
  ByClass led{};       ///< marked instructions of leaders
  ByClass executed{};  ///< other marked instructions that issued
  /// instructions that issued although the filter had their result, so that they occupied no collector and no unit
  ByClass reused{};
  std::uint64_t reused_reads = 0;
  std::uint64_t row_reads = 0, row_writes = 0, copies = 0, squashes = 0, checked_skips = 0;
  std::uint64_t tbs_with_pool = 0, tbs_unmarked = 0, tbs_of_one_warp = 0, tbs_without_rows = 0, tbs_without_run = 0;

  /// Calls `visit(info, member)` for every plain count.
  template <class Visit>
  static void each(Visit&& visit);
  /// Calls `visit(name, meaning, member)` for every count by class.
  template <class Visit>
  static void each_by_class(Visit&& visit);
  void add(const FilterCounts& other);
};

template <class Visit>
void FilterCounts::each(Visit&& visit) {
  using Info = base::StatisticInfo;
  using Counts = FilterCounts;
  visit(Info{"row_reads", "", "operands read from pool rows; included in the registers read"}, &Counts::row_reads);
  visit(Info{"row_writes", "", "results written to pool rows; included in the registers written"}, &Counts::row_writes);
  visit(Info{"reused_reads", "",
             "registers that were not read because the filter had the result; included in the registers read"},
        &Counts::reused_reads);
  visit(Info{"copies", "", "pool rows copied to a warp's own register"}, &Counts::copies);
  visit(Info{"squashes", "", "instructions squashed at decode"}, &Counts::squashes);
  visit(Info{"checked_skips", "", "skips that were checked (check.skips)"}, &Counts::checked_skips);
  visit(Info{"tbs_with_pool", "", "thread blocks with a pool of rows"}, &Counts::tbs_with_pool);
  visit(Info{"tbs_unmarked", "", "thread blocks without a pool: their kernel has no marks"}, &Counts::tbs_unmarked);
  visit(Info{"tbs_of_one_warp", "", "thread blocks without a pool: they have one warp"}, &Counts::tbs_of_one_warp);
  visit(Info{"tbs_without_rows", "", "thread blocks without a pool: their kernel leaves too few rows free"},
        &Counts::tbs_without_rows);
  visit(Info{"tbs_without_run", "", "thread blocks without a pool: not enough adjacent rows were free"},
        &Counts::tbs_without_run);
}

template <class Visit>
void FilterCounts::each_by_class(Visit&& visit) {
  visit("skipped", "marked instructions that a warp skipped", &FilterCounts::skipped);
  visit("led", "marked instructions that a leader executed", &FilterCounts::led);
  visit("executed", "marked instructions that a warp executed itself", &FilterCounts::executed);
  visit("reused", "instructions that issued with a result of the filter, without collector and unit",
        &FilterCounts::reused);
}

/// Registers the counts of an SM's FilterUnit in a group "filter" below the SM's group. Only SMs with a fetch filter
/// have it.
class FilterStatistics {
 public:
  /// `counts` must outlive this object.
  FilterStatistics(base::StatisticGroup& sm, FilterCounts& counts);

 private:
  base::StatisticGroup group_;
  std::deque<base::StatisticGroup> groups_;  ///< subgroups of `group_`, one per count by class
  std::deque<CounterView> views_;
};

}  // namespace castor::gpu
