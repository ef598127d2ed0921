#pragma once

#include <cstdint>

#include "castor/gpu/hooks/fetch_filter.h"
#include "castor/gpu/sm/warp_table.h"

namespace castor::gpu {

/// What a fetch filter that asks for values is told of the instruction of warp `w` at record `pc`, before it issues
/// (docs/gpu/fetch-filter.md, "FetchFilter"). A 64-bit source counts as two: its low and its high half.
/// `IssueValues::written` is left 0.
[[nodiscard]] IssueValues issue_values(WarpTable& warps, unsigned w, std::uint32_t pc);

}  // namespace castor::gpu
