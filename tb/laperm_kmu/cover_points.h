#pragma once

#include <vector>

#include "castor/laperm_kmu/ports.h"
#include "tb/common/block_points.h"

namespace castor::laperm_kmu::tb {

/// What a run must have reached: every step of the block with what led to it, each kind of offer with each end of it,
/// what goes before what, and both rotations (docs/blocks/laperm_kmu.md, "Verification"). Points that a parameter set
/// cannot have are not in its list.
[[nodiscard]] std::vector<castor::tb::PointRow<castor::tb::Cycle<Block>>> points(const Params& params);

using CoverPoints = castor::tb::CyclePoints<Block, points>;

}  // namespace castor::laperm_kmu::tb
