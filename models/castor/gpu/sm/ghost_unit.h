#pragma once

#include <cstdint>
#include <vector>

#include "castor/gpu/hooks/fetch_filter.h"
#include "castor/gpu/sm/executor.h"
#include "castor/gpu/sm/row_pool.h"
#include "castor/gpu/sm/scoreboard.h"
#include "castor/gpu/sm/warp_table.h"

namespace castor::gpu {

/// Executes instructions for their values alone, without issue slot and time, on behalf of a fetch filter (ghosts;
/// docs/gpu/fetch-filter.md, "FetchFilter"). Active in S5, issue.
class GhostUnit {
 public:
  /// Result of a ghost execution.
  enum class Answer : std::uint8_t {
    kDone,
    kPending,  ///< a register of the instruction is pending; the filter may try again later
    /// the load differs from its leader's (another address, or not the same for all lanes); the warp has to execute the
    /// load
    kRefused,
  };

  GhostUnit(WarpTable& warps, const Scoreboard& scoreboard, Executor& executor, const RowPool& rows)
      : warps_(warps), scoreboard_(scoreboard), executor_(executor), rows_(rows), address_(rows.size(), kNowhere) {}

  /// Records the address of a leader's load that issues for the lanes `mask`, and writes its first result to `row`.
  void lead(unsigned w, const isa::Record& record, LaneMask mask, unsigned row);
  /// Executes the instruction at the warp's PC. `load`: pool rows with the result of a load; null for arithmetic
  /// (asserted).
  [[nodiscard]] Answer execute(unsigned w, const GhostLoad* load);

 private:
  static constexpr std::uint64_t kNowhere = ~std::uint64_t{0};

  [[nodiscard]] std::uint64_t address_of(unsigned w, const isa::Record& record, LaneMask mask);

  WarpTable& warps_;
  const Scoreboard& scoreboard_;
  Executor& executor_;
  const RowPool& rows_;
  // [row] address from which the row's value was loaded for all lanes; kNowhere = none
  std::vector<std::uint64_t> address_;
  isa::Access access_{};
};

}  // namespace castor::gpu
