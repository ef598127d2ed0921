#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "castor/isa/module.h"

namespace castor::ptx {

/// What a name means inside a function.
struct LocalName {
  enum class Kind : std::uint8_t { kRegister, kVector, kVariable };
  Kind kind = Kind::kRegister;
  std::uint32_t index = 0;  ///< into Function::registers (a vector's first element) or Function::variables
  std::uint32_t count = 1;  ///< elements of a vector register
  bool wide = false;        ///< kVector: a .b128 register, which is two of .b64
};

/// What a register, or each of a family, is declared as.
struct RegisterShape {
  isa::Type type = isa::Type::kNone;
  unsigned elements = 1;
  bool wide = false;  ///< .b128

  /// `.b128` is two .b64.
  [[nodiscard]] static RegisterShape of(isa::Type type, unsigned elements) {
    if (type == isa::Type::kB128) return {isa::Type::kB64, 2, true};
    return {type, elements, false};
  }
};

/// Names of one function body: nested scopes that hide outer names, and register families such as %r<100>.
///
/// Members of a family enter Function::registers when the text first uses them, so a family costs four bytes a member
/// up to the highest used one.
class Names {
 public:
  explicit Names(isa::Function& function) : function_(function) {}

  /// Scope 0 is the function itself.
  void open_scope();
  void close_scope();
  /// Number of the innermost open scope; numbers are never given twice.
  [[nodiscard]] std::uint32_t scope() const { return open_.back().number; }
  /// Enclosing scope of scope `number`; scope 0 encloses itself.
  [[nodiscard]] std::uint32_t parent(std::uint32_t number) const { return parents_[number]; }

  /// False if the innermost scope has the name already.
  [[nodiscard]] bool declare(std::string_view name, LocalName meaning);
  /// A new register, or the registers of a new vector, at the end of Function::registers.
  [[nodiscard]] LocalName make_register(std::string_view name, const RegisterShape& shape);
  /// Registers <prefix>0 ... <prefix>(count - 1). False if the innermost scope has such a family already.
  [[nodiscard]] bool declare_family(std::string_view prefix, std::uint32_t count, const RegisterShape& shape);

  enum class Lookup : std::uint8_t { kFound, kUnknown, kAmbiguous };
  [[nodiscard]] Lookup find(std::string_view name, LocalName& meaning);

  /// `name`, or a name made from it that no variable of the function has yet.
  [[nodiscard]] std::string unique_variable_name(std::string_view name);

 private:
  struct Entry {
    std::string_view name;
    LocalName meaning;
    std::uint32_t depth = 0;
    std::uint32_t hidden = 0;  // entry that this one hides, +1
  };
  struct Family {
    std::string_view prefix;
    std::uint32_t count = 0;
    RegisterShape shape;
    std::uint32_t depth = 0;
    std::uint32_t hidden = 0;            // family that this one hides, +1
    std::vector<std::uint32_t> members;  // register index + 1, 0: not used yet
  };
  struct Open {
    std::uint32_t number = 0;
    std::size_t entries = 0;
    std::size_t families = 0;
  };

  [[nodiscard]] std::uint32_t depth() const { return static_cast<std::uint32_t>(open_.size()); }
  /// Family and number that `name` spells, deepest first; nullptr if none.
  [[nodiscard]] Family* family_of(std::string_view name, std::uint32_t& number);

  isa::Function& function_;
  std::vector<Entry> entries_;
  std::vector<Family> families_;
  std::unordered_map<std::string_view, std::uint32_t> by_name_;
  std::unordered_map<std::string_view, std::uint32_t> by_prefix_;
  std::unordered_map<std::string_view, std::uint32_t> variable_names_;  // times a variable's name was declared
  std::vector<Open> open_{Open{}};
  std::vector<std::uint32_t> parents_{0};
  bool digit_prefixes_ = false;  // some prefix ends in a digit, so a name may be split at several places
};

}  // namespace castor::ptx
