// Single precision arithmetic. Subnormals are flushed only by `.ftz`; NaN results are 0x7fffffff.

#include "castor/isa/instructions/float_lanes.h"

namespace castor::isa {
namespace {

// ---- add, sub, mul, fma ------------------------------------------------------------------------------------------

struct Add {
  static float nearest(float a, float b) { return a + b; }
  static float rounded(float a, float b, Rounding mode) {
    const double s = sum_odd(static_cast<double>(a), static_cast<double>(b));
    return s == 0 ? zero_sum(sign_bit(a), sign_bit(b), mode) : narrow(s, mode);
  }
};
struct Sub {
  static float nearest(float a, float b) { return a - b; }
  static float rounded(float a, float b, Rounding mode) { return Add::rounded(a, -b, mode); }
};
struct Mul {
  static float nearest(float a, float b) { return a * b; }
  // The product of two floats is exact in double.
  static float rounded(float a, float b, Rounding mode) {
    return narrow(static_cast<double>(a) * static_cast<double>(b), mode);
  }
};
struct Fma {
  static float nearest(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
  static float rounded(float a, float b, float c, Rounding mode) {
    const double p = static_cast<double>(a) * static_cast<double>(b);
    const double s = sum_odd(p, static_cast<double>(c));
    return s == 0 ? zero_sum(sign_bit(a) ^ sign_bit(b), sign_bit(c), mode) : narrow(s, mode);
  }
};

template <class Op, bool Ftz, bool Sat, class... T>
inline float nearest(T... s) {
  float d = Ftz ? Op::nearest(flush(s)...) : Op::nearest(s...);
  d = Ftz ? flush(d) : d;
  return Sat ? saturate(d) : canonical(d);
}
template <class Op, bool Ftz, bool Sat>
void nearest2(const Record&, LaneArgs& args) {
  map<float, float, float>(args, [](float a, float b) { return nearest<Op, Ftz, Sat>(a, b); });
}
template <class Op, bool Ftz, bool Sat>
void nearest3(const Record&, LaneArgs& args) {
  map<float, float, float, float>(args, [](float a, float b, float c) { return nearest<Op, Ftz, Sat>(a, b, c); });
}

inline float finish(float d, std::uint64_t imm) {
  if ((imm & kFtz) != 0) d = flush(d);
  return (imm & kSat) != 0 ? saturate(d) : canonical(d);
}
inline float input(float s, std::uint64_t imm) { return (imm & kFtz) != 0 ? flush(s) : s; }

template <class Op>
void rounded2(const Record& record, LaneArgs& args) {
  const std::uint64_t imm = record.imm;
  each_lane<float, float, float>(
      args, [imm](float a, float b) { return finish(Op::rounded(input(a, imm), input(b, imm), rounding(imm)), imm); });
}
template <class Op>
void rounded3(const Record& record, LaneArgs& args) {
  const std::uint64_t imm = record.imm;
  each_lane<float, float, float, float>(args, [imm](float a, float b, float c) {
    return finish(Op::rounded(input(a, imm), input(b, imm), input(c, imm), rounding(imm)), imm);
  });
}

template <class Op>
LaneFn select2(const Match& m) {
  if (!to_nearest(m)) return rounded2<Op>;
  if (m.has("ftz")) return m.has("sat") ? nearest2<Op, true, true> : nearest2<Op, true, false>;
  return m.has("sat") ? nearest2<Op, false, true> : nearest2<Op, false, false>;
}
template <class Op>
LaneFn select3(const Match& m) {
  if (!to_nearest(m)) return rounded3<Op>;
  if (m.has("ftz")) return m.has("sat") ? nearest3<Op, true, true> : nearest3<Op, true, false>;
  return m.has("sat") ? nearest3<Op, false, true> : nearest3<Op, false, false>;
}

// ---- div, rcp, sqrt with IEEE rounding ---------------------------------------------------------------------------

struct Div {
  static float nearest(float a, float b) { return a / b; }
  static float rounded(float a, float b, Rounding mode) {
    const double x = a;
    const double y = b;
    const double q = x / y;
    const double rest = __builtin_fma(-q, y, x);  // the remainder is exact
    return narrow(to_odd(q, y > 0 ? rest : -rest), mode);
  }
};
struct Sqrt {
  static float nearest(float a) { return __builtin_sqrtf(a); }
  static float rounded(float a, Rounding mode) {
    const double x = a;
    const double s = __builtin_sqrt(x);
    return narrow(to_odd(s, __builtin_fma(-s, s, x)), mode);
  }
};

template <bool Ftz>
void divide(const Record&, LaneArgs& args) {
  map<float, float, float>(args, [](float a, float b) { return nearest<Div, Ftz, false>(a, b); });
}
/// Divides approximately. A divisor above 2^126 is beyond the range of div.approx: finite / b = 0, infinity / b = NaN.
template <bool Ftz>
void divide_approximately(const Record&, LaneArgs& args) {
  map<float, float, float>(args, [](float a, float b) {
    const float d = nearest<Div, Ftz, false>(a, b);
    const float m = magnitude(b);
    const float beyond = magnitude(a) <= 0x1.fffffep127f ? as<float>(sign_bit(a) ^ sign_bit(b)) : as<float>(kNan32);
    return m > 0x1p126f && m <= 0x1.fffffep127f ? beyond : d;
  });
}
LaneFn select_div(const Match& m) {
  const bool ftz = m.has("ftz");
  const std::string_view mode = m["rnd"];
  if (mode == "approx") return ftz ? divide_approximately<true> : divide_approximately<false>;
  if (mode == "full" || mode == "rn") return ftz ? divide<true> : divide<false>;
  return rounded2<Div>;
}

template <bool Ftz>
void reciprocal(const Record&, LaneArgs& args) {
  map<float, float>(args, [](float a) { return nearest<Div, Ftz, false>(1.0f, a); });
}
void reciprocal_rounded(const Record& record, LaneArgs& args) {
  const std::uint64_t imm = record.imm;
  each_lane<float, float>(args,
                          [imm](float a) { return finish(Div::rounded(1.0f, input(a, imm), rounding(imm)), imm); });
}
LaneFn select_rcp(const Match& m) {
  const std::string_view mode = m["rnd"];
  if (mode == "approx" || mode == "rn") return m.has("ftz") ? reciprocal<true> : reciprocal<false>;
  return reciprocal_rounded;
}

template <bool Ftz>
void square_root(const Record&, LaneArgs& args) {
  map<float, float>(args, [](float a) { return nearest<Sqrt, Ftz, false>(a); });
}
void square_root_rounded(const Record& record, LaneArgs& args) {
  const std::uint64_t imm = record.imm;
  each_lane<float, float>(args, [imm](float a) { return finish(Sqrt::rounded(input(a, imm), rounding(imm)), imm); });
}
LaneFn select_sqrt(const Match& m) {
  const std::string_view mode = m["rnd"];
  if (mode == "approx" || mode == "rn") return m.has("ftz") ? square_root<true> : square_root<false>;
  return square_root_rounded;
}

// ---- sign, minimum, maximum, classes -----------------------------------------------------------------------------

template <bool Ftz, bool Abs>
void change_sign(const Record&, LaneArgs& args) {
  map<float, float>(args, [](float a) {
    const auto u = as<std::uint32_t>(Ftz ? flush(a) : a);
    return as<float>(Abs ? u & 0x7fffffffu : u ^ 0x80000000u);
  });
}

/// Returns the smaller or larger value. -0 counts as less than +0. If one operand is a NaN, the other one is returned,
/// unless `.NaN` is given.
template <bool Max>
inline float extreme(float a, float b) {
  const bool first = a < b || (a == b && sign_bit(a) > sign_bit(b));
  const float d = first != Max ? a : b;
  return b != b ? a : a != a ? b : d;
}
template <bool Max>
[[gnu::noinline]] float extreme_modified(float a, float b, std::uint64_t imm) {
  a = input(a, imm);
  b = input(b, imm);
  const bool nan = (imm & kNanFlag) != 0 && (a != a || b != b);
  const std::uint32_t sign = (imm & kXorSign) != 0 ? sign_bit(a) ^ sign_bit(b) : 0;
  if ((imm & kAbs) != 0) {
    a = magnitude(a);
    b = magnitude(b);
  }
  const float d = extreme<Max>(a, b);
  return d != d || nan ? as<float>(kNan32) : with_sign(d, sign);
}
template <bool Max>
void min_max_modified(const Record& record, LaneArgs& args) {
  const std::uint64_t imm = record.imm;
  if (record.src[2] != kNoOperand) {
    each_lane<float, float, float, float>(args, [imm](float a, float b, float c) {
      return extreme_modified<Max>(extreme_modified<Max>(a, b, imm), c, imm);
    });
  } else {
    each_lane<float, float, float>(args, [imm](float a, float b) { return extreme_modified<Max>(a, b, imm); });
  }
}
template <bool Max, bool Ftz>
void min_max(const Record& record, LaneArgs& args) {
  if (record.src[2] != kNoOperand) return min_max_modified<Max>(record, args);
  map<float, float, float>(args, [](float a, float b) {
    return Ftz ? canonical(extreme<Max>(flush(a), flush(b))) : canonical(extreme<Max>(a, b));
  });
}
template <bool Max>
LaneFn select_min_max(const Match& m) {
  if (m.has("xorsign") && !m.has("abs")) return nullptr;
  if (m.has("abs") || m.has("NaN")) return min_max_modified<Max>;
  return m.has("ftz") ? min_max<Max, true> : min_max<Max, false>;
}

void copy_sign(const Record&, LaneArgs& args) {
  map<std::uint32_t, std::uint32_t, std::uint32_t>(
      args, [](std::uint32_t a, std::uint32_t b) { return (a & 0x80000000u) | (b & 0x7fffffffu); });
}

/// Bits of Record::imm for testp: the classes of values for which testp is true.
constexpr std::uint64_t kClassZero = 1;
constexpr std::uint64_t kClassSubnormal = 2;
constexpr std::uint64_t kClassNormal = 4;
constexpr std::uint64_t kClassInfinite = 8;
constexpr std::uint64_t kClassNan = 16;

std::uint64_t tested_classes(const Match& m) {
  const std::string_view op = m["op"];
  if (op == "finite") return kClassZero | kClassSubnormal | kClassNormal;
  if (op == "infinite") return kClassInfinite;
  if (op == "number") return kClassZero | kClassSubnormal | kClassNormal | kClassInfinite;
  if (op == "notanumber") return kClassNan;
  if (op == "normal") return kClassNormal;
  return kClassSubnormal;
}

template <class U, unsigned MantissaBits>
inline std::uint64_t class_of(U u) {
  const U infinity = (~U{0} >> 1) >> MantissaBits << MantissaBits;
  const U m = u & (~U{0} >> 1);
  if (m == 0) return kClassZero;
  if (m >> MantissaBits == 0) return kClassSubnormal;
  if (m < infinity) return kClassNormal;
  return m == infinity ? kClassInfinite : kClassNan;
}

template <class U, unsigned MantissaBits>
void test_class(const Record& record, LaneArgs& args) {
  LaneMask result = 0;
  for (unsigned h = 0; h < args.halves; ++h) {
    const U* a = source<U>(args, 0, h);
    for (unsigned i = 0; i < 32; ++i) {
      const bool member = (class_of<U, MantissaBits>(a[i]) & record.imm) != 0;
      result |= LaneMask{member ? 1u : 0u} << (32 * h + i);
    }
  }
  write_predicate(record, args.predicates, 0, result, args.mask);
}

}  // namespace
}  // namespace castor::isa

CASTOR_INSTRUCTIONS(float32) {
  table.add_pure({"add.[rnd:rn|rz|rm|rp].[ftz].[sat].f32", "=d:f32, a:f32, b:f32", TimingClass::kF32Add, Kind::kLane,
                  select2<Add>, modifiers, "a + b"});
  table.add_pure({"sub.[rnd:rn|rz|rm|rp].[ftz].[sat].f32", "=d:f32, a:f32, b:f32", TimingClass::kF32Add, Kind::kLane,
                  select2<Sub>, modifiers, "a - b"});
  table.add_pure({"mul.[rnd:rn|rz|rm|rp].[ftz].[sat].f32", "=d:f32, a:f32, b:f32", TimingClass::kF32Mul, Kind::kLane,
                  select2<Mul>, modifiers, "a * b"});
  table.add_pure({"fma.{rnd:rn|rz|rm|rp}.[ftz].[sat].f32", "=d:f32, a:f32, b:f32, c:f32", TimingClass::kF32Fma,
                  Kind::kLane, select3<Fma>, modifiers, "a * b + c, rounded once"});
  table.add_pure({"mad.[rnd:rn|rz|rm|rp].[ftz].[sat].f32", "=d:f32, a:f32, b:f32, c:f32", TimingClass::kF32Fma,
                  Kind::kLane, select3<Fma>, modifiers, "a * b + c, rounded once (same as fma)"});

  table.add_pure({"div.{rnd:rn|rz|rm|rp}.[ftz].f32", "=d:f32, a:f32, b:f32", TimingClass::kF32Div, Kind::kLane,
                  select_div, modifiers, "a / b, IEEE rounding"});
  table.add_pure({"div.{rnd:approx|full}.[ftz].f32", "=d:f32, a:f32, b:f32", TimingClass::kScaled, Kind::kLane,
                  select_div, modifiers,
                  "a / b, at most 2 units in the last place off; .approx: 0 for divisors above 2^126"});
  table.add_pure({"rcp.{rnd:rn|rz|rm|rp}.[ftz].f32", "=d:f32, a:f32", TimingClass::kF32Root, Kind::kLane, select_rcp,
                  modifiers, "1 / a, IEEE rounding"});
  table.add_pure({"rcp.{rnd:approx}.{ftz}.f32", "=d:f32, a:f32", TimingClass::kSpecial, Kind::kLane, select_rcp,
                  modifiers, "1 / a, at most 1 unit in the last place off"});
  table.add_pure({"rcp.{rnd:approx}.f32", "=d:f32, a:f32", TimingClass::kScaled, Kind::kLane, select_rcp, modifiers,
                  "1 / a, at most 1 unit in the last place off"});
  table.add_pure({"sqrt.{rnd:rn|rz|rm|rp}.[ftz].f32", "=d:f32, a:f32", TimingClass::kF32Root, Kind::kLane, select_sqrt,
                  modifiers, "square root, IEEE rounding"});
  table.add_pure({"sqrt.{rnd:approx}.[ftz].f32", "=d:f32, a:f32", TimingClass::kScaled, Kind::kLane, select_sqrt,
                  modifiers, "square root, at most 1 unit in the last place off"});

  table.add_pure(
      {"abs.[ftz].f32", "=d:f32, a:f32", TimingClass::kF32Add, Kind::kLane,
       [](const Match& m) -> LaneFn { return m.has("ftz") ? change_sign<true, true> : change_sign<false, true>; },
       nullptr, "|a|; a NaN keeps its payload"});
  table.add_pure(
      {"neg.[ftz].f32", "=d:f32, a:f32", TimingClass::kF32Add, Kind::kLane,
       [](const Match& m) -> LaneFn { return m.has("ftz") ? change_sign<true, false> : change_sign<false, false>; },
       nullptr, "-a; a NaN keeps its payload"});
  table.add_pure({"min.[ftz].[NaN].[xorsign].[abs].f32", "=d:f32, a:f32, b:f32, c:f32?", TimingClass::kF32MinMax,
                  Kind::kLane, select_min_max<false>, modifiers,
                  "smallest operand; numbers before NaN, or NaN before numbers (.NaN)"});
  table.add_pure({"max.[ftz].[NaN].[xorsign].[abs].f32", "=d:f32, a:f32, b:f32, c:f32?", TimingClass::kF32MinMax,
                  Kind::kLane, select_min_max<true>, modifiers,
                  "largest operand; numbers before NaN, or NaN before numbers (.NaN)"});
  table.add_pure({"copysign.f32", "=d:f32, a:f32, b:f32", TimingClass::kInt, Kind::kLane,
                  [](const Match&) -> LaneFn { return copy_sign; }, nullptr, "magnitude of b with the sign of a"});
  table.add_pure({"testp.{op:finite|infinite|number|notanumber|normal|subnormal}.{t:f32|f64}", "=p:pred, a:t",
                  TimingClass::kF32Add, Kind::kLane,
                  [](const Match& m) -> LaneFn {
                    return m.type("t") == Type::kF32 ? test_class<std::uint32_t, 23> : test_class<std::uint64_t, 52>;
                  },
                  tested_classes, "true if a is of the class"});
}
