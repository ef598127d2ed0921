#pragma once

#include "castor/gpu/functional/launcher.h"
#include "castor/gpu/functional/thread_block.h"
#include "castor/isa/memory_access.h"
#include "castor/isa/record.h"

namespace castor::gpu::functional {

/// Executes a record of kind kRuntimeCall for the lanes of `mask`, in ascending order, and writes its results. A warp
/// that has to wait for launches of its block is in state kAwaitsChildren afterwards.
void runtime_call(const isa::Record& record, const isa::RegisterView& view, isa::LaneMask mask, ThreadBlock& block,
                  Warp& warp, Launcher& launcher);

}  // namespace castor::gpu::functional
