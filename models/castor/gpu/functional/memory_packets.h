#pragma once

#include "castor/gpu/device.h"
#include "castor/gpu/store.h"

namespace castor::gpu::functional {

/// Performs the whole copy or fill on the store at once.
void perform(const CopyPacket& packet, const Store& store);
void perform(const FillPacket& packet, const Store& store);

}  // namespace castor::gpu::functional
