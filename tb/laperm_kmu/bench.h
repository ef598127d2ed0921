#pragma once

#include "castor/laperm_kmu/ports.h"
#include "tb/common/bench.h"
#include "tb/laperm_kmu/cover_points.h"
#include "tb/laperm_kmu/sequences.h"
#include "tb/laperm_kmu/top_bits.h"

namespace castor::laperm_kmu {

/// The bench of the choice of the next kernel for the twin contract: its own sequences, and its own cover points beside
/// those of the ports (docs/blocks/laperm_kmu.md, "Verification").
using Bench = castor::tb::ProtocolBench<Block, tb::CoverPoints, tb::sequences, 95, tb::top_bits>;

}  // namespace castor::laperm_kmu
