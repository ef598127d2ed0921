#pragma once

#include "castor/gpu/launch_record.h"
#include "castor/isa/types.h"
#include "castor/isa/warp_context.h"

namespace castor::gpu {

/// Returns the mask of lanes of warp `warp` that hold a thread, in a thread block of `threads` threads.
[[nodiscard]] isa::LaneMask started_lanes(unsigned threads, unsigned lanes, unsigned warp);

/// Sets the identity of warp `warp` of thread block `index`: thread indices of its lanes (x fastest), grid and block
/// sizes, parameters. The caller sets where the warp runs (SM, slots, clock).
void identify(const Launch& launch, const ItemData& item, const Dim3& index, unsigned lanes, unsigned warp,
              isa::WarpContext& context);

}  // namespace castor::gpu
