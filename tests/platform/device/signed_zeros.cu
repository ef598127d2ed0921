// Selections between a value and a zero, by every comparison and its negation, against the host's compiler: the zero
// that is selected keeps its sign. The compiler's back end knows minimum and maximum, which order the zeros. Selections
// whose zero has another sign than that of the comparison, or whose value is converted, against their bits: there the
// host's compiler is wrong, too.
#include <cstdint>
#include <limits>
#include <type_traits>
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

/// A selection between a value and a zero: bits 0 and 1 say by which comparison, the others what is exchanged.
enum { kNegated = 4, kZeroFirst = 8, kComparesMinus = 16, kGivesMinus = 32, kBranches = 64, kAllKinds = 128 };

template <int kKind, class To, class T>
__device__ To chosen(T x) {
  const T by = kKind & kComparesMinus ? T(-0.0) : T(0.0);
  const To zero = kKind & kGivesMinus ? To(-0.0) : To(0.0);
  bool holds = (kKind & 3) == 0 ? x < by : (kKind & 3) == 1 ? x > by : (kKind & 3) == 2 ? x <= by : x >= by;
  if (kKind & kNegated) holds = !holds;
  if (kKind & kBranches) {
    To value = kKind & kZeroFirst ? To(x) : zero;
    if (holds) value = kKind & kZeroFirst ? zero : To(x);
    return value;
  }
  if (kKind & kZeroFirst) return holds ? zero : To(x);
  return holds ? To(x) : zero;
}
template <int kKind, class To, class T>
__device__ __noinline__ To chosen_alone(T x) { return chosen<kKind, To>(x); }

template <class To, class T, int... kKind>
__device__ void choose_all(T x, To* out, std::integer_sequence<int, kKind...>) {
  ((out[kKind] = chosen<kKind, To>(x)), ...);
  ((out[kAllKinds + kKind] = chosen_alone<kKind, To>(x)), ...);
}
template <class To, class T>
__global__ void choose(const T* in, To* out) {
  choose_all(in[threadIdx.x], out + 2 * kAllKinds * threadIdx.x, std::make_integer_sequence<int, kAllKinds>());
}

/// The same selection by IEEE 754: zeros are equal, what is no number compares with nothing.
template <class To, class T>
To wanted(int kind, T x) {
  std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t> bits;
  std::memcpy(&bits, &x, sizeof bits);
  const bool zero = decltype(bits)(std::make_unsigned_t<decltype(bits)>(bits) << 1) == 0;
  const bool below = bits < 0 && !zero, above = bits > 0 && !zero;
  bool holds = (kind & 1 ? above : below) || (kind & 2 && zero);
  if (std::isnan(x)) holds = false;
  if (kind & kNegated) holds = !holds;
  const bool gives_zero = kind & kZeroFirst ? holds : !holds;
  if (!gives_zero) return To(x);
  return std::copysign(To(0), To(kind & kGivesMinus ? -1 : 1));
}

template <class To, class T>
void check_bits(const char* name) {
  using Limits = std::numeric_limits<T>;
  const T inputs[] = {T(0.0), T(-0.0), T(1), T(-1), Limits::denorm_min(), -Limits::denorm_min(), Limits::infinity(),
                      -Limits::infinity(), Limits::quiet_NaN()};
  constexpr int kInputs = sizeof inputs / sizeof inputs[0];
  Shared<T> in(kInputs);
  Shared<To> out(2 * kAllKinds * kInputs);
  for (int i = 0; i < kInputs; ++i) in[i] = inputs[i];
  choose<To><<<1, kInputs>>>(in.get(), out.get());
  CUDA_OK(cudaDeviceSynchronize());
  for (int k = 0; k < 2 * kAllKinds * kInputs; ++k) {
    EXPECT_SAME(name, out[k], wanted<To>(k % kAllKinds, inputs[k / (2 * kAllKinds)]));
  }
}

int main() {
  check_bits<float, float>("float, bits");
  check_bits<double, double>("double, bits");
  check_bits<double, float>("float to double");
  check_bits<float, double>("double to float");
  check<float>("float");
  check<double>("double");
  return verdict();
}
