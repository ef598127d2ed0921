// 128-bit integer operations that clang's PTX back end lacks. castor-cc includes this file if device code divides or
// converts 128-bit integers (sw/castor_cc/ir_wide_integers.h), and replaces the operations by calls of these functions.
// So this file itself must not divide or convert 128-bit integers.
#pragma once

#if defined(__CUDA_ARCH__)

namespace castor {
namespace wide {

typedef unsigned __int128 Unsigned;
typedef __int128 Signed;

static __device__ inline unsigned long long high(Unsigned v) { return static_cast<unsigned long long>(v >> 64); }
static __device__ inline unsigned long long low(Unsigned v) { return static_cast<unsigned long long>(v); }
static __device__ inline int leading_zeros(Unsigned v) {
  return high(v) != 0 ? __clzll(high(v)) : 64 + __clzll(low(v));
}
static __device__ inline Unsigned magnitude(Signed v) { return v < 0 ? -static_cast<Unsigned>(v) : v; }

/// Returns the quotient; `left` becomes the remainder. Division by zero gives all ones, as for 64-bit quotients.
static __device__ inline Unsigned divided(Unsigned& left, Unsigned by) {
  if (by == 0) return ~static_cast<Unsigned>(0);
  if (left < by) return 0;
  if (high(left) == 0) {
    const unsigned long long quotient = low(left) / low(by);
    left = low(left) % low(by);
    return quotient;
  }
  Unsigned quotient = 0;
  int shift = leading_zeros(by) - leading_zeros(left);
  for (by <<= shift; shift >= 0; --shift, by >>= 1) {
    quotient <<= 1;
    if (left < by) continue;
    left -= by;
    quotient |= 1;
  }
  return quotient;
}

/// Returns 64 bits that a conversion rounds like `v`. `shift` becomes the number of bits by which they are shifted.
static __device__ inline unsigned long long leading(Unsigned v, int& shift) {
  shift = high(v) == 0 ? 0 : 64 - leading_zeros(v);
  const Unsigned lost = v & ((static_cast<Unsigned>(1) << shift) - 1);
  return low(v >> shift) | (lost != 0 ? 1 : 0);
}
static __device__ inline float to_float(Unsigned v) {
  int shift = 0;
  const unsigned long long bits = leading(v, shift);
  return ldexpf(__ull2float_rn(bits), shift);
}
static __device__ inline double to_double(Unsigned v) {
  int shift = 0;
  const unsigned long long bits = leading(v, shift);
  return ldexp(__ull2double_rn(bits), shift);
}
/// Converts towards zero. Negative values and NaN give 0; too large values give the largest integer.
static __device__ inline Unsigned from_double(double v) {
  if (!(v >= 1)) return 0;
  const unsigned long long bits = static_cast<unsigned long long>(__double_as_longlong(v));
  const int exponent = static_cast<int>(bits >> 52) - 1023;
  if (exponent >= 128) return ~static_cast<Unsigned>(0);
  const Unsigned mantissa = (bits & ((1ULL << 52) - 1)) | (1ULL << 52);
  return exponent >= 52 ? mantissa << (exponent - 52) : mantissa >> (52 - exponent);
}
static __device__ inline Signed signed_from_double(double v) {
  const Unsigned most = ~static_cast<Unsigned>(0) >> 1;
  const Unsigned size = from_double(v < 0 ? -v : v);
  if (v < 0) return size > most ? -static_cast<Signed>(most) - 1 : -static_cast<Signed>(size);
  return static_cast<Signed>(size > most ? most : size);
}

}  // namespace wide
}  // namespace castor

extern "C" {
#define CASTOR_WIDE __device__ __attribute__((weak, noinline))
CASTOR_WIDE unsigned __int128 castor_divide_u128(unsigned __int128 a, unsigned __int128 b) {
  return castor::wide::divided(a, b);
}
CASTOR_WIDE unsigned __int128 castor_remainder_u128(unsigned __int128 a, unsigned __int128 b) {
  castor::wide::divided(a, b);
  return a;
}
CASTOR_WIDE __int128 castor_divide_s128(__int128 a, __int128 b) {
  unsigned __int128 left = castor::wide::magnitude(a);
  const unsigned __int128 quotient = castor::wide::divided(left, castor::wide::magnitude(b));
  return static_cast<__int128>((a < 0) != (b < 0) ? -quotient : quotient);
}
CASTOR_WIDE __int128 castor_remainder_s128(__int128 a, __int128 b) {
  unsigned __int128 left = castor::wide::magnitude(a);
  castor::wide::divided(left, castor::wide::magnitude(b));
  return static_cast<__int128>(a < 0 ? -left : left);
}
CASTOR_WIDE float castor_float_of_u128(unsigned __int128 v) { return castor::wide::to_float(v); }
CASTOR_WIDE double castor_double_of_u128(unsigned __int128 v) { return castor::wide::to_double(v); }
CASTOR_WIDE float castor_float_of_s128(__int128 v) {
  const float size = castor::wide::to_float(castor::wide::magnitude(v));
  return v < 0 ? -size : size;
}
CASTOR_WIDE double castor_double_of_s128(__int128 v) {
  const double size = castor::wide::to_double(castor::wide::magnitude(v));
  return v < 0 ? -size : size;
}
CASTOR_WIDE unsigned __int128 castor_u128_of_float(float v) { return castor::wide::from_double(v); }
CASTOR_WIDE unsigned __int128 castor_u128_of_double(double v) { return castor::wide::from_double(v); }
CASTOR_WIDE __int128 castor_s128_of_float(float v) { return castor::wide::signed_from_double(v); }
CASTOR_WIDE __int128 castor_s128_of_double(double v) { return castor::wide::signed_from_double(v); }
#undef CASTOR_WIDE
}

#endif
