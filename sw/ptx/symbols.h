#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "castor/isa/module.h"
#include "ptx/cursor.h"
#include "ptx/rules.h"

namespace castor::ptx {

/// Use of a module-level name. It is checked at the end of the text, so the name may be declared after its use.
struct SymbolUse {
  enum class Role : std::uint8_t { kAddress, kAccess, kCall, kInitialiser };
  Role role = Role::kAddress;
  Token at;
  isa::Space space = isa::Space::kGeneric;  ///< kAccess: state space of the instruction
  unsigned width = 64;         ///< kAddress, kInitialiser: width in bits of the value that holds the address
  std::uint32_t function = 0;  ///< kCall: number of the calling function
  std::uint32_t call = 0;      ///< kCall: index of the call in the function
};

/// Fails at token `at` if the operands given by a call do not match the parameters of a function or prototype. `what`:
/// "argument" or "result".
void check_signature(const Cursor& text, const Token& at, const isa::Function& caller,
                     const std::vector<isa::Operand>& given, const std::vector<isa::Variable>& wanted,
                     const char* what);

/// Table of a module's functions, variables and aliases, with the uses of their names. A name may be declared several
/// times if the declarations agree. The parser enters declarations and uses while it reads the text and then calls
/// `finish`.
class Symbols {
 public:
  /// `memory`: common budget of bytes for initial values and aliases.
  Symbols(const Cursor& text, isa::Module& module, Budget& memory) : text_(text), module_(module), memory_(memory) {}

  /// Returns the function declared with that name so far; null if there is none.
  [[nodiscard]] isa::Function* function(std::string_view name);
  /// Returns the variable declared with that name so far; null if there is none.
  [[nodiscard]] isa::Variable* variable(std::string_view name);
  /// Returns the index of a name in Module::names.
  [[nodiscard]] std::uint32_t name_index(std::string_view name);

  /// Declares or defines a function; a definition replaces an earlier declaration. Returns the index of the function.
  std::uint32_t declare(isa::Function&& function, const Token& name);
  void declare(isa::Variable&& variable, const Token& name);
  /// Makes a .global or .const variable of a function a module variable. Its name must be unique.
  void hoist(const isa::Variable& variable) { module_.variables.push_back(variable); }
  /// Makes `name` another name of the function `target` when `finish` is called.
  void alias(const Token& name, const Token& target) { aliases_.push_back({name, target}); }
  void use(const SymbolUse& use) { uses_.push_back(use); }
  /// Creates the functions that aliases name and checks all uses; called at the end of the text.
  void finish();

 private:
  /// Alias directive, applied by `finish`.
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
