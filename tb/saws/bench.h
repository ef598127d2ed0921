#pragma once

#include "castor/saws/ports.h"
#include "tb/common/bench.h"
#include "tb/saws/cover_points.h"
#include "tb/saws/sequences.h"
#include "tb/saws/top_bits.h"

namespace castor::saws {

/// Test bench of the warp scheduler SAWS: its stimulus sequences, and its own cover points in addition to the port
/// cover points (docs/blocks/saws.md, "Verification"). A default run must reach 95 % of the points.
using Bench = castor::tb::ProtocolBench<Block, tb::CoverPoints, tb::sequences, 95, tb::top_bits>;

}  // namespace castor::saws
