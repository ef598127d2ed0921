// Double precision arithmetic. NaN results are 0xfff8000000000000.

#include "castor/isa/instructions/float_lanes.h"
#include "castor/isa/instructions/soft_double.h"

namespace castor::isa {
namespace {

struct Add64 {
  static double nearest(double a, double b) { return a + b; }
  static double rounded(double a, double b, Rounding mode) { return soft_add(a, b, mode); }
};
struct Sub64 {
  static double nearest(double a, double b) { return a - b; }
  static double rounded(double a, double b, Rounding mode) { return soft_add(a, -b, mode); }
};
struct Mul64 {
  static double nearest(double a, double b) { return a * b; }
  static double rounded(double a, double b, Rounding mode) { return soft_mul(a, b, mode); }
};
struct Div64 {
  static double nearest(double a, double b) { return a / b; }
  static double rounded(double a, double b, Rounding mode) { return soft_div(a, b, mode); }
};

template <class Op>
LaneFn select2_f64(const Match& m) {
  if (to_nearest(m)) {
    return [](const Record&, LaneArgs& args) {
      map<double, double, double>(args, [](double a, double b) { return canonical(Op::nearest(a, b)); });
    };
  }
  return [](const Record& record, LaneArgs& args) {
    const Rounding mode = rounding(record.imm);
    each_lane<double, double, double>(args, [mode](double a, double b) { return canonical(Op::rounded(a, b, mode)); });
  };
}

LaneFn select_fma_f64(const Match& m) {
  if (to_nearest(m)) {
    return [](const Record&, LaneArgs& args) {
      map<double, double, double, double>(
          args, [](double a, double b, double c) { return canonical(__builtin_fma(a, b, c)); });
    };
  }
  return [](const Record& record, LaneArgs& args) {
    const Rounding mode = rounding(record.imm);
    each_lane<double, double, double, double>(
        args, [mode](double a, double b, double c) { return canonical(soft_fma(a, b, c, mode)); });
  };
}

LaneFn select_rcp_f64(const Match& m) {
  if (to_nearest(m)) {
    return
        [](const Record&, LaneArgs& args) { map<double, double>(args, [](double a) { return canonical(1.0 / a); }); };
  }
  return [](const Record& record, LaneArgs& args) {
    const Rounding mode = rounding(record.imm);
    each_lane<double, double>(args, [mode](double a) { return canonical(soft_div(1.0, a, mode)); });
  };
}

LaneFn select_sqrt_f64(const Match& m) {
  if (to_nearest(m)) {
    return [](const Record&, LaneArgs& args) {
      map<double, double>(args, [](double a) { return canonical(__builtin_sqrt(a)); });
    };
  }
  return [](const Record& record, LaneArgs& args) {
    const Rounding mode = rounding(record.imm);
    each_lane<double, double>(args, [mode](double a) { return canonical(soft_sqrt(a, mode)); });
  };
}

template <bool Abs>
void change_sign(const Record&, LaneArgs& args) {
  map<std::uint64_t, std::uint64_t>(
      args, [](std::uint64_t a) { return Abs ? a & 0x7fffffffffffffffu : a ^ 0x8000000000000000u; });
}

/// Computes min or max. -0 counts as less than +0. If one operand is a NaN, the result is the other one.
template <bool Max>
void min_max(const Record&, LaneArgs& args) {
  map<double, double, double>(args, [](double a, double b) {
    const bool first = a < b || (a == b && sign_bit(a) > sign_bit(b));
    const double d = first != Max ? a : b;
    return canonical(b != b ? a : a != a ? b : d);
  });
}

void copy_sign_f64(const Record&, LaneArgs& args) {
  map<std::uint64_t, std::uint64_t, std::uint64_t>(
      args, [](std::uint64_t a, std::uint64_t b) { return (a & 0x8000000000000000u) | (b & 0x7fffffffffffffffu); });
}

}  // namespace
}  // namespace castor::isa

CASTOR_INSTRUCTIONS(float64) {
  table.add_pure({"add.[rnd:rn|rz|rm|rp].f64", "=d:f64, a:f64, b:f64", TimingClass::kF64, Kind::kLane,
                  select2_f64<Add64>, modifiers, "a + b"});
  table.add_pure({"sub.[rnd:rn|rz|rm|rp].f64", "=d:f64, a:f64, b:f64", TimingClass::kF64, Kind::kLane,
                  select2_f64<Sub64>, modifiers, "a - b"});
  table.add_pure({"mul.[rnd:rn|rz|rm|rp].f64", "=d:f64, a:f64, b:f64", TimingClass::kF64, Kind::kLane,
                  select2_f64<Mul64>, modifiers, "a * b"});
  table.add_pure({"fma.{rnd:rn|rz|rm|rp}.f64", "=d:f64, a:f64, b:f64, c:f64", TimingClass::kF64, Kind::kLane,
                  select_fma_f64, modifiers, "a * b + c, rounded once"});
  table.add_pure({"mad.[rnd:rn|rz|rm|rp].f64", "=d:f64, a:f64, b:f64, c:f64", TimingClass::kF64, Kind::kLane,
                  select_fma_f64, modifiers, "a * b + c, rounded once (same as fma)"});
  table.add_pure({"div.[rnd:rn|rz|rm|rp].f64", "=d:f64, a:f64, b:f64", TimingClass::kF64Div, Kind::kLane,
                  select2_f64<Div64>, modifiers, "a / b, IEEE rounding"});
  table.add_pure({"rcp.[rnd:rn|rz|rm|rp].f64", "=d:f64, a:f64", TimingClass::kF64Root, Kind::kLane, select_rcp_f64,
                  modifiers, "1 / a, IEEE rounding"});
  table.add_pure({"sqrt.[rnd:rn|rz|rm|rp].f64", "=d:f64, a:f64", TimingClass::kF64Root, Kind::kLane, select_sqrt_f64,
                  modifiers, "square root, IEEE rounding"});
  table.add_pure({"abs.f64", "=d:f64, a:f64", TimingClass::kF64, Kind::kLane,
                  [](const Match&) -> LaneFn { return change_sign<true>; }, nullptr, "|a|; a NaN keeps its payload"});
  table.add_pure({"neg.f64", "=d:f64, a:f64", TimingClass::kF64, Kind::kLane,
                  [](const Match&) -> LaneFn { return change_sign<false>; }, nullptr, "-a; a NaN keeps its payload"});
  table.add_pure({"min.f64", "=d:f64, a:f64, b:f64", TimingClass::kF64MinMax, Kind::kLane,
                  [](const Match&) -> LaneFn { return min_max<false>; }, nullptr,
                  "smaller operand; numbers before NaN"});
  table.add_pure({"max.f64", "=d:f64, a:f64, b:f64", TimingClass::kF64MinMax, Kind::kLane,
                  [](const Match&) -> LaneFn { return min_max<true>; }, nullptr, "larger operand; numbers before NaN"});
  table.add_pure({"copysign.f64", "=d:f64, a:f64, b:f64", TimingClass::kInt, Kind::kLane,
                  [](const Match&) -> LaneFn { return copy_sign_f64; }, nullptr, "magnitude of b with the sign of a"});
}
