#pragma once

#include <vector>

#include "castor/laperm_kmu/ports.h"
#include "tb/common/block_points.h"

namespace castor::laperm_kmu::tb {

/// Returns the cover points of the block: every state transition with its cause, each class of offer with each way in
/// which it ends, the priority between sources, and both rotations (docs/blocks/laperm_kmu.md, "Verification"). Points
/// that are impossible at these parameters are left out.
[[nodiscard]] std::vector<castor::tb::PointRow<castor::tb::Cycle<Block>>> points(const Params& params);

using CoverPoints = castor::tb::CyclePoints<Block, points>;

}  // namespace castor::laperm_kmu::tb
