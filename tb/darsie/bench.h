#pragma once

#include "castor/darsie/ports.h"
#include "tb/common/bench.h"
#include "tb/darsie/cover_points.h"
#include "tb/darsie/sequences.h"
#include "tb/darsie/top_bits.h"

namespace castor::darsie {

/// Test bench of the skip table and renamer DARSIE: its stimulus sequences, and its own cover points in addition to the
/// port cover points (docs/blocks/darsie.md, "Verification"). A default run must reach 95 % of the points.
using Bench = castor::tb::ProtocolBench<Block, tb::CoverPoints, tb::sequences, 95, tb::top_bits>;

}  // namespace castor::darsie
