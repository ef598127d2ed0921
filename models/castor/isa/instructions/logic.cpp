// Logic and shifts (PTX ISA, "Logic and Shift Instructions"). Shift amounts are unsigned and clamp at the operand's
// width.

#include "castor/isa/instructions/select.h"

namespace castor::isa {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

struct And {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(a & b);
  }
};
struct Or {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(a | b);
  }
};
struct Xor {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(a ^ b);
  }
};
struct Not {
  template <class T>
  static T of(T a) {
    return static_cast<T>(~a);
  }
};
struct Cnot {
  template <class T>
  static T of(T a) {
    return a == 0 ? T{1} : T{0};
  }
};

template <class Op>
void predicate_binary(const Record& record, LaneArgs& args) {
  const LaneMask a = predicate_source(record, args.predicates, 0);
  const LaneMask b = predicate_source(record, args.predicates, 1);
  write_predicate(record, args.predicates, 0, Op::of(a, b), args.mask);
}
void predicate_not(const Record& record, LaneArgs& args) {
  write_predicate(record, args.predicates, 0, ~predicate_source(record, args.predicates, 0), args.mask);
}

template <class T>
struct ShiftLeft {
  static void run(const Record&, LaneArgs& args) {
    using E = Element<T>;
    map<E, E, u32>(args, [](E a, u32 n) { return n >= kBits<T> ? E{0} : static_cast<E>(a << (n & (kBits<T> - 1))); });
  }
};
template <class T>
struct ShiftRight {
  static void run(const Record&, LaneArgs& args) {
    using E = Element<T>;
    map<E, E, u32>(args, [](E a, u32 n) {
      // A shift beyond the width gives all sign bits for a signed value, 0 for an unsigned one.
      if constexpr (std::is_signed_v<T>)
        return static_cast<E>(static_cast<T>(a) >> (n >= kBits<T> ? kBits<T> - 1 : n));
      else
        return n >= kBits<T> ? E{0} : static_cast<E>(static_cast<T>(a) >> (n & (kBits<T> - 1)));
    });
  }
};
LaneFn select_shift_left(const Match& match) { return bits_form<ShiftLeft>(match.type("t")); }
LaneFn select_shift_right(const Match& match) { return integer_form<ShiftRight>(match.type("t")); }

/// Shifts the pair b:a and returns 32 bits: the upper half for a left shift, the lower half for a right shift.
template <bool Left, bool Clamp>
void funnel(const Record&, LaneArgs& args) {
  map<u32, u32, u32, u32>(args, [](u32 a, u32 b, u32 c) {
    const u32 n = Clamp ? (c > 32 ? 32 : c) : c & 31;
    const u64 pair = u64{b} << 32 | a;
    return Left ? static_cast<u32>((pair << n) >> 32) : static_cast<u32>(pair >> n);
  });
}
LaneFn select_funnel(const Match& match) {
  const bool clamp = match.has("clamp");
  if (match.has("l")) return clamp ? &funnel<true, true> : &funnel<true, false>;
  return clamp ? &funnel<false, true> : &funnel<false, false>;
}

/// Evaluates a truth table of three inputs; bit 7 is the result for all ones.
struct TruthTable {
  u32 term[8];
  explicit TruthTable(u64 table) : term() {
    for (unsigned i = 0; i < 8; ++i) term[i] = (table >> i & 1) != 0 ? ~u32{0} : 0;
  }
  [[nodiscard]] u32 of(u32 a, u32 b, u32 c) const {
    const u32 low = (~b & ((~c & term[0]) | (c & term[1]))) | (b & ((~c & term[2]) | (c & term[3])));
    const u32 high = (~b & ((~c & term[4]) | (c & term[5]))) | (b & ((~c & term[6]) | (c & term[7])));
    return (~a & low) | (a & high);
  }
};
void lop3(const Record& record, LaneArgs& args) {
  const TruthTable table(record.imm);
  map<u32, u32, u32, u32>(args, [table](u32 a, u32 b, u32 c) { return table.of(a, b, c); });
}
/// Computes lop3 with p = (result is not 0) and/or q. The operator is a template parameter, because Record::imm is
/// occupied by the truth table.
template <bool And>
void lop3_predicate(const Record& record, LaneArgs& args) {
  const TruthTable table(record.imm);
  const LaneMask q = predicate_source(record, args.predicates, 0);
  LaneMask any = 0;
  const u32* const a = source<u32>(args, 0, 0);
  const u32* const b = source<u32>(args, 1, 0);
  const u32* const c = source<u32>(args, 2, 0);
  for (unsigned lane = 0; lane < 32 * args.halves; ++lane) {
    if ((args.mask >> lane & 1) == 0) continue;
    const u32 value = table.of(a[lane], b[lane], c[lane]);
    if (value != 0) any |= LaneMask{1} << lane;
    if (record.dst != kNoOperand) destination<u32>(args, 0)[lane] = value;
  }
  write_predicate(record, args.predicates, 0, And ? any & q : any | q, args.mask);
}
LaneFn select_lop3_predicate(const Match& match) {
  return match.has("and") ? &lop3_predicate<true> : &lop3_predicate<false>;
}

}  // namespace
}  // namespace castor::isa

CASTOR_INSTRUCTIONS(logic) {
  using namespace castor::isa;  // NOLINT(google-build-using-namespace): the body of one function
  const auto row = [&](const char* syntax, const char* operands, LaneFn (*select)(const Match&), const char* meaning,
                       TimingClass timing = TimingClass::kInt) {
    table.add_pure({syntax, operands, timing, Kind::kLane, select, nullptr, meaning});
  };
  constexpr TimingClass kPredicate = TimingClass::kPredicate;
  row("and.{t:b16|b32|b64}", "=d:t, a:t, b:t", binary_bits<And>, "a & b");
  row("or.{t:b16|b32|b64}", "=d:t, a:t, b:t", binary_bits<Or>, "a | b");
  row("xor.{t:b16|b32|b64}", "=d:t, a:t, b:t", binary_bits<Xor>, "a ^ b");
  row("not.{t:b16|b32|b64}", "=d:t, a:t", unary_bits<Not>, "~a");
  row("cnot.{t:b16|b32|b64}", "=d:t, a:t", unary_bits<Cnot>, "1 if a is 0, else 0");
  row("and.pred", "=d:pred, a:pred, b:pred", always<predicate_binary<And>>, "a and b", kPredicate);
  row("or.pred", "=d:pred, a:pred, b:pred", always<predicate_binary<Or>>, "a or b", kPredicate);
  row("xor.pred", "=d:pred, a:pred, b:pred", always<predicate_binary<Xor>>, "a differs from b", kPredicate);
  row("not.pred", "=d:pred, a:pred", always<predicate_not>, "not a", kPredicate);
  row("shl.{t:b16|b32|b64}", "=d:t, a:t, b:u32", select_shift_left, "a shifted left by b, 0 beyond the width",
      TimingClass::kIntShift);
  row("shr.{t:b16|b32|b64|u16|u32|u64|s16|s32|s64}", "=d:t, a:t, b:u32", select_shift_right,
      "a shifted right by b, filled with the sign of signed types", TimingClass::kIntShift);
  row("shf.{l|r}.{clamp|wrap}.b32", "=d:b32, a:b32, b:b32, c:u32", select_funnel,
      "funnel shift of the pair b:a by min(c, 32) or c mod 32; .l: upper half, .r: lower half", TimingClass::kIntShift);
  row("lop3.b32", "=d:b32, a:b32, b:b32, c:b32, table:imm", always<lop3>, "any logic function of three inputs");
  row("lop3.{and|or}.b32", "=d:b32|, a:b32, b:b32, c:b32, table:imm, q:pred", select_lop3_predicate,
      "any logic function of three inputs; p = (d is not 0) and/or q");
}
