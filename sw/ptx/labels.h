#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "castor/isa/module.h"
#include "ptx/cursor.h"
#include "ptx/names.h"

namespace castor::ptx {

/// Object that a label names: a position in the code, a branch table, a call list or a prototype.
struct Labelled {
  enum class Kind : std::uint8_t { kPosition, kTargets, kCalls, kPrototype } kind = Kind::kPosition;
  std::uint32_t index = 0;  ///< index of the position, table, call list or prototype
  std::uint32_t label = 0;  ///< kPosition: index into Function::labels + 1 once an operand or table uses the label
};

/// Labels of one function body, by scope, with the operands and tables that name them. A label may be used before it is
/// defined.
class Labels {
 public:
  /// Place in which a label is used.
  enum class Where : std::uint8_t { kOperand, kTable, kTableOperand };

  /// Label scopes are the scopes of `names`.
  Labels(const Cursor& text, isa::Function& function, const Names& names)
      : text_(text), function_(function), names_(names) {}

  /// Defines a label in the innermost scope.
  void declare(const Token& name, const Labelled& meaning);
  /// Records a use of the label by an operand (`first`: instruction, `second`: operand) or by a table (`first`: table,
  /// `second`: entry).
  void use(const Token& name, Where where, std::size_t first, std::size_t second);
  /// Returns the label visible from `scope`; null if none is.
  [[nodiscard]] Labelled* find(std::string_view name, std::uint32_t scope);
  /// Writes the meaning of each used label into operands and tables; called at the end of the body.
  void resolve();

 private:
  /// Use of a label by an operand or a table; resolved at the body's end.
  struct Use {
    Token name;
    std::uint32_t scope = 0;
    Where where = Where::kOperand;
    std::uint32_t first = 0;
    std::uint32_t second = 0;
  };
  /// Key of the table of labels.
  struct ScopedName {
    std::uint32_t scope = 0;
    std::string_view name;
    bool operator==(const ScopedName& other) const { return scope == other.scope && name == other.name; }
  };
  struct ScopedNameHash {
    std::size_t operator()(const ScopedName& key) const {
      return std::hash<std::string_view>()(key.name) ^ (std::size_t{key.scope} * 0x9e3779b97f4a7c15ULL);
    }
  };

  const Cursor& text_;
  isa::Function& function_;
  const Names& names_;
  std::unordered_map<ScopedName, Labelled, ScopedNameHash> labels_;
  std::vector<Use> uses_;
};

}  // namespace castor::ptx
