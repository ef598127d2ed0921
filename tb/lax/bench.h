#pragma once

#include "castor/lax/ports.h"
#include "tb/common/bench.h"
#include "tb/lax/cover_points.h"
#include "tb/lax/sequences.h"
#include "tb/lax/top_bits.h"

namespace castor::lax {

/// Test bench of the laxity engine: its stimulus sequences, and its own cover points in addition to the port cover
/// points (docs/blocks/lax.md, "Verification"). A default run must reach 95 % of the points.
using Bench = castor::tb::ProtocolBench<Block, tb::CoverPoints, tb::sequences, 95, tb::top_bits>;

}  // namespace castor::lax
