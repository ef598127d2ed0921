#pragma once

// Elementary functions in double precision for the approximate instructions. The series have a relative error (sine,
// cosine: absolute) below 2^-35, so the result rounded to float is wrong by little more than half a unit in the last
// place. They use IEEE operations only, so every host computes the same bits.

#include <cstdint>

#include "castor/isa/instructions/float_lanes.h"

namespace castor::isa {
namespace {

/// Added to a double below 2^51, this constant leaves the nearest integer in the low bits of the sum.
inline constexpr double kToInteger52 = 0x1.8p52;

/// Returns 2^x; x is clamped to -400..400.
inline double power_of_two(double x) {
  const double low = x < -400.0 ? -400.0 : x;
  const double t = low > 400.0 ? 400.0 : low;
  const double k = t + kToInteger52;
  const double y = (t - (k - kToInteger52)) * 0x1.62e42fefa39efp-1;  // |y| <= ln(2) / 2
  double p = 1.0 / 362880;
  p = p * y + 1.0 / 40320;
  p = p * y + 1.0 / 5040;
  p = p * y + 1.0 / 720;
  p = p * y + 1.0 / 120;
  p = p * y + 1.0 / 24;
  p = p * y + 1.0 / 6;
  p = p * y + 0.5;
  p = p * y + 1.0;
  p = p * y + 1.0;
  return p * as<double>((as<std::uint64_t>(k) + 1023) << 52);
}

/// Returns the binary logarithm of a positive, normal, finite double.
inline double binary_logarithm(double x) {
  const auto u = as<std::uint64_t>(x);
  // Exponent such that the fraction lies between sqrt(1/2) and sqrt(2).
  const std::uint64_t shifted = u - 0x3fe6a09e667f3bcdu;
  const std::uint64_t exponent = (shifted + (std::uint64_t{1024} << 52)) >> 52;  // biased by 1024
  const double e = as<double>(0x4330000000000000u | exponent) - (0x1p52 + 1024);
  const double m = as<double>(u - ((exponent - 1024) << 52));
  const double f = (m - 1.0) / (m + 1.0);
  const double s = f * f;
  double p = 1.0 / 15;
  p = p * s + 1.0 / 13;
  p = p * s + 1.0 / 11;
  p = p * s + 1.0 / 9;
  p = p * s + 1.0 / 7;
  p = p * s + 1.0 / 5;
  p = p * s + 1.0 / 3;
  p = p * s + 1.0;
  return e + p * (f * 0x1.71547652b82fep+1);
}

/// An angle x split into quadrant and remainder: x = quadrant * pi/2 + rest, |rest| <= pi/4 (a little more by
/// rounding).
struct Angle {
  std::uint64_t quadrant;  ///< quadrant in the two low bits (modulo 4)
  double rest;
};

/// Largest magnitude for `reduce`; above it the product n * pi/2 is no longer exact.
inline constexpr float kLargestDirectAngle = 0x1p19f;

inline Angle reduce(double x) {
  const double k = x * 0x1.45f306dc9c883p-1 + kToInteger52;
  const double n = k - kToInteger52;
  // pi/2 in two parts; the first part has 33 bits, so n times this part is exact.
  return {as<std::uint64_t>(k), (x - n * 0x1.921fb544p+0) - n * 0x1.0b4611a626331p-34};
}

/// Reduces any finite float from kLargestDirectAngle on: the significant bits of 2/pi are multiplied exactly (Payne and
/// Hanek, "Radian reduction for trigonometric functions", 1983).
[[gnu::noinline]] inline Angle reduce_large(float x) {
  static constexpr std::uint32_t kTwoOverPi[] = {0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0,
                                                 0xdb629599, 0x3c439041, 0xfe5163ab};
  __extension__ typedef unsigned __int128 Wide;  // NOLINT(modernize-use-using): __extension__ needs a typedef
  const auto u = as<std::uint32_t>(x);
  const int exponent = static_cast<int>(u >> 23 & 0xff) - 150;
  const std::uint32_t significand = (u & 0x7fffffu) | 0x800000u;
  const int first = exponent > 2 ? exponent - 2 : 0;  // earlier bits of 2/pi only contribute multiples of 4 quadrants
  const int word = first / 32;
  const int bit = first % 32;
  Wide window = 0;  // 96 bits of 2/pi from `first` on
  for (int i = 0; i < 3; ++i) {
    const std::uint64_t two = std::uint64_t{kTwoOverPi[word + i]} << 32 | kTwoOverPi[word + i + 1];
    window = window << 32 | static_cast<std::uint32_t>(two << bit >> 32);
  }
  const int fraction_bits = first + 96 - exponent;
  const Wide product = window * significand;
  // Fraction of a quadrant, in units of 2^-64.
  const auto fraction = static_cast<std::uint64_t>(product >> (fraction_bits - 64));
  const auto quadrant = static_cast<std::uint64_t>(product >> fraction_bits) + (fraction >> 63);
  const double rest = static_cast<double>(static_cast<std::int64_t>(fraction)) * 0x1p-64 * 0x1.921fb54442d18p+0;
  return (u >> 31) != 0 ? Angle{0 - quadrant, -rest} : Angle{quadrant, rest};
}

/// Returns the sine of an angle.
inline double sine(Angle a) {
  const double s = a.rest * a.rest;
  double odd = -1.0 / 39916800;
  odd = odd * s + 1.0 / 362880;
  odd = odd * s - 1.0 / 5040;
  odd = odd * s + 1.0 / 120;
  odd = odd * s - 1.0 / 6;
  odd = a.rest * (odd * s + 1.0);
  double even = 1.0 / 479001600;
  even = even * s - 1.0 / 3628800;
  even = even * s + 1.0 / 40320;
  even = even * s - 1.0 / 720;
  even = even * s + 1.0 / 24;
  even = even * s - 0.5;
  even = even * s + 1.0;
  const double v = (a.quadrant & 1) != 0 ? even : odd;
  return as<double>(as<std::uint64_t>(v) ^ (a.quadrant & 2) << 62);
}

inline double hyperbolic_tangent(double x) {
  const double m = magnitude(x);
  const double e = power_of_two(m * (-2.0 * 0x1.71547652b82fep+0));
  const double t = m < 0x1p-10 ? m * (1.0 - m * m * (1.0 / 3)) : (1.0 - e) / (1.0 + e);
  return with_sign(t, sign_bit(x));
}

}  // namespace
}  // namespace castor::isa
