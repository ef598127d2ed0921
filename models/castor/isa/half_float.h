#pragma once

#include <cstdint>
#include <cstring>

namespace castor::isa {

// Conversions between 16-bit formats and float in integer arithmetic, so that every host computes the same bits.

namespace detail {
inline float float_of(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
inline std::uint32_t bits_of(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}
}  // namespace detail

/// Returns the exact value of an IEEE binary16. NaN becomes the canonical NaN 0x7fffffff.
inline float half_value(std::uint16_t half) {
  const std::uint32_t sign = (half & 0x8000u) << 16;
  const std::uint32_t exponent = (half >> 10) & 0x1f;
  const std::uint32_t fraction = half & 0x3ff;
  if (exponent == 31) return detail::float_of(fraction != 0 ? 0x7fffffffu : sign | 0x7f800000u);
  if (exponent != 0) return detail::float_of(sign | ((exponent + 112) << 23) | (fraction << 13));
  // Denormals: fraction x 2^-24.
  const float value = static_cast<float>(fraction) * 0x1p-24f;
  return sign != 0 ? -value : value;
}

/// Returns the nearest binary16, ties to even. NaN becomes the canonical NaN 0x7fff.
inline std::uint16_t half_bits(float value) {
  const std::uint32_t bits = detail::bits_of(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000u);
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return 0x7fff;
  if (magnitude >= 0x477ff000u) return static_cast<std::uint16_t>(sign | 0x7c00u);  // 65520 and above round to infinity
  std::uint32_t result;
  std::uint32_t rest;
  std::uint32_t half;
  if (magnitude >= 0x38800000u) {  // normal: 2^-14 and above
    result = (magnitude - 0x38000000u) >> 13;
    rest = magnitude & 0x1fffu;
    half = 0x1000u;
  } else if (magnitude >= 0x33000000u) {  // 2^-25 and above may round to a denormal
    const std::uint32_t shift = 126 - (magnitude >> 23);
    const std::uint32_t fraction = (magnitude & 0x7fffffu) | 0x800000u;
    result = fraction >> shift;
    rest = fraction & ((1u << shift) - 1);
    half = 1u << (shift - 1);
  } else {
    return sign;
  }
  if (rest > half || (rest == half && (result & 1) != 0)) ++result;
  return static_cast<std::uint16_t>(sign | result);
}

/// Returns the exact value of a bfloat16. NaN becomes the canonical NaN 0x7fffffff.
inline float bfloat_value(std::uint16_t bits) {
  const std::uint32_t wide = std::uint32_t{bits} << 16;
  return detail::float_of((wide & 0x7fffffffu) > 0x7f800000u ? 0x7fffffffu : wide);
}

/// Returns the nearest bfloat16, ties to even. NaN becomes the canonical NaN 0x7fff.
inline std::uint16_t bfloat_bits(float value) {
  const std::uint32_t bits = detail::bits_of(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return 0x7fff;
  return static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1)) >> 16);
}

}  // namespace castor::isa
