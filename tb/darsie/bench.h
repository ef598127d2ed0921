#pragma once

#include "castor/darsie/ports.h"
#include "tb/common/bench.h"
#include "tb/darsie/cover_points.h"
#include "tb/darsie/sequences.h"
#include "tb/darsie/top_bits.h"

namespace castor::darsie {

/// The bench of the skip table and renamer DARSIE for the twin contract: its own sequences, and its own cover points
/// beside those of the ports (docs/blocks/darsie.md, "Verification").
using Bench = castor::tb::ProtocolBench<Block, tb::CoverPoints, tb::sequences, 95, tb::top_bits>;

}  // namespace castor::darsie
