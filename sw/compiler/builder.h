#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "castor/isa/module.h"
#include "compiler/ir.h"
#include "compiler/link.h"

namespace castor::compiler {

/// Appends instructions to the code of one function. Every instruction gets the guard and source line of the PTX
/// instruction being lowered. All other parts of the lowering use the builder.
class Builder {
 public:
  Builder(const Linked& linked, const isa::Function& function, Code& code)
      : linked_(linked), function_(function), code_(code), where_(&function.where) {}

  /// Begins the lowering of a PTX instruction: its guard and line hold from now on.
  void begin(const isa::Instruction& in) {
    where_ = &in.where;
    guard_ = {};
    if (in.guard) guard_ = {*in.guard, in.guard_negated};
  }
  [[nodiscard]] const PredicateUse& guard() const { return guard_; }
  void clear_guard() { guard_ = {}; }
  [[nodiscard]] const isa::SourceLine& where() const { return *where_; }

  void emit(Inst inst);
  void copy(RegisterId to, const Value& from);
  /// Writes the low bits of `from` to register `to`, extended from `from_type`.
  void extend(RegisterId to, const Value& from, isa::Type from_type);
  /// Converts a predicate to a register with 0 or 1, as calls pass it.
  RegisterId from_predicate(const PredicateUse& predicate);
  void to_predicate(RegisterId to, RegisterId word);
  /// Returns the register with the carry flag.
  RegisterId carry();
  [[nodiscard]] RegisterId register_of(const isa::Operand& operand) const;
  [[nodiscard]] RegisterClass class_of(RegisterId id) const { return code_.registers[id].cls; }
  std::uint32_t new_label();
  void place_label(std::uint32_t label);
  /// Throws InputError for the PTX instruction being lowered.
  [[noreturn]] void error(const std::string& message, const std::string& hint = {}) const;

 private:
  const Linked& linked_;
  const isa::Function& function_;
  Code& code_;
  PredicateUse guard_;
  const isa::SourceLine* where_;
  RegisterId carry_ = kNoRegister;
};

/// Returns an instruction of the instruction table, without operands.
[[nodiscard]] Inst inst_of(const isa::Match& match);
/// Returns an instruction of an internal row of the instruction table.
[[nodiscard]] Inst internal_inst(std::string_view spelling);
/// Returns an instruction that copies one register to another of the same class.
[[nodiscard]] Inst move_inst(RegisterClass cls);
/// Returns a load or store of one element at a known place in local memory.
[[nodiscard]] Inst local_access(bool load, RegisterClass cls, LocalBase base, std::uint64_t offset, unsigned size);

}  // namespace castor::compiler
