#pragma once

#include "castor/tb_swap/ports.h"
#include "tb/common/bench.h"
#include "tb/tb_swap/cover_points.h"
#include "tb/tb_swap/sequences.h"
#include "tb/tb_swap/top_bits.h"

namespace castor::tb_swap {

/// Test bench of the swap engine: its stimulus sequences, and its own cover points in addition to the port cover points
/// (docs/blocks/tb_swap.md, "Verification"). A default run must reach 95 % of the points.
using Bench = castor::tb::ProtocolBench<Block, tb::CoverPoints, tb::sequences, 95, tb::top_bits>;

}  // namespace castor::tb_swap
