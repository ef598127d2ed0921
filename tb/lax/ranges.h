#pragma once

#include <memory>

#include "tb/lax/sequences.h"

namespace castor::lax::tb {

/// Makes the sequence `ranges`: episodes whose deadlines, ages, sums, tokens, register values, counts and periods are
/// at the ends of their ranges. It is no part of the medley, because it needs its episodes in this order: short ones,
/// then those that take a count to its upper bits.
[[nodiscard]] std::unique_ptr<Sequence> made_ranges(const Params& params, std::uint64_t seed);

}  // namespace castor::lax::tb
