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

/// Parts of the parser that BodyReader uses; the module reader owns them, and they live as long as the PTX text.
struct TextParts {
  Cursor& text;
  Expressions& expressions;
  SourcePlaces& places;
  Symbols& symbols;
  Declarations& declarations;
  Spellings& spellings;
  Budget& candidates;  ///< candidate functions of indirect calls, over the whole text
};

/// Parser of one function body: statements, scopes, local declarations, instructions. The instruction table describes
/// each instruction's operands, so this class contains no code for single arithmetic instructions.
class BodyReader {
 public:
  /// `function`: filled by read(). `number`: index of `function` in the module.
  BodyReader(const TextParts& parts, isa::Function& function, std::uint32_t number);

  /// Declares the parameters and results of the function's head; the tokens are their names, in order.
  void declare_parameters(const std::vector<Token>& parameters, const std::vector<Token>& results);
  /// Reads the body from '{' to '}'.
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
  std::optional<std::uint32_t> guard_;  // guard predicate register of the instruction being read
  bool guard_negated_ = false;
  Budget family_registers_{kMostRegisters};
  bool ended_ = false;
};

}  // namespace castor::ptx
