#pragma once

#include <cstdint>
#include <vector>

#include "castor/isa/module.h"
#include "compiler/builder.h"
#include "compiler/ir.h"
#include "compiler/link.h"
#include "compiler/variables.h"

namespace castor::compiler {

/// Address of a memory operand: base register, offset, and origin of the offset if it lies in local memory.
struct Address {
  Value base;
  std::uint64_t offset = 0;
  LocalBase local = LocalBase::kNone;
};

/// Operands of PTX instructions as operands of the intermediate representation. Emits the code that they need.
class Operands {
 public:
  Operands(const Linked& linked, const isa::Function& function, const Variables& variables, Builder& build, Code& code)
      : linked_(linked), function_(function), variables_(variables), build_(build), code_(code) {}

  /// Returns an operand as a value of `type`, converted to its width.
  Value source(const isa::Operand& operand, isa::Type type);
  /// Returns the selected byte or half-word of a register, extended as `type` says.
  Value part(const isa::Operand& operand, isa::Type type);
  /// Returns an operand of a memory instruction; a register keeps its own width.
  Value data(const isa::Operand& operand, isa::Type type);
  PredicateUse predicate(const isa::Operand& operand);
  RegisterId predicate_destination(const isa::Operand& operand);
  Address address(const isa::Operand& operand, isa::Space space);
  /// Gives `inst` a vector operand. `after` gets the moves that must follow it.
  void vector(const isa::Operand& operand, isa::Type type, bool destination, Inst& inst, std::vector<Inst>& after);

 private:
  Value symbol_value(const isa::Operand& operand, bool wide);
  Value frame_address(const Value& offset, bool wide);

  const Linked& linked_;
  const isa::Function& function_;
  const Variables& variables_;
  Builder& build_;
  Code& code_;
};

}  // namespace castor::compiler
