#include <algorithm>

#include "castor/base/error.h"
#include "ptx/parser_state.h"

// Kernels and functions: signature, performance directives, statements, labels.
namespace castor::ptx {

void Parser::fail_duplicate(const Token& name) const { fail(name, describe(name) + " is declared twice"); }

void Parser::function(const Prefix& prefix, bool entry) {
  isa::Function function;
  function.entry = entry;
  function.linkage = prefix.linkage;
  if (prefix.linkage == isa::Linkage::kCommon) fail(prefix.token, ".common is for variables");
  std::vector<Token> results;
  std::vector<Token> parameters;
  while (accept_dot(".attribute")) {
    expect('(', "after .attribute");
    while (!at(')') && token_.kind != TokenKind::kEnd) take();
    expect(')', "after the attribute");
  }
  if (at('(')) {
    if (entry) fail(token_, "a kernel returns nothing");
    parameter_list(function.results, &results, true);
  }
  const Token name = expect_identifier(entry ? "the name of a kernel" : "the name of a function");
  function.name = name.text;
  function.where = place(name);
  if (at('(')) parameter_list(function.parameters, &parameters, !entry);
  performance_directives(function);
  if (variables_.count(name.text) != 0) fail_duplicate(name);

  if (accept(';')) {
    (void)merge_function(std::move(function), name);
    return;
  }
  if (!at('{')) fail_expected("'{' or ';' after the head of " + describe(name));
  if (prefix.linkage == isa::Linkage::kExtern) fail(token_, ".extern " + describe(name) + " cannot have a body");
  function.defined = true;
  const std::uint32_t index = merge_function(std::move(function), name);
  body_ = std::make_unique<Body>(module_.functions[index]);
  body_->number = index;
  declare_parameters(parameters, results);
  body();
  body_.reset();
}

void Parser::performance_directives(isa::Function& function) {
  constexpr std::uint64_t kMost = 0x7fffffff;
  while (token_.kind == TokenKind::kDotWord) {
    const Token word = token_;
    if (accept_dot(".maxntid")) {
      thread_counts(function.max_threads);
    } else if (accept_dot(".reqntid")) {
      thread_counts(function.required_threads);
    } else if (accept_dot(".minnctapersm") || accept_dot(".maxnctapersm")) {
      function.min_blocks = static_cast<std::uint32_t>(unsigned_constant("a number of thread blocks", kMost));
    } else if (accept_dot(".maxnreg")) {
      function.max_registers = static_cast<std::uint32_t>(unsigned_constant("a number of registers", kMost));
    } else if (accept_dot(".noreturn")) {
      function.noreturn = true;
    } else if (word.text == ".pragma") {
      pragma_directive();
    } else {
      refuse_directive(word);
    }
  }
}

void Parser::thread_counts(std::uint32_t (&counts)[3]) {
  std::uint64_t product = 1;
  const Token start = token_;
  for (std::uint32_t& count : counts) count = 1;
  for (std::size_t i = 0; i < 3; ++i) {
    if (i != 0 && !accept(',')) break;
    counts[i] = static_cast<std::uint32_t>(unsigned_constant("a number of threads", 0x7fffffff));
    product *= counts[i];
    if (product == 0 || product > 0x7fffffff) fail(start, "a thread block of " + std::to_string(product) + " threads");
  }
}

std::uint32_t Parser::merge_function(isa::Function&& function, const Token& name) {
  const auto [known, fresh] = functions_.try_emplace(name.text, static_cast<std::uint32_t>(module_.functions.size()));
  if (fresh) {
    module_.functions.push_back(std::move(function));
    return known->second;
  }
  isa::Function& before = module_.functions[known->second];
  if (before.defined && function.defined) fail_duplicate(name);
  const auto differ = [](const std::vector<isa::Variable>& a, const std::vector<isa::Variable>& b) {
    return !std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const isa::Variable& x, const isa::Variable& y) {
      return x.size == y.size && (x.space == y.space);
    });
  };
  if (before.entry != function.entry || differ(before.parameters, function.parameters) ||
      differ(before.results, function.results)) {
    fail(name, describe(name) + " was declared with other parameters or results at line " +
                   std::to_string(before.where.line));
  }
  if (function.defined) {
    if (function.linkage == isa::Linkage::kStatic && before.linkage != isa::Linkage::kExtern) {
      function.linkage = before.linkage;
    }
    before = std::move(function);
  }
  return known->second;
}

void Parser::declare_parameters(const std::vector<Token>& parameters, const std::vector<Token>& results) {
  isa::Function& function = body_->function;
  const auto declare = [&](const std::vector<isa::Variable>& list, const std::vector<Token>& tokens,
                           std::vector<std::uint32_t>& registers) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      const auto index = static_cast<std::uint32_t>(function.variables.size());
      function.variables.push_back(list[i]);
      function.variables.back().name = body_->names.unique_variable_name(tokens[i].text);
      LocalName meaning{LocalName::Kind::kVariable, index, 1};
      if (list[i].space == isa::Space::kReg) {
        meaning = {LocalName::Kind::kRegister, static_cast<std::uint32_t>(function.registers.size()), 1};
        function.registers.push_back({list[i].name, list[i].type});
        registers.push_back(meaning.index);
      } else if (std::any_of(list.begin(), list.end(),
                             [](const isa::Variable& other) { return other.space == isa::Space::kReg; })) {
        fail(tokens[i], "a list that mixes .reg and .param");
      }
      if (tokens[i].text != "_" && !body_->names.declare(tokens[i].text, meaning)) fail_duplicate(tokens[i]);
    }
  };
  declare(function.parameters, parameters, function.parameter_registers);
  declare(function.results, results, function.result_registers);
}

// ---- statements

void Parser::body() {
  const Token open = take();
  while (!body_->ended) {
    if (token_.kind == TokenKind::kEnd) {
      fail(token_, "expected '}' that ends '" + base::printable(body_->function.name) + "' (opened at line " +
                       std::to_string(open.line) + "), found end of file");
    }
    statement();
  }
  resolve_labels();
  resolve_calls();
}

void Parser::statement() {
  switch (token_.kind) {
    case TokenKind::kIdentifier: {
      const Token word = take();
      if (accept(':')) return label(word);
      return instruction(word);
    }
    case TokenKind::kDotWord:
      return body_directive();
    case TokenKind::kPunctuation:
      break;
    default:
      fail_expected("an instruction, a label or a directive");
  }
  if (at('@')) {
    guard();
  } else if (at('{')) {
    if (++nesting_ > kMostNesting) fail(token_, "scopes that are nested too deeply");
    body_->names.open_scope();
    take();
  } else if (at('}')) {
    take();
    if (body_->names.scope() == 0) {
      body_->ended = true;
    } else {
      body_->names.close_scope();
      --nesting_;
    }
  } else if (!accept(';')) {
    fail_expected("an instruction, a label or a directive");
  }
}

void Parser::label(const Token& name) {
  if (name.text == "_") fail_expected(name, "the name of a label");
  if (token_.kind == TokenKind::kDotWord &&
      (token_.text == ".branchtargets" || token_.text == ".calltargets" || token_.text == ".callprototype")) {
    return labelled_directive(name);
  }
  Labelled meaning;
  meaning.index = static_cast<std::uint32_t>(body_->function.body.size());
  if (!body_->labels.try_emplace({body_->names.scope(), name.text}, meaning).second) fail_duplicate(name);
}

void Parser::labelled_directive(const Token& name) {
  Labelled meaning;
  const Token word = take();
  if (word.text == ".branchtargets") {
    meaning = {Labelled::Kind::kTargets, static_cast<std::uint32_t>(body_->function.tables.size())};
    branch_targets(name);
  } else if (word.text == ".calltargets") {
    meaning = {Labelled::Kind::kCalls, static_cast<std::uint32_t>(body_->call_lists.size())};
    call_targets(name);
  } else {
    meaning = {Labelled::Kind::kPrototype, static_cast<std::uint32_t>(body_->function.prototypes.size())};
    call_prototype(name);
  }
  if (!body_->labels.try_emplace({body_->names.scope(), name.text}, meaning).second) fail_duplicate(name);
}

void Parser::branch_targets(const Token& name) {
  isa::BranchTable table;
  table.name = name.text;
  const auto index = static_cast<std::uint32_t>(body_->function.tables.size());
  do {
    LabelUse use;
    use.name = expect_identifier("a label in .branchtargets");
    use.scope = body_->names.scope();
    use.where = LabelUse::Where::kTable;
    use.first = index;
    use.second = static_cast<std::uint32_t>(table.labels.size());
    body_->label_uses.push_back(use);
    table.labels.push_back(0);
  } while (accept(','));
  expect(';', "after .branchtargets");
  body_->function.tables.push_back(std::move(table));
}

void Parser::call_targets(const Token& name) {
  (void)name;
  std::vector<Token> names;
  do {
    names.push_back(expect_identifier("a function in .calltargets"));
    SymbolUse use;
    use.at = names.back();
    uses_.push_back(use);
  } while (accept(','));
  expect(';', "after .calltargets");
  body_->call_lists.push_back(std::move(names));
}

void Parser::call_prototype(const Token& name) {
  isa::Prototype prototype;
  prototype.name = name.text;
  if (at('(')) parameter_list(prototype.results, nullptr, true);
  if (token_.kind != TokenKind::kIdentifier) fail_expected("'_' in a prototype");
  take();
  if (at('(')) parameter_list(prototype.parameters, nullptr, true);
  while (token_.kind == TokenKind::kDotWord) {
    if (!accept_dot(".noreturn")) refuse_directive(token_);
    prototype.noreturn = true;
  }
  expect(';', "after .callprototype");
  body_->function.prototypes.push_back(std::move(prototype));
}

void Parser::body_directive() {
  const Token word = token_;
  if (at_dot(".loc")) return location_directive();
  if (at_space()) {
    const isa::Space space = space_directive();
    if (space == isa::Space::kReg) return registers();
    return local_variables(space);
  }
  if (word.text == ".pragma") return pragma_directive();
  if (word.text == ".section") return section_directive();
  if (word.text == ".file") return file_directive();
  refuse_directive(word);
}

/// `.loc file line column [, function_name label [+ n]] [, inlined_at file line column]`
void Parser::location_directive() {
  const Token word = take();
  constexpr std::uint64_t kMost = 0xffffffff;
  const auto number = [&](const char* what) {
    if (token_.line != word.line && token_.kind != TokenKind::kNumber) fail_expected(what);
    return static_cast<std::uint32_t>(unsigned_constant(what, kMost));
  };
  body_->source_file = number("a file number after .loc");
  body_->source_line = number("a line number in .loc");
  if (token_.kind == TokenKind::kNumber) (void)number("a column in .loc");
  while (accept(',')) {
    const Token attribute = expect_identifier("function_name or inlined_at in .loc");
    if (attribute.text == "function_name") {
      if (token_.kind != TokenKind::kIdentifier && token_.kind != TokenKind::kDotWord) fail_expected("a label");
      take();
      if (accept('+')) (void)number("an offset");
    } else if (attribute.text == "inlined_at") {
      for (const char* what : {"a file number", "a line number", "a column"}) (void)number(what);
    } else {
      fail_expected(attribute, "function_name or inlined_at in .loc");
    }
  }
}

// ---- labels

Parser::Labelled* Parser::find_label(std::string_view name, std::uint32_t scope) {
  for (;;) {
    const auto found = body_->labels.find({scope, name});
    if (found != body_->labels.end()) return &found->second;
    if (scope == 0) return nullptr;
    scope = body_->names.parent(scope);
  }
}

void Parser::resolve_labels() {
  isa::Function& function = body_->function;
  // Only labels that something names are kept: those of debug information would cut blocks for nothing.
  const auto label_index = [&](Labelled& found, const Token& name) {
    if (found.label == 0) {
      function.labels.push_back({std::string(name.text), found.index});
      found.label = static_cast<std::uint32_t>(function.labels.size());
    }
    return found.label - 1;
  };
  for (const LabelUse& use : body_->label_uses) {
    Labelled* const found = find_label(use.name.text, use.scope);
    const bool wants_table = use.where == LabelUse::Where::kTableOperand;
    if (found == nullptr) {
      fail(use.name, std::string(wants_table ? "unknown .branchtargets list " : "unknown label ") + describe(use.name));
    }
    const Labelled::Kind wanted = wants_table ? Labelled::Kind::kTargets : Labelled::Kind::kPosition;
    if (found->kind != wanted) {
      fail_expected(use.name,
                    wants_table ? "the name of a .branchtargets list" : "a label that stands before an instruction");
    }
    switch (use.where) {
      case LabelUse::Where::kOperand:
        function.body[use.first].operands[use.second].index = label_index(*found, use.name);
        break;
      case LabelUse::Where::kTable:
        function.tables[use.first].labels[use.second] = label_index(*found, use.name);
        break;
      case LabelUse::Where::kTableOperand:
        function.body[use.first].operands[use.second].index = found->index;
        break;
    }
  }
}

}  // namespace castor::ptx
