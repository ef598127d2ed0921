#pragma once

#include "castor/gpu/machine.h"
#include "castor_cuda/version.h"
#include "driver_types.h"

namespace castor::runtime {

/// What a machine reports to programs; from its machine file.
[[nodiscard]] cudaDeviceProp properties_of(const gpu::Machine& machine);

/// Value of one attribute; ApiError: invalid value.
[[nodiscard]] int attribute_of(const gpu::Machine& machine, cudaDeviceAttr attribute);

/// CUDA version that the API follows, as cudaRuntimeGetVersion reports it.
inline constexpr int kCudaVersion = CASTOR_CUDA_VERSION;

}  // namespace castor::runtime
