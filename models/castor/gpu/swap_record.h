#pragma once

#include <cstdint>
#include <vector>

#include "castor/gpu/hooks/swap_engine.h"
#include "castor/isa/simt_stack.h"

namespace castor::gpu {

/// Location of a thread block's context after a swap engine has stored it, and the part of the control state that does
/// not fit into the SIMT lines (docs/gpu/swapping.md).
struct SwapRecord {
  SwapEntry entry;
  std::uint32_t token = 0;  ///< in the SIMT lines of the thread block; it must be the same when they are back
  std::vector<std::vector<isa::SimtStack::Entry>> deep;  ///< [warp] bottom entries of its SIMT stack
  std::uint64_t address = 0;                             ///< device address of its image; 0 = none
};

}  // namespace castor::gpu
