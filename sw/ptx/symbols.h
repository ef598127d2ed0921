#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "castor/isa/module.h"
#include "ptx/cursor.h"
#include "ptx/rules.h"

namespace castor::ptx {

/// A use of a module-level name, checked at the end of the text: PTX wants declarations first, but nothing here needs
/// that.
struct SymbolUse {
  enum class Role : std::uint8_t { kAddress, kAccess, kCall, kInitialiser };
  Role role = Role::kAddress;
  Token at;
  isa::Space space = isa::Space::kGeneric;  ///< kAccess: of the instruction
  unsigned width = 64;                      ///< kAddress, kInitialiser: bits that hold the address
  std::uint32_t function = 0;               ///< kCall: caller and index of the call
  std::uint32_t call = 0;
};

/// Fails at `at` if operands that a call gives are not what a function or prototype wants; `what`: "argument".
void check_signature(const Cursor& text, const Token& at, const isa::Function& caller,
                     const std::vector<isa::Operand>& given, const std::vector<isa::Variable>& wanted,
                     const char* what);

/// Names of a module: its functions, variables and aliases, each declared once or several times alike, and what uses
/// them. Declarations and uses are told while the text is read, `finish` is called behind it.
class Symbols {
 public:
  /// `memory`: what initial values and aliases may take, together.
  Symbols(const Cursor& text, isa::Module& module, Budget& memory) : text_(text), module_(module), memory_(memory) {}

  /// Null if no function, or no variable, of that name was declared so far.
  [[nodiscard]] isa::Function* function(std::string_view name);
  [[nodiscard]] isa::Variable* variable(std::string_view name);
  /// Index of a name in Module::names.
  [[nodiscard]] std::uint32_t name_index(std::string_view name);

  /// Declares or defines; a definition stands for what was declared before. Returns the index of the function.
  std::uint32_t declare(isa::Function&& function, const Token& name);
  void declare(isa::Variable&& variable, const Token& name);
  /// A variable of a function that lives as long as the module's do becomes one of them; its name is no other's.
  void hoist(const isa::Variable& variable) { module_.variables.push_back(variable); }
  /// `name` is to be another name of the function `target`.
  void alias(const Token& name, const Token& target) { aliases_.push_back({name, target}); }
  void use(const SymbolUse& use) { uses_.push_back(use); }
  /// The text is over: makes what aliases name, and checks all uses.
  void finish();

 private:
  struct Alias {
    Token name;
    Token target;
  };
  void apply(const Alias& alias);
  void check(const SymbolUse& use);
  void check_function(const SymbolUse& use, const isa::Function& function) const;

  const Cursor& text_;
  isa::Module& module_;
  Budget& memory_;
  std::unordered_map<std::string_view, std::uint32_t> functions_;  // index into Module::functions
  std::unordered_map<std::string_view, std::uint32_t> variables_;  // index into Module::variables
  std::unordered_map<std::string_view, std::uint32_t> name_indices_;
  std::vector<Alias> aliases_;
  std::vector<SymbolUse> uses_;
};

}  // namespace castor::ptx
