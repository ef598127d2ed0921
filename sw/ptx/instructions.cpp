#include <algorithm>

#include "castor/base/error.h"
#include "ptx/parser_state.h"

// Instructions. Nothing here knows an arithmetic instruction: the row of the table says what its operands are.
namespace castor::ptx {
namespace {

using isa::Operand;
using isa::OperandShape;
using isa::Type;

}  // namespace

const Parser::Spelling& Parser::spelling(const Token& opcode, std::string_view text) {
  const auto known = spellings_.find(text);
  if (known != spellings_.end()) return known->second;
  isa::LookupError error;
  Spelling result;
  result.match = isa::InstructionTable::instance().find(text, error);
  if (!result.match.valid()) fail(opcode, error.message);
  const isa::Row& row = result.match.row();
  for (const isa::OperandSpec& spec : row.specs) {
    result.types.push_back(result.match.type(spec));
    if (spec.optional) continue;
    if (result.types.size() - 1 > result.required) result.inner_optional = true;
    ++result.required;
  }
  for (const unsigned elements : {2U, 4U, 8U}) {
    if (result.match.has("v" + std::to_string(elements))) result.elements = elements;
  }
  result.relaxed = row.opcode == "ld" || row.opcode == "ldu" || row.opcode == "st" || row.opcode == "cvt";
  if (row.kind == isa::Kind::kMemory) {
    result.has_space = true;
    result.space = isa::memory_op(result.match).space;
  }
  return spellings_.emplace(text, std::move(result)).first->second;
}

void Parser::guard() {
  take();
  if (at('@')) {  // "@@DWARF ..." of PTX before 2.0
    lexer_.skip_line();
    take();
    return;
  }
  const bool negated = accept('!');
  const Token name = expect_identifier("a predicate register after '@'");
  LocalName meaning;
  if (find_local(name, meaning) != Names::Lookup::kFound || meaning.kind != LocalName::Kind::kRegister) {
    fail(name, "unknown register " + describe(name));
  }
  const Type type = body_->function.registers[meaning.index].type;
  if (type != Type::kPred) {
    fail(name, "a guard takes a predicate register, but " + describe(name) + " is " + dotted(type));
  }
  if (token_.kind != TokenKind::kIdentifier) fail_expected("an instruction after a guard");
  body_->guard = meaning.index;
  body_->guard_negated = negated;
  const Token opcode = take();
  instruction(opcode);
}

void Parser::instruction(const Token& opcode) {
  // Dotted parts, joined without the white space that may stand between them.
  std::string_view text = opcode.text;
  bool copied = false;
  while (token_.kind == TokenKind::kDotWord) {
    if (token_.glued && !copied) {
      text = std::string_view(text.data(), text.size() + token_.text.size());
    } else {
      if (!copied) kept_text_.emplace_back(text);
      copied = true;
      kept_text_.back() += token_.text;
      text = kept_text_.back();
    }
    take();
  }
  const Spelling& spelled = spelling(opcode, text);
  const isa::Row& row = spelled.match.row();

  isa::Instruction made;
  made.match = spelled.match;
  made.where = place(opcode);
  made.guard = body_->guard;
  made.guard_negated = body_->guard_negated;
  body_->guard.reset();
  body_->guard_negated = false;
  made.operands.reserve(row.specs.size());

  // Of the operands that may be absent, the last ones are.
  auto optional = static_cast<unsigned>(row.specs.size()) - spelled.required;
  if (spelled.inner_optional) optional = std::max(count_operands(), spelled.required) - spelled.required;

  for (unsigned i = 0; i < row.specs.size(); ++i) {
    const isa::OperandSpec& spec = row.specs[i];
    if (spec.shape == OperandShape::kCall) {
      made.call = static_cast<std::uint32_t>(body_->function.calls.size());
      call();
      made.operands.emplace_back();
      continue;
    }
    const OperandPlace where{&spelled, &spec, i + 1, spelled.types[i]};
    const bool wanted = !spec.optional || optional != 0;
    if (spec.optional && optional != 0) --optional;
    const bool here = wanted && (i == 0 ? !at(';') : accept(','));
    if (!here) {
      if (!spec.optional) fail_expected((i == 0 ? "" : "',' and ") + name_of(where));
      made.operands.emplace_back();
      if (spec.second_predicate) made.operands.emplace_back();
      continue;
    }
    made.operands.push_back(operand(where, made.operands.size()));
    if (spec.second_predicate) {
      made.operands.emplace_back();
      if (accept('|')) {
        OperandPlace second = where;
        second.type = Type::kPred;
        made.operands.back() = predicate(second);
      }
    }
  }
  if (!at(';')) {
    if (at(',')) {
      fail(token_, "too many operands: '" + base::printable(text) + "' takes " + std::to_string(row.specs.size()));
    }
    fail_expected("';' after '" + base::printable(text) + "'");
  }
  take();
  body_->function.body.push_back(std::move(made));
}

/// Operands up to the next ';', which are not taken.
unsigned Parser::count_operands() const {
  Lexer ahead = lexer_;
  Token token = token_;
  unsigned depth = 0;
  unsigned count = at(';') ? 0 : 1;
  for (unsigned tokens = 0; tokens < 200 && token.kind != TokenKind::kEnd; ++tokens) {
    if (token.kind == TokenKind::kPunctuation) {
      const std::uint16_t code = token.code;
      if (code == '(' || code == '[' || code == '{') ++depth;
      if ((code == ')' || code == ']' || code == '}') && depth != 0) --depth;
      if (code == ',' && depth == 0) ++count;
      if (code == ';') break;
    }
    token = ahead.next();
  }
  return count;
}

std::string Parser::name_of(const OperandPlace& place) const {
  return "operand " + std::to_string(place.number) + " ('" + place.spec->name + "') of '" +
         place.spelling->match.spelling() + "'";
}

Operand Parser::operand(const OperandPlace& place, std::size_t index) {
  switch (place.spec->shape) {
    case OperandShape::kAddress:
      return address(place);
    case OperandShape::kImmediate:
      return immediate(place);
    case OperandShape::kLabel:
      return label_operand(index, false);
    case OperandShape::kTable:
      return label_operand(index, true);
    case OperandShape::kVector:
      if (place.spelling->elements > 1) return list(place, place.spelling->elements);
      break;
    case OperandShape::kPack:
      if (place.type != Type::kPred) return pack(place);
      break;
    case OperandShape::kPredicate:
    case OperandShape::kRegister:
    case OperandShape::kCall:
      break;
  }
  return place.type == Type::kPred ? predicate(place) : value(place);
}

}  // namespace castor::ptx
