// Shifts by constants with masks of every length, and rotations by any amount, against the host's compiler. clang's NVPTX
// back end knows instructions of its own for both.
#include <cstdint>
#include <utility>

#include "check.h"

constexpr int kLengths[] = {1, 2, 3, 7, 8, 13, 16, 24, 31, 32, 33, 48, 63};
constexpr int kLengthCount = sizeof(kLengths) / sizeof(kLengths[0]);

template <class T>
__host__ __device__ constexpr T low_bits(int count) {
  return count >= static_cast<int>(8 * sizeof(T)) ? T(~T(0)) : T((T(1) << count) - 1);
}

/// (x >> kShift) & the low bits of each length; with an arithmetic shift the bits from beyond are copies of the sign.
template <class S, class U, int kShift, int... kLength>
__host__ __device__ void masked(S x, U* out, std::integer_sequence<int, kLength...>) {
  ((out[kLength] = static_cast<U>(x >> kShift) & low_bits<U>(kLengths[kLength])), ...);
}
template <class S, class U, int... kShift>
__host__ __device__ void all_masked(S x, U* out, std::integer_sequence<int, kShift...>) {
  (masked<S, U, kShift>(x, out + kShift * kLengthCount, std::make_integer_sequence<int, kLengthCount>()), ...);
}

/// A field of bits behind a mask that is shifted: and first, shift then.
template <class S, class U, int... kShift>
__host__ __device__ void all_shifted(S x, U* out, std::integer_sequence<int, kShift...>) {
  ((out[kShift] = static_cast<U>(S(x & S(low_bits<U>(13) << kShift)) >> kShift)), ...);
}
template <class S, class U, int... kShift>
__host__ __device__ void all_extended(S x, U* out, std::integer_sequence<int, kShift...>) {
  ((out[kShift] = static_cast<U>(S(U(x) << kShift) >> (kShift / 2))), ...);
}

/// One of two constants by the sign, which the compiler makes of a shift and a mask.
template <class S, class U, int... kLength>
__host__ __device__ void by_sign(S x, U* out, std::integer_sequence<int, kLength...>) {
  ((out[2 * kLength] = (static_cast<U>(x) << 1) ^ (x < 0 ? low_bits<U>(kLengths[kLength]) : U(0))), ...);
  ((out[2 * kLength + 1] = x >= 0 ? low_bits<U>(kLengths[kLength]) : U(0)), ...);
}

/// A number of half the width, extended and shifted by every amount.
template <class Half, class S, class U, int... kShift>
__host__ __device__ void all_widened(Half x, U* out, std::integer_sequence<int, kShift...>) {
  ((out[kShift] = static_cast<U>(static_cast<S>(x)) << kShift), ...);
}

template <class U>
__host__ __device__ void rotations(U x, U y, unsigned n, U* out) {
  constexpr unsigned kBits = 8 * sizeof(U);
  const unsigned m = n & (kBits - 1);
  out[0] = U(x << m) | U(x >> (-n & (kBits - 1)));
  out[1] = U(x >> m) | U(x << (-n & (kBits - 1)));
  out[2] = U(x << m) | U(x >> ((kBits - m) & (kBits - 1)));
  out[3] = n % kBits == 0 ? x : U(x << (n % kBits)) | U(x >> (kBits - n % kBits));
  out[4] = U(x << m) | U(U(y >> 1) >> (kBits - 1 - m));
  out[5] = U(U(x << 1) << (kBits - 1 - m)) | U(y >> m);
  out[6] = U(x << (n & (kBits - 1))) + U(x >> (-n & (kBits - 1)));
  out[7] = U(x << (n & 127 & (kBits - 1))) ^ U(x >> ((kBits - (n & 127)) & (kBits - 1)));
}
constexpr int kRotations = 8;

template <class S, class U>
struct Outcome {
  static constexpr int kBits = 8 * sizeof(U);
  U masked[kBits * kLengthCount];
  U unsigned_masked[kBits * kLengthCount];
  U shifted[kBits];
  U extended[kBits];
  U signs[2 * kLengthCount];
};

template <class S, class U>
__host__ __device__ void compute(S x, Outcome<S, U>& out) {
  constexpr int kBits = Outcome<S, U>::kBits;
  all_masked<S, U>(x, out.masked, std::make_integer_sequence<int, kBits>());
  all_masked<U, U>(static_cast<U>(x), out.unsigned_masked, std::make_integer_sequence<int, kBits>());
  all_shifted<S, U>(x, out.shifted, std::make_integer_sequence<int, kBits>());
  all_extended<S, U>(x, out.extended, std::make_integer_sequence<int, kBits>());
  by_sign<S, U>(x, out.signs, std::make_integer_sequence<int, kLengthCount>());
}

template <class S, class U>
__global__ void shift(const S* in, Outcome<S, U>* out) {
  compute<S, U>(in[threadIdx.x], out[threadIdx.x]);
}

template <class Half, class S, class U>
__global__ void widen(const Half* in, U* out) {
  constexpr int kBits = 8 * sizeof(U);
  all_widened<Half, S, U>(in[threadIdx.x], out + kBits * threadIdx.x, std::make_integer_sequence<int, kBits>());
}

template <class U>
__global__ void rotate(const U* in, U* out) {
  rotations<U>(in[blockIdx.x], in[blockIdx.x + 1], threadIdx.x, out + kRotations * (blockIdx.x * blockDim.x + threadIdx.x));
}

template <class S, class U>
void check(const char* name) {
  constexpr int kInputs = 16;
  constexpr int kAmounts = 256;
  Shared<S> in(kInputs + 1);
  Random random{7};
  const U ends[] = {0, 1, U(~U(0)), U(U(1) << (8 * sizeof(U) - 1)), U(U(~U(0)) >> 1), U(U(1) << (4 * sizeof(U)))};
  for (int i = 0; i <= kInputs; ++i) {
    in[i] = static_cast<S>(i < 6 ? ends[i] : static_cast<U>(static_cast<std::uint64_t>(random.next()) << 32 | random.next()));
  }
  Shared<Outcome<S, U>> out(kInputs);
  shift<S, U><<<1, kInputs>>>(in.get(), out.get());
  CUDA_OK(cudaDeviceSynchronize());
  for (int i = 0; i < kInputs; ++i) {
    static Outcome<S, U> want;
    compute<S, U>(in[i], want);
    const U* const got = reinterpret_cast<const U*>(&out[i]);
    for (unsigned k = 0; k < sizeof want / sizeof(U); ++k) EXPECT_SAME(name, got[k], reinterpret_cast<const U*>(&want)[k]);
  }
  Shared<U> rotated(kInputs * kAmounts * kRotations);
  rotate<U><<<kInputs, kAmounts>>>(reinterpret_cast<const U*>(in.get()), rotated.get());
  CUDA_OK(cudaDeviceSynchronize());
  for (int i = 0; i < kInputs; ++i) {
    for (int n = 0; n < kAmounts; ++n) {
      U want[kRotations];
      rotations<U>(static_cast<U>(in[i]), static_cast<U>(in[i + 1]), static_cast<unsigned>(n), want);
      for (int k = 0; k < kRotations; ++k) EXPECT_SAME(name, rotated[kRotations * (i * kAmounts + n) + k], want[k]);
    }
  }
}

template <class Half, class S, class U>
void check_widened(const char* name) {
  constexpr int kBits = 8 * sizeof(U);
  const Half inputs[] = {0, 1, 3, Half(-1), Half(-2), Half(Half(1) << (4 * sizeof(U) - 1)), Half(~Half(Half(1) << (4 * sizeof(U) - 1)))};
  constexpr int kInputs = sizeof inputs / sizeof inputs[0];
  Shared<Half> in(kInputs);
  Shared<U> out(kBits * kInputs);
  for (int i = 0; i < kInputs; ++i) in[i] = inputs[i];
  widen<Half, S, U><<<1, kInputs>>>(in.get(), out.get());
  CUDA_OK(cudaDeviceSynchronize());
  for (int i = 0; i < kInputs; ++i) {
    U want[kBits];
    all_widened<Half, S, U>(inputs[i], want, std::make_integer_sequence<int, kBits>());
    for (int k = 0; k < kBits; ++k) EXPECT_SAME(name, out[kBits * i + k], want[k]);
  }
}

int main() {
  check_widened<std::int8_t, std::int16_t, std::uint16_t>("8 to 16 bits");
  check_widened<std::int16_t, std::int32_t, std::uint32_t>("16 to 32 bits");
  check_widened<std::int32_t, std::int64_t, std::uint64_t>("32 to 64 bits");
  check_widened<std::uint16_t, std::uint32_t, std::uint32_t>("16 to 32 bits, unsigned");
  check_widened<std::uint32_t, std::uint64_t, std::uint64_t>("32 to 64 bits, unsigned");

  check<std::int8_t, std::uint8_t>("8 bits");
  check<std::int16_t, std::uint16_t>("16 bits");
  check<std::int32_t, std::uint32_t>("32 bits");
  check<std::int64_t, std::uint64_t>("64 bits");
  return verdict();
}
