#include "ptx/symbols.h"

#include <algorithm>

namespace castor::ptx {
namespace {

/// Returns the approximate memory in bytes that a copy of a function takes.
std::uint64_t bytes_of(const isa::Function& function) {
  std::uint64_t bytes = sizeof(isa::Function) + function.body.size() * (sizeof(isa::Instruction) + 200) +
                        function.registers.size() * 64 + function.labels.size() * 64;
  for (const isa::Variable& variable : function.variables) {
    bytes += sizeof variable + variable.data.size() + variable.relocations.size() * sizeof(isa::Relocation);
  }
  for (const isa::BranchTable& table : function.tables) bytes += 64 + table.labels.size() * 4;
  for (const isa::Call& call : function.calls) bytes += sizeof call + call.candidates.size() * 64;
  for (const isa::Prototype& prototype : function.prototypes) {
    bytes += sizeof prototype + (prototype.parameters.size() + prototype.results.size()) * sizeof(isa::Variable);
  }
  return bytes;
}

/// Returns the bytes that an operand of a call passes; 0 if the callee's parameter decides (constants, sinks).
std::uint64_t bytes_passed(const isa::Function& caller, const isa::Operand& operand) {
  switch (operand.kind) {
    case isa::Operand::Kind::kVariable:
      return caller.variables[operand.index].size;
    case isa::Operand::Kind::kRegister:
      return std::max(1U, isa::bytes(caller.registers[operand.index].type));
    default:
      return 0;
  }
}

}  // namespace

void check_signature(const Cursor& text, const Token& at, const isa::Function& caller,
                     const std::vector<isa::Operand>& given, const std::vector<isa::Variable>& wanted,
                     const char* what) {
  if (given.size() != wanted.size()) {
    text.fail(at, "call of " + describe(at) + " with " + std::to_string(given.size()) + " " + what +
                      "s, its declaration has " + std::to_string(wanted.size()));
  }
  for (std::size_t i = 0; i < given.size(); ++i) {
    const std::uint64_t bytes = bytes_passed(caller, given[i]);
    if (bytes != 0 && bytes != wanted[i].size) {
      text.fail(at, "call of " + describe(at) + ": " + what + " " + std::to_string(i + 1) + " has " +
                        std::to_string(bytes) + " bytes, the function expects " + std::to_string(wanted[i].size));
    }
  }
}

std::uint32_t Symbols::name_index(std::string_view name) {
  const auto [known, fresh] = name_indices_.try_emplace(name, static_cast<std::uint32_t>(module_.names.size()));
  if (fresh) module_.names.emplace_back(name);
  return known->second;
}

isa::Function* Symbols::function(std::string_view name) {
  const auto found = functions_.find(name);
  return found == functions_.end() ? nullptr : &module_.functions[found->second];
}

isa::Variable* Symbols::variable(std::string_view name) {
  const auto found = variables_.find(name);
  return found == variables_.end() ? nullptr : &module_.variables[found->second];
}

std::uint32_t Symbols::declare(isa::Function&& function, const Token& name) {
  const auto [known, fresh] = functions_.try_emplace(name.text, static_cast<std::uint32_t>(module_.functions.size()));
  if (fresh) {
    module_.functions.push_back(std::move(function));
    return known->second;
  }
  isa::Function& before = module_.functions[known->second];
  if (before.defined && function.defined) text_.fail_duplicate(name);
  const auto differ = [](const std::vector<isa::Variable>& a, const std::vector<isa::Variable>& b) {
    return !std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const isa::Variable& x, const isa::Variable& y) {
      return x.size == y.size && (x.space == y.space);
    });
  };
  if (before.entry != function.entry || differ(before.parameters, function.parameters) ||
      differ(before.results, function.results)) {
    text_.fail(name, describe(name) + " was declared with other parameters or results at line " +
                         std::to_string(before.where.line));
  }
  if (function.defined) {
    if (function.linkage == isa::Linkage::kStatic && before.linkage != isa::Linkage::kExtern) {
      function.linkage = before.linkage;
    }
    before = std::move(function);
  }
  return known->second;
}

void Symbols::declare(isa::Variable&& variable, const Token& name) {
  if (functions_.count(name.text) != 0) text_.fail_duplicate(name);
  const auto [known, fresh] = variables_.try_emplace(name.text, static_cast<std::uint32_t>(module_.variables.size()));
  if (fresh) {
    module_.variables.push_back(std::move(variable));
    return;
  }
  isa::Variable& before = module_.variables[known->second];
  if (before.space != variable.space) {
    text_.fail(name, describe(name) + " was declared in ." + std::string(isa::name(before.space)) + " at line " +
                         std::to_string(before.where.line));
  }
  if (variable.linkage == isa::Linkage::kExtern) return;
  if (before.linkage != isa::Linkage::kExtern) text_.fail_duplicate(name);
  before = std::move(variable);
}

void Symbols::finish() {
  for (const Alias& alias : aliases_) apply(alias);
  for (const SymbolUse& use : uses_) check(use);
}

void Symbols::apply(const Alias& alias) {
  const isa::Function* const target = function(alias.target.text);
  if (target == nullptr || !target->defined) {
    text_.fail(alias.target, ".alias needs a function that is defined here, " + describe(alias.target) + " is none");
  }
  if (target->entry) text_.fail(alias.target, ".alias of a kernel is not supported");
  isa::Function* const known = function(alias.name.text);
  if (variable(alias.name.text) != nullptr) text_.fail_duplicate(alias.name);
  if (known != nullptr && known->defined) text_.fail_duplicate(alias.name);
  // Each alias copies the body, which is charged to the budget: many aliases of a large function must not exhaust
  // memory.
  if (!memory_.take(bytes_of(*target))) {
    text_.fail(alias.name, "the aliases of this file take more memory than is allowed");
  }
  isa::Function copy = *target;
  copy.name = alias.name.text;
  if (known != nullptr) {
    copy.linkage = known->linkage;
    *known = std::move(copy);
  } else {
    functions_.emplace(alias.name.text, static_cast<std::uint32_t>(module_.functions.size()));
    module_.functions.push_back(std::move(copy));
  }
}

void Symbols::check_function(const SymbolUse& use, const isa::Function& function) const {
  if (use.role == SymbolUse::Role::kAccess) text_.fail(use.at, describe(use.at) + " is a function, not a variable");
  if (use.role == SymbolUse::Role::kCall) {
    if (function.entry) text_.fail(use.at, describe(use.at) + " is a kernel and cannot be called");
    const isa::Function& caller = module_.functions[use.function];
    const isa::Call& call = caller.calls[use.call];
    check_signature(text_, use.at, caller, call.arguments, function.parameters, "argument");
    check_signature(text_, use.at, caller, call.results, function.results, "result");
    return;
  }
  if (use.width < 64) text_.fail(use.at, "the address of function " + describe(use.at) + " takes 64 bits");
}

void Symbols::check(const SymbolUse& use) {
  if (const isa::Function* const called = function(use.at.text)) return check_function(use, *called);
  if (use.role == SymbolUse::Role::kCall) text_.fail(use.at, "unknown function " + describe(use.at));
  const isa::Variable* const found = variable(use.at.text);
  if (found == nullptr) text_.fail(use.at, "unknown name " + describe(use.at));
  if (use.role == SymbolUse::Role::kAccess) {
    if (!access_fits(use.space, found->space)) {
      text_.fail(use.at, describe(use.at) + " is a ." + std::string(isa::name(found->space)) +
                             " variable, but the instruction accesses " + space_text(use.space));
    }
  } else if (use.width < 64 && found->space != isa::Space::kShared && found->space != isa::Space::kLocal) {
    text_.fail(use.at, "the address of ." + std::string(isa::name(found->space)) + " variable " + describe(use.at) +
                           " takes 64 bits, not " + std::to_string(use.width));
  }
}

}  // namespace castor::ptx
