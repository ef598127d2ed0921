#pragma once

#include "cuda.h"
#include "cuda_runtime_api.h"
#include "runtime/session.h"

namespace castor::runtime {

/// Returns the driver API's code for a runtime error. Most errors have the same number in both APIs.
[[nodiscard]] CUresult driver_code(cudaError_t error);

/// Ends a driver function with the error of a runtime call, if that call failed.
inline void pass(cudaError_t error) {
  if (error != cudaSuccess) throw ApiError{error};
}

/// Runs the body of a driver API function, like `api`, with the driver's result type. Requires that cuInit or any
/// runtime call has opened the device. Leaves the runtime's last error unchanged.
template <class F>
CUresult driver(F body) {
  const cudaError_t before = last_error();
  const cudaError_t result = api([&](Session& session) {
    if (!session.is_open()) throw ApiError{cudaErrorInitializationError};
    body(session);
  });
  last_error() = before;
  return driver_code(result);
}

/// Runs a driver function by calling a runtime function. The session lock is not held around `call`: a waiting runtime
/// function can admit other threads only if it has taken the lock itself.
template <class F>
CUresult forward(F call) {
  const CUresult open = driver([](Session&) {});
  if (open != CUDA_SUCCESS) return open;
  const cudaError_t before = last_error();
  const cudaError_t result = call();
  last_error() = before;
  return driver_code(result);
}

/// Returns the kernel of a driver handle. ApiError: invalid resource handle, for kernels of unloaded modules and for
/// handles from before a device reset.
[[nodiscard]] LoadedKernel& kernel_of(const Session& session, CUfunction handle);

/// Throws ApiError (invalid value) if `pointer` is null.
template <class T>
void need_pointer(T* pointer) {
  if (pointer == nullptr) throw ApiError{cudaErrorInvalidValue};
}

/// Returns a device address as the pointer that the runtime API takes.
[[nodiscard]] inline void* pointer_of(CUdeviceptr address) { return reinterpret_cast<void*>(address); }

}  // namespace castor::runtime
