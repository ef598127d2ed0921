#pragma once

#include "castor/gpu/device.h"
#include "castor/gpu/store.h"

namespace castor::gpu::functional {

/// Copies or fills at once.
void perform(const CopyPacket& packet, const Store& store);
void perform(const FillPacket& packet, const Store& store);

}  // namespace castor::gpu::functional
