#pragma once

#include "castor/dtbl/ports.h"
#include "tb/common/bench.h"
#include "tb/dtbl/cover_points.h"
#include "tb/dtbl/sequences.h"
#include "tb/dtbl/top_bits.h"

namespace castor::dtbl {

/// Test bench of the dynamic thread block launch: its stimulus sequences, and its own cover points in addition to the
/// port cover points (docs/blocks/dtbl.md, "Verification"). A default run must reach 95 % of the points.
using Bench = castor::tb::ProtocolBench<Block, tb::CoverPoints, tb::sequences, 95, tb::top_bits>;

}  // namespace castor::dtbl
