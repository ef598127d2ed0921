// Approximate functions of the special function unit. Results are the same bits on every host and stay within the
// errors that PTX allows; most are correctly rounded.

#include <limits>

#include "castor/isa/instructions/float_functions.h"
#include "castor/isa/instructions/float_lanes.h"

namespace castor::isa {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct Exponential {
  static float of(float x) { return static_cast<float>(power_of_two(static_cast<double>(x))); }
};

struct Logarithm {
  static float of(float x) {
    const bool inside = x > 0 && x < kInfinity;
    const auto d = static_cast<float>(binary_logarithm(static_cast<double>(inside ? x : 1.0f)));
    const float outside = x == 0 ? -kInfinity : x < 0 ? as<float>(kNan32) : x;
    return inside ? d : outside;
  }
};

struct ReciprocalRoot {
  static float of(float x) { return static_cast<float>(1.0 / __builtin_sqrt(static_cast<double>(x))); }
};

struct Tangent {
  static float of(float x) { return static_cast<float>(hyperbolic_tangent(static_cast<double>(x))); }
};

template <class Function, bool Ftz>
void evaluate(const Record&, LaneArgs& args) {
  map<float, float>(args, [](float x) {
    const float d = Function::of(Ftz ? flush(x) : x);
    return canonical(Ftz ? flush(d) : d);
  });
}
template <class Function>
LaneFn select_function(const Match& m) {
  return m.has("ftz") ? evaluate<Function, true> : evaluate<Function, false>;
}

/// Returns the sine of the angle plus Quarter * pi/2.
template <unsigned Quarter>
inline float circular(Angle a) {
  a.quadrant += Quarter;
  return static_cast<float>(sine(a));
}
template <unsigned Quarter, bool Ftz>
[[gnu::noinline]] float circular_any(float x) {
  if (!(magnitude(x) < kInfinity)) return as<float>(kNan32);
  const float y = Ftz ? flush(x) : x;
  const Angle a = magnitude(y) > kLargestDirectAngle ? reduce_large(y) : reduce(static_cast<double>(y));
  const float d = circular<Quarter>(a);
  return Ftz ? flush(d) : d;
}
template <unsigned Quarter, bool Ftz>
void evaluate_circular(const Record&, LaneArgs& args) {
  std::uint32_t large = 0;
  for (unsigned h = 0; h < args.halves; ++h)
    large |= half_mask(args.mask, h) &
             lanes_where([](float x) { return !(magnitude(x) <= kLargestDirectAngle); }, source<float>(args, 0, h));
  if (large != 0) return each_lane<float, float>(args, circular_any<Quarter, Ftz>);
  map<float, float>(args, [](float x) {
    const float d = circular<Quarter>(reduce(static_cast<double>(Ftz ? flush(x) : x)));
    return canonical(Ftz ? flush(d) : d);
  });
}
template <unsigned Quarter>
LaneFn select_circular(const Match& m) {
  return m.has("ftz") ? evaluate_circular<Quarter, true> : evaluate_circular<Quarter, false>;
}

/// Returns the upper 32 bits of a rounded double, the only bits that the instruction reads and writes.
inline double upper_half(double d) {
  return flush(as<double>((as<std::uint64_t>(d) + 0x80000000u) & 0xffffffff00000000u));
}
void reciprocal_seed(const Record&, LaneArgs& args) {
  map<double, double>(args, [](double a) {
    const double x = flush(as<double>(as<std::uint64_t>(a) & 0xffffffff00000000u));
    return a != a ? as<double>(kNan64) : upper_half(1.0 / x);
  });
}
void reciprocal_root_seed(const Record&, LaneArgs& args) {
  map<double, double>(args, [](double a) {
    const double x = flush(as<double>(as<std::uint64_t>(a) & 0xffffffff00000000u));
    return a != a || x < 0 ? as<double>(kNan64) : upper_half(1.0 / __builtin_sqrt(x));
  });
}
void reciprocal_root(const Record&, LaneArgs& args) {
  map<double, double>(args, [](double a) { return canonical(1.0 / __builtin_sqrt(a)); });
}

}  // namespace
}  // namespace castor::isa

CASTOR_INSTRUCTIONS(approx) {
  const auto add = [&table](const char* syntax, const char* operands, TimingClass timing,
                            LaneFn (*select)(const Match&), const char* meaning) {
    table.add_pure({syntax, operands, timing, Kind::kLane, select, nullptr, meaning});
  };
  const char* const f32 = "=d:f32, a:f32";
  const char* const f64 = "=d:f64, a:f64";
  constexpr TimingClass kUnit = TimingClass::kSpecial;
  constexpr TimingClass kScaled = TimingClass::kScaled;
  const char* const exponential = "2 to the power a; 1 unit in the last place";
  const char* const logarithm = "binary logarithm; 1 unit in the last place";
  const char* const root = "1 / sqrt(a); 1 unit in the last place";
  add("ex2.approx.{ftz}.f32", f32, kUnit, select_function<Exponential>, exponential);
  add("ex2.approx.f32", f32, kScaled, select_function<Exponential>, exponential);
  add("lg2.approx.{ftz}.f32", f32, kUnit, select_function<Logarithm>, logarithm);
  add("lg2.approx.f32", f32, kScaled, select_function<Logarithm>, logarithm);
  add("rsqrt.approx.{ftz}.f32", f32, kUnit, select_function<ReciprocalRoot>, root);
  add("rsqrt.approx.f32", f32, kScaled, select_function<ReciprocalRoot>, root);
  add("tanh.approx.f32", f32, kUnit, select_function<Tangent>, "hyperbolic tangent; 1 unit in the last place");
  add("sin.approx.[ftz].f32", f32, TimingClass::kSinCos, select_circular<0>,
      "sine of an angle in radians; absolute error below 2^-24");
  add("cos.approx.[ftz].f32", f32, TimingClass::kSinCos, select_circular<1>,
      "cosine of an angle in radians; absolute error below 2^-24");
  add(
      "rcp.approx.ftz.f64", f64, kUnit, [](const Match&) -> LaneFn { return reciprocal_seed; },
      "1 / a from and to the upper 32 bits; relative error below 2^-19");
  add(
      "rsqrt.approx.ftz.f64", f64, kUnit, [](const Match&) -> LaneFn { return reciprocal_root_seed; },
      "1 / sqrt(a) from and to the upper 32 bits; relative error below 2^-19");
  add(
      "rsqrt.approx.f64", f64, kScaled, [](const Match&) -> LaneFn { return reciprocal_root; },
      "1 / sqrt(a); 1.5 units in the last place");
}
