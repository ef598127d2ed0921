#pragma once

#include "castor/gpu/timing_device.h"
#include "platforms/machines.h"

namespace castor::platforms {

/// Makes the blocks of a machine and plugs their hooks into the options of its device, which then owns them. Errors:
/// InputError as hookup::Blocks.
void plug_blocks(const LoadedMachine& loaded, gpu::TimingDevice::Options& options);

}  // namespace castor::platforms
