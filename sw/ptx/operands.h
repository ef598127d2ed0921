#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "castor/isa/instruction_table.h"
#include "castor/isa/module.h"
#include "ptx/cursor.h"
#include "ptx/expressions.h"
#include "ptx/labels.h"
#include "ptx/names.h"
#include "ptx/spellings.h"
#include "ptx/symbols.h"

namespace castor::ptx {

/// The operand that is being read, for messages: which one of what, and what the table says of it.
struct OperandPlace {
  const Spelling* spelling = nullptr;
  const isa::OperandSpec* spec = nullptr;
  unsigned number = 0;
  isa::Type type = isa::Type::kNone;
};

/// "operand 2 ('b') of 'add.u32'"
[[nodiscard]] std::string name_of(const OperandPlace& place);

/// Operands of the instructions of one function body, by the shapes and types that a row of the table gives.
class Operands {
 public:
  Operands(Cursor& text, Expressions& expressions, Symbols& symbols, const isa::Function& function, Names& names,
           Labels& labels)
      : text_(text),
        expressions_(expressions),
        symbols_(symbols),
        function_(function),
        names_(names),
        labels_(labels) {}

  /// The operand at the cursor; `index`: its place among those of the instruction.
  isa::Operand operand(const OperandPlace& place, std::size_t index);
  isa::Operand predicate(const OperandPlace& place);
  /// Operands up to the next ';', which are not taken.
  [[nodiscard]] unsigned count() const;

  /// What a name means in the function; fails if it means two things.
  Names::Lookup find_local(const Token& name, LocalName& meaning);
  /// `v.x` of a register vector, or the register itself.
  LocalName element(const Token& name, LocalName meaning);

 private:
  isa::Operand value(const OperandPlace& place);
  isa::Operand list(const OperandPlace& place, unsigned elements);
  isa::Operand pack(const OperandPlace& place);
  isa::Operand address(const OperandPlace& place);
  isa::Operand immediate(const OperandPlace& place);
  isa::Operand label_operand(std::size_t index, bool table);
  isa::Operand register_operand(const Token& name, const LocalName& meaning, const OperandPlace& place);
  isa::Operand variable_operand(const Token& name, const LocalName& meaning, const OperandPlace& place, bool access);
  isa::Operand symbol_operand(const Token& name, const OperandPlace& place, bool access);
  isa::Operand special_operand(const Token& name, const OperandPlace& place);
  isa::Operand special_named(const Token& name, std::string_view full, const OperandPlace& place);
  void select_part(isa::Operand& operand, const OperandPlace& place);
  void check_register(const Token& at, isa::Type found, const OperandPlace& place) const;
  void check_address_width(const Token& at, const OperandPlace& place) const;
  std::int64_t symbol_offset(std::uint64_t element_bytes);

  Cursor& text_;
  Expressions& expressions_;
  Symbols& symbols_;
  const isa::Function& function_;
  Names& names_;
  Labels& labels_;
};

}  // namespace castor::ptx
