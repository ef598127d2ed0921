#pragma once

#include "castor/dtbl/ports.h"
#include "tb/common/bench.h"
#include "tb/dtbl/cover_points.h"
#include "tb/dtbl/sequences.h"
#include "tb/dtbl/top_bits.h"

namespace castor::dtbl {

/// The bench of the dynamic thread block launch for the twin contract: its own sequences, and its own cover points
/// beside those of the ports (docs/blocks/dtbl.md, "Verification").
using Bench = castor::tb::ProtocolBench<Block, tb::CoverPoints, tb::sequences, 95, tb::top_bits>;

}  // namespace castor::dtbl
