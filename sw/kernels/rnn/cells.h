// Cells of recurrent networks: what a hidden unit computes from its weighted sums in one time step. Host and device
// compute the same bits.
#pragma once

#include "../common/exact.h"

namespace kernels {

/// Returns Lambert's fraction for the hyperbolic tangent, x (27 + x^2) / (27 + 9 x^2), which reaches 1 at x = 3.
__host__ __device__ inline float squashed(float x) {
  if (x >= 3) return 1;
  if (x <= -3) return -1;
  const float square = exact_mul(x, x);
  return exact_div(exact_mul(x, exact_add(27, square)), exact_add(27, exact_mul(9, square)));
}

/// The basic recurrent cell: h(t) = tanh(W x(t) + U h(t - 1) + b).
struct BasicCell {
  static constexpr int kGates = 1;  ///< weighted sums per unit

  /// Returns the output of a unit. `sum[g]`: weighted sum of gate g with its bias.
  static __host__ __device__ float output(const float* sum) { return squashed(sum[0]); }
};

}  // namespace kernels
