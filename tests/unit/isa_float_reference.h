#pragma once

// Exact reference for IEEE arithmetic: values are integers of any size times a power of two, rounded once at the end.

#include <boost/multiprecision/cpp_int.hpp>
#include <cstdint>

namespace castor::test {

using Integer = boost::multiprecision::cpp_int;

/// |v|
inline Integer absolute(const Integer& v) { return v < 0 ? Integer(-v) : v; }

enum class Mode { kNearest, kZero, kDown, kUp };

/// A binary interchange format: precision with the implicit bit, exponents of the smallest step and of the largest
/// power of two, width.
struct Format {
  int precision;
  int least;
  int greatest;
  int width;
  std::uint64_t nan;  ///< the NaN that instructions compute

  [[nodiscard]] std::uint64_t sign() const { return std::uint64_t{1} << (width - 1); }
  [[nodiscard]] std::uint64_t infinity() const { return (sign() - 1) >> (precision - 1) << (precision - 1); }
  [[nodiscard]] bool is_nan(std::uint64_t v) const { return (v & (sign() - 1)) > infinity(); }
  [[nodiscard]] bool is_infinite(std::uint64_t v) const { return (v & (sign() - 1)) == infinity(); }
  [[nodiscard]] bool is_zero(std::uint64_t v) const { return (v & (sign() - 1)) == 0; }
  [[nodiscard]] bool negative(std::uint64_t v) const { return (v & sign()) != 0; }
  [[nodiscard]] std::uint64_t flushed(std::uint64_t v) const {
    return (v & (sign() - 1)) >> (precision - 1) == 0 ? v & sign() : v;
  }
  [[nodiscard]] std::uint64_t one() const { return infinity() / 2 >> (precision - 1) << (precision - 1); }
};

constexpr Format kF16{11, -24, 15, 16, 0x7fff};
constexpr Format kBf16{8, -133, 127, 16, 0x7fff};
constexpr Format kF32{24, -149, 127, 32, 0x7fffffff};
constexpr Format kF64{53, -1074, 1023, 64, 0xfff8000000000000};

/// Value magnitude * 2^exponent. `more`: the exact value is larger by less than the last bit.
struct Exact {
  bool negative = false;
  Integer magnitude = 0;
  int exponent = 0;
  bool more = false;
};

inline Exact decode(std::uint64_t v, const Format& f) {
  const std::uint64_t fraction_bits = std::uint64_t(f.precision - 1);
  const std::uint64_t field = (v & (f.sign() - 1)) >> fraction_bits;
  std::uint64_t significand = v & ((std::uint64_t{1} << fraction_bits) - 1);
  if (field != 0) significand |= std::uint64_t{1} << fraction_bits;
  return {f.negative(v), significand, f.least + static_cast<int>(field != 0 ? field - 1 : 0), false};
}

inline std::uint64_t infinity_of(bool negative, const Format& f) { return (negative ? f.sign() : 0) | f.infinity(); }

/// Rounds; a zero magnitude gives a zero of the value's sign.
inline std::uint64_t encode(const Exact& x, const Format& f, Mode mode) {
  const std::uint64_t sign = x.negative ? f.sign() : 0;
  if (x.magnitude == 0 && !x.more) return sign;
  Integer m = x.magnitude * 4 + (x.more ? 1 : 0);
  int e = x.exponent - 2;
  const int top = static_cast<int>(boost::multiprecision::msb(m)) + e;  // exponent of the first bit
  const int step = std::max(top - (f.precision - 1), f.least);          // exponent of the last bit kept
  Integer kept;
  Integer lost;
  Integer half = 1;
  if (step > e) {
    kept = m >> (step - e);
    lost = m - (kept << (step - e));
    half = Integer(1) << (step - e - 1);
  } else {
    kept = m << (e - step);
  }
  bool up = false;
  if (mode == Mode::kNearest) up = lost > half || (lost == half && kept % 2 == 1);
  if (mode == Mode::kDown) up = x.negative && lost != 0;
  if (mode == Mode::kUp) up = !x.negative && lost != 0;
  if (up) kept += 1;
  const int position = step - f.least;
  // A subnormal has a field of 0, a normal number one of position + 1, whose implicit bit adds that 1.
  const Integer bits = kept + (Integer(position) << (f.precision - 1));
  if (bits >= Integer(f.infinity())) {
    const bool stay = mode == Mode::kZero || (mode == Mode::kDown && !x.negative) || (mode == Mode::kUp && x.negative);
    return sign | (stay ? f.infinity() - 1 : f.infinity());
  }
  return sign | static_cast<std::uint64_t>(bits);
}

inline std::uint64_t fma_of(std::uint64_t a, std::uint64_t b, std::uint64_t c, const Format& f, Mode mode) {
  if (f.is_nan(a) || f.is_nan(b) || f.is_nan(c)) return f.nan;
  const bool product_negative = f.negative(a) != f.negative(b);
  if (f.is_infinite(a) || f.is_infinite(b)) {
    if (f.is_zero(a) || f.is_zero(b)) return f.nan;
    if (f.is_infinite(c) && f.negative(c) != product_negative) return f.nan;
    return infinity_of(product_negative, f);
  }
  if (f.is_infinite(c)) return c;
  const Exact x = decode(a, f);
  const Exact y = decode(b, f);
  const Exact z = decode(c, f);
  Integer p = x.magnitude * y.magnitude;
  Integer q = z.magnitude;
  const int e = std::min(x.exponent + y.exponent, z.exponent);
  p <<= x.exponent + y.exponent - e;
  q <<= z.exponent - e;
  if (product_negative) p = -p;
  if (z.negative) q = -q;
  const Integer sum = p + q;
  if (sum == 0) {
    const bool same = product_negative == z.negative;
    return (same ? z.negative : mode == Mode::kDown) ? f.sign() : 0;
  }
  return encode({sum < 0, absolute(sum), e, false}, f, mode);
}
inline std::uint64_t add_of(std::uint64_t a, std::uint64_t b, const Format& f, Mode mode) {
  return fma_of(a, f.one(), b, f, mode);
}
inline std::uint64_t mul_of(std::uint64_t a, std::uint64_t b, const Format& f, Mode mode) {
  if (f.is_nan(a) || f.is_nan(b)) return f.nan;
  const bool negative = f.negative(a) != f.negative(b);
  if (f.is_infinite(a) || f.is_infinite(b)) return f.is_zero(a) || f.is_zero(b) ? f.nan : infinity_of(negative, f);
  const Exact x = decode(a, f);
  const Exact y = decode(b, f);
  return encode({negative, x.magnitude * y.magnitude, x.exponent + y.exponent, false}, f, mode);
}
inline std::uint64_t div_of(std::uint64_t a, std::uint64_t b, const Format& f, Mode mode) {
  if (f.is_nan(a) || f.is_nan(b)) return f.nan;
  const bool negative = f.negative(a) != f.negative(b);
  const std::uint64_t sign = negative ? f.sign() : 0;
  if (f.is_infinite(a)) return f.is_infinite(b) ? f.nan : infinity_of(negative, f);
  if (f.is_infinite(b)) return sign;
  if (f.is_zero(b)) return f.is_zero(a) ? f.nan : infinity_of(negative, f);
  const Exact x = decode(a, f);
  const Exact y = decode(b, f);
  const Integer numerator = x.magnitude << 140;
  return encode({negative, numerator / y.magnitude, x.exponent - y.exponent - 140, numerator % y.magnitude != 0}, f,
                mode);
}
inline std::uint64_t sqrt_of(std::uint64_t a, const Format& f, Mode mode) {
  if (f.is_nan(a)) return f.nan;
  if (f.is_zero(a)) return a;
  if (f.negative(a)) return f.nan;
  if (f.is_infinite(a)) return a;
  const Exact x = decode(a, f);
  const int shift = 160 + (x.exponent & 1);
  const Integer m = x.magnitude << shift;
  Integer rest;
  const Integer root = boost::multiprecision::sqrt(m, rest);
  return encode({false, root, (x.exponent - shift) / 2, rest != 0}, f, mode);
}

/// `.sat`
inline std::uint64_t saturated(std::uint64_t v, const Format& f) {
  if (f.is_nan(v) || f.negative(v)) return 0;
  return v > f.one() ? f.one() : v;
}

/// Converts a value to another format, with rounding.
inline std::uint64_t convert_of(std::uint64_t v, const Format& from, const Format& to, Mode mode) {
  if (from.is_nan(v)) return to.nan;
  if (from.is_infinite(v)) return infinity_of(from.negative(v), to);
  return encode(decode(v, from), to, mode);
}

/// Rounds a finite number to an integral value; the result has the number's sign.
inline Integer integer_of(std::uint64_t v, const Format& f, Mode mode) {
  const Exact x = decode(v, f);
  Integer kept = x.exponent >= 0 ? Integer(x.magnitude << x.exponent) : Integer(x.magnitude >> -x.exponent);
  if (x.exponent < 0) {
    const Integer lost = x.magnitude - (kept << -x.exponent);
    const Integer half = Integer(1) << (-x.exponent - 1);
    bool up = false;
    if (mode == Mode::kNearest) up = lost > half || (lost == half && kept % 2 == 1);
    if (mode == Mode::kDown) up = x.negative && lost != 0;
    if (mode == Mode::kUp) up = !x.negative && lost != 0;
    if (up) kept += 1;
  }
  return x.negative ? Integer(-kept) : kept;
}

}  // namespace castor::test
