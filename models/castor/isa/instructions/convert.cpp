// cvt: between integers of 8 to 64 bits, f16, bf16, f32, f64, tf32.
//
// The common conversions have their own vector loops. All others go through double. A 64-bit integer is converted to
// double with rounding to odd; every other source is exact in double. Only the second rounding therefore affects the
// result.

#include <limits>

#include "castor/isa/instructions/float_lanes.h"

namespace castor::isa {
namespace {

constexpr std::uint64_t kSatFinite = 256;
constexpr std::uint64_t kToInteger = 512;  // .rni and other integer roundings between equal float types
constexpr unsigned kDestinationShift = 16;
constexpr unsigned kSourceShift = 24;

std::uint64_t convert_bits(const Match& m) {
  std::uint64_t imm = modifiers(m);
  if (m.has("satfinite")) imm |= kSatFinite;
  if (m["rnd"].size() == 3) imm |= kToInteger;
  imm |= static_cast<std::uint64_t>(m.type("t")) << kDestinationShift;
  imm |= static_cast<std::uint64_t>(m.type("u")) << kSourceShift;
  return imm;
}
inline Type destination_type(std::uint64_t imm) { return static_cast<Type>(imm >> kDestinationShift & 0xff); }
inline Type source_type(std::uint64_t imm) { return static_cast<Type>(imm >> kSourceShift & 0xff); }

/// Calls f with a value of the C++ type that corresponds to an integer type.
template <class F>
inline auto with_integer(Type type, F f) {
  switch (type) {
    case Type::kU8:
      return f(std::uint8_t{});
    case Type::kS8:
      return f(std::int8_t{});
    case Type::kU16:
      return f(std::uint16_t{});
    case Type::kS16:
      return f(std::int16_t{});
    case Type::kS32:
      return f(std::int32_t{});
    case Type::kU64:
      return f(std::uint64_t{});
    case Type::kS64:
      return f(std::int64_t{});
    default:
      return f(std::uint32_t{});
  }
}

/// Type of the register element that holds a value of type T.
template <class T>
using Cell = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
/// Returns a value of type T as a register element, extended by its sign.
template <class T>
inline Cell<T> extend(T v) {
  if constexpr (std::is_signed_v<T>) {
    return static_cast<Cell<T>>(static_cast<std::int64_t>(v));
  } else {
    return v;
  }
}

// ---- integer to integer ------------------------------------------------------------------------------------------

template <class D, class S>
void truncate(const Record&, LaneArgs& args) {
  map<Cell<D>, Cell<S>>(args, [](Cell<S> s) { return extend(static_cast<D>(static_cast<S>(s))); });
}

/// Clamps to the range of D (`.sat`).
template <class D, class S>
void clamp(const Record&, LaneArgs& args) {
  each_lane<Cell<D>, Cell<S>>(args, [](Cell<S> s) {
    const S v = static_cast<S>(s);
    constexpr auto kLow = std::numeric_limits<D>::min();
    constexpr auto kHigh = std::numeric_limits<D>::max();
    if constexpr (std::is_signed_v<S>) {
      if (v < 0) {
        const bool below = !std::is_signed_v<D> || static_cast<std::int64_t>(v) < static_cast<std::int64_t>(kLow);
        return extend(below ? kLow : static_cast<D>(v));
      }
    }
    return extend(static_cast<std::uint64_t>(v) > static_cast<std::uint64_t>(kHigh) ? kHigh : static_cast<D>(v));
  });
}

LaneFn select_integer(const Match& m) {
  const bool sat = m.has("sat");
  return with_integer(m.type("t"), [&m, sat](auto d) {
    return with_integer(m.type("u"), [sat](auto s) -> LaneFn {
      return sat ? clamp<decltype(d), decltype(s)> : truncate<decltype(d), decltype(s)>;
    });
  });
}

// ---- float to integer --------------------------------------------------------------------------------------------

/// Rounds to an integral value. Below 2^23 (2^52 for double), adding and subtracting that number rounds to nearest
/// even. The correction for other modes cannot change the sign.
template <class T>
inline T to_integral(T x, Rounding mode) {
  constexpr T kAllIntegral = sizeof(T) == 4 ? T{0x1p23} : T{0x1p52};
  const T m = magnitude(x);
  const T nearest = with_sign(m < kAllIntegral ? (m + kAllIntegral) - kAllIntegral : m, sign_bit(x));
  T r = nearest;
  if (mode == Rounding::kZero) r = magnitude(nearest) > m ? nearest - with_sign(T{1}, sign_bit(x)) : nearest;
  if (mode == Rounding::kDown) r = nearest > x ? nearest - T{1} : nearest;
  if (mode == Rounding::kUp) r = nearest < x ? nearest + T{1} : nearest;
  return with_sign(magnitude(r), sign_bit(x));
}

/// Converts an integral value to an integer, with saturation; a NaN becomes `nan`.
template <class D>
inline D to_integer(double x, D nan) {
  if (x != x) return nan;
  constexpr int kBits = static_cast<int>(sizeof(D)) * 8;
  constexpr double kLimit = static_cast<double>(std::uint64_t{1} << (kBits - 1)) * (std::is_signed_v<D> ? 1 : 2);
  if (x >= kLimit) return std::numeric_limits<D>::max();
  if constexpr (std::is_signed_v<D>) {
    return x < -kLimit ? std::numeric_limits<D>::min() : static_cast<D>(static_cast<std::int64_t>(x));
  } else {
    return x <= 0 ? D{0} : static_cast<D>(static_cast<std::uint64_t>(x));
  }
}

/// Returns the result for a NaN, as PTX defines: 0, or only the top bit set if the source is f64 or the destination has
/// 64 bits.
template <class D>
inline D integer_of_nan(Type source) {
  const bool top = source == Type::kF64 || sizeof(D) == 8;
  return top ? static_cast<D>(std::uint64_t{1} << (sizeof(D) * 8 - 1)) : D{0};
}

/// Returns the value of a register element that holds a float of any type. Only f32 is flushed.
[[gnu::noinline]] double read_flushed(std::uint64_t element, Type type, bool ftz) {
  const auto u = static_cast<std::uint32_t>(element);
  switch (type) {
    case Type::kF64:
      return as<double>(element);
    case Type::kF16:
      return Half::widen(u & 0xffffu);
    case Type::kBf16:
      return Bfloat::widen(u & 0xffffu);
    default:
      return ftz ? flush(as<float>(u)) : as<float>(u);
  }
}

template <class D>
void float_to_integer(const Record& record, LaneArgs& args) {
  const std::uint64_t imm = record.imm;
  const D nan = integer_of_nan<D>(source_type(imm));
  const auto convert = [imm, nan](auto element) {
    const double x = read_flushed(element, source_type(imm), (imm & kFtz) != 0);
    return extend(to_integer<D>(to_integral(x, rounding(imm)), nan));
  };
  if (source_type(imm) == Type::kF64) {
    each_lane<Cell<D>, std::uint64_t>(args, convert);
  } else {
    each_lane<Cell<D>, std::uint32_t>(args, convert);
  }
}

// Conversions that programs use most: those of C's casts, rounding functions and their intrinsics.

template <Rounding Mode>
void float_to_s32(const Record&, LaneArgs& args) {
  map<std::int32_t, float>(args, [](float s) {
    const float x = Mode == Rounding::kZero ? s : to_integral(s, Mode);
    const bool inside = magnitude(x) < 0x1p31f;
    const auto i = static_cast<std::int32_t>(inside ? x : 0.0f);
    const std::int32_t below = x < 0 ? std::numeric_limits<std::int32_t>::min() : 0;
    const std::int32_t outside = x > 0 ? std::numeric_limits<std::int32_t>::max() : below;
    return inside ? i : outside;
  });
}
template <Rounding Mode>
void float_to_u32(const Record&, LaneArgs& args) {
  map<std::uint32_t, float>(args, [](float s) {
    const float x = Mode == Rounding::kZero ? s : to_integral(s, Mode);
    const bool large = x >= 0x1p31f;
    const float rest = large ? x - 0x1p31f : x;
    const bool inside = rest > 0 && rest < 0x1p31f;
    const auto i = static_cast<std::uint32_t>(static_cast<std::int32_t>(inside ? rest : 0.0f));
    const std::uint32_t in_range = large ? i | 0x80000000u : i;
    return x >= 0x1p32f ? 0xffffffffu : in_range;
  });
}
template <Rounding Mode>
void double_to_s32(const Record&, LaneArgs& args) {
  map<std::int32_t, double>(args, [](double s) {
    const double x = Mode == Rounding::kZero ? s : to_integral(s, Mode);
    const double low = x > -0x1p31 ? x : -0x1p31;  // a NaN becomes the smallest integer, too
    return static_cast<std::int32_t>(low < 0x1p31 - 1 ? low : 0x1p31 - 1);
  });
}
/// Converts to a 64-bit integer with rounding toward zero.
template <class D, class S>
void truncate_float(const Record&, LaneArgs& args) {
  map<D, S>(args, [](S s) { return to_integer<D>(static_cast<double>(s), integer_of_nan<D>(Type::kF64)); });
}

template <Rounding Mode>
LaneFn common_float_to_integer(Type d, Type s) {
  if (s == Type::kF32 && d == Type::kS32) return float_to_s32<Mode>;
  if (s == Type::kF32 && d == Type::kU32) return float_to_u32<Mode>;
  if (s == Type::kF64 && d == Type::kS32) return double_to_s32<Mode>;
  return nullptr;
}
LaneFn common_float_to_integer(Rounding mode, Type d, Type s) {
  switch (mode) {
    case Rounding::kNearest:
      return common_float_to_integer<Rounding::kNearest>(d, s);
    case Rounding::kZero:
      if (d == Type::kS64 && s == Type::kF32) return truncate_float<std::int64_t, float>;
      if (d == Type::kU64 && s == Type::kF32) return truncate_float<std::uint64_t, float>;
      if (d == Type::kS64 && s == Type::kF64) return truncate_float<std::int64_t, double>;
      if (d == Type::kU64 && s == Type::kF64) return truncate_float<std::uint64_t, double>;
      return common_float_to_integer<Rounding::kZero>(d, s);
    case Rounding::kDown:
      return common_float_to_integer<Rounding::kDown>(d, s);
    case Rounding::kUp:
      return common_float_to_integer<Rounding::kUp>(d, s);
  }
  return nullptr;
}

LaneFn select_float_to_integer(const Match& m) {
  const Type d = m.type("t");
  const Type s = m.type("u");
  if (m.has("ftz") && s != Type::kF32) return nullptr;
  const Rounding mode = rounding(modifiers(m));
  // Flushing a subnormal changes nothing in modes that round it to 0.
  if (!m.has("ftz") || mode == Rounding::kNearest || mode == Rounding::kZero) {
    if (const LaneFn common = common_float_to_integer(mode, d, s)) return common;
  }
  return with_integer(d, [](auto value) -> LaneFn { return float_to_integer<decltype(value)>; });
}

// ---- to float ----------------------------------------------------------------------------------------------------

/// Converts x to a float type: saturation, rounding, flushing, canonical NaN. If x is inexact, it must be rounded to
/// odd.
[[gnu::noinline]] std::uint64_t write_float(double x, std::uint64_t imm) {
  const Rounding mode = (imm & kToInteger) != 0 ? Rounding::kNearest : rounding(imm);
  if ((imm & kToInteger) != 0) x = to_integral(x, rounding(imm));
  if ((imm & kSat) != 0) x = saturate(x);
  if ((imm & kRelu) != 0) x = x != x || x > 0 ? x : 0.0;
  const bool finite = (imm & kSatFinite) != 0;
  switch (destination_type(imm)) {
    case Type::kF64:
      return as<std::uint64_t>(canonical(x));
    case Type::kF16: {
      const std::uint32_t h = narrow16<Half>(x, mode);
      return finite && (h & 0x7fffu) == Half::kInfinity ? h - 1 : h;
    }
    case Type::kBf16: {
      const std::uint32_t h = narrow16<Bfloat>(x, mode);
      return finite && (h & 0x7fffu) == Bfloat::kInfinity ? h - 1 : h;
    }
    default: {
      const float f = narrow(x, mode);
      return as<std::uint32_t>(canonical((imm & kFtz) != 0 ? flush(f) : f));
    }
  }
}

/// Applies write_float to every lane; f returns a source element as double.
template <class S, class F>
inline void write_floats(const Record& record, LaneArgs& args, F f) {
  const std::uint64_t imm = record.imm;
  if (destination_type(imm) == Type::kF64) {
    each_lane<std::uint64_t, S>(args, [imm, f](S s) { return write_float(f(s), imm); });
  } else {
    each_lane<std::uint32_t, S>(args, [imm, f](S s) { return static_cast<std::uint32_t>(write_float(f(s), imm)); });
  }
}

void float_to_float(const Record& record, LaneArgs& args) {
  const Type type = source_type(record.imm);
  const bool ftz = (record.imm & kFtz) != 0;
  const auto read = [type, ftz](auto element) { return read_flushed(element, type, ftz); };
  if (type == Type::kF64) {
    write_floats<std::uint64_t>(record, args, read);
  } else {
    write_floats<std::uint32_t>(record, args, read);
  }
}

/// Converts an integer to double, rounded to odd.
template <class S>
inline double odd_double(S v) {
  if constexpr (sizeof(S) < 8) {
    return static_cast<double>(v);
  } else {
    bool negative = false;
    if constexpr (std::is_signed_v<S>) negative = v < 0;
    auto m = static_cast<std::uint64_t>(v);
    if (negative) m = std::uint64_t{0} - m;
    if (m >> 53 != 0) m = (m & ~std::uint64_t{0x7ff}) | ((m & 0x7ff) != 0 ? 0x800u : 0u);
    const auto d = static_cast<double>(m);
    return negative ? -d : d;
  }
}

/// Converts an integer to double in any rounding mode.
template <class S>
inline double rounded_double(S v, Rounding mode) {
  if (sizeof(S) < 8 || mode == Rounding::kNearest) return static_cast<double>(v);
  bool negative = false;
  if constexpr (std::is_signed_v<S>) negative = v < 0;
  auto m = static_cast<std::uint64_t>(static_cast<std::conditional_t<std::is_signed_v<S>, std::int64_t, S>>(v));
  if (negative) m = std::uint64_t{0} - m;
  const int excess = m >> 53 != 0 ? 11 - __builtin_clzll(m) : 0;
  const std::uint64_t last = std::uint64_t{1} << excess;
  const bool away = negative ? mode == Rounding::kDown : mode == Rounding::kUp;
  const std::uint64_t cut = m & (last - 1);
  const auto d = static_cast<double>(m - cut) + (away && cut != 0 ? static_cast<double>(last) : 0.0);
  return negative ? -d : d;
}

template <class S>
void integer_to_float(const Record& record, LaneArgs& args) {
  const bool wide = destination_type(record.imm) == Type::kF64;
  const Rounding mode = rounding(record.imm);
  write_floats<Cell<S>>(record, args, [wide, mode](Cell<S> element) {
    const S v = static_cast<S>(element);
    return wide ? rounded_double(v, mode) : odd_double(v);
  });
}

template <class D, class S>
void exact_or_nearest(const Record&, LaneArgs& args) {
  map<D, S>(args, [](S s) {
    // Converts through double, since vector code has no direct conversion from u32 to float. For float, an exact double
    // ensures that only one rounding happens.
    if constexpr (sizeof(S) == 4 && std::is_unsigned_v<S>) {
      return static_cast<D>(static_cast<double>(static_cast<std::int32_t>(s ^ 0x80000000u)) + 0x1p31);
    } else {
      return static_cast<D>(s);
    }
  });
}

LaneFn select_integer_to_float(const Match& m) {
  const Type d = m.type("t");
  const Type s = m.type("u");
  if (m.has("ftz") && d != Type::kF32) return nullptr;
  if (m["rnd"] == "rn" && !m.has("sat")) {
    // No integer becomes a subnormal, so `.ftz` changes nothing.
    if (d == Type::kF32 && s == Type::kS32) return exact_or_nearest<float, std::int32_t>;
    if (d == Type::kF32 && s == Type::kU32) return exact_or_nearest<float, std::uint32_t>;
    if (d == Type::kF32 && s == Type::kS64) return exact_or_nearest<float, std::int64_t>;
    if (d == Type::kF32 && s == Type::kU64) return exact_or_nearest<float, std::uint64_t>;
    if (d == Type::kF64 && s == Type::kS32) return exact_or_nearest<double, std::int32_t>;
    if (d == Type::kF64 && s == Type::kU32) return exact_or_nearest<double, std::uint32_t>;
    if (d == Type::kF64 && s == Type::kS64) return exact_or_nearest<double, std::int64_t>;
    if (d == Type::kF64 && s == Type::kU64) return exact_or_nearest<double, std::uint64_t>;
  }
  return with_integer(s, [](auto value) -> LaneFn { return integer_to_float<decltype(value)>; });
}

void widen_float(const Record&, LaneArgs& args) {
  map<double, float>(args, [](float s) { return canonical(static_cast<double>(s)); });
}
void narrow_double(const Record&, LaneArgs& args) {
  map<float, double>(args, [](double s) { return canonical(static_cast<float>(s)); });
}
template <class Format>
void widen_16(const Record&, LaneArgs& args) {
  map<float, std::uint32_t>(args, [](std::uint32_t s) { return canonical(Format::widen(s & 0xffffu)); });
}
template <class Format>
void nearest_16(const Record&, LaneArgs& args) {
  map<std::uint32_t, float>(args, [](float s) { return Format::nearest(s); });
}

template <class T, Rounding Mode, bool Ftz>
void integral(const Record&, LaneArgs& args) {
  map<T, T>(args, [](T s) { return canonical(to_integral(Ftz ? flush(s) : s, Mode)); });
}
template <class T, bool Ftz>
LaneFn select_integral(Rounding mode) {
  switch (mode) {
    case Rounding::kNearest:
      return integral<T, Rounding::kNearest, Ftz>;
    case Rounding::kZero:
      return integral<T, Rounding::kZero, Ftz>;
    case Rounding::kDown:
      return integral<T, Rounding::kDown, Ftz>;
    case Rounding::kUp:
      return integral<T, Rounding::kUp, Ftz>;
  }
  return nullptr;
}

LaneFn select_float_to_float(const Match& m) {
  const Type d = m.type("t");
  const Type s = m.type("u");
  const std::string_view mode = m["rnd"];
  const bool to_integer = mode.size() == 3;
  const bool narrows = bits(d) < bits(s) || (d != s && bits(d) == bits(s));
  // A rounding mode is required exactly where the conversion may be inexact; integer rounding is for equal types.
  if (d == s ? !mode.empty() && !to_integer : to_integer || mode.empty() == narrows) return nullptr;
  if (m.has("ftz") && d != Type::kF32 && s != Type::kF32) return nullptr;
  if ((m.has("relu") || m.has("satfinite")) && (s != Type::kF32 || (d != Type::kF16 && d != Type::kBf16)))
    return nullptr;
  const bool plain = !m.has("ftz") && !m.has("sat") && !m.has("relu") && !m.has("satfinite");
  if (plain && (mode.empty() || mode == "rn")) {
    if (d == Type::kF64 && s == Type::kF32) return widen_float;
    if (d == Type::kF32 && s == Type::kF64) return narrow_double;
    if (d == Type::kF32 && s == Type::kF16) return widen_16<Half>;
    if (d == Type::kF32 && s == Type::kBf16) return widen_16<Bfloat>;
    if (d == Type::kF16 && s == Type::kF32) return nearest_16<Half>;
    if (d == Type::kBf16 && s == Type::kF32) return nearest_16<Bfloat>;
  }
  if (to_integer && !m.has("sat")) {
    const Rounding r = rounding(modifiers(m));
    if (d == Type::kF64) return select_integral<double, false>(r);
    if (d == Type::kF32) return m.has("ftz") ? select_integral<float, true>(r) : select_integral<float, false>(r);
  }
  return float_to_float;
}

// ---- packed and tf32 ---------------------------------------------------------------------------------------------

/// Packs two floats; the first source becomes the upper element.
void pack_floats(const Record& record, LaneArgs& args) {
  const Type element = destination_type(record.imm) == Type::kF16x2 ? Type::kF16 : Type::kBf16;
  const std::uint64_t imm = (record.imm & ((std::uint64_t{1} << kDestinationShift) - 1)) |
                            static_cast<std::uint64_t>(element) << kDestinationShift;
  each_lane<std::uint32_t, float, float>(args, [imm](float a, float b) {
    return static_cast<std::uint32_t>(write_float(a, imm) << 16 | write_float(b, imm));
  });
}

/// Converts to tf32, which keeps 10 bits of the fraction in a 32-bit register. `rna`: ties away from zero.
template <bool TiesAway>
void to_tf32(const Record& record, LaneArgs& args) {
  const std::uint64_t imm = record.imm;
  each_lane<std::uint32_t, float>(args, [imm](float a) {
    if (a != a) return kNan32;
    auto u = as<std::uint32_t>(a);
    if ((imm & kRelu) != 0 && (u & 0x80000000u) != 0) return std::uint32_t{0};
    const bool infinite = (u & 0x7fffffffu) == 0x7f800000u;
    if (rounding(imm) == Rounding::kNearest && !infinite) u += TiesAway ? 0x1000u : 0xfffu + (u >> 13 & 1u);
    u &= ~0x1fffu;
    return (imm & kSatFinite) != 0 && (u & 0x7fffffffu) == 0x7f800000u ? u - 0x2000u : u;
  });
}

/// Packs b into the lowest element, a into the next one, and the low bits of c above.
template <class D, bool Third>
void pack_integers(const Record&, LaneArgs& args) {
  const auto pack = [](std::int32_t a, std::int32_t b) {
    constexpr std::uint32_t kMask = (1u << (8 * sizeof(D))) - 1;
    constexpr auto kHigh = static_cast<std::int32_t>(std::is_signed_v<D> ? kMask / 2 : kMask);
    constexpr std::int32_t kLow = std::is_signed_v<D> ? -kHigh - 1 : 0;
    const auto x = static_cast<std::uint32_t>(a < kLow ? kLow : a > kHigh ? kHigh : a);
    const auto y = static_cast<std::uint32_t>(b < kLow ? kLow : b > kHigh ? kHigh : b);
    return (x & kMask) << (sizeof(D) * 8) | (y & kMask);
  };
  if constexpr (Third) {
    map<std::uint32_t, std::int32_t, std::int32_t, std::uint32_t>(
        args,
        [pack](std::int32_t a, std::int32_t b, std::uint32_t c) { return c << (2 * sizeof(D) * 8) | pack(a, b); });
  } else {
    map<std::uint32_t, std::int32_t, std::int32_t>(args, pack);
  }
}

}  // namespace
}  // namespace castor::isa

CASTOR_INSTRUCTIONS(convert) {
  const std::string integers = "u8|u16|u32|u64|s8|s16|s32|s64";
  table.add_pure({"cvt.[sat].{t:" + integers + "}.{u:" + integers + "}", "=d:t, a:u", TimingClass::kInt, Kind::kLane,
                  select_integer, convert_bits, "integer to integer: truncated, extended, or clamped (.sat)"});
  for (const bool wide : {false, true}) {
    const TimingClass timing = wide ? TimingClass::kF64 : TimingClass::kConvert;
    const std::string floats = wide ? "f64" : "f16|bf16|f32";
    table.add_pure({"cvt.{rnd:rni|rzi|rmi|rpi}.[ftz].[sat].{t:" + integers + "}.{u:" + floats + "}", "=d:t, a:u",
                    timing, Kind::kLane, select_float_to_integer, convert_bits,
                    "float to integer, clamped; NaN to 0, or to the top bit if 64 bits are involved"});
    table.add_pure({"cvt.{rnd:rn|rz|rm|rp}.[ftz].[sat].{t:" + floats + "}.{u:" + integers + "}", "=d:t, a:u", timing,
                    Kind::kLane, select_integer_to_float, convert_bits, "integer to float"});
  }
  const std::string modes = "cvt.[rnd:rn|rz|rm|rp|rni|rzi|rmi|rpi].[ftz].[relu].[satfinite].[sat].";
  const std::string meaning = "float to float; .rni and the like round to an integral value";
  table.add_pure({modes + "{t:f16|bf16|f32}.{u:f16|bf16|f32}", "=d:t, a:u", TimingClass::kConvert, Kind::kLane,
                  select_float_to_float, convert_bits, meaning});
  table.add_pure({modes + "{t:f64}.{u:f16|bf16|f32|f64}", "=d:t, a:u", TimingClass::kF64, Kind::kLane,
                  select_float_to_float, convert_bits, meaning});
  table.add_pure({modes + "{t:f16|bf16|f32}.{u:f64}", "=d:t, a:u", TimingClass::kF64, Kind::kLane,
                  select_float_to_float, convert_bits, meaning});

  table.add_pure({"cvt.{rnd:rn|rz}.[relu].[satfinite].{t:f16x2|bf16x2}.f32", "=d:t, a:f32, b:f32",
                  TimingClass::kConvert, Kind::kLane, [](const Match&) -> LaneFn { return pack_floats; }, convert_bits,
                  "two floats to a pair, a in the upper half"});
  table.add_pure({"cvt.{rnd:rna}.[satfinite].tf32.f32", "=d:b32, a:f32", TimingClass::kConvert, Kind::kLane,
                  [](const Match&) -> LaneFn { return to_tf32<true>; }, convert_bits, "to tf32, ties away from zero"});
  table.add_pure({"cvt.{rnd:rn|rz}.[relu].[satfinite].tf32.f32", "=d:b32, a:f32", TimingClass::kConvert, Kind::kLane,
                  [](const Match&) -> LaneFn { return to_tf32<false>; }, convert_bits, "to tf32"});
  table.add_pure({"cvt.pack.sat.{t:u16|s16}.s32", "=d:b32, a:s32, b:s32", TimingClass::kInt, Kind::kLane,
                  [](const Match& m) -> LaneFn {
                    return m.type("t") == Type::kU16 ? pack_integers<std::uint16_t, false>
                                                     : pack_integers<std::int16_t, false>;
                  },
                  nullptr, "two integers clamped to 16 bits, a in the upper half"});
  table.add_pure({"cvt.pack.sat.{t:u8|s8}.s32.b32", "=d:b32, a:s32, b:s32, c:b32", TimingClass::kInt, Kind::kLane,
                  [](const Match& m) -> LaneFn {
                    return m.type("t") == Type::kU8 ? pack_integers<std::uint8_t, true>
                                                    : pack_integers<std::int8_t, true>;
                  },
                  nullptr, "two integers clamped to 8 bits below the low half of c"});
}
