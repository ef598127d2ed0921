#pragma once

#include "castor/gpu/machine.h"
#include "castor_cuda/version.h"
#include "driver_types.h"

namespace castor::runtime {

/// Returns the device properties that programs see, taken from the machine file.
[[nodiscard]] cudaDeviceProp properties_of(const gpu::Machine& machine);

/// Returns the value of one device attribute. ApiError: invalid value, for an unknown attribute.
[[nodiscard]] int attribute_of(const gpu::Machine& machine, cudaDeviceAttr attribute);

/// CUDA version that cudaRuntimeGetVersion reports.
inline constexpr int kCudaVersion = CASTOR_CUDA_VERSION;

}  // namespace castor::runtime
