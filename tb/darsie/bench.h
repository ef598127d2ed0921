#pragma once

#include "castor/darsie/ports.h"
#include "tb/common/bench.h"
#include "tb/darsie/sequences.h"

namespace castor::darsie {

inline std::vector<castor::tb::PointRow<castor::tb::Cycle<Block>>> no_rows(const Params&) { return {}; }
using Bench = castor::tb::ProtocolBench<Block, castor::tb::CyclePoints<Block, no_rows>, tb::sequences, 0>;

}  // namespace castor::darsie
