#pragma once

#include <array>

#include "castor/darsie/counters.h"
#include "castor/darsie/params.h"
#include "castor/darsie/ports.h"
#include "castor/darsie/state.h"

namespace castor::darsie {

/// Live warps of each TB slot.
using TbWarps = std::array<WarpMask, kMaxTbs>;

/// Inputs and registers that the combinational part of a cycle reads.
struct View {
  const Params& params;
  const Inputs& in;
  const State& state;
  const TbWarps& warps;
};

/// Register values at the start of the cycle that later steps of the edge still need.
struct Before {
  WarpMask live, maj, stop, tk, cpy;
  TbMask sync, en;
};

/// Inputs, registers and counters that the steps of one clock edge share.
struct Edge {
  const Params& params;
  const Inputs& in;
  const TbWarps& warps;
  const Before& before;
  State& state;
  Counters& counters;
};

}  // namespace castor::darsie
