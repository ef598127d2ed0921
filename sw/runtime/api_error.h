#pragma once

#include "driver_types.h"

namespace castor::runtime {

/// Thrown inside API functions to end them with a CUDA error code.
struct ApiError {
  cudaError_t code;
};

/// Throws ApiError (invalid value) if `pointer` is null.
template <class T>
void need(T* pointer) {
  if (pointer == nullptr) throw ApiError{cudaErrorInvalidValue};
}

/// Throws ApiError (invalid device) for every device number but 0: a process has one device.
inline void only_device(int device) {
  if (device != 0) throw ApiError{cudaErrorInvalidDevice};
}

}  // namespace castor::runtime
