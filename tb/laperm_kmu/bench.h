#pragma once

#include "castor/laperm_kmu/ports.h"
#include "tb/common/bench.h"
#include "tb/laperm_kmu/cover_points.h"
#include "tb/laperm_kmu/sequences.h"
#include "tb/laperm_kmu/top_bits.h"

namespace castor::laperm_kmu {

/// Test bench of the launcher's choice of the next kernel: its stimulus sequences, and its own cover points in addition
/// to the port cover points (docs/blocks/laperm_kmu.md, "Verification"). A default run must reach 95 % of the points.
using Bench = castor::tb::ProtocolBench<Block, tb::CoverPoints, tb::sequences, 95, tb::top_bits>;

}  // namespace castor::laperm_kmu
