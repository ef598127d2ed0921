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

/// What may stand before a variable or function.
struct Prefix {
  isa::Linkage linkage = isa::Linkage::kStatic;
  bool given = false;
  Token token;
};

/// What stands between a variable's space and its name.
struct TypedHead {
  std::uint64_t align = 0;
  unsigned vector = 1;
  isa::Type type = isa::Type::kNone;
  Token start;
};

/// Declarations of variables, wherever they stand: in modules, functions and parameter lists. Those of modules are told
/// to the symbols; what a function's mean is the business of who reads its body.
class Declarations {
 public:
  Declarations(Cursor& text, Expressions& expressions, const SourcePlaces& places, Symbols& symbols,
               Initialisers& initialisers)
      : text_(text), expressions_(expressions), places_(places), symbols_(symbols), initialisers_(initialisers) {}

  /// A state space is at the cursor, and is taken.
  [[nodiscard]] bool at_space() const;
  isa::Space space_directive();
  TypedHead variable_head(bool parameter);
  isa::Variable variable_tail(const TypedHead& head, isa::Space space, isa::Linkage linkage, const Token& name);

  /// Fails if no register can be declared so.
  void check_register(const TypedHead& head) const;

  void module_variables(const Prefix& prefix);
  /// Registers outside of functions, which are refused by name.
  [[noreturn]] void module_registers();
  /// `names`: of the parameters, if wanted. A vector of registers becomes its elements, under one name.
  void parameter_list(std::vector<isa::Variable>& list, std::vector<Token>* names, bool may_be_register);

 private:
  Cursor& text_;
  Expressions& expressions_;
  const SourcePlaces& places_;
  Symbols& symbols_;
  Initialisers& initialisers_;
};

}  // namespace castor::ptx
