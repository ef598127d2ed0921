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

/// What a label stands for.
struct Labelled {
  enum class Kind : std::uint8_t { kPosition, kTargets, kCalls, kPrototype } kind = Kind::kPosition;
  std::uint32_t index = 0;  ///< position, table, call list or prototype
  std::uint32_t label = 0;  ///< kPosition: index into Function::labels + 1 once used
};

/// Labels of one function body, by scope, and what names them; a label may be named before it stands.
class Labels {
 public:
  /// Where a label is named.
  enum class Where : std::uint8_t { kOperand, kTable, kTableOperand };

  /// The scopes are those of `names`.
  Labels(const Cursor& text, isa::Function& function, const Names& names)
      : text_(text), function_(function), names_(names) {}

  /// A label of the innermost scope.
  void declare(const Token& name, const Labelled& meaning);
  /// It is named by an operand (`first`: instruction, `second`: operand) or a table (`first`; `second`: entry).
  void use(const Token& name, Where where, std::size_t first, std::size_t second);
  /// As seen from a scope; null if there is none.
  [[nodiscard]] Labelled* find(std::string_view name, std::uint32_t scope);
  /// The body is over: writes what its labels stand for into operands and tables.
  void resolve();

 private:
  struct Use {
    Token name;
    std::uint32_t scope = 0;
    Where where = Where::kOperand;
    std::uint32_t first = 0;
    std::uint32_t second = 0;
  };
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
