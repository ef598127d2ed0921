#pragma once

#include <cstdint>
#include <vector>

#include "castor/isa/module.h"
#include "ptx/cursor.h"
#include "ptx/expressions.h"
#include "ptx/initialisers.h"
#include "ptx/source_places.h"
#include "ptx/symbols.h"

namespace castor::ptx {

/// Linkage directive in front of a variable or function (.extern, .visible, .weak, .common).
struct Prefix {
  isa::Linkage linkage = isa::Linkage::kStatic;
  bool given = false;
  Token token;
};

/// Part of a variable's declaration between its state space and its name: alignment, vector size, type.
struct TypedHead {
  std::uint64_t align = 0;
  unsigned vector = 1;
  isa::Type type = isa::Type::kNone;
  Token start;
};

/// Parser of variable declarations in modules, functions and parameter lists. Module variables are entered in Symbols;
/// BodyReader interprets the variables of functions.
class Declarations {
 public:
  Declarations(Cursor& text, Expressions& expressions, const SourcePlaces& places, Symbols& symbols,
               Initialisers& initialisers)
      : text_(text), expressions_(expressions), places_(places), symbols_(symbols), initialisers_(initialisers) {}

  /// True if the next token names a state space.
  [[nodiscard]] bool at_space() const;
  isa::Space space_directive();
  TypedHead variable_head(bool parameter);
  isa::Variable variable_tail(const TypedHead& head, isa::Space space, isa::Linkage linkage, const Token& name);

  /// Fails if a register cannot have this alignment, vector size or type.
  void check_register(const TypedHead& head) const;

  void module_variables(const Prefix& prefix);
  /// Fails with a message that names the refused register: registers outside of functions are not supported.
  [[noreturn]] void module_registers();
  /// Reads a parameter list. `names`: receives the tokens of the parameter names, unless null. A vector of registers
  /// becomes one entry per element, all under one name.
  void parameter_list(std::vector<isa::Variable>& list, std::vector<Token>* names, bool may_be_register);

 private:
  Cursor& text_;
  Expressions& expressions_;
  const SourcePlaces& places_;
  Symbols& symbols_;
  Initialisers& initialisers_;
};

}  // namespace castor::ptx
