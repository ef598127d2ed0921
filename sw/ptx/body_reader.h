#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "castor/isa/module.h"
#include "ptx/calls.h"
#include "ptx/cursor.h"
#include "ptx/declarations.h"
#include "ptx/expressions.h"
#include "ptx/labels.h"
#include "ptx/names.h"
#include "ptx/operands.h"
#include "ptx/rules.h"
#include "ptx/source_places.h"
#include "ptx/spellings.h"
#include "ptx/symbols.h"

namespace castor::ptx {

/// Parts of the parser that a body needs and that live as long as the text.
struct TextParts {
  Cursor& text;
  Expressions& expressions;
  SourcePlaces& places;
  Symbols& symbols;
  Declarations& declarations;
  Spellings& spellings;
  Budget& candidates;  ///< of indirect calls
};

/// Reads the body of one function: statements, scopes, local declarations, instructions. Nothing here knows an
/// arithmetic instruction: the row of the table says what its operands are.
class BodyReader {
 public:
  /// `number`: of the function in the module.
  BodyReader(const TextParts& parts, isa::Function& function, std::uint32_t number);

  /// The parameters and results of the head, whose names are these.
  void declare_parameters(const std::vector<Token>& parameters, const std::vector<Token>& results);
  /// From '{' to '}'.
  void read();

 private:
  void statement();
  void open_scope();
  void close_scope();
  void directive();
  void local_variables(isa::Space space);
  void registers();
  void register_family(const Token& name, const TypedHead& head);
  void label(const Token& name);
  [[nodiscard]] Labelled labelled(const Token& name);
  void branch_targets(const Token& name);
  void call_prototype(const Token& name);
  void guard();
  void instruction(const Token& opcode);
  void operand(isa::Instruction& made, const OperandPlace& place);

  Cursor& text_;
  Expressions& expressions_;
  SourcePlaces& places_;
  Symbols& symbols_;
  Declarations& declarations_;
  Spellings& spellings_;
  isa::Function& function_;
  Names names_;
  Labels labels_;
  Operands operands_;
  Calls calls_;
  std::optional<std::uint32_t> guard_;  // of the instruction being read
  bool guard_negated_ = false;
  Budget family_registers_{kMostRegisters};
  bool ended_ = false;
};

}  // namespace castor::ptx
