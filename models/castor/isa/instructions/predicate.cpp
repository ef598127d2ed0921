// Comparison and selection of integers and bits (PTX ISA, "Comparison and Selection Instructions").

#include "castor/isa/instructions/select.h"

namespace castor::isa {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

struct Equal {
  template <class T>
  static bool of(T a, T b) {
    return a == b;
  }
};
struct NotEqual {
  template <class T>
  static bool of(T a, T b) {
    return a != b;
  }
};
struct Less {
  template <class T>
  static bool of(T a, T b) {
    return a < b;
  }
};
struct LessEqual {
  template <class T>
  static bool of(T a, T b) {
    return a <= b;
  }
};
struct Greater {
  template <class T>
  static bool of(T a, T b) {
    return a > b;
  }
};
struct GreaterEqual {
  template <class T>
  static bool of(T a, T b) {
    return a >= b;
  }
};

// The row's immediate: bits 0-1 select how the comparison is combined with the third predicate; bit 2 selects a float
// result of `set`.
constexpr std::uint64_t kAlone = 0;
constexpr std::uint64_t kAnd = 1;
constexpr std::uint64_t kOr = 2;
constexpr std::uint64_t kXor = 3;
constexpr std::uint64_t kFloat = 4;

std::uint64_t joining(const Match& match) {
  std::uint64_t imm = kAlone;
  if (match["bool"] == "and") imm = kAnd;
  if (match["bool"] == "or") imm = kOr;
  if (match["bool"] == "xor") imm = kXor;
  if (match["d"] == "f32") imm |= kFloat;
  return imm;
}

LaneMask join(const Record& record, const LaneArgs& args, LaneMask value) {
  switch (record.imm & 3) {
    case kAnd:
      return value & predicate_source(record, args.predicates, 0);
    case kOr:
      return value | predicate_source(record, args.predicates, 0);
    case kXor:
      return value ^ predicate_source(record, args.predicates, 0);
    default:
      return value;
  }
}

template <class Op>
struct Compare {
  template <class T>
  static LaneMask mask(const LaneArgs& args) {
    using E = Element<T>;
    return test<E, E>(args, [](E a, E b) { return Op::of(static_cast<T>(a), static_cast<T>(b)); });
  }
  /// setp: p = (a op b) combined with c, q = not (a op b) combined with c.
  template <class T>
  struct ToPredicate {
    static void run(const Record& record, LaneArgs& args) {
      const LaneMask holds = mask<T>(args);
      // Both are computed before either is written, because c may be one of the destinations.
      const LaneMask p = join(record, args, holds);
      const LaneMask q = join(record, args, ~holds);
      write_predicate(record, args.predicates, 0, p, args.mask);
      write_predicate(record, args.predicates, 1, q, args.mask);
    }
  };
  /// set: all ones or 1.0 where the comparison is true, else 0.
  template <class T>
  struct ToValue {
    static void run(const Record& record, LaneArgs& args) {
      const LaneMask holds = join(record, args, mask<T>(args));
      const u32 yes = (record.imm & kFloat) != 0 ? 0x3f800000u : ~u32{0};
      for (unsigned h = 0; h < args.halves; ++h) {
        const u32 bits = half_mask(holds, h);
        u32 out[32];
        for (unsigned i = 0; i < 32; ++i) out[i] = in_mask<4>(bits, i) ? yes : 0;
        blend_half(half_mask(args.mask, h), destination<u32>(args, h), out);
      }
    }
  };
};

template <class Op>
LaneFn compare_of(Type type, bool to_predicate) {
  return to_predicate ? integer_form<Compare<Op>::template ToPredicate>(type)
                      : integer_form<Compare<Op>::template ToValue>(type);
}

LaneFn select_comparison(const Match& match) {
  const Type type = match.type("t");
  const std::string_view cmp = match["cmp"];
  const bool to_predicate = match.row().opcode == "setp";
  if (cmp == "eq") return compare_of<Equal>(type, to_predicate);
  if (cmp == "ne") return compare_of<NotEqual>(type, to_predicate);
  if (is_untyped(type)) return nullptr;  // untyped bits have no order
  const bool for_unsigned = cmp == "lo" || cmp == "ls" || cmp == "hi" || cmp == "hs";
  if (for_unsigned && !is_unsigned(type)) return nullptr;
  if (cmp == "lt" || cmp == "lo") return compare_of<Less>(type, to_predicate);
  if (cmp == "le" || cmp == "ls") return compare_of<LessEqual>(type, to_predicate);
  if (cmp == "gt" || cmp == "hi") return compare_of<Greater>(type, to_predicate);
  return compare_of<GreaterEqual>(type, to_predicate);
}

template <class T>
struct Choose {
  static void run(const Record& record, LaneArgs& args) {
    using E = Element<T>;
    map_with<E, E, E>(args, predicate_source(record, args.predicates, 0), [](bool p, E a, E b) { return p ? a : b; });
  }
};
LaneFn select_choose(const Match& match) { return bits_form<Choose>(match.type("t")); }

template <class T>
struct ChooseBySign {
  static void run(const Record&, LaneArgs& args) {
    using E = Element<T>;
    map<E, E, E, std::int32_t>(args, [](E a, E b, std::int32_t c) { return c >= 0 ? a : b; });
  }
};
LaneFn select_by_sign(const Match& match) { return bits_form<ChooseBySign>(match.type("t")); }

}  // namespace
}  // namespace castor::isa

CASTOR_INSTRUCTIONS(predicate) {
  using namespace castor::isa;  // NOLINT(google-build-using-namespace): the body of one function
  const std::string cmp = "{cmp:eq|ne|lt|le|gt|ge|lo|ls|hi|hs}.";
  const std::string types = "{t:b16|b32|b64|u16|u32|u64|s16|s32|s64}";
  const auto row = [&](const std::string& syntax, const char* operands, LaneFn (*select)(const Match&),
                       const char* meaning, std::uint64_t (*immediate)(const Match&) = nullptr) {
    table.add_pure({syntax, operands, TimingClass::kInt, Kind::kLane, select, immediate, meaning});
  };
  row("setp." + cmp + types, "=p:pred|, a:t, b:t", select_comparison, "p = a cmp b; q = not p", joining);
  row("setp." + cmp + "{bool:and|or|xor}." + types, "=p:pred|, a:t, b:t, c:pred", select_comparison,
      "p = (a cmp b) bool c; q = not (a cmp b) bool c", joining);
  row("set." + cmp + "{d:u32|s32|f32}." + types, "=d:d, a:t, b:t", select_comparison,
      "all ones (1.0 for .f32) if a cmp b, else 0", joining);
  row("set." + cmp + "{bool:and|or|xor}.{d:u32|s32|f32}." + types, "=d:d, a:t, b:t, c:pred", select_comparison,
      "all ones (1.0 for .f32) if (a cmp b) bool c, else 0", joining);
  row("selp.{t:b16|b32|b64|u16|u32|u64|s16|s32|s64}", "=d:t, a:t, b:t, c:pred", select_choose, "a if c, else b");
  row("slct.{t:b16|b32|b64|u16|u32|u64|s16|s32|s64}.s32", "=d:t, a:t, b:t, c:s32", select_by_sign,
      "a if c is at least 0, else b");
}
