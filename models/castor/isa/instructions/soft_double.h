#pragma once

// Double precision in the directed rounding modes, computed with integers: exact significand, one rounding at the end.
// The functions serve `.rz`, `.rm` and `.rp`; `.rn` uses the processor, with equal results.

#include <cstdint>

#include "castor/isa/instructions/float_lanes.h"

namespace castor::isa {
namespace {

__extension__ typedef unsigned __int128 Significand;  // NOLINT(modernize-use-using): __extension__ needs a typedef

inline constexpr std::uint64_t kSign64 = 0x8000000000000000u;
inline constexpr std::uint64_t kInfinity64 = 0x7ff0000000000000u;

/// A finite, non-zero double: significand * 2^exponent, bit 52 of the significand set.
struct Unpacked {
  bool negative;
  int exponent;
  std::uint64_t significand;
};

inline bool ordinary(double v) { return v != 0 && magnitude(v) < as<double>(kInfinity64); }

inline Unpacked unpack(double v) {
  const auto u = as<std::uint64_t>(v);
  const int field = static_cast<int>(u >> 52 & 0x7ff);
  Unpacked r{(u & kSign64) != 0, field - 1075, u & 0xfffffffffffffu};
  if (field != 0) {
    r.significand |= std::uint64_t{1} << 52;
  } else {
    const int shift = __builtin_clzll(r.significand) - 11;
    r.significand <<= shift;
    r.exponent = -1074 - shift;
  }
  return r;
}

inline int bit_length(Significand v) {
  const auto high = static_cast<std::uint64_t>(v >> 64);
  if (high != 0) return 128 - __builtin_clzll(high);
  return 64 - __builtin_clzll(static_cast<std::uint64_t>(v));
}

/// Shifts right; the last bit of the result is set if a 1 was shifted out.
inline Significand shift_jam(Significand v, int count) {
  if (count == 0) return v;
  if (count > 127) return v != 0 ? 1 : 0;
  return v >> count | ((v << (128 - count)) != 0 ? 1 : 0);
}

/// Returns significand * 2^exponent rounded to double. The significand is not 0. An inexact significand must have at
/// least 56 bits, the last of which is sticky.
[[gnu::noinline]] inline double round_pack(bool negative, int exponent, Significand significand, Rounding mode) {
  int shift = bit_length(significand) - 53;
  if (exponent + shift < -1074) shift = -1074 - exponent;
  int e = exponent + shift;
  std::uint64_t q = 0;
  bool half = false;
  bool rest = false;
  if (shift <= 0) {
    q = static_cast<std::uint64_t>(significand << -shift);
  } else {
    const Significand jammed =
        shift > 1 ? shift_jam(significand, shift - 2) : significand << 1;  // two bits below the last bit of the result
    q = static_cast<std::uint64_t>(jammed >> 2);
    half = (jammed & 2) != 0;
    rest = (jammed & 1) != 0;
  }
  bool increment = false;
  switch (mode) {
    case Rounding::kNearest:
      increment = half && (rest || (q & 1) != 0);
      break;
    case Rounding::kZero:
      break;
    case Rounding::kDown:
      increment = negative && (half || rest);
      break;
    case Rounding::kUp:
      increment = !negative && (half || rest);
      break;
  }
  q += increment ? 1 : 0;
  if (q >> 53 != 0) {
    q >>= 1;
    ++e;
  }
  const std::uint64_t sign = negative ? kSign64 : 0;
  if (e > 971) {
    const bool to_infinity =
        mode == Rounding::kNearest || (mode == Rounding::kUp && !negative) || (mode == Rounding::kDown && negative);
    return as<double>(sign | (to_infinity ? kInfinity64 : kInfinity64 - 1));
  }
  const std::uint64_t field = q >> 52 != 0 ? static_cast<std::uint64_t>(e + 1075) : 0;
  return as<double>(sign | field << 52 | (q & 0xfffffffffffffu));
}

[[gnu::noinline]] inline double soft_mul(double a, double b, Rounding mode) {
  if (!ordinary(a) || !ordinary(b)) return a * b;
  const Unpacked x = unpack(a);
  const Unpacked y = unpack(b);
  return round_pack(x.negative != y.negative, x.exponent + y.exponent, Significand{x.significand} * y.significand,
                    mode);
}

[[gnu::noinline]] inline double soft_fma(double a, double b, double c, Rounding mode) {
  const double infinity = as<double>(kInfinity64);
  if (!(magnitude(a) < infinity) || !(magnitude(b) < infinity) || !(magnitude(c) < infinity))
    return __builtin_fma(a, b, c);
  const std::uint64_t product_sign = sign_bit(a) ^ sign_bit(b);
  if (a == 0 || b == 0) {
    if (c != 0) return c;
    return as<double>(mode == Rounding::kDown ? product_sign | sign_bit(c) : product_sign & sign_bit(c));
  }
  const Unpacked x = unpack(a);
  const Unpacked y = unpack(b);
  if (c == 0)
    return round_pack(product_sign != 0, x.exponent + y.exponent, Significand{x.significand} * y.significand, mode);
  const Unpacked z = unpack(c);
  // Aligns both terms with their first bit at position 125, so that the sum does not overflow and 20 zeros follow the
  // product. Bits lost in the alignment are then far below the rounding position, even after cancellation.
  Significand p = Significand{x.significand} * y.significand;
  int p_exponent = x.exponent + y.exponent;
  const int p_shift = 126 - bit_length(p);
  p <<= p_shift;
  p_exponent -= p_shift;
  Significand q = Significand{z.significand} << 73;
  const int q_exponent = z.exponent - 73;
  int exponent = p_exponent;
  if (p_exponent >= q_exponent) {
    q = shift_jam(q, p_exponent - q_exponent);
  } else {
    p = shift_jam(p, q_exponent - p_exponent);
    exponent = q_exponent;
  }
  const bool p_negative = product_sign != 0;
  if (p_negative == z.negative) return round_pack(p_negative, exponent, p + q, mode);
  if (p == q) return as<double>(mode == Rounding::kDown ? kSign64 : 0);
  return p > q ? round_pack(p_negative, exponent, p - q, mode) : round_pack(z.negative, exponent, q - p, mode);
}

inline double soft_add(double a, double b, Rounding mode) { return soft_fma(a, 1.0, b, mode); }

[[gnu::noinline]] inline double soft_div(double a, double b, Rounding mode) {
  if (!ordinary(a) || !ordinary(b)) return a / b;
  const Unpacked x = unpack(a);
  const Unpacked y = unpack(b);
  const Significand numerator = Significand{x.significand} << 64;
  const Significand quotient = numerator / y.significand;
  const Significand sticky = quotient * y.significand != numerator ? 1 : 0;
  return round_pack(x.negative != y.negative, x.exponent - y.exponent - 65, quotient << 1 | sticky, mode);
}

[[gnu::noinline]] inline double soft_sqrt(double a, Rounding mode) {
  if (!ordinary(a) || a < 0) return __builtin_sqrt(a);
  const Unpacked x = unpack(a);
  const int shift = (x.exponent & 1) != 0 ? 73 : 72;
  Significand rest = Significand{x.significand} << shift;
  Significand root = 0;
  // Computes one binary digit of the root per iteration.
  for (Significand bit = Significand{1} << 126; bit != 0; bit >>= 2) {
    if (rest >= root + bit) {
      rest -= root + bit;
      root = (root >> 1) + bit;
    } else {
      root >>= 1;
    }
  }
  return round_pack(false, (x.exponent - shift) / 2 - 1, root << 1 | (rest != 0 ? 1 : 0), mode);
}

}  // namespace
}  // namespace castor::isa
