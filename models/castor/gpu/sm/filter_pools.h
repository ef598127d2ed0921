#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "castor/gpu/hooks/fetch_filter.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/sm/filter_counters.h"
#include "castor/gpu/sm/row_pool.h"

namespace castor::gpu {

/// The thread blocks on which an SM's fetch filter acts, by its terms, and the rows that each of them has.
///
/// S0 `start`; S8 `retired`. All of a pool may be read at any time.
class FilterPools {
 public:
  struct Pool {
    std::uint16_t base = 0, rows = 0, slots = 0;
    bool promote = false;  ///< conditional marks count
    /// Per record rows of its last leader's results; kNone: nobody has led it.
    std::vector<std::array<std::int16_t, 2>> led;
  };

  FilterPools(const Machine& machine, const FilterTerms& terms, const ThreadBlocks& blocks, RowPool& rows,
              FilterCounters& counters)
      : machine_(machine), terms_(terms), blocks_(blocks), rows_(rows), counters_(counters) {}

  /// A TB starts: gives it a pool, if it has marks and there is room, and completes what hooks are told of it.
  void start(const TbState& tb, unsigned context, TbStartEvent& event);
  void retired(unsigned context);

  [[nodiscard]] Pool& operator[](unsigned context) { return pools_[context]; }
  [[nodiscard]] const Pool& operator[](unsigned context) const { return pools_[context]; }
  /// TBs on which the filter acts.
  [[nodiscard]] TbMask tbs() const { return tbs_; }
  /// Their warps.
  [[nodiscard]] WarpMask warps() const { return warps_; }
  /// Of them those that the filter may hold, skip and decode.
  [[nodiscard]] WarpMask fetched() const { return terms_.fetch ? warps_ : 0; }

 private:
  /// What became of a TB's wish for a pool: what counts it.
  using Outcome = std::uint64_t FilterCounts::*;
  [[nodiscard]] Outcome give_pool(const TbState& tb, unsigned context);
  [[nodiscard]] Outcome give_rows(const TbState& tb, unsigned context);

  const Machine& machine_;
  const FilterTerms& terms_;
  const ThreadBlocks& blocks_;
  RowPool& rows_;
  FilterCounters& counters_;
  std::array<Pool, 64> pools_;  // per TB context
  TbMask tbs_ = 0;
  WarpMask warps_ = 0;
};

}  // namespace castor::gpu
