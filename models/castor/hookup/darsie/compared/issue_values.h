#pragma once

#include <cstdint>

#include "castor/gpu/hooks/fetch_filter.h"
#include "castor/gpu/hooks/study.h"

namespace castor::hookup {

/// Facts about an instruction that issues, with the values of its sources.
struct IssueValues {
  std::uint64_t pc = 0;   ///< device address of the instruction
  std::uint8_t mark = 0;  ///< compiler mark as in gpu::DecodeSlot::mark, whether or not the result can be renamed
  bool full = false;      ///< all lanes of the warp execute the instruction
  /// arithmetic instruction without guard that uses no predicates and no clocks
  bool arithmetic = false;
  std::uint8_t results = 0;  ///< number of registers written
  /// number of 32-bit sources, a 64-bit source counts as two: its low and its high half. The first gpu::kMaxOperands
  /// have values below.
  std::uint8_t sources = 0;
  std::uint8_t uniform = 0;                     ///< bit per source: all lanes hold the same value
  std::uint32_t value[gpu::kMaxOperands] = {};  ///< value of each source in lane 0
  gpu::Cycle written = 0;                       ///< cycle of the write-back, bank conflicts ignored
};

/// Returns the facts about an instruction that is about to execute, with `written` 0.
[[nodiscard]] IssueValues issue_values(gpu::StudiedSm& sm, const gpu::StudyIssue& issue);

}  // namespace castor::hookup
