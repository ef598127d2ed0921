#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "castor/isa/module.h"
#include "ptx/constant.h"
#include "ptx/cursor.h"
#include "ptx/expressions.h"
#include "ptx/labels.h"
#include "ptx/names.h"
#include "ptx/operands.h"
#include "ptx/rules.h"
#include "ptx/symbols.h"

namespace castor::ptx {

/// Reader of the call instructions of one function body and of the function lists that indirect calls may reach. Labels
/// and functions declared after the call are looked up in `resolve`.
class Calls {
 public:
  /// Parts of the parser that read the calls of one body, and the function into which the calls are written. `number`:
  /// index of the function in its module. `candidates`: budget of functions that indirect calls of the whole text may
  /// name.
  struct Place {
    isa::Function& function;
    std::uint32_t number;
    Names& names;
    Labels& labels;
    Operands& operands;
    Budget& candidates;
  };

  Calls(Cursor& text, Expressions& expressions, Symbols& symbols, const Place& place)
      : text_(text), expressions_(expressions), symbols_(symbols), place_(place) {}

  /// Reads `[(results),] target [, (arguments)] [, prototype or list of targets]` into Function::calls.
  void call();
  /// Reads a .calltargets list; returns its number.
  [[nodiscard]] std::uint32_t target_list();
  /// Resolves prototypes, target lists and argument types of all calls; called at the end of the body.
  void resolve();

 private:
  /// Call of the body whose target or constant arguments are resolved at the body's end.
  struct Pending {
    std::uint32_t call = 0;
    Token target;
    bool has_list = false;
    Token list;  // name of the call's prototype or .calltargets list
    std::uint32_t scope = 0;
    struct Value {
      std::size_t argument = 0;
      Token at;
      Constant constant;
    };
    std::vector<Value> constants;  // constant arguments, typed by the callee's parameters
  };

  void operand(std::vector<isa::Operand>& list, bool result, Pending& pending);
  isa::Operand named(const Token& name, const LocalName& meaning);
  void operands(std::vector<isa::Operand>& list, bool results, Pending& pending);
  void target(isa::Call& made, const Pending& pending);
  const std::vector<isa::Variable>* resolve_list(const Pending& pending, isa::Call& call);

  Cursor& text_;
  Expressions& expressions_;
  Symbols& symbols_;
  Place place_;
  std::vector<std::vector<Token>> lists_;
  std::vector<Pending> pending_;
};

}  // namespace castor::ptx
