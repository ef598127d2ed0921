#pragma once

#include <vector>

#include "castor/laperm/ports.h"
#include "tb/common/block_points.h"

namespace castor::laperm::tb {

/// Returns the cover points of the block: each stage under each policy, each reason why a candidate is not placed, each
/// way of an item onto the chip, into memory and back, and simultaneous events (docs/blocks/laperm.md, "Verification").
/// Points that are impossible at these parameters are left out.
[[nodiscard]] std::vector<castor::tb::PointRow<castor::tb::Cycle<Block>>> points(const Params& params);

using CoverPoints = castor::tb::CyclePoints<Block, points>;

}  // namespace castor::laperm::tb
