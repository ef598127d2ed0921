#pragma once

#include "castor/gpu/machine.h"
#include "castor/gpu/timing_device.h"

namespace castor::platforms {

/// Makes the blocks that a machine enables and plugs their hooks into the options of its device, which then owns them.
/// Errors: InputError as hookup::Blocks.
void plug_blocks(const gpu::Machine& machine, gpu::TimingDevice::Options& options);

}  // namespace castor::platforms
