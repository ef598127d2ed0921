#include "ptx/calls.h"

#include <string>
#include <utility>

namespace castor::ptx {

namespace {

using isa::Operand;

}  // namespace

/// Reads one operand, or the braced elements of a vector register.
void Calls::operand(std::vector<Operand>& list, bool result, Pending& pending) {
  Operand made;
  const Token start = text_.token();
  if (text_.at('{')) {
    text_.enter(start, "braces that are nested too deeply");
    text_.take();
    do {
      operand(list, result, pending);
    } while (text_.accept(','));
    text_.expect('}', "after the elements of a vector");
    return text_.leave();
  }
  if (start.kind != TokenKind::kIdentifier || start.text == "WARP_SZ") {
    if (result || !expressions_.at_constant())
      text_.fail_expected(result ? "a result of the call" : "an argument of the call");
    made.kind = Operand::Kind::kImmediate;
    pending.constants.push_back({list.size(), start, expressions_.constant_expression()});
    list.push_back(made);
    return;
  }
  text_.take();
  if (start.text == "_") {
    if (!result) text_.fail(start, "'_' cannot be read");
    made.kind = Operand::Kind::kSink;
    list.push_back(made);
    return;
  }
  LocalName meaning;
  if (place_.operands.find_local(start, meaning) != Names::Lookup::kFound) {
    text_.fail(start, std::string("unknown ") + (result ? "result " : "argument ") + describe(start));
  }
  const bool element = text_.token().kind == TokenKind::kDotWord && text_.token().glued;
  if (meaning.kind != LocalName::Kind::kVector || element) {
    list.push_back(named(start, meaning));
    return;
  }
  for (std::uint32_t i = 0; i < meaning.count; ++i)
    list.push_back(named(start, {LocalName::Kind::kRegister, meaning.index + i, 1}));
}

Operand Calls::named(const Token& name, const LocalName& meaning) {
  Operand made;
  if (meaning.kind == LocalName::Kind::kVariable) {
    if (place_.function.variables[meaning.index].space != isa::Space::kParam) {
      text_.fail(name, describe(name) + " is no .param variable; a call passes .param variables and registers");
    }
    made.kind = Operand::Kind::kVariable;
    made.index = meaning.index;
    return made;
  }
  made.kind = Operand::Kind::kRegister;
  made.index = place_.operands.element(name, meaning).index;
  return made;
}

void Calls::call() {
  isa::Call made;
  Pending pending;
  pending.call = static_cast<std::uint32_t>(place_.function.calls.size());
  pending.scope = place_.names.scope();
  if (text_.at('(')) {
    operands(made.results, true, pending);
    text_.expect(',', "after the results of a call");
  }
  pending.target = text_.expect_identifier("the function to call");
  target(made, pending);
  bool more = text_.accept(',');
  if (more && text_.at('(')) {
    operands(made.arguments, false, pending);
    more = text_.accept(',');
  }
  if (more) {
    pending.has_list = true;
    pending.list = text_.expect_identifier("the name of a .callprototype or .calltargets");
  } else if (made.target.kind == Operand::Kind::kRegister) {
    text_.fail_expected("',' and the name of a .callprototype or .calltargets; a call through a register needs one");
  }
  place_.function.calls.push_back(std::move(made));
  pending_.push_back(std::move(pending));
}

void Calls::operands(std::vector<Operand>& list, bool results, Pending& pending) {
  text_.expect('(', results ? "before results" : "before arguments");
  if (text_.accept(')')) return;
  do {
    operand(list, results, pending);
  } while (text_.accept(','));
  text_.expect(')', results ? "after results" : "after arguments");
}

void Calls::target(isa::Call& made, const Pending& pending) {
  const Token& name = pending.target;
  LocalName meaning;
  if (place_.operands.find_local(name, meaning) == Names::Lookup::kFound) {
    if (meaning.kind == LocalName::Kind::kVariable) {
      text_.fail(name, describe(name) + " is a variable, not a function");
    }
    made.target.kind = Operand::Kind::kRegister;
    made.target.index = place_.operands.element(name, meaning).index;
    const isa::Type type = place_.function.registers[made.target.index].type;
    if (isa::bits(type) != 64 || isa::is_float(type)) {
      text_.fail(name, "an indirect call takes a 64-bit integer register, but " + describe(name) + " is ." +
                           std::string(isa::name(type)));
    }
    return;
  }
  if (name.text[0] == '%') text_.fail(name, "unknown register " + describe(name));
  made.target.kind = Operand::Kind::kSymbol;
  made.target.index = symbols_.name_index(name.text);
  SymbolUse use;
  use.role = SymbolUse::Role::kCall;
  use.at = name;
  use.function = place_.number;
  use.call = pending.call;
  symbols_.use(use);
}

std::uint32_t Calls::target_list() {
  std::vector<Token> names;
  do {
    names.push_back(text_.expect_identifier("a function in .calltargets"));
    SymbolUse use;
    use.at = names.back();
    symbols_.use(use);
  } while (text_.accept(','));
  text_.expect(';', "after .calltargets");
  lists_.push_back(std::move(names));
  return static_cast<std::uint32_t>(lists_.size() - 1);
}

void Calls::resolve() {
  for (const Pending& pending : pending_) {
    isa::Call& call = place_.function.calls[pending.call];
    const std::vector<isa::Variable>* parameters = pending.has_list ? resolve_list(pending, call) : nullptr;
    if (call.target.kind == Operand::Kind::kSymbol) {
      const isa::Function* const callee = symbols_.function(pending.target.text);
      if (callee != nullptr) parameters = &callee->parameters;
    }
    for (const Pending::Value& value : pending.constants) {
      if (parameters == nullptr) {
        text_.fail(value.at, "a constant argument needs the function to be declared before the call");
      }
      if (value.argument >= parameters->size()) text_.fail(value.at, "more arguments than the function has parameters");
      const isa::Variable& parameter = (*parameters)[value.argument];
      if (parameter.type != isa::Type::kPred && parameter.size != isa::bytes(parameter.type)) {
        text_.fail(value.at, "a constant for an array parameter");
      }
      call.arguments[value.argument].bits = expressions_.to_bits(value.at, value.constant, parameter.type);
    }
  }
}

/// Returns the parameters of the prototype or .calltargets list that the call names; null if the name is neither.
const std::vector<isa::Variable>* Calls::resolve_list(const Pending& pending, isa::Call& call) {
  const isa::Function& function = place_.function;
  const auto check = [&](const std::vector<isa::Variable>& parameters, const std::vector<isa::Variable>& results) {
    check_signature(text_, pending.list, function, call.arguments, parameters, "argument");
    check_signature(text_, pending.list, function, call.results, results, "result");
    return &parameters;
  };
  const Labelled* const found = place_.labels.find(pending.list.text, pending.scope);
  if (found != nullptr && found->kind == Labelled::Kind::kPrototype) {
    call.prototype = found->index;
    const isa::Prototype& prototype = function.prototypes[found->index];
    return check(prototype.parameters, prototype.results);
  }
  if (found == nullptr || found->kind != Labelled::Kind::kCalls) {
    text_.fail_expected(pending.list, "the name of a .callprototype or .calltargets");
  }
  const std::vector<Token>& names = lists_[found->index];
  if (!place_.candidates.take(names.size())) {
    text_.fail(pending.list, "too many indirect calls with long .calltargets lists");
  }
  const std::vector<isa::Variable>* parameters = nullptr;
  for (const Token& name : names) {
    const isa::Function* const callee = symbols_.function(name.text);
    if (callee == nullptr) text_.fail(name, "unknown function " + describe(name));
    if (callee->entry) text_.fail(name, describe(name) + " is a kernel and cannot be called");
    parameters = check(callee->parameters, callee->results);
    call.candidates.emplace_back(name.text);
  }
  return parameters;
}

}  // namespace castor::ptx
