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

/// Operand being read, for messages: its number, its instruction, and its row of the instruction table.
struct OperandPlace {
  const Spelling* spelling = nullptr;
  const isa::OperandSpec* spec = nullptr;
  unsigned number = 0;
  isa::Type type = isa::Type::kNone;
};

/// Returns a text such as "operand 2 ('b') of 'add.u32'".
[[nodiscard]] std::string name_of(const OperandPlace& place);

/// Reader of the instruction operands of one function body. The instruction table gives their shapes and types.
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

  /// Reads the operand at the cursor. `index`: position among the operands of the instruction.
  isa::Operand operand(const OperandPlace& place, std::size_t index);
  isa::Operand predicate(const OperandPlace& place);
  /// Counts the operands up to the next ';' without taking tokens.
  [[nodiscard]] unsigned count() const;

  /// Looks up the meaning of a name in the function; fails if the name is ambiguous.
  Names::Lookup find_local(const Token& name, LocalName& meaning);
  /// Reads `.x` after a register vector `v` and returns that element; returns a scalar register itself.
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
