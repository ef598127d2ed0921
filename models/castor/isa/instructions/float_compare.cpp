// Comparison of floating-point values into predicates and registers; selection.

#include "castor/isa/instructions/float_lanes.h"

namespace castor::isa {
namespace {

// Five relations implement the fourteen comparisons, with swapped operands or inverted result as bits of Record::imm.
enum class Relation : std::uint32_t { kEqual, kNotEqual, kLess, kLessEqual, kNumbers };
constexpr std::uint64_t kCombineMask = 3;  // 0 none, 1 and, 2 or, 3 xor
constexpr std::uint64_t kInvert = 4;
constexpr std::uint64_t kSwap = 8;
constexpr std::uint64_t kFlush = 16;
constexpr unsigned kRelationShift = 8;  // Relation, for the formats whose handler takes it at run time
constexpr unsigned kTypeShift = 16;     // destination Type of `set`

struct Comparison {
  std::string_view name;
  Relation relation;
  std::uint64_t flags;
};
// An unordered comparison is the inverse of the opposite ordered comparison, so it is true for NaN.
constexpr Comparison kComparisons[] = {
    {"eq", Relation::kEqual, 0},
    {"ne", Relation::kNotEqual, 0},
    {"lt", Relation::kLess, 0},
    {"le", Relation::kLessEqual, 0},
    {"gt", Relation::kLess, kSwap},
    {"ge", Relation::kLessEqual, kSwap},
    {"equ", Relation::kNotEqual, kInvert},
    {"neu", Relation::kEqual, kInvert},
    {"ltu", Relation::kLessEqual, kSwap | kInvert},
    {"leu", Relation::kLess, kSwap | kInvert},
    {"gtu", Relation::kLessEqual, kInvert},
    {"geu", Relation::kLess, kInvert},
    {"num", Relation::kNumbers, 0},
    {"nan", Relation::kNumbers, kInvert},
};

const Comparison& comparison(const Match& m) {
  const std::string_view name = m["cmp"];
  for (const Comparison& c : kComparisons) {
    if (c.name == name) return c;
  }
  return kComparisons[0];
}

std::uint64_t compare_bits(const Match& m) {
  const Comparison& c = comparison(m);
  const std::string_view combine = m["bool"];
  std::uint64_t imm = c.flags | static_cast<std::uint64_t>(c.relation) << kRelationShift;
  imm |= combine == "and" ? 1u : combine == "or" ? 2u : combine == "xor" ? 3u : 0u;
  if (m.has("ftz")) imm |= kFlush;
  imm |= static_cast<std::uint64_t>(m.type("t")) << kTypeShift;
  return imm;
}

template <Relation R, class T>
inline std::uint32_t compare_half(const T* a, const T* b) {
  return lanes_where(
      [](T x, T y) {
        switch (R) {
          case Relation::kEqual:
            return x == y;
          case Relation::kNotEqual:
            return x < y || x > y;
          case Relation::kLess:
            return x < y;
          case Relation::kLessEqual:
            return x <= y;
          case Relation::kNumbers:
            return x <= y || x > y;
        }
        return false;
      },
      a, b);
}

/// Returns the result of the comparison alone, for the 32 lanes of one half.
template <Relation R, class T>
inline std::uint32_t compare_operands(std::uint64_t imm, const T* a, const T* b) {
  if ((imm & kSwap) != 0) std::swap(a, b);
  std::uint32_t result = 0;
  if ((imm & kFlush) != 0) {
    T x[32];
    T y[32];
    for (unsigned i = 0; i < 32; ++i) {
      x[i] = flush(a[i]);
      y[i] = flush(b[i]);
    }
    result = compare_half<R>(x, y);
  } else {
    result = compare_half<R>(a, b);
  }
  return (imm & kInvert) != 0 ? ~result : result;
}

template <Relation R, class T>
inline LaneMask compare_lanes(const Record& record, const LaneArgs& args) {
  LaneMask result = 0;
  for (unsigned h = 0; h < args.halves; ++h) {
    const std::uint32_t part = compare_operands<R>(record.imm, source<T>(args, 0, h), source<T>(args, 1, h));
    result |= LaneMask{part} << (32 * h);
  }
  return result;
}

/// Compares with a relation that is chosen at run time by `imm`.
template <class T>
inline std::uint32_t compare_any(std::uint64_t imm, const T* a, const T* b) {
  switch (static_cast<Relation>(imm >> kRelationShift & 7)) {
    case Relation::kEqual:
      return compare_operands<Relation::kEqual>(imm, a, b);
    case Relation::kNotEqual:
      return compare_operands<Relation::kNotEqual>(imm, a, b);
    case Relation::kLess:
      return compare_operands<Relation::kLess>(imm, a, b);
    case Relation::kLessEqual:
      return compare_operands<Relation::kLessEqual>(imm, a, b);
    case Relation::kNumbers:
      return compare_operands<Relation::kNumbers>(imm, a, b);
  }
  return 0;
}

template <class T>
LaneMask compare_all(const Record& record, const LaneArgs& args) {
  LaneMask result = 0;
  for (unsigned h = 0; h < args.halves; ++h) {
    const std::uint32_t part = compare_any(record.imm, source<T>(args, 0, h), source<T>(args, 1, h));
    result |= LaneMask{part} << (32 * h);
  }
  return result;
}

/// Compares 16-bit values that start at bit `shift` of each element.
template <class Format>
LaneMask compare_all16(const Record& record, const LaneArgs& args, unsigned shift) {
  const std::uint64_t imm = record.imm & ~kFlush;
  const bool ftz = (record.imm & kFlush) != 0;
  LaneMask result = 0;
  for (unsigned h = 0; h < args.halves; ++h) {
    const auto* a = source<std::uint32_t>(args, 0, h);
    const auto* b = source<std::uint32_t>(args, 1, h);
    float x[32];
    float y[32];
    for (unsigned i = 0; i < 32; ++i) {
      const std::uint32_t p = (a[i] >> shift) & 0xffffu;
      const std::uint32_t q = (b[i] >> shift) & 0xffffu;
      x[i] = Format::widen(ftz ? flush16<Format>(p) : p);
      y[i] = Format::widen(ftz ? flush16<Format>(q) : q);
    }
    result |= LaneMask{compare_any(imm, x, y)} << (32 * h);
  }
  return result;
}

/// Combines the result with the predicate operand, if the instruction has a boolean operator.
inline LaneMask combine(const Record& record, const LaneArgs& args, LaneMask value) {
  switch (record.imm & kCombineMask) {
    case 1:
      return value & predicate_source(record, args.predicates, 0);
    case 2:
      return value | predicate_source(record, args.predicates, 0);
    case 3:
      return value ^ predicate_source(record, args.predicates, 0);
    default:
      return value;
  }
}

// ---- setp --------------------------------------------------------------------------------------------------------

/// Writes p = result op c and q = !result op c.
inline void write_both(const Record& record, LaneArgs& args, LaneMask result, LaneMask second) {
  const LaneMask p = combine(record, args, result);
  const LaneMask q = combine(record, args, second);
  write_predicate(record, args.predicates, 0, p, args.mask);
  write_predicate(record, args.predicates, 1, q, args.mask);
}

template <Relation R, class T>
void set_predicate(const Record& record, LaneArgs& args) {
  const LaneMask result = compare_lanes<R, T>(record, args);
  write_both(record, args, result, ~result);
}
template <class Format>
void set_predicate16(const Record& record, LaneArgs& args) {
  const LaneMask result = compare_all16<Format>(record, args, 0);
  write_both(record, args, result, ~result);
}
/// Compares packed values: p is the result of the lower elements, q of the upper elements.
template <class Format>
void set_predicate16x2(const Record& record, LaneArgs& args) {
  write_both(record, args, compare_all16<Format>(record, args, 0), compare_all16<Format>(record, args, 16));
}

template <class T>
LaneFn select_setp(const Match& m) {
  switch (comparison(m).relation) {
    case Relation::kEqual:
      return set_predicate<Relation::kEqual, T>;
    case Relation::kNotEqual:
      return set_predicate<Relation::kNotEqual, T>;
    case Relation::kLess:
      return set_predicate<Relation::kLess, T>;
    case Relation::kLessEqual:
      return set_predicate<Relation::kLessEqual, T>;
    case Relation::kNumbers:
      return set_predicate<Relation::kNumbers, T>;
  }
  return nullptr;
}
LaneFn select_setp16(const Match& m) {
  switch (m.type("u")) {
    case Type::kF16:
      return set_predicate16<Half>;
    case Type::kF16x2:
      return set_predicate16x2<Half>;
    case Type::kBf16:
      return m.has("ftz") ? nullptr : set_predicate16<Bfloat>;
    case Type::kBf16x2:
      return m.has("ftz") ? nullptr : set_predicate16x2<Bfloat>;
    default:
      return nullptr;
  }
}

// ---- set ---------------------------------------------------------------------------------------------------------

/// Returns the value that `set` writes for true in a destination type: all ones, or one.
inline std::uint32_t true_value(Type type) {
  switch (type) {
    case Type::kF32:
      return as<std::uint32_t>(1.0f);
    case Type::kF16:
    case Type::kF16x2:
      return Half::kOne;
    case Type::kBf16:
    case Type::kBf16x2:
      return Bfloat::kOne;
    default:
      return 0xffffffffu;
  }
}

void write_truth(const Record& record, LaneArgs& args, LaneMask low, LaneMask high, std::uint32_t low_value,
                 std::uint32_t high_value) {
  const LaneMask p = combine(record, args, low);
  const LaneMask q = combine(record, args, high);
  for (unsigned h = 0; h < args.halves; ++h) {
    const std::uint32_t ph = half_mask(p, h);
    const std::uint32_t qh = half_mask(q, h);
    std::uint32_t result[32];
    for (unsigned i = 0; i < 32; ++i)
      result[i] = (in_mask<4>(ph, i) ? low_value : 0) | (in_mask<4>(qh, i) ? high_value : 0);
    blend_half(half_mask(args.mask, h), destination<std::uint32_t>(args, h), result);
  }
}

template <LaneMask (*Compare)(const Record&, const LaneArgs&)>
void set_register(const Record& record, LaneArgs& args) {
  const LaneMask result = Compare(record, args);
  // The mask is passed twice, because the upper value is used for packed destinations only.
  write_truth(record, args, result, result, true_value(static_cast<Type>(record.imm >> kTypeShift & 0xff)), 0);
}
template <class Format>
LaneMask compare_low16(const Record& record, const LaneArgs& args) {
  return compare_all16<Format>(record, args, 0);
}
template <class Format>
void set_register16x2(const Record& record, LaneArgs& args) {
  const Type type = static_cast<Type>(record.imm >> kTypeShift & 0xff);
  const std::uint32_t value = true_value(type) & 0xffffu;
  write_truth(record, args, compare_all16<Format>(record, args, 0), compare_all16<Format>(record, args, 16), value,
              value << 16);
}

LaneFn select_set(const Match& m) {
  const Type d = m.type("t");
  const Type s = m.type("u");
  const bool integer = d == Type::kU32 || d == Type::kS32;
  const bool short_integer = d == Type::kU16 || d == Type::kS16;
  switch (s) {
    case Type::kF32:
      return integer || d == Type::kF32 || d == Type::kF16 || d == Type::kBf16 ? set_register<compare_all<float>>
                                                                               : nullptr;
    case Type::kF64:
      return (integer || d == Type::kF32 || d == Type::kF16 || d == Type::kBf16) && !m.has("ftz")
                 ? set_register<compare_all<double>>
                 : nullptr;
    case Type::kF16:
      return integer || short_integer || d == Type::kF16 ? set_register<compare_low16<Half>> : nullptr;
    case Type::kBf16:
      return (integer || short_integer || d == Type::kBf16) && !m.has("ftz") ? set_register<compare_low16<Bfloat>>
                                                                             : nullptr;
    case Type::kF16x2:
      return integer || d == Type::kF16x2 ? set_register16x2<Half> : nullptr;
    case Type::kBf16x2:
      return (integer || d == Type::kBf16x2) && !m.has("ftz") ? set_register16x2<Bfloat> : nullptr;
    default:
      return nullptr;
  }
}

// ---- selp, slct --------------------------------------------------------------------------------------------------

template <class T>
void select_by_mask(LaneArgs& args, LaneMask chosen) {
  for (unsigned h = 0; h < args.halves; ++h) {
    const T* a = source<T>(args, 0, h);
    const T* b = source<T>(args, 1, h);
    const std::uint32_t mask = half_mask(chosen, h);
    T result[32];
    for (unsigned i = 0; i < 32; ++i) result[i] = in_mask<4>(mask, i) ? a[i] : b[i];
    blend_half(half_mask(args.mask, h), destination<T>(args, h), result);
  }
}
template <class T>
void select_by_predicate(const Record& record, LaneArgs& args) {
  select_by_mask<T>(args, predicate_source(record, args.predicates, 0));
}
/// Selects a where c >= 0, else b. -0 counts as 0, a NaN selects b; `.ftz` makes a negative subnormal -0.
template <class T, bool Ftz>
void select_by_float(const Record&, LaneArgs& args) {
  LaneMask chosen = 0;
  for (unsigned h = 0; h < args.halves; ++h) {
    const std::uint32_t part =
        lanes_where([](float c) { return (Ftz ? flush(c) : c) >= 0.0f; }, source<float>(args, 2, h));
    chosen |= LaneMask{part} << (32 * h);
  }
  select_by_mask<T>(args, chosen);
}
template <class T>
void select_by_integer(const Record&, LaneArgs& args) {
  LaneMask chosen = 0;
  for (unsigned h = 0; h < args.halves; ++h) {
    const std::uint32_t part = lanes_where([](std::int32_t c) { return c >= 0; }, source<std::int32_t>(args, 2, h));
    chosen |= LaneMask{part} << (32 * h);
  }
  select_by_mask<T>(args, chosen);
}

LaneFn select_slct_float(const Match& m) {
  const bool ftz = m.has("ftz");
  if (bits(m.type("t")) == 64)
    return ftz ? select_by_float<std::uint64_t, true> : select_by_float<std::uint64_t, false>;
  return ftz ? select_by_float<std::uint32_t, true> : select_by_float<std::uint32_t, false>;
}

}  // namespace
}  // namespace castor::isa

CASTOR_INSTRUCTIONS(float_compare) {
  const std::string compare = "{cmp:eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan}";
  const std::string combined = compare + ".{bool:and|or|xor}";
  for (const bool three : {false, true}) {
    const std::string& what = three ? combined : compare;
    const std::string c = three ? ", c:pred" : "";
    const std::string meaning =
        three ? "p = (a cmp b) bool c, q = !(a cmp b) bool c" : "p = a cmp b, q = !(a cmp b); u: true for NaN";
    table.add_pure({"setp." + what + ".[ftz].{u:f32}", "=p:pred|, a:u, b:u" + c, TimingClass::kF32Add, Kind::kLane,
                    select_setp<float>, compare_bits, meaning});
    table.add_pure({"setp." + what + ".{u:f64}", "=p:pred|, a:u, b:u" + c, TimingClass::kF64, Kind::kLane,
                    select_setp<double>, compare_bits, meaning});
    table.add_pure({"setp." + what + ".[ftz].{u:f16|f16x2|bf16|bf16x2}", "=p:pred|, a:u, b:u" + c, TimingClass::kF32Add,
                    Kind::kLane, select_setp16, compare_bits, meaning + "; x2: p lower, q upper element"});
    const std::string truth = "d = all ones (integers) or 1.0 where the comparison holds, else 0";
    table.add_pure(
        {"set." + what + ".[ftz].{t:u16|s16|u32|s32|f32|f16|f16x2|bf16|bf16x2}.{u:f32|f16|f16x2|bf16|bf16x2}",
         "=d:t, a:u, b:u" + c, TimingClass::kF32Add, Kind::kLane, select_set, compare_bits, truth});
    table.add_pure({"set." + what + ".{t:u32|s32|f32|f16|bf16}.{u:f64}", "=d:t, a:u, b:u" + c, TimingClass::kF64,
                    Kind::kLane, select_set, compare_bits, truth});
  }
  table.add_pure({"selp.{t:f32|f64}", "=d:t, a:t, b:t, c:pred", TimingClass::kInt, Kind::kLane,
                  [](const Match& m) -> LaneFn {
                    return m.type("t") == Type::kF32 ? select_by_predicate<std::uint32_t>
                                                     : select_by_predicate<std::uint64_t>;
                  },
                  nullptr, "c ? a : b"});
  table.add_pure({"slct.[ftz].{t:b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64}.f32", "=d:t, a:t, b:t, c:f32",
                  TimingClass::kInt, Kind::kLane, select_slct_float, nullptr, "c >= 0 ? a : b; NaN takes b"});
  table.add_pure({"slct.{t:f32|f64}.s32", "=d:t, a:t, b:t, c:s32", TimingClass::kInt, Kind::kLane,
                  [](const Match& m) -> LaneFn {
                    return m.type("t") == Type::kF32 ? select_by_integer<std::uint32_t>
                                                     : select_by_integer<std::uint64_t>;
                  },
                  nullptr, "c >= 0 ? a : b"});
}
