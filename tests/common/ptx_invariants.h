#pragma once

#include <set>
#include <string>

#include "castor/isa/module.h"

namespace castor::ptx::test {

/// Checks what must hold for every module that the parser returns, whatever the text was: indices are in range, and
/// operands have the form that their row demands. Returns a description of the first violation, or an empty string.
inline std::string broken_invariant(const isa::Module& module, const isa::Function& function,
                                    const isa::Instruction& instruction) {
  using Kind = isa::Operand::Kind;
  const isa::Row& row = instruction.match.row();
  const std::string what = instruction.match.spelling() + " at line " + std::to_string(instruction.where.line) + ": ";
  const auto leaf = [&](const isa::Operand& operand) {
    switch (operand.kind) {
      case Kind::kRegister:
        return operand.index < function.registers.size();
      case Kind::kVariable:
        return operand.index < function.variables.size();
      case Kind::kSymbol:
        return operand.index < module.names.size() && (module.find_function(module.names[operand.index]) != nullptr ||
                                                       module.find_variable(module.names[operand.index]) != nullptr);
      case Kind::kLabel:
        return operand.index < function.labels.size();
      case Kind::kTable:
        return operand.index < function.tables.size();
      case Kind::kSpecial:
        return operand.special < isa::SpecialRegister::kWarpSize;
      case Kind::kSink:
      case Kind::kImmediate:
        return true;
      default:
        return false;
    }
  };
  std::size_t at = 0;
  for (const isa::OperandSpec& spec : row.specs) {
    if (at >= instruction.operands.size()) return what + "too few operands";
    const isa::Operand& operand = instruction.operands[at++];
    const bool absent = operand.kind == Kind::kNone;
    if (absent && !spec.optional && spec.shape != isa::OperandShape::kCall) return what + "operand missing";
    if (!absent && operand.kind == Kind::kAddress) {
      if (spec.shape != isa::OperandShape::kAddress || operand.elements.size() != 1 || !leaf(operand.elements[0])) {
        return what + "address";
      }
    } else if (!absent && operand.kind == Kind::kList) {
      if (operand.elements.size() < 2) return what + "list";
      for (const isa::Operand& element : operand.elements) {
        if (!leaf(element) || element.kind == Kind::kLabel) return what + "list element";
      }
    } else if (!absent && !leaf(operand)) {
      return what + "operand " + spec.name;
    }
    if (!absent && spec.destination && operand.kind != Kind::kRegister && operand.kind != Kind::kSink &&
        operand.kind != Kind::kList) {
      return what + "destination";
    }
    if (operand.kind == Kind::kRegister && spec.shape == isa::OperandShape::kPredicate &&
        function.registers[operand.index].type != isa::Type::kPred) {
      return what + "no predicate";
    }
    if (spec.second_predicate) {
      if (at >= instruction.operands.size()) return what + "no second predicate";
      const isa::Operand& second = instruction.operands[at++];
      if (second.kind == Kind::kRegister && function.registers.at(second.index).type != isa::Type::kPred) {
        return what + "second predicate";
      }
    }
  }
  if (at != instruction.operands.size()) return what + "too many operands";
  if (instruction.guard && (*instruction.guard >= function.registers.size() ||
                            function.registers[*instruction.guard].type != isa::Type::kPred)) {
    return what + "guard";
  }
  const bool calls = row.kind == isa::Kind::kCall || row.kind == isa::Kind::kCallIndirect;
  if (calls != instruction.call.has_value() || (calls && *instruction.call >= function.calls.size()))
    return what + "call";
  return {};
}

inline std::string broken_invariant(const isa::Module& module) {
  const auto variables = [&module](const std::vector<isa::Variable>& list) -> std::string {
    for (const isa::Variable& variable : list) {
      if (variable.data.size() > variable.size) return variable.name + ": more data than bytes";
      if (variable.align == 0 || (variable.align & (variable.align - 1)) != 0) return variable.name + ": alignment";
      for (const isa::Relocation& relocation : variable.relocations) {
        if (relocation.offset + relocation.width > variable.data.size()) return variable.name + ": relocation";
        if (module.find_function(relocation.symbol) == nullptr && module.find_variable(relocation.symbol) == nullptr) {
          return variable.name + ": relocation to nothing";
        }
      }
    }
    return {};
  };
  std::set<std::string> names;
  for (const isa::Variable& variable : module.variables) {
    if (!names.insert(variable.name).second) return variable.name + ": twice";
  }
  std::string broken = variables(module.variables);
  for (const isa::Function& function : module.functions) {
    if (!names.insert(function.name).second) return function.name + ": twice";
    if (!function.defined) continue;
    if (broken.empty()) broken = variables(function.variables);
    if (function.variables.size() < function.parameters.size() + function.results.size()) {
      return function.name + ": parameters are no variables";
    }
    std::set<std::string> locals;
    for (const isa::Variable& variable : function.variables) {
      if (!locals.insert(variable.name).second) return function.name + ": variable " + variable.name + " twice";
    }
    for (const isa::Instruction& instruction : function.body) {
      if (broken.empty()) broken = broken_invariant(module, function, instruction);
    }
    for (const isa::Label& label : function.labels) {
      if (label.position > function.body.size()) return function.name + ": label " + label.name;
    }
    for (const isa::BranchTable& table : function.tables) {
      for (const std::uint32_t label : table.labels) {
        if (label >= function.labels.size()) return function.name + ": table " + table.name;
      }
    }
    for (const isa::Call& call : function.calls) {
      if (call.prototype && *call.prototype >= function.prototypes.size()) return function.name + ": prototype";
    }
  }
  return broken;
}

}  // namespace castor::ptx::test
