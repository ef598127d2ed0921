#pragma once

#include <cstdint>

#include "castor/isa/types.h"
#include "ptx/constant.h"
#include "ptx/cursor.h"

namespace castor::ptx {

/// Reader of constant expressions at the cursor (PTX ISA, "Constant Expressions"). They are computed in 64 bits,
/// signed, unsigned or double.
class Expressions {
 public:
  explicit Expressions(Cursor& text) : text_(text) {}

  /// True if a constant may begin at the cursor.
  [[nodiscard]] bool at_constant() const;
  Constant constant_expression();
  /// Reads an expression without operators of lower priority than `lowest`: 10 reads products only, 1 all but '?:'.
  Constant binary_expression(int lowest);
  /// Returns the value of a number token.
  [[nodiscard]] Constant literal(const Token& token) const;
  /// Reads an expression; fails if its value is not from 0 to `most`.
  std::uint64_t unsigned_constant(const char* what, std::uint64_t most);
  /// Returns the bits of a constant as a value of `type`; fails at token `at` if it cannot be converted.
  [[nodiscard]] std::uint64_t to_bits(const Token& at, const Constant& value, isa::Type type) const;

 private:
  [[nodiscard]] bool at_cast() const;
  Constant unary_expression();
  [[nodiscard]] Constant combine(const Token& op, const Constant& a, const Constant& b) const;

  Cursor& text_;
};

}  // namespace castor::ptx
