#pragma once

#include "driver_types.h"

namespace castor::runtime {

/// Thrown inside API functions to end them with a CUDA error code.
struct ApiError {
  cudaError_t code;
};

/// Refuses a null pointer where the interface needs one. Errors: ApiError.
template <class T>
void need(T* pointer) {
  if (pointer == nullptr) throw ApiError{cudaErrorInvalidValue};
}

/// Refuses every device but the one that there is. Errors: ApiError.
inline void only_device(int device) {
  if (device != 0) throw ApiError{cudaErrorInvalidDevice};
}

}  // namespace castor::runtime
