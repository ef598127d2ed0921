#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "castor/isa/types.h"

namespace castor::ptx {

/// Value of a constant expression. PTX computes them in 64 bits: signed, unsigned or double.
struct Constant {
  enum class Kind : std::uint8_t {
    kSigned,
    kUnsigned,
    kDouble,      ///< `bits` is the IEEE binary64 pattern
    kSingleBits,  ///< an undisturbed `0f` literal: `bits` is its binary32 pattern, kept so that NaN payloads survive
  };
  Kind kind = Kind::kSigned;
  std::uint64_t bits = 0;
  bool cut = false;  ///< an integer literal of more than 64 bits, of which `bits` are the low ones

  [[nodiscard]] bool is_integer() const { return kind == Kind::kSigned || kind == Kind::kUnsigned; }
  /// Value of a floating-point constant as double.
  [[nodiscard]] double as_double() const;
  [[nodiscard]] static Constant of(double value);
  [[nodiscard]] static Constant of(std::int64_t value) { return {Kind::kSigned, static_cast<std::uint64_t>(value)}; }
};

/// Reads a number token: decimal, octal, hexadecimal and binary integers with optional `U`, decimal floating point,
/// `0f` and `0d` patterns. False with the reason in `error` if the text is none of them. Of integers the low 64 bits
/// are kept.
[[nodiscard]] bool parse_number(std::string_view text, Constant& value, std::string& error);

/// Converts a constant to the bits of `type`: of integers the low bits are taken, as ptxas does; floating-point
/// constants are rounded to nearest even. Bit types also take `0f` (32 bits) and `0d` (64 bits) patterns. False with
/// the reason in `error`. An integer other than 0 is no floating-point value (our choice, as in PTX: it must be spelled
/// `1.0`).
[[nodiscard]] bool convert(const Constant& value, isa::Type type, std::uint64_t& bits, std::string& error);

}  // namespace castor::ptx
