#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "castor/gpu/hooks/swap_engine.h"
#include "castor/gpu/swap_images.h"
#include "castor/isa/simt_stack.h"

namespace castor::gpu {

/// Location of a thread block's context after a swap engine has stored it, and the part of the control state that does
/// not fit into the SIMT lines (docs/gpu/swapping.md). The last owner returns the image to the allocator.
struct SwapRecord {
  SwapEntry entry;
  std::uint32_t token = 0;  ///< in the SIMT lines of the thread block; it must be the same when they are back
  std::vector<std::vector<isa::SimtStack::Entry>> deep;  ///< [warp] bottom entries of its SIMT stack
  std::shared_ptr<const SwapImages::Image> image;        ///< null before the engine has asked for one
  std::uint64_t address = 0;                             ///< of a job of an agent: address of the image; 0 = none
};

}  // namespace castor::gpu
