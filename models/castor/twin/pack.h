#pragma once

#include <array>
#include <string>
#include <type_traits>

#include "castor/base/value_names.h"
#include "castor/twin/ports.h"

/// Conversions between a C++ field of any port type and the bits of its packed port.
namespace castor::twin {

namespace detail {

template <class T>
constexpr unsigned max_bits() {
  if constexpr (is_lanes<T>) {
    return T::kElements * max_bits<typename T::Element>();
  } else if constexpr (is_bits<T>) {
    return T::kBits;
  } else {
    return 8 * sizeof(T);
  }
}

/// Returns an integer or enumeration as an unsigned integer.
template <class T>
constexpr U64 number(T value) {
  static_assert(std::is_enum_v<T> || std::is_unsigned_v<T>, "fields are unsigned integers or enumerations over them");
  return static_cast<U64>(value);
}

}  // namespace detail

/// Largest number of bits that a field of type T holds, and of 64-bit words in its packed form.
template <class T>
inline constexpr unsigned kMaxBits = detail::max_bits<T>();
template <class T>
inline constexpr unsigned kMaxWords = (kMaxBits<T> + 63) / 64;

/// Packed form of a field: word i holds bits 64 i + 63 .. 64 i of the port; bits above the port's width are 0.
template <class T>
using Packed = std::array<U64, kMaxWords<T>>;

/// Whether a field of type T can hold a port of this shape.
template <class T>
[[nodiscard]] constexpr bool fits(Shape shape) {
  if constexpr (is_lanes<T>) {
    return shape.elements >= 1 && shape.elements <= T::kElements && shape.bits >= 1 &&
           shape.bits <= detail::max_bits<typename T::Element>();
  } else {
    return shape.elements == 1 && shape.bits >= 1 && shape.bits <= kMaxBits<T>;
  }
}

/// Returns the field as the bits of its port. Element i of Lanes is at [i * bits +: bits]. Bits of the field beyond the
/// shape are cut off.
template <class T>
[[nodiscard]] constexpr Packed<T> pack(const T& field, Shape shape) {
  Packed<T> words{};
  if constexpr (is_lanes<T>) {
    for (unsigned i = 0; i < shape.elements && i < T::kElements; ++i) {
      const U64 value = detail::number(field[i]) & mask(shape.bits);
      const unsigned at = i * shape.bits;
      if (at / 64 >= words.size()) break;
      words[at / 64] |= value << (at % 64);
      if constexpr (kMaxWords < T >> 1) {
        if (at % 64 + shape.bits > 64) words[at / 64 + 1] |= value >> (64 - at % 64);
      }
    }
  } else if constexpr (is_bits<T>) {
    for (unsigned w = 0; w < T::kWords && w * 64 < shape.bits; ++w) {
      words[w] = field.word(w) & mask(shape.bits - w * 64);
    }
  } else {
    words[0] = detail::number(field) & mask(shape.bits);
  }
  return words;
}

/// Converts the bits of a port back to a field. Bits above the port's width must be 0.
template <class T>
[[nodiscard]] constexpr T unpack(const Packed<T>& words, Shape shape) {
  T field{};
  if constexpr (is_lanes<T>) {
    using Element = typename T::Element;
    for (unsigned i = 0; i < shape.elements && i < T::kElements; ++i) {
      const unsigned at = i * shape.bits;
      if (at / 64 >= words.size()) break;
      U64 value = words[at / 64] >> (at % 64);
      if constexpr (kMaxWords < T >> 1) {
        if (at % 64 + shape.bits > 64) value |= words[at / 64 + 1] << (64 - at % 64);
      }
      field[i] = static_cast<Element>(value & mask(shape.bits));
    }
  } else if constexpr (is_bits<T>) {
    for (unsigned w = 0; w < T::kWords; ++w) field.set_word(w, words[w]);
  } else {
    field = static_cast<T>(words[0]);
  }
  return field;
}

/// Returns whether the field has no bits beyond its shape, so that `pack` and `unpack` return it unchanged.
template <class T>
[[nodiscard]] constexpr bool in_range(const T& field, Shape shape) {
  if constexpr (!is_lanes<T> && !is_bits<T>) {
    return (detail::number(field) & ~mask(shape.bits)) == 0;
  } else if constexpr (is_lanes<T>) {
    const unsigned elements = shape.elements < T::kElements ? shape.elements : T::kElements;
    U64 inside = 0, beyond = 0;
    for (unsigned i = 0; i < elements; ++i) inside |= detail::number(field[i]);
    for (unsigned i = elements; i < T::kElements; ++i) beyond |= detail::number(field[i]);
    return (inside & ~mask(shape.bits)) == 0 && beyond == 0;
  } else {
    return unpack<T>(pack(field, shape), shape) == field;
  }
}

namespace detail {

/// Returns the low `bits` bits as hexadecimal digits.
[[nodiscard]] std::string hex_text(const U64* words, unsigned bits);
/// Returns "5", or "12 (0xc)" for numbers above 9.
[[nodiscard]] std::string number_text(U64 value);

template <class T, class = void>
inline constexpr bool has_names = false;
template <class T>
inline constexpr bool has_names<T, std::void_t<decltype(enum_names(T{}))>> = true;

}  // namespace detail

/// Returns the names of an enumeration's values; empty for fields of other types.
template <class T>
[[nodiscard]] constexpr base::ValueNames value_names([[maybe_unused]] const T& field) {
  if constexpr (detail::has_names<T>) {
    return base::ValueNames(enum_names(field));
  } else {
    return {};
  }
}

/// Returns a field as text: an enumeration by its name, a number in decimal and hexadecimal, a mask in hexadecimal,
/// lanes as a list.
template <class T>
[[nodiscard]] std::string value_text(const T& field, Shape shape) {
  if constexpr (is_lanes<T>) {
    std::string text = "{";
    for (unsigned i = 0; i < shape.elements && i < T::kElements; ++i) {
      text += (i != 0 ? ", " : "") + value_text(field[i], Shape{1, shape.bits});
    }
    return text + "}";
  } else if constexpr (is_bits<T>) {
    const Packed<T> words = pack(field, Shape{1, T::kBits});  // includes the bits beyond the shape
    return "0x" + detail::hex_text(words.data(), shape.bits);
  } else if constexpr (detail::has_names<T>) {
    const auto& names = enum_names(field);
    const U64 value = detail::number(field);
    return value < std::size(names) ? names[value] : "no state (" + std::to_string(value) + ")";
  } else {
    return detail::number_text(detail::number(field));
  }
}

}  // namespace castor::twin
