#pragma once

#include "castor/laperm/ports.h"
#include "tb/common/bench.h"
#include "tb/laperm/cover_points.h"
#include "tb/laperm/sequences.h"
#include "tb/laperm/top_bits.h"

namespace castor::laperm {

/// The bench of the scheduler LaPerm for the twin contract: its own sequences, and its own cover points beside those of
/// the ports (docs/blocks/laperm.md, "Verification").
using Bench = castor::tb::ProtocolBench<Block, tb::CoverPoints, tb::sequences, 95, tb::top_bits>;

}  // namespace castor::laperm
