#pragma once

#include <vector>

#include "castor/dtbl/ports.h"
#include "tb/common/block_points.h"

namespace castor::dtbl::tb {

/// What a run must have reached: each way in which a search ends, a group is accepted, leaves and is linked, an item
/// begins and ends, memory is asked, and the meetings of a cycle (docs/blocks/dtbl.md, "Verification"). Points that a
/// parameter set cannot have are not in its list.
[[nodiscard]] std::vector<castor::tb::PointRow<castor::tb::Cycle<Block>>> points(const Params& params);

using CoverPoints = castor::tb::CyclePoints<Block, points>;

}  // namespace castor::dtbl::tb
