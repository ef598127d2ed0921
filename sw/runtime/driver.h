#pragma once

#include "cuda.h"
#include "cuda_runtime_api.h"
#include "runtime/session.h"

namespace castor::runtime {

/// Result of the driver API for a runtime error. The two number errors alike but for those that only one has.
[[nodiscard]] CUresult driver_code(cudaError_t error);

/// Inside a driver function: ends it with the error of a runtime call.
inline void pass(cudaError_t error) {
  if (error != cudaSuccess) throw ApiError{error};
}

/// Body of a driver API function; like `api`, with the driver's type of result. Needs a device that cuInit or any
/// runtime call has opened, and leaves the runtime's last error alone.
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

/// A driver function that is a function of the runtime. The lock is not held around it: it can let others in only if
/// it has taken the lock itself.
template <class F>
CUresult forward(F call) {
  const CUresult open = driver([](Session&) {});
  if (open != CUDA_SUCCESS) return open;
  const cudaError_t before = last_error();
  const cudaError_t result = call();
  last_error() = before;
  return driver_code(result);
}

/// ApiError: invalid resource handle, for kernels of unloaded modules and those from before a reset.
[[nodiscard]] LoadedKernel& kernel_of(const Session& session, CUfunction handle);

template <class T>
void need_pointer(T* pointer) {
  if (pointer == nullptr) throw ApiError{cudaErrorInvalidValue};
}

/// A device address as the pointer that the runtime API takes.
[[nodiscard]] inline void* pointer_of(CUdeviceptr address) { return reinterpret_cast<void*>(address); }

}  // namespace castor::runtime
