// Integer arithmetic (PTX ISA, "Integer Arithmetic Instructions" and "Extended-Precision Integer Arithmetic").
//
// Results that PTX leaves undefined are those of NVIDIA GPUs: division by zero gives all ones, remainder by zero gives
// the dividend, and the smallest integer divided by -1 gives itself with remainder 0.

#include <limits>

#include "castor/isa/instructions/select.h"

namespace castor::isa {
namespace {

std::int32_t saturate(std::int64_t value) {
  if (value > std::numeric_limits<std::int32_t>::max()) return std::numeric_limits<std::int32_t>::max();
  if (value < std::numeric_limits<std::int32_t>::min()) return std::numeric_limits<std::int32_t>::min();
  return static_cast<std::int32_t>(value);
}

struct Add {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(static_cast<Wrap<T>>(a) + static_cast<Wrap<T>>(b));
  }
};
struct Sub {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(static_cast<Wrap<T>>(a) - static_cast<Wrap<T>>(b));
  }
};
struct AddSat {
  static std::int32_t of(std::int32_t a, std::int32_t b) { return saturate(std::int64_t{a} + b); }
};
struct SubSat {
  static std::int32_t of(std::int32_t a, std::int32_t b) { return saturate(std::int64_t{a} - b); }
};
struct MulLo {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(static_cast<Wrap<T>>(a) * static_cast<Wrap<T>>(b));
  }
};
struct MulHi {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>((static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b)) >> kBits<T>);
  }
};
struct MadLo {
  template <class T>
  static T of(T a, T b, T c) {
    return Add::of(MulLo::of(a, b), c);
  }
};
struct MadHi {
  template <class T>
  static T of(T a, T b, T c) {
    return Add::of(MulHi::of(a, b), c);
  }
};
struct MadHiSat {
  static std::int32_t of(std::int32_t a, std::int32_t b, std::int32_t c) {
    return saturate(std::int64_t{MulHi::of(a, b)} + c);
  }
};
struct Sad {
  template <class T>
  static T of(T a, T b, T c) {
    return a < b ? Add::of(c, Sub::of(b, a)) : Add::of(c, Sub::of(a, b));
  }
};
struct Div {
  template <class T>
  static T of(T a, T b) {
    if (b == 0) return static_cast<T>(~T{0});
    if constexpr (std::is_signed_v<T>) {
      if (b == -1) return Sub::of(T{0}, a);
    }
    return static_cast<T>(a / b);
  }
};
struct Rem {
  template <class T>
  static T of(T a, T b) {
    if (b == 0) return a;
    if constexpr (std::is_signed_v<T>) {
      if (b == -1) return 0;
    }
    return static_cast<T>(a % b);
  }
};
struct Abs {
  template <class T>
  static T of(T a) {
    return a < 0 ? Sub::of(T{0}, a) : a;
  }
};
struct Neg {
  template <class T>
  static T of(T a) {
    return Sub::of(T{0}, a);
  }
};
struct Min {
  template <class T>
  static T of(T a, T b) {
    return b < a ? b : a;
  }
};
struct Max {
  template <class T>
  static T of(T a, T b) {
    return a < b ? b : a;
  }
};
template <class Op>
struct Relu {
  static std::int32_t of(std::int32_t a, std::int32_t b) { return Max::of(Op::of(a, b), std::int32_t{0}); }
};

/// Applies Op to both 16-bit halves of a word.
template <class Op, class T, bool Clip>
void pairwise(const Record&, LaneArgs& args) {
  using u32 = std::uint32_t;
  map<u32, u32, u32>(args, [](u32 a, u32 b) {
    T low = Op::of(static_cast<T>(a), static_cast<T>(b));
    T high = Op::of(static_cast<T>(a >> 16), static_cast<T>(b >> 16));
    if constexpr (Clip) {
      low = Max::of(low, T{0});
      high = Max::of(high, T{0});
    }
    return u32{static_cast<std::uint16_t>(low)} | u32{static_cast<std::uint16_t>(high)} << 16;
  });
}
template <class Op>
LaneFn select_pairwise(const Match& match) {
  if (match.has("u16x2")) return match.has("relu") ? nullptr : &pairwise<Op, std::uint16_t, false>;
  return match.has("relu") ? &pairwise<Op, std::int16_t, true> : &pairwise<Op, std::int16_t, false>;
}

template <class T>
struct MulWide {
  static void run(const Record&, LaneArgs& args) {
    using S = Element<T>;
    using D = Element<Wide<T>>;
    map<D, S, S>(args, [](S a, S b) {
      return static_cast<D>(static_cast<Wide<T>>(static_cast<T>(a)) * static_cast<Wide<T>>(static_cast<T>(b)));
    });
  }
};
template <class T>
struct MadWide {
  static void run(const Record&, LaneArgs& args) {
    using S = Element<T>;
    using D = Element<Wide<T>>;
    map<D, S, S, D>(args, [](S a, S b, D c) {
      const Wide<T> product = static_cast<Wide<T>>(static_cast<T>(a)) * static_cast<Wide<T>>(static_cast<T>(b));
      return static_cast<D>(Add::of(static_cast<Wide<T>>(product), static_cast<Wide<T>>(c)));
    });
  }
};
template <template <class> class Form>
LaneFn select_wide(const Match& match) {
  switch (match.type("t")) {
    case Type::kU16:
      return &Form<std::uint16_t>::run;
    case Type::kS16:
      return &Form<std::int16_t>::run;
    case Type::kU32:
      return &Form<std::uint32_t>::run;
    case Type::kS32:
      return &Form<std::int32_t>::run;
    default:
      return nullptr;
  }
}

// Returns a 24-bit operand. `.lo` of a product is the low 32 bits of the 48-bit product, `.hi` the high 32.
template <class T>
std::int64_t low24(T a) {
  if constexpr (std::is_signed_v<T>) {
    const auto value = static_cast<std::int64_t>(a & 0xffffff);
    return value >= 0x800000 ? value - 0x1000000 : value;
  } else {
    return static_cast<std::int64_t>(a & 0xffffffu);
  }
}
struct Mul24Lo {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(low24(a) * low24(b));
  }
};
struct Mul24Hi {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>((low24(a) * low24(b)) >> 16);
  }
};
struct Mad24Lo {
  template <class T>
  static T of(T a, T b, T c) {
    return Add::of(Mul24Lo::of(a, b), c);
  }
};
struct Mad24Hi {
  template <class T>
  static T of(T a, T b, T c) {
    return Add::of(Mul24Hi::of(a, b), c);
  }
};
struct Mad24HiSat {
  static std::int32_t of(std::int32_t a, std::int32_t b, std::int32_t c) {
    return saturate(std::int64_t{Mul24Hi::of(a, b)} + c);
  }
};

// Selectors of instructions that exist for s32 only.
template <class Op>
LaneFn binary_s32(const Match&) {
  return &Binary<Op>::template For<std::int32_t>::run;
}
template <class Op>
LaneFn ternary_s32(const Match&) {
  return &Ternary<Op>::template For<std::int32_t>::run;
}
template <class Op>
LaneFn unary_signed(const Match& match) {
  switch (match.type("t")) {
    case Type::kS16:
      return &Unary<Op>::template For<std::int16_t>::run;
    case Type::kS32:
      return &Unary<Op>::template For<std::int32_t>::run;
    case Type::kS64:
      return &Unary<Op>::template For<std::int64_t>::run;
    default:
      return nullptr;
  }
}
template <class Low, class High>
LaneFn binary_lo_hi(const Match& match) {
  return match.has("lo") ? binary<Low>(match) : binary<High>(match);
}
template <class Low, class High>
LaneFn ternary_lo_hi(const Match& match) {
  return match.has("lo") ? ternary<Low>(match) : ternary<High>(match);
}
template <class Low, class High>
LaneFn binary_24(const Match& match) {
  if (match.type("t") == Type::kS32) return match.has("lo") ? binary_s32<Low>(match) : binary_s32<High>(match);
  return match.has("lo") ? &Binary<Low>::template For<std::uint32_t>::run
                         : &Binary<High>::template For<std::uint32_t>::run;
}
template <class Low, class High>
LaneFn ternary_24(const Match& match) {
  if (match.type("t") == Type::kS32) return match.has("lo") ? ternary_s32<Low>(match) : ternary_s32<High>(match);
  return match.has("lo") ? &Ternary<Low>::template For<std::uint32_t>::run
                         : &Ternary<High>::template For<std::uint32_t>::run;
}

// Dot products: dot4 of four bytes with four bytes, dot2 of two 16-bit values with two bytes.
template <class A, class B>
void dot4(const Record&, LaneArgs& args) {
  using u32 = std::uint32_t;
  map<u32, u32, u32, u32>(args, [](u32 a, u32 b, u32 c) {
    for (unsigned i = 0; i < 32; i += 8)
      c += static_cast<u32>(static_cast<std::int32_t>(static_cast<A>(a >> i)) *
                            static_cast<std::int32_t>(static_cast<B>(b >> i)));
    return c;
  });
}
template <class A, class B, unsigned Shift>
void dot2(const Record&, LaneArgs& args) {
  using u32 = std::uint32_t;
  map<u32, u32, u32, u32>(args, [](u32 a, u32 b, u32 c) {
    for (unsigned i = 0; i < 2; ++i)
      c += static_cast<u32>(static_cast<std::int32_t>(static_cast<A>(a >> 16 * i)) *
                            static_cast<std::int32_t>(static_cast<B>(b >> (8 * i + Shift))));
    return c;
  });
}
LaneFn select_dp4a(const Match& match) {
  const bool a = match.type("t") == Type::kS32;
  const bool b = match.type("u") == Type::kS32;
  if (a) return b ? &dot4<std::int8_t, std::int8_t> : &dot4<std::int8_t, std::uint8_t>;
  return b ? &dot4<std::uint8_t, std::int8_t> : &dot4<std::uint8_t, std::uint8_t>;
}
template <unsigned Shift>
LaneFn dp2a_of(bool a, bool b) {
  if (a) return b ? &dot2<std::int16_t, std::int8_t, Shift> : &dot2<std::int16_t, std::uint8_t, Shift>;
  return b ? &dot2<std::uint16_t, std::int8_t, Shift> : &dot2<std::uint16_t, std::uint8_t, Shift>;
}
LaneFn select_dp2a(const Match& match) {
  const bool a = match.type("t") == Type::kS32;
  const bool b = match.type("u") == Type::kS32;
  return match.has("lo") ? dp2a_of<0>(a, b) : dp2a_of<16>(a, b);
}

// Carry chains. `f(a, b, c, in, out)` computes on unsigned values; `in` and `out` are 0 or 1. Additions and
// subtractions share one flag. Subtraction adds the complement, so it sets the flag if no borrow occurs. PTX describes
// a borrow for subtraction and leaves open how an addition uses it; NVIDIA GPUs behave as here (docs/ptx.md, "The
// carry").
template <class T, unsigned Sources, class F>
void chain(const Record& record, LaneArgs& args, F f) {
  const LaneMask in = predicate_source(record, args.predicates, 0);
  LaneMask out = 0;
  const T* const a = source<T>(args, 0, 0);
  const T* const b = source<T>(args, 1, 0);
  const T* const c = Sources > 2 ? source<T>(args, 2, 0) : a;
  T* const d = destination<T>(args, 0);
  for (unsigned lane = 0; lane < 32 * args.halves; ++lane) {
    T carry = 0;
    const T value = f(a[lane], b[lane], c[lane], static_cast<T>(in >> lane & 1), carry);
    out |= LaneMask{carry} << lane;
    if ((args.mask >> lane & 1) != 0) d[lane] = value;
  }
  write_predicate(record, args.predicates, 0, out, args.mask);
}

template <class T>
T add_with(T a, T b, T in, T& out) {
  const T partial = a + b;
  const T total = partial + in;
  out = static_cast<T>((partial < a ? 1 : 0) | (total < partial ? 1 : 0));
  return total;
}
template <class T, bool In>
void add_chain(const Record& record, LaneArgs& args) {
  chain<T, 2>(record, args, [](T a, T b, T, T in, T& out) { return add_with<T>(a, b, In ? in : 0, out); });
}
template <class T, bool In>
void sub_chain(const Record& record, LaneArgs& args) {
  chain<T, 2>(record, args, [](T a, T b, T, T in, T& out) {
    const T borrow = In ? 1 - in : 0;
    out = a < b || (a == b && borrow != 0) ? 0 : 1;
    return static_cast<T>(a - b - borrow);
  });
}
template <class T, class S, bool High, bool In>
void mad_chain(const Record& record, LaneArgs& args) {
  chain<T, 3>(record, args, [](T a, T b, T c, T in, T& out) {
    const T product = High ? static_cast<T>(MulHi::of(static_cast<S>(a), static_cast<S>(b))) : MulLo::of(a, b);
    return add_with<T>(product, c, In ? in : 0, out);
  });
}
template <bool In>
LaneFn select_add_chain(const Match& match) {
  return bits(match.type("t")) == 64 ? &add_chain<std::uint64_t, In> : &add_chain<std::uint32_t, In>;
}
template <bool In>
LaneFn select_sub_chain(const Match& match) {
  return bits(match.type("t")) == 64 ? &sub_chain<std::uint64_t, In> : &sub_chain<std::uint32_t, In>;
}
template <bool High, bool In>
LaneFn mad_chain_of(Type type) {
  switch (type) {
    case Type::kU32:
      return &mad_chain<std::uint32_t, std::uint32_t, High, In>;
    case Type::kS32:
      return &mad_chain<std::uint32_t, std::int32_t, High, In>;
    case Type::kU64:
      return &mad_chain<std::uint64_t, std::uint64_t, High, In>;
    case Type::kS64:
      return &mad_chain<std::uint64_t, std::int64_t, High, In>;
    default:
      return nullptr;
  }
}
template <bool In>
LaneFn select_mad_chain(const Match& match) {
  return match.has("hi") ? mad_chain_of<true, In>(match.type("t")) : mad_chain_of<false, In>(match.type("t"));
}

void add_arithmetic(TableBuilder& table) {
  const auto row = [&](const char* syntax, const char* operands, TimingClass timing, LaneFn (*select)(const Match&),
                       const char* meaning) {
    table.add_pure({syntax, operands, timing, Kind::kLane, select, nullptr, meaning});
  };
  using Timing = TimingClass;
  row("add.{t:u16|u32|u64|s16|s32|s64}", "=d:t, a:t, b:t", Timing::kInt, binary<Add>, "a + b, wraps");
  row("sub.{t:u16|u32|u64|s16|s32|s64}", "=d:t, a:t, b:t", Timing::kInt, binary<Sub>, "a - b, wraps");
  row("add.sat.s32", "=d:s32, a:s32, b:s32", Timing::kInt, binary_s32<AddSat>, "a + b, clamped to s32");
  row("sub.sat.s32", "=d:s32, a:s32, b:s32", Timing::kInt, binary_s32<SubSat>, "a - b, clamped to s32");
  row("add.{u16x2|s16x2}", "=d:b32, a:b32, b:b32", Timing::kInt, select_pairwise<Add>, "a + b in both halves");
  row("mul.{lo|hi}.{t:u16|u32|u64|s16|s32|s64}", "=d:t, a:t, b:t", Timing::kIntMul, binary_lo_hi<MulLo, MulHi>,
      "low or high half of a * b");
  row("mul.wide.{t:u16|u32|s16|s32}", "=d:2t, a:t, b:t", Timing::kIntMul, select_wide<MulWide>,
      "a * b in twice the width");
  row("mad.{lo|hi}.{t:u16|u32|u64|s16|s32|s64}", "=d:t, a:t, b:t, c:t", Timing::kIntMad, ternary_lo_hi<MadLo, MadHi>,
      "low or high half of a * b, plus c");
  row("mad.hi.sat.s32", "=d:s32, a:s32, b:s32, c:s32", Timing::kIntMad, ternary_s32<MadHiSat>,
      "high half of a * b, plus c, clamped to s32");
  row("mad.wide.{t:u16|u32|s16|s32}", "=d:2t, a:t, b:t, c:2t", Timing::kIntMad, select_wide<MadWide>,
      "a * b in twice the width, plus c");
  row("mul24.{lo|hi}.{t:u32|s32}", "=d:t, a:t, b:t", Timing::kIntMul, binary_24<Mul24Lo, Mul24Hi>,
      "low or high 32 bits of the 48-bit product of 24-bit values");
  row("mad24.{lo|hi}.{t:u32|s32}", "=d:t, a:t, b:t, c:t", Timing::kIntMad, ternary_24<Mad24Lo, Mad24Hi>,
      "low or high 32 bits of the 48-bit product of 24-bit values, plus c");
  row("mad24.hi.sat.s32", "=d:s32, a:s32, b:s32, c:s32", Timing::kIntMad, ternary_s32<Mad24HiSat>,
      "high 32 bits of the 48-bit product, plus c, clamped to s32");
  row("sad.{t:u16|u32|u64|s16|s32|s64}", "=d:t, a:t, b:t, c:t", Timing::kInt, ternary<Sad>, "|a - b| + c");
  row("div.{t:u16|u32|u64|s16|s32|s64}", "=d:t, a:t, b:t", Timing::kIntDiv, binary<Div>,
      "a / b towards zero; all ones for b = 0");
  row("rem.{t:u16|u32|u64|s16|s32|s64}", "=d:t, a:t, b:t", Timing::kIntDiv, binary<Rem>,
      "remainder of a / b; a for b = 0");
  row("abs.{t:s16|s32|s64}", "=d:t, a:t", Timing::kInt, unary_signed<Abs>, "|a|; the smallest integer stays");
  row("neg.{t:s16|s32|s64}", "=d:t, a:t", Timing::kInt, unary_signed<Neg>, "-a; the smallest integer stays");
  row("min.{t:u16|u32|u64|s16|s32|s64}", "=d:t, a:t, b:t", Timing::kIntMinMax, binary<Min>, "the smaller one");
  row("max.{t:u16|u32|u64|s16|s32|s64}", "=d:t, a:t, b:t", Timing::kIntMinMax, binary<Max>, "the larger one");
  row("min.relu.s32", "=d:s32, a:s32, b:s32", Timing::kIntMinMax, binary_s32<Relu<Min>>, "the smaller one, at least 0");
  row("max.relu.s32", "=d:s32, a:s32, b:s32", Timing::kIntMinMax, binary_s32<Relu<Max>>, "the larger one, at least 0");
  row("min.[relu].{u16x2|s16x2}", "=d:b32, a:b32, b:b32", Timing::kIntMinMax, select_pairwise<Min>,
      "the smaller one in both halves (.relu: at least 0)");
  row("max.[relu].{u16x2|s16x2}", "=d:b32, a:b32, b:b32", Timing::kIntMinMax, select_pairwise<Max>,
      "the larger one in both halves (.relu: at least 0)");
  row("dp4a.{t:u32|s32}.{u:u32|s32}", "=d:b32, a:t, b:u, c:b32", Timing::kIntMad, select_dp4a,
      "c + sum of four products of bytes");
  row("dp2a.{lo|hi}.{t:u32|s32}.{u:u32|s32}", "=d:b32, a:t, b:u, c:b32", Timing::kIntMad, select_dp2a,
      "c + sum of two products: 16-bit parts of a with the low or high two bytes of b");
}

void add_chains(TableBuilder& table) {
  const auto row = [&](const char* syntax, const char* operands, TimingClass timing, LaneFn (*select)(const Match&),
                       const char* meaning, CarryUse carry) {
    table.add_pure({syntax, operands, timing, Kind::kLane, select, nullptr, meaning, carry});
  };
  using Timing = TimingClass;
  row("add.cc.{t:u32|s32|u64|s64}", "=d:t, a:t, b:t", Timing::kInt, select_add_chain<false>, "a + b, sets the carry",
      CarryUse::kWrites);
  row("addc.{t:u32|s32|u64|s64}", "=d:t, a:t, b:t", Timing::kInt, select_add_chain<true>, "a + b + carry",
      CarryUse::kReads);
  row("addc.cc.{t:u32|s32|u64|s64}", "=d:t, a:t, b:t", Timing::kInt, select_add_chain<true>,
      "a + b + carry, sets the carry", CarryUse::kReadsWrites);
  row("sub.cc.{t:u32|s32|u64|s64}", "=d:t, a:t, b:t", Timing::kInt, select_sub_chain<false>,
      "a - b, sets the carry where nothing is borrowed", CarryUse::kWrites);
  row("subc.{t:u32|s32|u64|s64}", "=d:t, a:t, b:t", Timing::kInt, select_sub_chain<true>,
      "a - b, less 1 unless the carry is set", CarryUse::kReads);
  row("subc.cc.{t:u32|s32|u64|s64}", "=d:t, a:t, b:t", Timing::kInt, select_sub_chain<true>,
      "a - b, less 1 unless the carry is set; sets the carry where nothing is borrowed", CarryUse::kReadsWrites);
  row("mad.{lo|hi}.cc.{t:u32|s32|u64|s64}", "=d:t, a:t, b:t, c:t", Timing::kIntMad, select_mad_chain<false>,
      "low or high half of a * b, plus c, sets the carry", CarryUse::kWrites);
  row("madc.{lo|hi}.{t:u32|s32|u64|s64}", "=d:t, a:t, b:t, c:t", Timing::kIntMad, select_mad_chain<true>,
      "low or high half of a * b, plus c and the carry", CarryUse::kReads);
  row("madc.{lo|hi}.cc.{t:u32|s32|u64|s64}", "=d:t, a:t, b:t, c:t", Timing::kIntMad, select_mad_chain<true>,
      "low or high half of a * b, plus c and the carry, sets the carry", CarryUse::kReadsWrites);
}

}  // namespace
}  // namespace castor::isa

CASTOR_INSTRUCTIONS(integer) {
  castor::isa::add_arithmetic(table);
  castor::isa::add_chains(table);
}
