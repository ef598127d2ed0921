#pragma once

#include <vector>

#include "castor/dtbl/ports.h"
#include "tb/common/block_points.h"

namespace castor::dtbl::tb {

/// Returns the cover points of the block: each way in which a search ends, a group is accepted, leaves and is linked,
/// an item begins and ends, and memory is accessed; also simultaneous events (docs/blocks/dtbl.md, "Verification").
/// Points that are impossible at these parameters are left out.
[[nodiscard]] std::vector<castor::tb::PointRow<castor::tb::Cycle<Block>>> points(const Params& params);

using CoverPoints = castor::tb::CyclePoints<Block, points>;

}  // namespace castor::dtbl::tb
