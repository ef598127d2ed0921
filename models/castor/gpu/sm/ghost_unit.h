#pragma once

#include <cstdint>
#include <vector>

#include "castor/gpu/hooks/fetch_filter.h"
#include "castor/gpu/sm/executor.h"
#include "castor/gpu/sm/row_pool.h"
#include "castor/gpu/sm/scoreboard.h"
#include "castor/gpu/sm/warp_table.h"

namespace castor::gpu {

/// Instructions that a fetch filter has executed for their values alone (docs/gpu/fetch-filter.md, "FetchFilter"): they
/// take no time. All in S5.
class GhostUnit {
 public:
  enum class Answer : std::uint8_t {
    kDone,
    kPending,  ///< something that it reads or writes is; may be asked again
    kRefused,  ///< a load that is not its leader's: another address, or not for all lanes; the warp has to execute it
  };

  GhostUnit(WarpTable& warps, const Scoreboard& scoreboard, Executor& executor, const RowPool& rows)
      : warps_(warps), scoreboard_(scoreboard), executor_(executor), rows_(rows), address_(rows.size(), kNowhere) {}

  /// A load of `mask` issues whose first result goes to `row`.
  void lead(unsigned w, const isa::Record& record, LaneMask mask, unsigned row);
  /// The instruction at the PC of the warp. `load`: where the result of a load is; null for arithmetic (assertion).
  [[nodiscard]] Answer execute(unsigned w, const GhostLoad* load);

 private:
  static constexpr std::uint64_t kNowhere = ~std::uint64_t{0};

  [[nodiscard]] std::uint64_t address_of(unsigned w, const isa::Record& record, LaneMask mask);

  WarpTable& warps_;
  const Scoreboard& scoreboard_;
  Executor& executor_;
  const RowPool& rows_;
  std::vector<std::uint64_t> address_;  // per row: from which its value was loaded for all lanes
  isa::Access access_{};
};

}  // namespace castor::gpu
