#pragma once

#include <vector>

#include "castor/laperm/ports.h"
#include "tb/common/block_points.h"

namespace castor::laperm::tb {

/// What a run must have reached: each stage under each policy, what keeps a candidate from being placed, each way of an
/// item onto the chip, into memory and back, and the meetings of a cycle (docs/blocks/laperm.md, "Verification").
/// Points that a parameter set cannot have are not in its list.
[[nodiscard]] std::vector<castor::tb::PointRow<castor::tb::Cycle<Block>>> points(const Params& params);

using CoverPoints = castor::tb::CyclePoints<Block, points>;

}  // namespace castor::laperm::tb
