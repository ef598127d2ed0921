#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "castor/isa/types.h"

namespace castor::ptx {

/// Value of a constant expression. PTX computes constant expressions in 64 bits: signed, unsigned or double.
struct Constant {
  enum class Kind : std::uint8_t {
    kSigned,
    kUnsigned,
    kDouble,      ///< `bits` is the IEEE binary64 pattern
    kSingleBits,  ///< a lone `0f` literal: `bits` is its binary32 pattern, kept so that NaN payloads survive
  };
  Kind kind = Kind::kSigned;
  std::uint64_t bits = 0;
  bool cut = false;  ///< the integer literal has more than 64 bits; `bits` holds the low 64

  [[nodiscard]] bool is_integer() const { return kind == Kind::kSigned || kind == Kind::kUnsigned; }
  /// Returns the value of a floating-point constant as double.
  [[nodiscard]] double as_double() const;
  [[nodiscard]] static Constant of(double value);
  [[nodiscard]] static Constant of(std::int64_t value) { return {Kind::kSigned, static_cast<std::uint64_t>(value)}; }
};

/// Reads a number token: decimal, octal, hexadecimal and binary integers with optional `U`, decimal floating point,
/// `0f` and `0d` patterns. Returns false with the reason in `error` if the text is no number. For integers, only the
/// low 64 bits are kept.
[[nodiscard]] bool parse_number(std::string_view text, Constant& value, std::string& error);

/// Converts a constant to the bits of `type`. Integers are truncated to their low bits, as in ptxas. Floating-point
/// constants are rounded to nearest even. Bit types also accept `0f` (32 bits) and `0d` (64 bits) patterns. Returns
/// false with the reason in `error` if there is no conversion. An integer other than 0 is no floating-point value: PTX
/// requires the spelling `1.0`.
[[nodiscard]] bool convert(const Constant& value, isa::Type type, std::uint64_t& bits, std::string& error);

}  // namespace castor::ptx
