#pragma once

#include <cstdint>

#include "castor/isa/types.h"
#include "ptx/constant.h"
#include "ptx/cursor.h"

namespace castor::ptx {

/// Constant expressions (PTX ISA, "Constant Expressions"): read at the cursor and computed in 64 bits, signed, unsigned
/// or double.
class Expressions {
 public:
  explicit Expressions(Cursor& text) : text_(text) {}

  /// A constant may begin at the cursor.
  [[nodiscard]] bool at_constant() const;
  Constant constant_expression();
  /// Without operators that bind less strongly than `lowest`: 10 takes products, 1 all but '?:'.
  Constant binary_expression(int lowest);
  /// Value of a number.
  [[nodiscard]] Constant literal(const Token& token) const;
  /// An expression from 0 to `most`.
  std::uint64_t unsigned_constant(const char* what, std::uint64_t most);
  /// Bits of a constant as a value of `type`; fails at `at`.
  [[nodiscard]] std::uint64_t to_bits(const Token& at, const Constant& value, isa::Type type) const;

 private:
  [[nodiscard]] bool at_cast() const;
  Constant unary_expression();
  [[nodiscard]] Constant combine(const Token& op, const Constant& a, const Constant& b) const;

  Cursor& text_;
};

}  // namespace castor::ptx
