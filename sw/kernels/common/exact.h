// Floating-point arithmetic with one rounding per operation on host and device. Without it a device compiler may fuse a
// product and a sum into one operation, and results would differ from the host's in the last bit.
#pragma once

#include <cuda_runtime.h>

#include <cmath>

namespace kernels {

/// Returns a + b, rounded to nearest.
__host__ __device__ inline float exact_add(float a, float b) {
#ifdef __CUDA_ARCH__
  return __fadd_rn(a, b);
#else
  return a + b;
#endif
}

/// Returns a - b, rounded to nearest.
__host__ __device__ inline float exact_sub(float a, float b) { return exact_add(a, -b); }

/// Returns a * b, rounded to nearest.
__host__ __device__ inline float exact_mul(float a, float b) {
#ifdef __CUDA_ARCH__
  return __fmul_rn(a, b);
#else
  return a * b;
#endif
}

/// Returns a / b, rounded to nearest.
__host__ __device__ inline float exact_div(float a, float b) {
#ifdef __CUDA_ARCH__
  return __fdiv_rn(a, b);
#else
  return a / b;
#endif
}

/// Returns the square root of a, rounded to nearest.
__host__ __device__ inline float exact_sqrt(float a) {
#ifdef __CUDA_ARCH__
  return __fsqrt_rn(a);
#else
  return std::sqrt(a);
#endif
}

}  // namespace kernels
