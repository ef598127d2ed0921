// Conversions that half and bfloat16 share: rounding of doubles and integers before the conversion to 16 bits, and
// conversions back to integers. The host versions give the same results as the device's instructions.
#pragma once

#include <math.h>
#include <string.h>

#include "cuda_runtime.h"

#pragma push_macro("CASTOR_HD")
#undef CASTOR_HD
#define CASTOR_HD static inline __host__ __device__

CASTOR_HD unsigned castor_float_bits(float f) {
  unsigned u;
  memcpy(&u, &f, sizeof(u));
  return u;
}
CASTOR_HD float castor_float_of_bits(unsigned u) {
  float f;
  memcpy(&f, &u, sizeof(f));
  return f;
}

/// Returns a double as a float, rounded to odd: the last bit of an inexact result is set. Rounding the result again, in
/// any direction and to at most 22 bits, equals rounding the double directly.
CASTOR_HD float castor_odd_float(double d) {
  float f = static_cast<float>(d);
  double back = static_cast<double>(f);
  unsigned u = castor_float_bits(f);
  if (back == d || d != d || (u & 1u)) return f;
  return castor_float_of_bits(fabs(back) > fabs(d) ? u - 1u : u + 1u);
}

/// Returns a 64-bit integer as a float, rounded to odd.
CASTOR_HD float castor_odd_float_of(unsigned long long v) {
  // Above 53 bits, the lowest bits are merged into one bit that is set if any of them is set.
  if (v >> 53) return castor_odd_float(static_cast<double>((v >> 11) | ((v & 0x7ffull) != 0)) * 2048.0);
  return castor_odd_float(static_cast<double>(v));
}
CASTOR_HD float castor_odd_float_of(long long v) {
  return v < 0 ? -castor_odd_float_of(0ull - static_cast<unsigned long long>(v))
               : castor_odd_float_of(static_cast<unsigned long long>(v));
}

/// Directions of rounding, named by the suffixes of CUDA's functions.
enum castor_rounding { castor_rn, castor_rz, castor_rd, castor_ru };

/// Rounds `f` to an integral value.
CASTOR_HD float castor_integral(float f, castor_rounding mode) {
  if (mode == castor_rn) return rintf(f);
  if (mode == castor_rz) return truncf(f);
  return mode == castor_rd ? floorf(f) : ceilf(f);
}

/// Converts a float to an integer of type T and clamps it. NaN gives 0, or only the top bit if T has 64 bits.
template <class T>
CASTOR_HD T castor_integer(float f, castor_rounding mode) {
  constexpr bool kSigned = static_cast<T>(-1) < static_cast<T>(0);
  constexpr int kBits = static_cast<int>(sizeof(T)) * 8 - (kSigned ? 1 : 0);
  constexpr T kTop = static_cast<T>(1ull << (sizeof(T) * 8 - 1));
  constexpr T kLeast = kSigned ? kTop : static_cast<T>(0);
  constexpr T kMost = kSigned ? static_cast<T>(~kTop) : static_cast<T>(-1);
  if (f != f) return sizeof(T) == 8 ? kTop : static_cast<T>(0);
  float r = castor_integral(f, mode);
  float bound = static_cast<float>(1ull << (kBits - 1)) * 2.0f;  // the first value that is too large
  if (r >= bound) return kMost;
  if (r < (kSigned ? -bound : 0.0f)) return kLeast;
  return static_cast<T>(r);
}

#undef CASTOR_HD
#pragma pop_macro("CASTOR_HD")
