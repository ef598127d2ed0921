#pragma once

#include "castor/laperm/ports.h"
#include "tb/common/bench.h"
#include "tb/laperm/cover_points.h"
#include "tb/laperm/sequences.h"
#include "tb/laperm/top_bits.h"

namespace castor::laperm {

/// Test bench of the scheduler LaPerm: its stimulus sequences, and its own cover points in addition to the port cover
/// points (docs/blocks/laperm.md, "Verification"). A default run must reach 95 % of the points.
using Bench = castor::tb::ProtocolBench<Block, tb::CoverPoints, tb::sequences, 95, tb::top_bits>;

}  // namespace castor::laperm
