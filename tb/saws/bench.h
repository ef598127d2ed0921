#pragma once

#include "castor/saws/ports.h"
#include "tb/common/bench.h"
#include "tb/saws/cover_points.h"
#include "tb/saws/sequences.h"
#include "tb/saws/top_bits.h"

namespace castor::saws {

/// The bench of the warp scheduler SAWS for the twin contract: its own sequences, and its own cover points beside those
/// of the ports (docs/blocks/saws.md, "Verification").
using Bench = castor::tb::ProtocolBench<Block, tb::CoverPoints, tb::sequences, 95, tb::top_bits>;

}  // namespace castor::saws
