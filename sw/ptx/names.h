#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "castor/isa/module.h"

namespace castor::ptx {

/// Meaning of a name inside a function.
struct LocalName {
  enum class Kind : std::uint8_t { kRegister, kVector, kVariable };
  Kind kind = Kind::kRegister;
  std::uint32_t index = 0;  ///< index into Function::registers (a vector's first element) or Function::variables
  std::uint32_t count = 1;  ///< number of elements of a vector register
  bool wide = false;        ///< kVector: a .b128 register, stored as two .b64 registers
};

/// Declared type of a register, or of each register of a family.
struct RegisterShape {
  isa::Type type = isa::Type::kNone;
  unsigned elements = 1;
  bool wide = false;  ///< declared as .b128

  /// Returns the shape of a declaration; a .b128 register becomes two .b64 registers.
  [[nodiscard]] static RegisterShape of(isa::Type type, unsigned elements) {
    if (type == isa::Type::kB128) return {isa::Type::kB64, 2, true};
    return {type, elements, false};
  }
};

/// Table of the names of one function body: nested scopes that hide outer names, and register families such as %r<100>.
///
/// A family's register enters Function::registers when the text first uses it. A family therefore costs four bytes per
/// register, up to the highest used one.
class Names {
 public:
  explicit Names(isa::Function& function) : function_(function) {}

  /// Opens a scope inside the innermost open one. Scope 0 is the function itself.
  void open_scope();
  void close_scope();
  /// Returns the number of the innermost open scope; no number is used twice.
  [[nodiscard]] std::uint32_t scope() const { return open_.back().number; }
  /// Returns the enclosing scope of scope `number`; scope 0 encloses itself.
  [[nodiscard]] std::uint32_t parent(std::uint32_t number) const { return parents_[number]; }

  /// Declares a name in the innermost scope; returns false if that scope has the name already.
  [[nodiscard]] bool declare(std::string_view name, LocalName meaning);
  /// Appends a new register, or the registers of a new vector, to Function::registers.
  [[nodiscard]] LocalName make_register(std::string_view name, const RegisterShape& shape);
  /// Declares the registers <prefix>0 ... <prefix>(count - 1). Returns false if the innermost scope has a family of
  /// this prefix already.
  [[nodiscard]] bool declare_family(std::string_view prefix, std::uint32_t count, const RegisterShape& shape);

  enum class Lookup : std::uint8_t { kFound, kUnknown, kAmbiguous };
  [[nodiscard]] Lookup find(std::string_view name, LocalName& meaning);

  /// Returns `name`, or a name made from it that no variable of the function has yet.
  [[nodiscard]] std::string unique_variable_name(std::string_view name);

 private:
  /// Declared name, with the scope depth of its declaration.
  struct Entry {
    std::string_view name;
    LocalName meaning;
    std::uint32_t depth = 0;
    std::uint32_t hidden = 0;  // outer entry of the same name, index + 1; 0: none
  };
  /// Register family, with the scope depth of its declaration.
  struct Family {
    std::string_view prefix;
    std::uint32_t count = 0;
    RegisterShape shape;
    std::uint32_t depth = 0;
    std::uint32_t hidden = 0;            // outer family of the same prefix, index + 1; 0: none
    std::vector<std::uint32_t> members;  // per number: register index + 1, or 0 if not used yet
  };
  /// Open scope: its number, and the sizes of `entries_` and `families_` when it was opened.
  struct Open {
    std::uint32_t number = 0;
    std::size_t entries = 0;
    std::size_t families = 0;
  };

  [[nodiscard]] std::uint32_t depth() const { return static_cast<std::uint32_t>(open_.size()); }
  /// Returns the family that `name` belongs to and its number in it, innermost scope first; nullptr if none.
  [[nodiscard]] Family* family_of(std::string_view name, std::uint32_t& number);

  isa::Function& function_;
  std::vector<Entry> entries_;
  std::vector<Family> families_;
  std::unordered_map<std::string_view, std::uint32_t> by_name_;
  std::unordered_map<std::string_view, std::uint32_t> by_prefix_;
  std::unordered_map<std::string_view, std::uint32_t> variable_names_;  // number of declarations of each variable name
  std::vector<Open> open_{Open{}};
  std::vector<std::uint32_t> parents_{0};
  bool digit_prefixes_ = false;  // a family prefix ends in a digit, so a name may split into prefix and number in
                                 // several ways
};

}  // namespace castor::ptx
