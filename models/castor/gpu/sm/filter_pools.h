#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "castor/gpu/hooks/fetch_filter.h"
#include "castor/gpu/hooks/study.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/sm/filter_counters.h"
#include "castor/gpu/sm/row_pool.h"

namespace castor::gpu {

/// Pools of an SM's fetch filter: the thread blocks on which the filter acts, and the register-file rows of each.
///
/// Steps: `start` in S0, start; `retired` in S8, bookkeeping. A pool may be read in any step.
class FilterPools {
 public:
  /// Pool of a TB: its first row, its number of rows, and the number of registers that can be renamed.
  struct Pool {
    std::uint16_t base = 0, rows = 0, slots = 0;
    bool promote = false;  ///< marks of value 1 ("redundant if the block's shape allows") count for this TB
    bool moves = false;    ///< the TB may be swapped out, so the own registers of its warps are kept (OwnRegisters)
    /// [record] pool rows with the results of the record's last leader; kNone = no leader so far
    std::vector<std::array<std::int16_t, 2>> led;
  };

  FilterPools(const Machine& machine, const FilterTerms& terms, const ThreadBlocks& blocks, RowPool& rows,
              FilterCounters& counters)
      : machine_(machine),
        terms_(terms),
        fetch_(terms.study == nullptr || terms.study->rows() != 0),
        blocks_(blocks),
        rows_(rows),
        counters_(counters) {}

  /// Decides whether the filter acts on a TB that starts, gives the TB its rows, and completes the start event for the
  /// hooks. `restored`: the TB was swapped out before; the filter does not act on it, and nothing is counted.
  void start(const TbState& tb, unsigned context, TbStartEvent& event, bool restored = false);
  /// Frees the rows of a TB that has retired or was swapped out.
  void retired(unsigned context);

  [[nodiscard]] Pool& operator[](unsigned context) { return pools_[context]; }
  [[nodiscard]] const Pool& operator[](unsigned context) const { return pools_[context]; }
  /// Returns the TB contexts on which the filter acts.
  [[nodiscard]] TbMask tbs() const { return tbs_; }
  /// Returns the warps of the TBs on which the filter acts.
  [[nodiscard]] WarpMask warps() const { return warps_; }
  /// Returns the warps of TBs with a pool that the filter may hold, skip and decode; none if the filter acts on issue
  /// alone.
  [[nodiscard]] WarpMask fetched() const { return fetch_ ? warps_ : 0; }

 private:
  // Counter that is incremented for the result of a TB's request for a pool.
  using Outcome = std::uint64_t FilterCounts::*;
  [[nodiscard]] Outcome give_pool(const TbState& tb, unsigned context);
  [[nodiscard]] Outcome give_rows(const TbState& tb, unsigned context);

  const Machine& machine_;
  const FilterTerms& terms_;
  const bool fetch_;  // the filter acts on fetch and decode too
  const ThreadBlocks& blocks_;
  RowPool& rows_;
  FilterCounters& counters_;
  std::array<Pool, 64> pools_;  // [TB context] pool of the TB
  TbMask tbs_ = 0;
  WarpMask warps_ = 0;
};

}  // namespace castor::gpu
