// Arithmetic of the 16-bit formats f16 and bf16, single and packed in pairs. All results are correctly rounded; NaN
// results are 0x7fff.

#include "castor/isa/instructions/float_functions.h"
#include "castor/isa/instructions/float_lanes.h"

namespace castor::isa {
namespace {

// ---- operations on one value; a, b, c are exact floats -------------------------------------------------------------

struct HalfAdd {
  // Rounding to float first is harmless: its 24 bits are more than twice the 11 (bf16: 8) bits of the result plus one.
  // If the result is subnormal, the sum is exact.
  template <class Format>
  static std::uint32_t of(float a, float b) {
    return Format::nearest(a + b);
  }
};
struct HalfSub {
  template <class Format>
  static std::uint32_t of(float a, float b) {
    return Format::nearest(a - b);
  }
};
struct HalfMul {
  template <class Format>
  static std::uint32_t of(float a, float b) {
    if constexpr (std::is_same_v<Format, Half>) {
      return Format::nearest(a * b);  // the product is exact in float
    } else {
      return Format::nearest(odd_float(static_cast<double>(a) * static_cast<double>(b)));  // the product is exact in
                                                                                           // double
    }
  }
};
struct HalfFma {
  template <class Format>
  static std::uint32_t of(float a, float b, float c) {
    if constexpr (std::is_same_v<Format, Half>) {
      return Format::nearest(sum_odd(a * b, c));
    } else {
      const double p = static_cast<double>(a) * static_cast<double>(b);
      return Format::nearest(odd_float(sum_odd(p, static_cast<double>(c))));
    }
  }
};
struct HalfExponential {
  template <class Format>
  static std::uint32_t of(float a) {
    return Format::nearest(static_cast<float>(power_of_two(static_cast<double>(a))));
  }
};
struct HalfTangent {
  template <class Format>
  static std::uint32_t of(float a) {
    return Format::nearest(static_cast<float>(hyperbolic_tangent(static_cast<double>(a))));
  }
};

// ---- lanes ---------------------------------------------------------------------------------------------------------

template <class Format>
inline std::uint32_t modify_result(std::uint32_t h, std::uint64_t imm) {
  if ((imm & kFtz) != 0) h = flush16<Format>(h);
  const bool negative = (h & 0x8000u) != 0;
  if ((imm & kSat) != 0) {
    if (negative || h > Format::kInfinity) return 0;
    return h > Format::kOne ? Format::kOne : h;
  }
  return (imm & kRelu) != 0 && negative ? 0 : h;
}

/// Computes one element, either without modifiers (Plain) or with the modifiers of Record::imm.
template <class Format, class Op, bool Plain, class... S>
inline std::uint32_t element(std::uint64_t imm, unsigned shift, S... s) {
  if constexpr (Plain) {
    return Op::template of<Format>(Format::widen(s >> shift & 0xffffu)...);
  } else {
    const bool ftz = (imm & kFtz) != 0;
    const auto read = [ftz, shift](std::uint32_t v) {
      const std::uint32_t h = v >> shift & 0xffffu;
      return Format::widen(ftz ? flush16<Format>(h) : h);
    };
    return modify_result<Format>(Op::template of<Format>(read(s)...), imm);
  }
}
template <class Format, class Op, bool Packed, bool Plain, class... S>
inline std::uint32_t elements(std::uint64_t imm, S... s) {
  const std::uint32_t low = element<Format, Op, Plain>(imm, 0, s...);
  if constexpr (!Packed) return low;
  return low | element<Format, Op, Plain>(imm, 16, s...) << 16;
}

template <unsigned Operands, class Format, class Op, bool Packed, bool Plain>
void apply(const Record& record, LaneArgs& args) {
  using U = std::uint32_t;
  const std::uint64_t imm = record.imm;
  const auto f = [imm](auto... s) { return elements<Format, Op, Packed, Plain>(imm, s...); };
  if constexpr (Plain) {
    if constexpr (Operands == 1) map<U, U>(args, f);
    if constexpr (Operands == 2) map<U, U, U>(args, f);
    if constexpr (Operands == 3) map<U, U, U, U>(args, f);
  } else {
    if constexpr (Operands == 1) each_lane<U, U>(args, f);
    if constexpr (Operands == 2) each_lane<U, U, U>(args, f);
    if constexpr (Operands == 3) each_lane<U, U, U, U>(args, f);
  }
}

template <unsigned Operands, class Op>
LaneFn select(const Match& m) {
  const bool plain = !m.has("ftz") && !m.has("sat") && !m.has("relu");
  switch (m.type("t")) {
    case Type::kF16:
      return plain ? apply<Operands, Half, Op, false, true> : apply<Operands, Half, Op, false, false>;
    case Type::kF16x2:
      return plain ? apply<Operands, Half, Op, true, true> : apply<Operands, Half, Op, true, false>;
    case Type::kBf16:
      return plain ? apply<Operands, Bfloat, Op, false, true> : apply<Operands, Bfloat, Op, false, false>;
    case Type::kBf16x2:
      return plain ? apply<Operands, Bfloat, Op, true, true> : apply<Operands, Bfloat, Op, true, false>;
    default:
      return nullptr;
  }
}

// ---- sign, minimum, maximum ----------------------------------------------------------------------------------------

template <class Format, bool Abs>
void change_sign(const Record& record, LaneArgs& args) {
  const bool ftz = (record.imm & kFtz) != 0;
  map<std::uint32_t, std::uint32_t>(args, [ftz](std::uint32_t a) {
    const std::uint32_t flushed = flush16<Format>(a & 0xffffu) | flush16<Format>(a >> 16) << 16;
    const std::uint32_t u = ftz ? flushed : a;
    return Abs ? u & 0x7fff7fffu : u ^ 0x80008000u;
  });
}
template <bool Abs>
LaneFn select_sign(const Match& m) {
  const bool half = m.type("t") == Type::kF16 || m.type("t") == Type::kF16x2;
  return half ? change_sign<Half, Abs> : change_sign<Bfloat, Abs>;
}

/// Returns a number that orders all values, with -0 just below +0.
inline std::int32_t place(std::uint32_t h) {
  return (h & 0x8000u) != 0 ? 0x7fff - static_cast<std::int32_t>(h) : static_cast<std::int32_t>(h);
}

template <class Format, bool Max>
inline std::uint32_t extreme(std::uint32_t a, std::uint32_t b, std::uint64_t imm) {
  if ((imm & kFtz) != 0) {
    a = flush16<Format>(a);
    b = flush16<Format>(b);
  }
  const std::uint32_t sign = (imm & kXorSign) != 0 ? (a ^ b) & 0x8000u : 0;
  if ((imm & kAbs) != 0) {
    a &= 0x7fffu;
    b &= 0x7fffu;
  }
  const bool a_nan = (a & 0x7fffu) > Format::kInfinity;
  const bool b_nan = (b & 0x7fffu) > Format::kInfinity;
  const bool nan = (imm & kNanFlag) != 0 ? a_nan || b_nan : a_nan && b_nan;
  const std::uint32_t d = (place(a) < place(b)) != Max ? a : b;
  return nan ? kNan16 : (b_nan ? a : a_nan ? b : d) | sign;
}

template <class Format, bool Max>
void min_max(const Record& record, LaneArgs& args) {
  const std::uint64_t imm = record.imm;
  const auto both = [imm](std::uint32_t a, std::uint32_t b) {
    return extreme<Format, Max>(a & 0xffffu, b & 0xffffu, imm) | extreme<Format, Max>(a >> 16, b >> 16, imm) << 16;
  };
  if (record.src[2] != kNoOperand) {
    each_lane<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>(
        args, [both](std::uint32_t a, std::uint32_t b, std::uint32_t c) { return both(both(a, b), c); });
  } else {
    each_lane<std::uint32_t, std::uint32_t, std::uint32_t>(args, both);
  }
}
template <bool Max>
LaneFn select_min_max_half(const Match& m) {
  if (m.has("xorsign") && !m.has("abs")) return nullptr;
  const bool half = m.type("t") == Type::kF16 || m.type("t") == Type::kF16x2;
  if (!half && m.has("ftz")) return nullptr;
  return half ? min_max<Half, Max> : min_max<Bfloat, Max>;
}

}  // namespace
}  // namespace castor::isa

CASTOR_INSTRUCTIONS(half) {
  const auto add = [&table](const std::string& syntax, unsigned sources, TimingClass timing,
                            LaneFn (*select)(const Match&), const char* meaning) {
    const char* const operands[] = {"", "=d:t, a:t", "=d:t, a:t, b:t", "=d:t, a:t, b:t, c:t", "=d:t, a:t, b:t, c:t?"};
    table.add_pure({syntax, operands[sources], timing, Kind::kLane, select, modifiers, meaning});
  };
  const std::string half = "{t:f16|f16x2}";
  const std::string bfloat = "{t:bf16|bf16x2}";
  const std::string both = "{t:f16|f16x2|bf16|bf16x2}";

  add("add.[rnd:rn].[ftz].[sat]." + half, 2, TimingClass::kF32Add, select<2, HalfAdd>, "a + b");
  add("sub.[rnd:rn].[ftz].[sat]." + half, 2, TimingClass::kF32Add, select<2, HalfSub>, "a - b");
  add("mul.[rnd:rn].[ftz].[sat]." + half, 2, TimingClass::kF32Mul, select<2, HalfMul>, "a * b");
  add("fma.rn.[ftz].[sat]." + half, 3, TimingClass::kF32Fma, select<3, HalfFma>, "a * b + c, rounded once");
  add("fma.rn.[ftz].{relu}." + half, 3, TimingClass::kF32Fma, select<3, HalfFma>,
      "a * b + c, negative results become 0");
  add("add.[rnd:rn]." + bfloat, 2, TimingClass::kF32Add, select<2, HalfAdd>, "a + b");
  add("sub.[rnd:rn]." + bfloat, 2, TimingClass::kF32Add, select<2, HalfSub>, "a - b");
  add("mul.[rnd:rn]." + bfloat, 2, TimingClass::kF32Mul, select<2, HalfMul>, "a * b");
  add("fma.rn.[relu]." + bfloat, 3, TimingClass::kF32Fma, select<3, HalfFma>, "a * b + c, rounded once");

  add("neg.[ftz]." + half, 1, TimingClass::kF32Add, select_sign<false>, "-a; a NaN keeps its payload");
  add("abs.[ftz]." + half, 1, TimingClass::kF32Add, select_sign<true>, "|a|; a NaN keeps its payload");
  add("neg." + bfloat, 1, TimingClass::kF32Add, select_sign<false>, "-a; a NaN keeps its payload");
  add("abs." + bfloat, 1, TimingClass::kF32Add, select_sign<true>, "|a|; a NaN keeps its payload");
  add("min.[ftz].[NaN].[xorsign].[abs]." + both, 4, TimingClass::kF32MinMax, select_min_max_half<false>,
      "smallest operand; numbers before NaN, or NaN before numbers (.NaN)");
  add("max.[ftz].[NaN].[xorsign].[abs]." + both, 4, TimingClass::kF32MinMax, select_min_max_half<true>,
      "largest operand; numbers before NaN, or NaN before numbers (.NaN)");

  add("ex2.approx." + half, 1, TimingClass::kSpecial, select<1, HalfExponential>, "2 to the power a");
  add("ex2.approx.{ftz}." + bfloat, 1, TimingClass::kSpecial, select<1, HalfExponential>, "2 to the power a");
  add("tanh.approx." + both, 1, TimingClass::kSpecial, select<1, HalfTangent>, "hyperbolic tangent");
}
