#pragma once

#include "castor/gpu/job.h"

namespace castor::gpu {

/// Returns the number of the CUDA error that an access to a register gives, for host and device code.
[[nodiscard]] inline unsigned cuda_error(RegisterError error) {
  switch (error) {
    case RegisterError::kNone:
      return 0;  // cudaSuccess
    case RegisterError::kAddress:
      return 1;  // cudaErrorInvalidValue
    case RegisterError::kRefused:
      return 800;  // cudaErrorNotPermitted
    case RegisterError::kNoBlock:
      break;
  }
  return 801;  // cudaErrorNotSupported
}

}  // namespace castor::gpu
