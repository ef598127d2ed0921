// Selections between a value and a zero, by every comparison and its negation, against the host's compiler: the zero
// that is selected keeps its sign. The compiler's back end knows minimum and maximum, which order the zeros.
#include <cmath>
#include <cstdint>
#include <limits>

#include "check.h"

constexpr int kForms = 24;

template <class T>
__host__ __device__ void selections(T x, T zero, T* out) {
  out[0] = x < zero ? x : zero;
  out[1] = x > zero ? x : zero;
  out[2] = x <= zero ? x : zero;
  out[3] = x >= zero ? x : zero;
  out[4] = x < zero ? zero : x;
  out[5] = x > zero ? zero : x;
  out[6] = x <= zero ? zero : x;
  out[7] = x >= zero ? zero : x;
  out[8] = !(x < zero) ? x : zero;
  out[9] = !(x > zero) ? x : zero;
  out[10] = !(x <= zero) ? x : zero;
  out[11] = !(x >= zero) ? x : zero;
  out[12] = !(x < zero) ? zero : x;
  out[13] = !(x > zero) ? zero : x;
  out[14] = !(x <= zero) ? zero : x;
  out[15] = !(x >= zero) ? zero : x;
  out[16] = zero < x ? x : zero;
  out[17] = zero > x ? x : zero;
  out[18] = zero < x ? zero : x;
  out[19] = zero > x ? zero : x;
  T by_if = x;
  if (by_if < zero) by_if = zero;
  out[20] = by_if;
  by_if = zero;
  if (x < zero) by_if = x;
  out[21] = by_if;
  // Beside another use of the same comparison, and of a value that was computed.
  const bool below = x < zero;
  out[22] = below ? x : zero;
  out[23] = (x * T(2) > zero ? zero : x * T(2)) + (below ? T(1) : T(0)) * x;
}

/// With zeros that the compiler sees.
template <class T>
__host__ __device__ void both_zeros(T x, T* out) {
  selections<T>(x, T(0.0), out);
  selections<T>(x, T(-0.0), out + kForms);
}

template <class T>
__global__ void select(const T* in, T* out) {
  both_zeros<T>(in[threadIdx.x], out + 2 * kForms * threadIdx.x);
}

/// By an argument, which the compiler knows to be defined.
template <class T>
__global__ void select_one(T x, T* out) {
  both_zeros<T>(x, out);
}

template <class T>
void check(const char* name) {
  using Limits = std::numeric_limits<T>;
  const T inputs[] = {T(0.0),         T(-0.0),         T(1),           T(-1),          Limits::denorm_min(), -Limits::denorm_min(),
                      Limits::max(), Limits::lowest(), Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN()};
  constexpr int kInputs = sizeof inputs / sizeof inputs[0];
  Shared<T> in(kInputs), out(2 * kForms * kInputs);
  for (int i = 0; i < kInputs; ++i) in[i] = inputs[i];
  select<T><<<1, kInputs>>>(in.get(), out.get());
  CUDA_OK(cudaDeviceSynchronize());
  T selected[2 * kForms * kInputs];
  std::memcpy(selected, out.get(), sizeof selected);
  for (int i = 0; i < kInputs; ++i) {
    T want[2 * kForms];
    volatile T x = inputs[i];
    both_zeros<T>(x, want);
    for (int k = 0; k < 2 * kForms; ++k) EXPECT_SAME(name, selected[2 * kForms * i + k], want[k]);
    select_one<T><<<1, 1>>>(inputs[i], out.get());
    CUDA_OK(cudaDeviceSynchronize());
    for (int k = 0; k < 2 * kForms; ++k) EXPECT_SAME(name, out[k], want[k]);
  }
}

int main() {
  check<float>("float");
  check<double>("double");
  return verdict();
}
