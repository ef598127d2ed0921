#pragma once

#include "castor/gpu/timing_device.h"
#include "platforms/machines.h"

namespace castor::platforms {

/// Creates the blocks of a machine and registers their hooks in the options of its device, which then owns the blocks.
/// Throws InputError like hookup::Blocks.
void plug_blocks(const LoadedMachine& loaded, gpu::TimingDevice::Options& options);

}  // namespace castor::platforms
