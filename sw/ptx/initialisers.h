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

/// Initial values of variables, behind their '='.
class Initialisers {
 public:
  struct Shape {  ///< extents of an array, outermost first; 0 as first: unsized
    std::vector<std::uint64_t> extents;
    unsigned element_bytes = 1;
  };

  /// `memory`: what all initial values of the text may take.
  Initialisers(Cursor& text, Expressions& expressions, Symbols& symbols, Budget& memory)
      : text_(text), expressions_(expressions), symbols_(symbols), memory_(memory) {}

  /// Reads the variable's data and relocations, and its size if it has none.
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
