#pragma once

// Templates that turn an operation on values into lane handlers for every type. An operation is a struct with `template
// <class T> static T of(T...)`.

#include <cstdint>
#include <type_traits>

#include "castor/isa/lanes.h"

namespace castor::isa {
namespace {

// 128-bit integers for products of 64-bit values.
__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 Unsigned128;

/// Type of the row element that holds a value of T: 8- and 16-bit values take 32 bits.
template <class T>
using Element = std::conditional_t<sizeof(T) < 4, std::uint32_t, T>;

/// Unsigned type of at least 32 bits in which sums and low products of T wrap without promotion to int.
template <class T>
using Wrap = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

template <class T>
struct WideOf;
template <>
struct WideOf<std::uint16_t> {
  using type = std::uint32_t;
};
template <>
struct WideOf<std::int16_t> {
  using type = std::int32_t;
};
template <>
struct WideOf<std::uint32_t> {
  using type = std::uint64_t;
};
template <>
struct WideOf<std::int32_t> {
  using type = std::int64_t;
};
template <>
struct WideOf<std::uint64_t> {
  using type = Unsigned128;
};
template <>
struct WideOf<std::int64_t> {
  using type = Int128;
};
/// Integer type of twice the width of T and the same sign.
template <class T>
using Wide = typename WideOf<T>::type;

template <class T>
inline constexpr unsigned kBits = 8 * sizeof(T);

template <class Op>
struct Unary {
  template <class T>
  struct For {
    static void run(const Record&, LaneArgs& args) {
      using E = Element<T>;
      map<E, E>(args, [](E a) { return static_cast<E>(Op::of(static_cast<T>(a))); });
    }
  };
};
template <class Op>
struct Binary {
  template <class T>
  struct For {
    static void run(const Record&, LaneArgs& args) {
      using E = Element<T>;
      map<E, E, E>(args, [](E a, E b) { return static_cast<E>(Op::of(static_cast<T>(a), static_cast<T>(b))); });
    }
  };
};
template <class Op>
struct Ternary {
  template <class T>
  struct For {
    static void run(const Record&, LaneArgs& args) {
      using E = Element<T>;
      map<E, E, E, E>(args, [](E a, E b, E c) {
        return static_cast<E>(Op::of(static_cast<T>(a), static_cast<T>(b), static_cast<T>(c)));
      });
    }
  };
};

/// Returns handler `Form<T>::run` for an integer or untyped `type` of 16 to 64 bits; untyped bits are unsigned. Null
/// for other types.
template <template <class> class Form>
LaneFn integer_form(Type type) {
  switch (type) {
    case Type::kB16:
    case Type::kU16:
      return &Form<std::uint16_t>::run;
    case Type::kB32:
    case Type::kU32:
      return &Form<std::uint32_t>::run;
    case Type::kB64:
    case Type::kU64:
      return &Form<std::uint64_t>::run;
    case Type::kS16:
      return &Form<std::int16_t>::run;
    case Type::kS32:
      return &Form<std::int32_t>::run;
    case Type::kS64:
      return &Form<std::int64_t>::run;
    default:
      return nullptr;
  }
}
/// Returns handler `Form<T>::run` for the unsigned type with the width of `type`.
template <template <class> class Form>
LaneFn bits_form(Type type) {
  switch (bits(type)) {
    case 16:
      return &Form<std::uint16_t>::run;
    case 32:
      return &Form<std::uint32_t>::run;
    case 64:
      return &Form<std::uint64_t>::run;
    default:
      return nullptr;
  }
}

// Selectors for rows of the instruction table whose operand type is the label `t` of the matched form. Each returns the
// lane function for that type, or null if there is none.
template <class Op>
LaneFn unary(const Match& match) {
  return integer_form<Unary<Op>::template For>(match.type("t"));
}
template <class Op>
LaneFn binary(const Match& match) {
  return integer_form<Binary<Op>::template For>(match.type("t"));
}
template <class Op>
LaneFn ternary(const Match& match) {
  return integer_form<Ternary<Op>::template For>(match.type("t"));
}
template <class Op>
LaneFn unary_bits(const Match& match) {
  return bits_form<Unary<Op>::template For>(match.type("t"));
}
template <class Op>
LaneFn binary_bits(const Match& match) {
  return bits_form<Binary<Op>::template For>(match.type("t"));
}
inline void move_predicate(const Record& record, LaneArgs& args) {
  write_predicate(record, args.predicates, 0, predicate_source(record, args.predicates, 0), args.mask);
}

template <LaneFn Handler>
LaneFn always(const Match&) {
  return Handler;
}

}  // namespace
}  // namespace castor::isa
