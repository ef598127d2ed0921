#include <algorithm>

#include "castor/base/error.h"
#include "ptx/parser_state.h"

// call [(results),] target [, (arguments)] [, prototype or list of targets]
namespace castor::ptx {
namespace {

using isa::Operand;

/// Bytes that an operand of a call passes; 0 where the callee decides (constants, sinks).
std::uint64_t bytes_of(const isa::Function& caller, const Operand& operand) {
  switch (operand.kind) {
    case Operand::Kind::kVariable:
      return caller.variables[operand.index].size;
    case Operand::Kind::kRegister:
      return std::max(1U, isa::bytes(caller.registers[operand.index].type));
    default:
      return 0;
  }
}

}  // namespace

Operand Parser::call_operand(bool result, std::size_t index, PendingCall& pending) {
  Operand made;
  const Token start = token_;
  if (start.kind != TokenKind::kIdentifier || start.text == "WARP_SZ") {
    if (result || !at_constant()) fail_expected(result ? "a result of the call" : "an argument of the call");
    made.kind = Operand::Kind::kImmediate;
    pending.constants.push_back({index, start, constant_expression()});
    return made;
  }
  take();
  if (start.text == "_") {
    if (!result) fail(start, "'_' cannot be read");
    made.kind = Operand::Kind::kSink;
    return made;
  }
  LocalName meaning;
  if (find_local(start, meaning) != Names::Lookup::kFound) {
    fail(start, std::string("unknown ") + (result ? "result " : "argument ") + describe(start));
  }
  if (meaning.kind == LocalName::Kind::kVariable) {
    if (body_->function.variables[meaning.index].space != isa::Space::kParam) {
      fail(start, describe(start) + " is no .param variable; a call passes .param variables and registers");
    }
    made.kind = Operand::Kind::kVariable;
    made.index = meaning.index;
    return made;
  }
  made.kind = Operand::Kind::kRegister;
  made.index = element(start, meaning).index;
  return made;
}

void Parser::call() {
  isa::Call made;
  PendingCall pending;
  pending.call = static_cast<std::uint32_t>(body_->function.calls.size());
  pending.scope = body_->names.scope();
  const auto operands = [&](std::vector<Operand>& list, bool results) {
    expect('(', results ? "before results" : "before arguments");
    if (accept(')')) return;
    do {
      list.push_back(call_operand(results, list.size(), pending));
    } while (accept(','));
    expect(')', results ? "after results" : "after arguments");
  };
  if (at('(')) {
    operands(made.results, true);
    expect(',', "after the results of a call");
  }
  pending.target = expect_identifier("the function to call");
  LocalName meaning;
  if (find_local(pending.target, meaning) == Names::Lookup::kFound) {
    if (meaning.kind == LocalName::Kind::kVariable) {
      fail(pending.target, describe(pending.target) + " is a variable, not a function");
    }
    made.target.kind = Operand::Kind::kRegister;
    made.target.index = element(pending.target, meaning).index;
    const isa::Type type = body_->function.registers[made.target.index].type;
    if (isa::bits(type) != 64 || isa::is_float(type)) {
      fail(pending.target, "an indirect call takes a 64-bit integer register, but " + describe(pending.target) +
                               " is ." + std::string(isa::name(type)));
    }
  } else {
    if (pending.target.text[0] == '%') fail(pending.target, "unknown register " + describe(pending.target));
    made.target.kind = Operand::Kind::kSymbol;
    made.target.index = name_index(pending.target.text);
    SymbolUse use;
    use.role = SymbolUse::Role::kCall;
    use.at = pending.target;
    use.function = body_->number;
    use.call = pending.call;
    uses_.push_back(use);
  }
  bool more = accept(',');
  if (more && at('(')) {
    operands(made.arguments, false);
    more = accept(',');
  }
  if (more) {
    pending.has_list = true;
    pending.list = expect_identifier("the name of a .callprototype or .calltargets");
  } else if (made.target.kind == Operand::Kind::kRegister) {
    fail_expected("',' and the name of a .callprototype or .calltargets; a call through a register needs one");
  }
  body_->function.calls.push_back(std::move(made));
  body_->calls.push_back(std::move(pending));
}

void Parser::resolve_calls() {
  isa::Function& function = body_->function;
  for (const PendingCall& pending : body_->calls) {
    isa::Call& call = function.calls[pending.call];
    const std::vector<isa::Variable>* parameters = nullptr;
    if (pending.has_list) {
      const Labelled* const found = find_label(pending.list.text, pending.scope);
      if (found != nullptr && found->kind == Labelled::Kind::kPrototype) {
        call.prototype = found->index;
        const isa::Prototype& prototype = function.prototypes[found->index];
        check_signature(pending.list, function, call.arguments, prototype.parameters, "argument");
        check_signature(pending.list, function, call.results, prototype.results, "result");
        parameters = &prototype.parameters;
      } else if (found != nullptr && found->kind == Labelled::Kind::kCalls) {
        candidates_ += body_->call_lists[found->index].size();
        if (candidates_ > kMostCandidates) fail(pending.list, "too many indirect calls with long .calltargets lists");
        for (const Token& name : body_->call_lists[found->index]) {
          const auto candidate = functions_.find(name.text);
          if (candidate == functions_.end()) fail(name, "unknown function " + describe(name));
          const isa::Function& callee = module_.functions[candidate->second];
          if (callee.entry) fail(name, describe(name) + " is a kernel and cannot be called");
          check_signature(pending.list, function, call.arguments, callee.parameters, "argument");
          check_signature(pending.list, function, call.results, callee.results, "result");
          call.candidates.emplace_back(name.text);
          parameters = &callee.parameters;
        }
      } else {
        fail_expected(pending.list, "the name of a .callprototype or .calltargets");
      }
    }
    if (call.target.kind == Operand::Kind::kSymbol) {
      const auto callee = functions_.find(pending.target.text);
      if (callee != functions_.end()) parameters = &module_.functions[callee->second].parameters;
    }
    for (const PendingCall::Value& value : pending.constants) {
      if (parameters == nullptr) {
        fail(value.at, "a constant argument needs the function to be declared before the call");
      }
      if (value.argument >= parameters->size()) fail(value.at, "more arguments than the function has parameters");
      const isa::Variable& parameter = (*parameters)[value.argument];
      if (parameter.size != isa::bytes(parameter.type)) {
        fail(value.at, "a constant for an array parameter");
      }
      call.arguments[value.argument].bits = to_bits(value.at, value.constant, parameter.type);
    }
  }
}

void Parser::check_signature(const Token& at, const isa::Function& caller, const std::vector<Operand>& given,
                             const std::vector<isa::Variable>& wanted, const char* what) const {
  if (given.size() != wanted.size()) {
    fail(at, "call of " + describe(at) + " with " + std::to_string(given.size()) + " " + what + "s, it has " +
                 std::to_string(wanted.size()));
  }
  for (std::size_t i = 0; i < given.size(); ++i) {
    const std::uint64_t bytes = bytes_of(caller, given[i]);
    if (bytes != 0 && bytes != wanted[i].size) {
      fail(at, "call of " + describe(at) + ": " + what + " " + std::to_string(i + 1) + " has " + std::to_string(bytes) +
                   " bytes, the function expects " + std::to_string(wanted[i].size));
    }
  }
}

}  // namespace castor::ptx
