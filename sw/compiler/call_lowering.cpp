#include "compiler/call_lowering.h"

#include <algorithm>

#include "castor/base/error.h"
#include "compiler/runtime_calls.h"

namespace castor::compiler {

using isa::Instruction;
using isa::InstructionTable;
using isa::Kind;
using isa::Operand;
using isa::Space;
using isa::Type;
using isa::Variable;

void CallLowering::pass_argument(const Operand& operand, const Place& place, CallSite& site) {
  if (place.kind == Place::Kind::kRegister) {
    const Value value = values_.argument_value(operand, place.cls);
    const RegisterId fixed = code_.make_fixed(place.cls, place.reg);
    build_.copy(fixed, value);
    site.arguments.push_back(fixed);
    return;
  }
  if (operand.kind == Operand::Kind::kVariable) {
    const VariablePlace& from = variables_.place(operand.index);
    const std::uint64_t size = std::min(function_.variables[operand.index].size, place.size);
    if (from.kind == VariablePlace::Kind::kArea) {
      if (from.offset != place.offset) frame_.copy(LocalBase::kArea, place.offset, LocalBase::kArea, from.offset, size);
      return;
    }
    if (from.kind == VariablePlace::Kind::kFrame)
      return frame_.copy(LocalBase::kArea, place.offset, LocalBase::kFrame, from.offset, size);
    return frame_.store(Value::of(from.piece), LocalBase::kArea, place.offset, static_cast<unsigned>(size));
  }
  frame_.store(values_.argument_value(operand, place.cls), LocalBase::kArea, place.offset,
               place.cls == RegisterClass::kPair ? 8 : static_cast<unsigned>(std::min<std::uint64_t>(place.size, 4)));
}

void CallLowering::take_result(const Operand& operand, const Place& place, RegisterId fixed) {
  RegisterId to = kNoRegister;
  if (operand.kind == Operand::Kind::kRegister) {
    to = build_.register_of(operand);
  } else if (operand.kind == Operand::Kind::kVariable) {
    const VariablePlace& there = variables_.place(operand.index);
    const std::uint64_t size = std::min(function_.variables[operand.index].size, place.size);
    if (there.kind == VariablePlace::Kind::kArea) {
      if (there.offset != place.offset)
        frame_.copy(LocalBase::kArea, there.offset, LocalBase::kArea, place.offset, size);
      return;
    }
    if (there.kind == VariablePlace::Kind::kFrame) {
      if (place.kind == Place::Kind::kArea)
        return frame_.copy(LocalBase::kFrame, there.offset, LocalBase::kArea, place.offset, size);
      const RegisterId value = code_.make(place.cls);
      build_.copy(value, Value::of(fixed));
      return frame_.store(Value::of(value), LocalBase::kFrame, there.offset, static_cast<unsigned>(size));
    }
    if (there.kind != VariablePlace::Kind::kPiece) return;
    to = there.piece;
  } else {
    return;
  }
  if (build_.class_of(to) == RegisterClass::kPredicate) {
    if (place.kind == Place::Kind::kArea) {
      fixed = code_.make(RegisterClass::kSingle);
      frame_.load(fixed, LocalBase::kArea, place.offset, 1);
    }
    return build_.to_predicate(to, fixed);
  }
  if (build_.class_of(to) != place.cls) build_.error("a result's size is not that of the function's result");
  if (place.kind == Place::Kind::kRegister)
    build_.copy(to, Value::of(fixed));
  else
    frame_.load(to, LocalBase::kArea, place.offset, static_cast<unsigned>(place.size));
}

void CallLowering::call(const Instruction& in) {
  const isa::Call& call = function_.calls[*in.call];
  // Lanes whose guard is false branch around the whole call sequence.
  std::uint32_t behind = kNoIndex;
  if (build_.guard().valid()) {
    behind = build_.new_label();
    isa::LookupError ignored;
    Inst skip;
    skip.match = InstructionTable::instance().find("bra", ignored);
    skip.kind = Kind::kBranch;
    skip.timing = isa::TimingClass::kBranch;
    skip.guard = {build_.guard().reg, !build_.guard().negated};
    skip.target = behind;
    build_.emit(skip);
    build_.clear_guard();
  }
  const bool direct = call.target.kind == Operand::Kind::kSymbol;
  const std::optional<isa::SystemCall> which =
      direct && linked_.index_by_name.count(linked_.module->names[call.target.index]) == 0
          ? compiler::system_call(linked_.module->names[call.target.index])
          : std::nullopt;
  const RuntimeFunction* const function =
      direct && !which && linked_.index_by_name.count(linked_.module->names[call.target.index]) == 0
          ? find_runtime_function(linked_.module->names[call.target.index])
          : nullptr;
  if (which || function != nullptr) {
    if (which)
      system_call(call, *which);
    else
      launches_.runtime_call(call, *function);
    if (behind != kNoIndex) build_.place_label(behind);
    return;
  }

  Inst inst = inst_of(in.match);
  inst.kind = direct ? Kind::kCall : Kind::kCallIndirect;
  inst.handler = nullptr;
  inst.uniform = in.match.has("uni");
  CallSite site;
  if (direct)
    site.callees = {linked_.index_by_name.at(linked_.module->names[call.target.index])};
  else
    site.callees = linked_.candidates(function_, call);
  const Convention* convention = variables_.convention_of(call);
  if (convention != nullptr) {
    if (convention->arguments.size() != call.arguments.size()) build_.error("wrong number of arguments");
    for (std::size_t i = 0; i < call.arguments.size(); ++i)
      pass_argument(call.arguments[i], convention->arguments[i], site);
  }
  if (!direct) inst.src[0] = operands_.source(call.target, Type::kU64);
  if (convention != nullptr)
    for (std::size_t i = 0; i < call.results.size() && i < convention->results.size(); ++i)
      if (convention->results[i].kind == Place::Kind::kRegister)
        site.results.push_back(code_.make_fixed(convention->results[i].cls, convention->results[i].reg));
  bool noreturn = !site.callees.empty();
  for (const std::uint32_t callee : site.callees) noreturn = noreturn && linked_.functions[callee].function->noreturn;
  inst.ends = noreturn;
  inst.call = static_cast<std::uint32_t>(code_.calls.size());
  const std::vector<RegisterId> results = site.results;
  if (code_.stack_pointer != kNoRegister) {
    site.arguments.push_back(code_.stack_pointer);
    site.results.push_back(code_.stack_pointer);
  }
  code_.calls.push_back(std::move(site));
  build_.emit(inst);
  if (convention != nullptr) {
    std::size_t next = 0;
    for (std::size_t i = 0; i < call.results.size() && i < convention->results.size(); ++i) {
      const bool in_register = convention->results[i].kind == Place::Kind::kRegister;
      take_result(call.results[i], convention->results[i], in_register ? results[next++] : kNoRegister);
    }
  }
  if (behind != kNoIndex) build_.place_label(behind);
}

void CallLowering::system_call(const isa::Call& call, isa::SystemCall which) {
  struct Signature {
    unsigned arguments;
    bool wide[5];
    bool result;
    bool wide_result;
  };
  Signature signature{};
  switch (which) {
    case isa::SystemCall::kPrintf:
      signature = {2, {true, true}, true, false};
      break;
    case isa::SystemCall::kMalloc:
      signature = {1, {true}, true, true};
      break;
    case isa::SystemCall::kFree:
      signature = {1, {true}, false, false};
      break;
    case isa::SystemCall::kAssertFail:
      signature = {5, {true, true, false, true, true}, false, false};
      break;
    case isa::SystemCall::kPureVirtual:
      break;
    case isa::SystemCall::kRegister:
      signature = {3, {false, false, false}, true, true};
      break;
  }
  const std::string& name = linked_.module->names[call.target.index];
  if (call.arguments.size() != signature.arguments || (!call.results.empty() && !signature.result))
    build_.error("'" + name + "' takes " + std::to_string(signature.arguments) + " arguments; this call has " +
                 std::to_string(call.arguments.size()));
  Inst inst;
  inst.kind = Kind::kSystemCall;
  inst.timing = isa::TimingClass::kSystem;
  inst.imm = static_cast<std::uint64_t>(which);
  for (unsigned i = 0; i < signature.arguments && i < inst.src.size(); ++i)
    inst.src[i] =
        values_.argument_value(call.arguments[i], signature.wide[i] ? RegisterClass::kPair : RegisterClass::kSingle);
  RegisterId result = kNoRegister;
  if (signature.result) {
    result = code_.make(signature.wide_result ? RegisterClass::kPair : RegisterClass::kSingle);
    inst.dst = Value::of(result);
  }
  inst.ends = which == isa::SystemCall::kAssertFail || which == isa::SystemCall::kPureVirtual;
  build_.emit(inst);
  values_.give_result(call, result, name);
}

void CallLowering::return_results() {
  const Convention& convention = self_.convention;
  for (std::size_t i = 0; i < function_.results.size(); ++i) {
    const Variable& variable = function_.results[i];
    const Place& to = convention.results[i];
    RegisterId value = kNoRegister;
    if (variable.space == Space::kReg) {
      value = function_.result_registers[i];
      if (build_.class_of(value) == RegisterClass::kPredicate) value = build_.from_predicate({value, false});
    } else {
      const VariablePlace& place = variables_.place(function_.parameters.size() + i);
      if (place.kind == VariablePlace::Kind::kArea) continue;
      if (place.kind == VariablePlace::Kind::kFrame) {
        if (to.kind == Place::Kind::kArea) {
          frame_.copy(LocalBase::kArea, to.offset, LocalBase::kFrame, place.offset, variable.size);
          continue;
        }
        value = code_.make(to.cls);
        frame_.load(value, LocalBase::kFrame, place.offset, static_cast<unsigned>(variable.size));
      } else {
        value = place.piece;
      }
    }
    if (to.kind == Place::Kind::kRegister) {
      const RegisterId fixed = code_.make_fixed(to.cls, to.reg);
      build_.copy(fixed, Value::of(value));
      code_.exit_registers.push_back(fixed);
    } else {
      frame_.store(Value::of(value), LocalBase::kArea, to.offset, static_cast<unsigned>(variable.size));
    }
  }
}

}  // namespace castor::compiler
