#pragma once

#include "castor/gpu/launch_record.h"
#include "castor/isa/types.h"
#include "castor/isa/warp_context.h"

namespace castor::gpu {

/// Lanes of warp `warp` of a thread block with `threads` threads that hold a thread.
[[nodiscard]] isa::LaneMask started_lanes(unsigned threads, unsigned lanes, unsigned warp);

/// Identity of warp `warp` of thread block `index` of an item of a launch: thread indices of its lanes (x fastest),
/// sizes, parameters. Where it runs (SM, slots, clock) is left for the caller.
void identify(const Launch& launch, const ItemData& item, const Dim3& index, unsigned lanes, unsigned warp,
              isa::WarpContext& context);

}  // namespace castor::gpu
