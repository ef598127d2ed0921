#pragma once

#include "castor/lax/ports.h"
#include "tb/common/bench.h"
#include "tb/lax/cover_points.h"
#include "tb/lax/sequences.h"
#include "tb/lax/top_bits.h"

namespace castor::lax {

/// The laxity engine's bench for the twin contract: its own sequences, and its own cover points beside those of the
/// ports (docs/blocks/lax.md, "Verification").
using Bench = castor::tb::ProtocolBench<Block, tb::CoverPoints, tb::sequences, 95, tb::top_bits>;

}  // namespace castor::lax
