#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "castor/isa/module.h"
#include "ptx/cursor.h"
#include "ptx/expressions.h"
#include "ptx/rules.h"
#include "ptx/symbols.h"

namespace castor::ptx {

/// Reader of the initial values of variables, after their '='.
class Initialisers {
 public:
  /// Extents of an array, outermost first; a first extent of 0 marks an unsized array.
  struct Shape {
    std::vector<std::uint64_t> extents;
    unsigned element_bytes = 1;
  };

  /// `memory`: budget of bytes for all initial values of the text.
  Initialisers(Cursor& text, Expressions& expressions, Symbols& symbols, Budget& memory)
      : text_(text), expressions_(expressions), symbols_(symbols), memory_(memory) {}

  /// Reads the variable's data and relocations. Sets the size of an unsized variable.
  void read(isa::Variable& variable, Shape& shape);

 private:
  std::uint64_t list(isa::Variable& variable, const Shape& shape, std::size_t level, std::uint64_t offset,
                     std::uint64_t bytes);
  void element(isa::Variable& variable, std::uint64_t offset);
  [[nodiscard]] isa::Relocation masked(unsigned bytes);
  void put_bytes(isa::Variable& variable, const Token& at, std::uint64_t offset, std::uint64_t bits, unsigned bytes);
  [[nodiscard]] bool symbol(isa::Relocation& relocation, unsigned width);

  Cursor& text_;
  Expressions& expressions_;
  Symbols& symbols_;
  Budget& memory_;
};

}  // namespace castor::ptx
