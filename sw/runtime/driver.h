#pragma once

#include "cuda.h"
#include "cuda_runtime_api.h"
#include "runtime/session.h"

namespace castor::runtime {

/// The driver API numbers errors as the runtime API does.
[[nodiscard]] inline CUresult driver_code(cudaError_t error) { return static_cast<CUresult>(error); }

/// Body of a driver API function; like `api`, with the driver's type of result.
template <class F>
CUresult driver(F body) {
  return driver_code(api(body));
}

template <class T>
void need_pointer(T* pointer) {
  if (pointer == nullptr) throw ApiError{cudaErrorInvalidValue};
}

/// A device address as the pointer that the runtime API takes.
[[nodiscard]] inline void* pointer_of(CUdeviceptr address) { return reinterpret_cast<void*>(address); }

}  // namespace castor::runtime
