#pragma once

#include <cstdint>

#include "castor/gpu/hooks/fetch_filter.h"
#include "castor/gpu/sm/warp_table.h"

namespace castor::gpu {

/// Returns the operand values of the instruction at record `pc` of warp `w`, before it issues, for fetch filters with
/// FilterTerms::values (docs/gpu/fetch-filter.md, "FetchFilter"). A 64-bit source is reported as two values, its low
/// half and its high half. `IssueValues::written` is 0.
[[nodiscard]] IssueValues issue_values(WarpTable& warps, unsigned w, std::uint32_t pc);

}  // namespace castor::gpu
