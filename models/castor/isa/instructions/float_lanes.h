#pragma once

// Functions that the floating-point families share: bit patterns, flushing, saturation, directed rounding without a
// change of the host's rounding mode, 16-bit formats, loops over lanes.
//
// Every result has the same bits on every host. Only IEEE operations of the default environment are used (add,
// subtract, multiply, divide, square root, fma, conversions), and every computed NaN is replaced by the canonical one.
// Files that include this header are compiled once per lane variant, so everything is in an unnamed namespace.

#include <emmintrin.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "castor/isa/lanes.h"

namespace castor::isa {
namespace {

template <class To, class From>
inline To as(From value) {
  return __builtin_bit_cast(To, value);
}

// Canonical NaNs of NVIDIA GPUs (CUDA's math_constants.h has the same patterns).
inline constexpr std::uint32_t kNan32 = 0x7fffffff;
inline constexpr std::uint64_t kNan64 = 0xfff8000000000000;
inline constexpr std::uint32_t kNan16 = 0x7fff;

inline float canonical(float v) { return v != v ? as<float>(kNan32) : v; }
inline double canonical(double v) { return v != v ? as<double>(kNan64) : v; }

inline std::uint32_t sign_bit(float v) { return as<std::uint32_t>(v) & 0x80000000u; }
inline std::uint64_t sign_bit(double v) { return as<std::uint64_t>(v) & 0x8000000000000000u; }
inline float magnitude(float v) { return as<float>(as<std::uint32_t>(v) & 0x7fffffffu); }
inline double magnitude(double v) { return as<double>(as<std::uint64_t>(v) & 0x7fffffffffffffffu); }
inline float with_sign(float v, std::uint32_t sign) { return as<float>(as<std::uint32_t>(v) | sign); }
inline double with_sign(double v, std::uint64_t sign) { return as<double>(as<std::uint64_t>(v) | sign); }

/// Replaces a subnormal by zero of the same sign (`.ftz`).
inline float flush(float v) {
  const auto u = as<std::uint32_t>(v);
  return as<float>((u & 0x7f800000u) == 0 ? u & 0x80000000u : u);
}
inline double flush(double v) {
  const auto u = as<std::uint64_t>(v);
  return as<double>((u & 0x7ff0000000000000u) == 0 ? u & 0x8000000000000000u : u);
}

/// Clamps to [+0, 1]; NaN becomes +0 (`.sat`).
template <class T>
inline T saturate(T v) {
  const T low = v > T{0} ? v : T{0};
  return low < T{1} ? low : T{1};
}

/// Modifiers of an instruction, encoded in Record::imm.
enum class Rounding : std::uint32_t { kNearest, kZero, kDown, kUp };
inline constexpr std::uint64_t kRoundingMask = 3;
inline constexpr std::uint64_t kFtz = 4;
inline constexpr std::uint64_t kSat = 8;
inline constexpr std::uint64_t kRelu = 16;
inline constexpr std::uint64_t kNanFlag = 32;
inline constexpr std::uint64_t kXorSign = 64;
inline constexpr std::uint64_t kAbs = 128;

inline Rounding rounding(std::uint64_t imm) { return static_cast<Rounding>(imm & kRoundingMask); }

/// Returns the modifier bits of a match; the item `rnd` gives the rounding mode.
inline std::uint64_t modifiers(const Match& m) {
  const std::string_view mode = m["rnd"];
  std::uint64_t imm = 0;
  if (mode == "rz" || mode == "rzi") imm = static_cast<std::uint64_t>(Rounding::kZero);
  if (mode == "rm" || mode == "rmi") imm = static_cast<std::uint64_t>(Rounding::kDown);
  if (mode == "rp" || mode == "rpi") imm = static_cast<std::uint64_t>(Rounding::kUp);
  if (m.has("ftz")) imm |= kFtz;
  if (m.has("sat")) imm |= kSat;
  if (m.has("relu")) imm |= kRelu;
  if (m.has("NaN")) imm |= kNanFlag;
  if (m.has("xorsign")) imm |= kXorSign;
  if (m.has("abs")) imm |= kAbs;
  return imm;
}

// ---- Rounding to odd and directed rounding -----------------------------------------------------------------------
//
// The last bit of a value that was rounded to odd records whether the value is inexact. Rounding such a value again to
// a format that is at least two bits shorter gives the correctly rounded result in every mode (Boldo and Melquiond,
// "Emulation of FMA and correctly rounded sums: proved algorithms using rounding to odd", 2008).

/// Turns a result rounded to nearest into one rounded to odd. `error` has the sign of (exact - nearest), or is 0 or
/// NaN. Signs are compared as bits, so `nearest` may be a zero if it has the sign of the exact value.
inline double to_odd(double nearest, double error) {
  const auto b = as<std::int64_t>(nearest);
  const std::int64_t step = ((b ^ as<std::int64_t>(error)) >> 63) | 1;
  return as<double>(b + (magnitude(error) > 0 ? step & -(~b & 1) : 0));
}
inline float to_odd(float nearest, float error) {
  const auto b = as<std::int32_t>(nearest);
  const std::int32_t step = ((b ^ as<std::int32_t>(error)) >> 31) | 1;
  return as<float>(b + (magnitude(error) > 0 ? step & -(~b & 1) : 0));
}

/// Returns a + b rounded to odd. The sum must not overflow or underflow, which holds for sums of float (or half)
/// products in the next wider format. The error of the sum is exact (Knuth's two-sum).
template <class T>
inline T sum_odd(T a, T b) {
  const T s = a + b;
  const T t = s - a;
  const T error = (a - (s - t)) + (b - t);
  return to_odd(s, error);
}

/// Returns d rounded to odd in float; an overflow gives the largest finite value, which is odd.
inline float odd_float(double d) {
  const auto f = static_cast<float>(d);
  // The error is replaced by +1 or -1, because a tiny error must not become 0 in the conversion to float.
  const double error = d - static_cast<double>(f);
  return to_odd(f, with_sign(magnitude(error) > 0 ? 1.0f : 0.0f, static_cast<std::uint32_t>(sign_bit(error) >> 32)));
}

/// Returns the step from a rounded value `g` of the exact value `d` to the result of a rounding mode: +1 up, -1 down, 0
/// none.
inline std::int32_t correction(double g, double d, Rounding mode) {
  const bool low = g < d;
  const bool high = g > d;
  const bool up = low && (mode == Rounding::kUp || (mode == Rounding::kZero && d < 0));
  const bool down = high && (mode == Rounding::kDown || (mode == Rounding::kZero && d > 0));
  return static_cast<std::int32_t>(up) - static_cast<std::int32_t>(down);
}

/// Returns d as float in any rounding mode. NaNs are not made canonical.
inline float narrow(double d, Rounding mode) {
  const auto f = static_cast<float>(d);
  const auto b = as<std::int32_t>(f);
  const std::int32_t move = correction(static_cast<double>(f), d, mode);
  return as<float>(b + (b >= 0 ? move : -move));
}

/// Returns the zero that is the exact sum of two values: -0 if both are negative, or if one is and the mode rounds
/// down.
inline float zero_sum(std::uint32_t sign_a, std::uint32_t sign_b, Rounding mode) {
  return as<float>(mode == Rounding::kDown ? sign_a | sign_b : sign_a & sign_b);
}

// ---- 16-bit formats ----------------------------------------------------------------------------------------------

/// IEEE binary16.
struct Half {
  static constexpr std::uint32_t kExponent = 0x7c00;
  static constexpr std::uint32_t kInfinity = 0x7c00;
  static constexpr std::uint32_t kOne = 0x3c00;

  /// Returns the exact value as float.
  static float widen(std::uint32_t h) {
    const std::uint32_t shifted = (h & 0x7fffu) << 13;
    const std::uint32_t exponent = shifted & 0x0f800000u;
    const std::uint32_t rebased = shifted + (112u << 23);
    // The addition gives a subnormal an implicit bit; the subtraction of 2^-14 removes it.
    const std::uint32_t subnormal = as<std::uint32_t>(as<float>(rebased + (1u << 23)) - as<float>(113u << 23));
    const std::uint32_t u = exponent == 0x0f800000u ? rebased + (112u << 23) : exponent == 0 ? subnormal : rebased;
    return as<float>(u | (h & 0x8000u) << 16);
  }
  /// Rounds to nearest even; NaN becomes the canonical NaN.
  static std::uint32_t nearest(float f) {
    const auto u = as<std::uint32_t>(f);
    const std::uint32_t sign = (u >> 16) & 0x8000u;
    const std::uint32_t x = u & 0x7fffffffu;
    const std::uint32_t normal = (x - (112u << 23) + 0xfffu + ((x >> 13) & 1u)) >> 13;
    // Adding 0.5 aligns the last bit of a binary16 subnormal with the last bit of the float.
    const std::uint32_t subnormal = as<std::uint32_t>(as<float>(x < 0x38800000u ? x : 0u) + 0.5f) - 0x3f000000u;
    std::uint32_t h = x < 0x38800000u ? subnormal : normal;
    h = x >= 0x47800000u ? kInfinity : h;
    return x > 0x7f800000u ? kNan16 : h | sign;
  }
};

/// bfloat16: the upper half of a float.
struct Bfloat {
  static constexpr std::uint32_t kExponent = 0x7f80;
  static constexpr std::uint32_t kInfinity = 0x7f80;
  static constexpr std::uint32_t kOne = 0x3f80;

  static float widen(std::uint32_t h) { return as<float>(h << 16); }
  static std::uint32_t nearest(float f) {
    const auto u = as<std::uint32_t>(f);
    const std::uint32_t rounded = (u + 0x7fffu + ((u >> 16) & 1u)) >> 16;
    return (u & 0x7fffffffu) > 0x7f800000u ? kNan16 : rounded;
  }
};

template <class Format>
inline std::uint32_t flush16(std::uint32_t h) {
  return (h & Format::kExponent) == 0 ? h & 0x8000u : h;
}

/// Returns d in a 16-bit format in any rounding mode, with canonical NaN. d may itself be rounded to odd.
template <class Format>
inline std::uint32_t narrow16(double d, Rounding mode) {
  const std::uint32_t h = Format::nearest(odd_float(d));
  const std::int32_t move = correction(static_cast<double>(Format::widen(h)), d, mode);
  return h + static_cast<std::uint32_t>((h & 0x8000u) == 0 ? move : -move);
}

// ---- Loops over lanes --------------------------------------------------------------------------------------------

/// As `map`, but one lane at a time, for rare or long operations: the code is small, and inactive lanes cost nothing.
/// `f` should be a function that is not inlined.
template <class D, class F, class... S>
inline void compute_each(LaneArgs& args, F f, const S*... rows) {
  D result[kMaxLanes];
  for (LaneMask rest = args.mask; rest != 0; rest &= rest - 1) {
    const auto i = static_cast<unsigned>(__builtin_ctzll(rest));
    result[i] = f(rows[i]...);
  }
  D* d = destination<D>(args, 0);
  for (LaneMask rest = args.mask; rest != 0; rest &= rest - 1) {
    const auto i = static_cast<unsigned>(__builtin_ctzll(rest));
    d[i] = result[i];
  }
}

template <class D, class S0, class F>
inline void each_lane(LaneArgs& args, F f) {
  compute_each<D>(args, f, source<S0>(args, 0, 0));
}
template <class D, class S0, class S1, class F>
inline void each_lane(LaneArgs& args, F f) {
  compute_each<D>(args, f, source<S0>(args, 0, 0), source<S1>(args, 1, 0));
}
template <class D, class S0, class S1, class S2, class F>
inline void each_lane(LaneArgs& args, F f) {
  compute_each<D>(args, f, source<S0>(args, 0, 0), source<S1>(args, 1, 0), source<S2>(args, 2, 0));
}

/// Returns the mask of the lanes whose flag is -1 (the other flags are 0).
inline std::uint32_t lane_bits(const std::int32_t* flags) {
  const auto* v = reinterpret_cast<const __m128i*>(flags);
  std::uint32_t mask = 0;
  for (unsigned i = 0; i < 2; ++i) {
    const __m128i low = _mm_packs_epi32(_mm_loadu_si128(v + 4 * i), _mm_loadu_si128(v + 4 * i + 1));
    const __m128i high = _mm_packs_epi32(_mm_loadu_si128(v + 4 * i + 2), _mm_loadu_si128(v + 4 * i + 3));
    mask |= static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_packs_epi16(low, high))) << (16 * i);
  }
  return mask;
}

/// Returns the lanes of one half for which f(s[i]...) is true.
template <class F, class... S>
inline std::uint32_t lanes_where(F f, const S*... s) {
  alignas(64) std::int32_t flags[32];
  CASTOR_LANE_LOOP
  for (unsigned i = 0; i < 32; ++i) flags[i] = f(s[i]...) ? -1 : 0;
  return lane_bits(flags);
}

/// Whether modifier `rnd` of a row is round to nearest, which is the default.
inline bool to_nearest(const Match& m) { return m["rnd"].empty() || m["rnd"] == "rn"; }

}  // namespace
}  // namespace castor::isa
