#include "ptx/body_reader.h"

#include <algorithm>
#include <string>
#include <utility>

#include "castor/base/error.h"
#include "castor/base/words.h"
#include "ptx/directives.h"

namespace castor::ptx {

BodyReader::BodyReader(const TextParts& parts, isa::Function& function, std::uint32_t number)
    : text_(parts.text),
      expressions_(parts.expressions),
      places_(parts.places),
      symbols_(parts.symbols),
      declarations_(parts.declarations),
      spellings_(parts.spellings),
      function_(function),
      names_(function),
      labels_(parts.text, function, names_),
      operands_(parts.text, parts.expressions, parts.symbols, function, names_, labels_),
      calls_(parts.text, parts.expressions, parts.symbols,
             {function, number, names_, labels_, operands_, parts.candidates}) {}

void BodyReader::declare_parameters(const std::vector<Token>& parameters, const std::vector<Token>& results) {
  const auto declare = [&](const std::vector<isa::Variable>& list, const std::vector<Token>& tokens,
                           std::vector<std::uint32_t>& registers) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      const auto index = static_cast<std::uint32_t>(function_.variables.size());
      function_.variables.push_back(list[i]);
      function_.variables.back().name = names_.unique_variable_name(tokens[i].text);
      LocalName meaning{LocalName::Kind::kVariable, index, 1};
      if (list[i].space == isa::Space::kReg) {
        // The elements of a vector are consecutive registers under one name. The halves of a .b128 register are aligned
        // to 16 bytes.
        unsigned elements = 1;
        while (i + elements < list.size() && tokens[i + elements].text.data() == tokens[i].text.data()) ++elements;
        meaning = names_.make_register(tokens[i].text, {list[i].type, elements, list[i].align > list[i].size});
        for (unsigned e = 0; e < elements; ++e) registers.push_back(meaning.index + e);
        for (; elements > 1; --elements) {
          function_.variables.push_back(list[++i]);
          function_.variables.back().name = names_.unique_variable_name(tokens[i].text);
        }
      } else if (std::any_of(list.begin(), list.end(),
                             [](const isa::Variable& other) { return other.space == isa::Space::kReg; })) {
        text_.fail(tokens[i], "a list that mixes .reg and .param");
      }
      if (tokens[i].text != "_" && !names_.declare(tokens[i].text, meaning)) text_.fail_duplicate(tokens[i]);
    }
  };
  declare(function_.parameters, parameters, function_.parameter_registers);
  declare(function_.results, results, function_.result_registers);
}

void BodyReader::read() {
  const Token open = text_.take();
  while (!ended_) {
    if (text_.token().kind == TokenKind::kEnd) {
      text_.fail(text_.token(), "expected '}' that ends '" + base::printable(base::readable_name(function_.name), 200) +
                                    "' (opened at line " + std::to_string(open.line) + "), found end of file");
    }
    statement();
  }
  labels_.resolve();
  calls_.resolve();
}

void BodyReader::statement() {
  switch (text_.token().kind) {
    case TokenKind::kIdentifier: {
      const Token word = text_.take();
      if (text_.accept(':')) return label(word);
      return instruction(word);
    }
    case TokenKind::kDotWord:
      return directive();
    case TokenKind::kPunctuation:
      break;
    default:
      text_.fail_expected("an instruction, a label or a directive");
  }
  if (text_.at('@')) {
    guard();
  } else if (text_.at('{')) {
    open_scope();
  } else if (text_.at('}')) {
    close_scope();
  } else if (!text_.accept(';')) {
    text_.fail_expected("an instruction, a label or a directive");
  }
}

void BodyReader::open_scope() {
  text_.enter(text_.token(), "scopes that are nested too deeply");
  names_.open_scope();
  text_.take();
}

void BodyReader::close_scope() {
  text_.take();
  if (names_.scope() == 0) {
    ended_ = true;
    return;
  }
  names_.close_scope();
  text_.leave();
}

void BodyReader::label(const Token& name) {
  if (name.text == "_") text_.fail_expected(name, "the name of a label");
  labels_.declare(name, labelled(name));
}

/// Reads the directive after a label: .branchtargets, .calltargets or .callprototype, each of which needs a label. If
/// other text follows, the label marks a position in the code.
Labelled BodyReader::labelled(const Token& name) {
  if (text_.accept_dot(".branchtargets")) {
    const auto index = static_cast<std::uint32_t>(function_.tables.size());
    branch_targets(name);
    return {Labelled::Kind::kTargets, index};
  }
  if (text_.accept_dot(".calltargets")) return {Labelled::Kind::kCalls, calls_.target_list()};
  if (text_.accept_dot(".callprototype")) {
    const auto index = static_cast<std::uint32_t>(function_.prototypes.size());
    call_prototype(name);
    return {Labelled::Kind::kPrototype, index};
  }
  return {Labelled::Kind::kPosition, static_cast<std::uint32_t>(function_.body.size())};
}

void BodyReader::branch_targets(const Token& name) {
  isa::BranchTable table;
  table.name = name.text;
  do {
    const Token target = text_.expect_identifier("a label in .branchtargets");
    labels_.use(target, Labels::Where::kTable, function_.tables.size(), table.labels.size());
    table.labels.push_back(0);
  } while (text_.accept(','));
  text_.expect(';', "after .branchtargets");
  function_.tables.push_back(std::move(table));
}

void BodyReader::call_prototype(const Token& name) {
  isa::Prototype prototype;
  prototype.name = name.text;
  if (text_.at('(')) declarations_.parameter_list(prototype.results, nullptr, true);
  if (text_.token().kind != TokenKind::kIdentifier) text_.fail_expected("'_' in a prototype");
  text_.take();
  if (text_.at('(')) declarations_.parameter_list(prototype.parameters, nullptr, true);
  while (text_.token().kind == TokenKind::kDotWord) {
    if (!text_.accept_dot(".noreturn")) refuse_directive(text_, text_.token());
    prototype.noreturn = true;
  }
  text_.expect(';', "after .callprototype");
  function_.prototypes.push_back(std::move(prototype));
}

void BodyReader::directive() {
  const Token word = text_.token();
  if (text_.at_dot(".loc")) return places_.location_directive();
  if (declarations_.at_space()) {
    const isa::Space space = declarations_.space_directive();
    if (space == isa::Space::kReg) return registers();
    return local_variables(space);
  }
  if (word.text == ".pragma") return skip_pragma(text_);
  if (word.text == ".section") return skip_section(text_);
  if (word.text == ".file") return places_.file_directive();
  refuse_directive(text_, word);
}

void BodyReader::local_variables(isa::Space space) {
  const TypedHead head = declarations_.variable_head(false);
  do {
    const Token name = text_.expect_identifier("the name of a variable");
    isa::Variable variable = declarations_.variable_tail(head, space, isa::Linkage::kStatic, name);
    if (variable.unsized && variable.size == 0) text_.fail(name, "array " + describe(name) + " has no size");
    variable.name = names_.unique_variable_name(name.text);
    auto& variables = function_.variables;
    const auto index = static_cast<std::uint32_t>(variables.size());
    if (!names_.declare(name.text, {LocalName::Kind::kVariable, index, 1})) text_.fail_duplicate(name);
    if (space == isa::Space::kGlobal || space == isa::Space::kConst) {
      // A .global or .const variable that is declared in a function exists once per module. Names in PTX text never
      // contain a dot, so the new name is unique.
      variable.name = function_.name + "." + variable.name;
      symbols_.hoist(variable);
      variable.data.clear();
      variable.relocations.clear();
    }
    variables.push_back(std::move(variable));
  } while (text_.accept(','));
  text_.expect(';', "after a variable");
}

/// Reads `.reg .type name, family<count>, ...;`.
void BodyReader::registers() {
  const TypedHead head = declarations_.variable_head(false);
  declarations_.check_register(head);
  do {
    const Token name = text_.expect_identifier("the name of a register");
    if (text_.at('<')) {
      register_family(name, head);
      continue;
    }
    const LocalName meaning = names_.make_register(name.text, RegisterShape::of(head.type, head.vector));
    if (!names_.declare(name.text, meaning)) text_.fail_duplicate(name);
  } while (text_.accept(','));
  text_.expect(';', "after a register");
}

void BodyReader::register_family(const Token& name, const TypedHead& head) {
  text_.take();
  const Token number = text_.token();
  if (number.kind != TokenKind::kNumber) text_.fail_expected("the number of registers");
  // The number is read as a literal: an expression would read '>' as a comparison.
  const Constant count = expressions_.literal(text_.take());
  if (!count.is_integer() || count.cut || count.bits > kMostRegisters) {
    text_.fail(number, "expected a number of registers from 0 to " + std::to_string(kMostRegisters) + ", found " +
                           describe(number));
  }
  text_.expect('>', "after the number of registers");
  const RegisterShape shape = RegisterShape::of(head.type, head.vector);
  if (!family_registers_.take(count.bits * shape.elements)) {
    text_.fail(number, "more than " + std::to_string(kMostRegisters) + " registers in one function");
  }
  if (!names_.declare_family(name.text, static_cast<std::uint32_t>(count.bits), shape)) {
    text_.fail_duplicate(name);
  }
}

void BodyReader::guard() {
  text_.take();
  if (text_.at('@')) {  // a line "@@DWARF ..." holds debug information of PTX before 2.0
    text_.skip_line();
    return;
  }
  const bool negated = text_.accept('!');
  const Token name = text_.expect_identifier("a predicate register after '@'");
  LocalName meaning;
  if (operands_.find_local(name, meaning) != Names::Lookup::kFound || meaning.kind != LocalName::Kind::kRegister) {
    text_.fail(name, "unknown register " + describe(name));
  }
  const isa::Type type = function_.registers[meaning.index].type;
  if (type != isa::Type::kPred) {
    text_.fail(name, "a guard takes a predicate register, but " + describe(name) + " is " + dotted(type));
  }
  if (text_.token().kind != TokenKind::kIdentifier) text_.fail_expected("an instruction after a guard");
  guard_ = meaning.index;
  guard_negated_ = negated;
  const Token opcode = text_.take();
  instruction(opcode);
}

void BodyReader::instruction(const Token& opcode) {
  std::string_view spelled;
  const Spelling& spelling = spellings_.read(opcode, spelled);
  const isa::Row& row = spelling.match.row();

  isa::Instruction made;
  made.match = spelling.match;
  made.where = places_.place(opcode);
  made.guard = guard_;
  made.guard_negated = guard_negated_;
  guard_.reset();
  guard_negated_ = false;
  made.operands.reserve(row.specs.size());

  // Omitted operands are always the last of the optional operands.
  auto optional = static_cast<unsigned>(row.specs.size()) - spelling.required;
  if (spelling.inner_optional) optional = std::max(operands_.count(), spelling.required) - spelling.required;

  for (unsigned i = 0; i < row.specs.size(); ++i) {
    const isa::OperandSpec& spec = row.specs[i];
    if (spec.shape == isa::OperandShape::kCall) {
      made.call = static_cast<std::uint32_t>(function_.calls.size());
      calls_.call();
      made.operands.emplace_back();
      continue;
    }
    const OperandPlace where{&spelling, &spec, i + 1, spelling.types[i]};
    const bool wanted = !spec.optional || optional != 0;
    if (spec.optional && optional != 0) --optional;
    const bool here = wanted && (i == 0 ? !text_.at(';') : text_.accept(','));
    if (here) {
      operand(made, where);
      continue;
    }
    if (!spec.optional) text_.fail_expected((i == 0 ? "" : "',' and ") + name_of(where));
    made.operands.resize(made.operands.size() + (spec.second_predicate ? 2 : 1));
  }
  if (!text_.at(';')) {
    if (text_.at(',')) {
      text_.fail(text_.token(),
                 "too many operands: '" + base::printable(spelled) + "' takes " + std::to_string(row.specs.size()));
    }
    text_.fail_expected("';' after '" + base::printable(spelled) + "'");
  }
  text_.take();
  function_.body.push_back(std::move(made));
}

/// Reads an operand that is present, and the second predicate that may follow it after '|'.
void BodyReader::operand(isa::Instruction& made, const OperandPlace& place) {
  made.operands.push_back(operands_.operand(place, made.operands.size()));
  if (!place.spec->second_predicate) return;
  made.operands.emplace_back();
  if (!text_.accept('|')) return;
  OperandPlace second = place;
  second.type = isa::Type::kPred;
  made.operands.back() = operands_.predicate(second);
}

}  // namespace castor::ptx
