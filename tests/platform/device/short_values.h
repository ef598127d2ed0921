// Half and bfloat16 arithmetic, independent of the headers: a table of all values, and rounding by a search in it.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

enum Direction { kNearest, kZero, kDown, kUp };

/// A 16-bit format with the given number of exponent bits.
class Format {
 public:
  explicit Format(int exponent_bits) : exponent_bits_(exponent_bits), mantissa_bits_(15 - exponent_bits) {
    for (unsigned bits = 0; bits <= infinity(); ++bits) table_.push_back(finite(bits));
    table_.back() = std::ldexp(1.0, (1 << (exponent_bits - 1)));  // where the next value would be
  }

  unsigned infinity() const { return ((1u << exponent_bits_) - 1u) << mantissa_bits_; }
  bool is_nan(unsigned bits) const { return (bits & 0x7fffu) > infinity(); }
  double value(unsigned bits) const {
    double v = (bits & 0x7fffu) == infinity() ? std::numeric_limits<double>::infinity()
                                              : table_[std::min(bits & 0x7fffu, infinity())];
    if (is_nan(bits)) v = std::numeric_limits<double>::quiet_NaN();
    return (bits & 0x8000u) ? -v : v;
  }
  /// Returns the bits of the value to which `x` is rounded. `rest`: sign of the part that was lost before `x`.
  unsigned rounded(long double x, Direction direction = kNearest, int rest = 0) const {
    if (std::isnan(x)) return 0x7fffu;
    const bool negative = std::signbit(x);
    const unsigned sign = negative ? 0x8000u : 0u;
    const long double m = std::fabs(x);
    if (negative) rest = -rest;
    if (std::isinf(x)) return sign | infinity();
    const bool up = direction == (negative ? kDown : kUp);
    // Finds the last value that is not above m + rest.
    unsigned low = static_cast<unsigned>(
        std::upper_bound(table_.begin(), table_.end(), m, [](long double a, double b) { return a < b; }) -
        table_.begin());
    if (low != 0) --low;
    if (low > 0 && m == table_[low] && rest < 0) --low;
    if (low >= infinity()) low = infinity() - 1;
    const long double below = table_[low];
    const long double above = table_[low + 1];
    if (m == below && rest == 0) return sign | low;
    if (direction == kNearest) {
      const long double middle = (below + above) / 2;
      const int side = m > middle ? 1 : m < middle ? -1 : rest;
      return sign | (side > 0 || (side == 0 && (low & 1u)) ? low + 1 : low);
    }
    return sign | (up ? low + 1 : low);
  }

 private:
  double finite(unsigned bits) const {
    const unsigned exponent = bits >> mantissa_bits_;
    const unsigned mantissa = bits & ((1u << mantissa_bits_) - 1u);
    const int bias = (1 << (exponent_bits_ - 1)) - 1;
    if (exponent == 0) return std::ldexp(static_cast<double>(mantissa), 1 - bias - mantissa_bits_);
    return std::ldexp(static_cast<double>(mantissa + (1u << mantissa_bits_)),
                      static_cast<int>(exponent) - bias - mantissa_bits_);
  }

  int exponent_bits_;
  int mantissa_bits_;
  std::vector<double> table_;
};

/// Sum of two doubles, and the sign of its rounding error (Knuth's two-sum).
struct Sum {
  double value;
  int rest;
};
inline Sum exact_sum(double a, double b) {
  volatile double s = a + b;
  volatile double bb = s - a;
  volatile double left = (a - (s - bb)) + (b - bb);
  if (std::isnan(s) || std::isinf(s)) return {s, 0};
  return {s, left > 0 ? 1 : left < 0 ? -1 : 0};
}

/// Returns `v` as an integer of `bits` bits, rounded and clamped. A NaN gives 0, or the top bit for 64 bits.
inline unsigned long long integer_of(double v, Direction direction, int bits, bool is_signed) {
  const unsigned long long mask = bits == 64 ? ~0ull : (1ull << bits) - 1;
  if (std::isnan(v)) return bits == 64 ? 1ull << 63 : 0;
  long double r = v;
  if (direction == kNearest) {
    const long double down = std::floor(r);
    const long double part = r - down;
    const bool odd = std::fmod(down, 2.0L) != 0;
    r = part > 0.5L || (part == 0.5L && odd) ? down + 1 : down;
  } else {
    r = direction == kZero ? std::trunc(r) : direction == kDown ? std::floor(r) : std::ceil(r);
  }
  const long double top = std::ldexp(1.0L, is_signed ? bits - 1 : bits) - 1;
  const long double least = is_signed ? -top - 1 : 0.0L;
  r = std::min(std::max(r, least), top);
  if (r < 0) return (0ull - static_cast<unsigned long long>(-r)) & mask;
  return static_cast<unsigned long long>(r) & mask;
}
