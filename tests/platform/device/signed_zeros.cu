// Selections between a value and a zero, by every comparison and its negation, against the host's compiler: the zero
// that is selected keeps its sign. The compiler's back end knows minimum and maximum, which order the zeros.
#include <cstdint>
#include <limits>
#include <utility>

#include "check.h"

constexpr int kForms = 22;

template <int kForm, class T>
__host__ __device__ T selection(T x, T zero) {
  if constexpr (kForm == 0) return x < zero ? x : zero;
  if constexpr (kForm == 1) return x > zero ? x : zero;
  if constexpr (kForm == 2) return x <= zero ? x : zero;
  if constexpr (kForm == 3) return x >= zero ? x : zero;
  if constexpr (kForm == 4) return x < zero ? zero : x;
  if constexpr (kForm == 5) return x > zero ? zero : x;
  if constexpr (kForm == 6) return x <= zero ? zero : x;
  if constexpr (kForm == 7) return x >= zero ? zero : x;
  if constexpr (kForm == 8) return !(x < zero) ? x : zero;
  if constexpr (kForm == 9) return !(x > zero) ? x : zero;
  if constexpr (kForm == 10) return !(x <= zero) ? x : zero;
  if constexpr (kForm == 11) return !(x >= zero) ? x : zero;
  if constexpr (kForm == 12) return !(x < zero) ? zero : x;
  if constexpr (kForm == 13) return !(x > zero) ? zero : x;
  if constexpr (kForm == 14) return !(x <= zero) ? zero : x;
  if constexpr (kForm == 15) return !(x >= zero) ? zero : x;
  if constexpr (kForm == 16) return zero < x ? x : zero;
  if constexpr (kForm == 17) return zero > x ? x : zero;
  if constexpr (kForm == 18) return zero < x ? zero : x;
  if constexpr (kForm == 19) return zero > x ? zero : x;
  if constexpr (kForm == 20) {
    if (x < zero) x = zero;
    return x;
  }
  if constexpr (kForm == 21) {
    if (x < zero) zero = x;
    return zero;
  }
}

/// All of one function, so that comparisons are shared. With a zero of the other sign clang's optimiser shares more
/// than it may, on the host as on the device.
template <class T, int... kForm>
__host__ __device__ void together(T x, T* out, std::integer_sequence<int, kForm...>) {
  ((out[kForm] = selection<kForm, T>(x, T(0.0))), ...);
}

template <class T, int kForm>
__host__ __device__ __noinline__ T alone(T x) {
  return selection<kForm, T>(x, T(-0.0));
}
template <class T, int... kForm>
__host__ __device__ void one_by_one(T x, T* out, std::integer_sequence<int, kForm...>) {
  ((out[kForm] = alone<T, kForm>(x)), ...);
}

template <class T>
__host__ __device__ void both_zeros(T x, T* out) {
  together<T>(x, out, std::make_integer_sequence<int, kForms>());
  one_by_one<T>(x, out + kForms, std::make_integer_sequence<int, kForms>());
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
  const T inputs[] = {T(0.0),        T(-0.0),           T(1),
                      T(-1),         Limits::max(),     Limits::denorm_min(),
                      Limits::lowest(), Limits::infinity(), -Limits::denorm_min(),
                      -Limits::infinity(), Limits::quiet_NaN()};
  constexpr int kInputs = sizeof inputs / sizeof inputs[0];
  Shared<T> in(kInputs), out(2 * kForms * kInputs), one(2 * kForms);
  for (int i = 0; i < kInputs; ++i) in[i] = inputs[i];
  select<T><<<1, kInputs>>>(in.get(), out.get());
  CUDA_OK(cudaDeviceSynchronize());
  for (int i = 0; i < kInputs; ++i) {
    select_one<T><<<1, 1>>>(inputs[i], one.get());
    CUDA_OK(cudaDeviceSynchronize());
    T want[2 * kForms];
    volatile T x = inputs[i];
    both_zeros<T>(x, want);
    for (int k = 0; k < 2 * kForms; ++k) {
      EXPECT_SAME(name, out[2 * kForms * i + k], want[k]);
      EXPECT_SAME(name, one[k], want[k]);
    }
  }
}

int main() {
  check<float>("float");
  check<double>("double");
  return verdict();
}
