// Arithmetic with one rounding per operation on the host and on the device: a device compiler may otherwise join a
// product and a sum to one fused operation, and the results would differ in the last bit.
#pragma once

#include <cuda_runtime.h>

#include <cmath>

namespace kernels {

/// a + b, rounded to nearest.
__host__ __device__ inline float exact_add(float a, float b) {
#ifdef __CUDA_ARCH__
  return __fadd_rn(a, b);
#else
  return a + b;
#endif
}

/// a - b, rounded to nearest.
__host__ __device__ inline float exact_sub(float a, float b) { return exact_add(a, -b); }

/// a b, rounded to nearest.
__host__ __device__ inline float exact_mul(float a, float b) {
#ifdef __CUDA_ARCH__
  return __fmul_rn(a, b);
#else
  return a * b;
#endif
}

/// a / b, rounded to nearest.
__host__ __device__ inline float exact_div(float a, float b) {
#ifdef __CUDA_ARCH__
  return __fdiv_rn(a, b);
#else
  return a / b;
#endif
}

/// Square root, rounded to nearest.
__host__ __device__ inline float exact_sqrt(float a) {
#ifdef __CUDA_ARCH__
  return __fsqrt_rn(a);
#else
  return std::sqrt(a);
#endif
}

}  // namespace kernels
