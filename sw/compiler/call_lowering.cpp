// Parameters, calls and returns. link.cpp defines the calling convention: the location of each argument and result.

#include <algorithm>

#include "castor/base/error.h"
#include "compiler/lower.h"
#include "compiler/runtime_calls.h"

namespace castor::compiler {

using isa::Instruction;
using isa::InstructionTable;
using isa::Kind;
using isa::Operand;
using isa::Space;
using isa::Type;
using isa::Variable;

namespace {

RegisterClass class_of_size(std::uint64_t size) { return size > 4 ? RegisterClass::kPair : RegisterClass::kSingle; }

}  // namespace

/// Sets up the stack register at function entry: the kernel initialises it, a function with a frame on the stack
/// advances it.
void Lowering::enter_frame() {
  code_.stack_pointer = code_.make_fixed(RegisterClass::kSingle, kStackRegister);
  if (code_.kernel) return copy(code_.stack_pointer, Value::constant(0, false, LocalBase::kStack));
  code_.entry_registers.push_back(code_.stack_pointer);
  if (code_.on_stack) move_stack_pointer("add.u32");
}

void Lowering::leave_frame() {
  if (code_.on_stack) move_stack_pointer("sub.u32");
  code_.exit_registers.push_back(code_.stack_pointer);
}

void Lowering::move_stack_pointer(const char* spelling) {
  isa::LookupError ignored;
  Inst inst = start(InstructionTable::instance().find(spelling, ignored));
  inst.dst = Value::of(code_.stack_pointer);
  inst.src[0] = inst.dst;
  inst.src[1] = Value::constant(0, false, LocalBase::kSize);
  emit(inst);
}

std::uint64_t Lowering::allocate_frame(std::uint64_t size, std::uint64_t align) {
  const std::uint64_t offset = align_up(code_.frame_bytes, std::max<std::uint64_t>(align, 1));
  code_.frame_bytes = offset + size;
  code_.frame_align = std::max(code_.frame_align, align);
  constexpr std::uint64_t kMost = std::uint64_t{1} << 30;
  if (code_.frame_bytes > kMost) error("local variables take more than 1 GB per thread", "use smaller arrays");
  return offset;
}

void Lowering::load_local(RegisterId to, LocalBase base, std::uint64_t offset, unsigned size) {
  Inst inst = local_access(true, class_of(to), base, offset, size);
  inst.dst = Value::of(to);
  emit(inst);
}

void Lowering::store_local(const Value& from, LocalBase base, std::uint64_t offset, unsigned size) {
  const RegisterClass cls = from.is_register() ? class_of(from.reg) : class_of_size(size);
  Inst inst = local_access(false, cls, base, offset, size);
  inst.src[1] = from;
  emit(inst);
}

void Lowering::copy_local(LocalBase to, std::uint64_t to_offset, LocalBase from, std::uint64_t from_offset,
                          std::uint64_t size) {
  for (std::uint64_t at = 0; at < size;) {
    unsigned piece = 4;
    while (piece > size - at || (to_offset + at) % piece != 0 || (from_offset + at) % piece != 0) piece /= 2;
    const RegisterId word = code_.make(RegisterClass::kSingle);
    load_local(word, from, from_offset + at, piece);
    store_local(Value::of(word), to, to_offset + at, piece);
    at += piece;
  }
}

/// Records how the body uses parameter variables: its own parameters and the arguments and results of its calls.
void Lowering::scan_parameters() {
  uses_.assign(function_.variables.size(), {});
  const auto touch = [&](std::uint32_t variable, std::size_t position) {
    ParameterUse& use = uses_[variable];
    if (!use.touched) use.first_access = position;
    use.touched = true;
    use.last_access = position;
  };
  for (std::size_t i = 0; i < function_.body.size(); ++i) {
    const Instruction& in = function_.body[i];
    if (in.call) {
      const isa::Call& call = function_.calls[*in.call];
      const auto note = [&](const std::vector<Operand>& operands, bool result) {
        for (unsigned k = 0; k < operands.size(); ++k) {
          if (operands[k].kind != Operand::Kind::kVariable) continue;
          ParameterUse& use = uses_[operands[k].index];
          ++use.calls;
          use.call_position = i;
          use.is_result = result;
          use.position = k;
        }
      };
      note(call.arguments, false);
      note(call.results, true);
      continue;
    }
    const bool access = in.match.row().kind == Kind::kMemory;
    for (const Operand& operand : in.operands) {
      if (operand.kind == Operand::Kind::kVariable) {
        uses_[operand.index].address_taken = true;
      } else if (operand.kind == Operand::Kind::kAddress && operand.elements[0].kind == Operand::Kind::kVariable) {
        const std::uint32_t index = operand.elements[0].index;
        const Variable& variable = function_.variables[index];
        if (variable.space != Space::kParam) continue;
        touch(index, i);
        ParameterUse& use = uses_[index];
        if (!access) {
          use.address_taken = true;
          continue;
        }
        const isa::MemoryOp op = isa::memory_op(in.match);
        const bool wide = variable.size > 4;
        if (op.elements != 1 || operand.offset + operand.elements[0].offset != 0 || (isa::bytes(op.type) > 4) != wide ||
            isa::bytes(op.type) > variable.size)
          use.pieces_only = false;
      }
    }
  }
}

const Convention* Lowering::convention_of(const isa::Call& call) const {
  if (call.target.kind == Operand::Kind::kSymbol) {
    const auto found = linked_.index_by_name.find(linked_.module->names[call.target.index]);
    return found == linked_.index_by_name.end() ? nullptr : &linked_.functions[found->second].convention;
  }
  const auto candidates = linked_.candidates(function_, call);
  return candidates.empty() ? nullptr : &linked_.functions[candidates[0]].convention;
}

/// Returns true if struct arguments or results may be accessed directly at their location in the argument area. No
/// other call or branch may lie between the accesses and the call.
bool Lowering::direct_in_area(const ParameterUse& use) const {
  if (use.calls != 1) return false;
  if (!use.touched) return true;
  std::size_t begin = use.is_result ? use.call_position : use.first_access;
  const std::size_t end = use.is_result ? use.last_access : use.call_position;
  if (use.is_result ? use.first_access < use.call_position : use.last_access > use.call_position) return false;
  for (std::size_t i = begin; i <= end; ++i) {
    const Instruction& in = function_.body[i];
    if (in.call && i != use.call_position) return false;
    const Kind kind = in.match.row().kind;
    if (kind == Kind::kBranch || kind == Kind::kBranchIndirect) return false;
  }
  return std::none_of(function_.labels.begin(), function_.labels.end(),
                      [&](const isa::Label& label) { return label.position > begin && label.position <= end; });
}

void Lowering::place_variables() {
  places_.assign(function_.variables.size(), {});
  const std::size_t own = function_.parameters.size() + function_.results.size();
  std::uint64_t kernel_offset = 0;
  for (std::size_t i = 0; i < function_.variables.size(); ++i) {
    const Variable& variable = function_.variables[i];
    VariablePlace& place = places_[i];
    switch (variable.space) {
      case Space::kLocal:
        place.kind = VariablePlace::Kind::kFrame;
        place.offset = allocate_frame(variable.size, variable.align);
        break;
      case Space::kShared: {
        const auto found = linked_.shared_offsets.find(&variable);
        if (found == linked_.shared_offsets.end()) break;
        place.kind = VariablePlace::Kind::kShared;
        place.offset = found->second;
        break;
      }
      case Space::kGlobal:
      case Space::kConst:
        place.kind = VariablePlace::Kind::kDevice;
        place.offset = linked_.address(variable.name, variable.where);
        break;
      case Space::kParam:
        if (code_.kernel && i < own) {
          kernel_offset = align_up(kernel_offset, std::max<std::uint64_t>(variable.align, 1));
          place.kind = VariablePlace::Kind::kKernelParameter;
          place.offset = kernel_offset;
          kernel_offset += variable.size;
        }
        break;
      default:
        break;
    }
  }
  place_call_variables();
  if (!code_.kernel) place_function_parameters();
}

void Lowering::place_call_variables() {
  const std::size_t own = function_.parameters.size() + function_.results.size();
  for (std::size_t i = own; i < function_.variables.size(); ++i) {
    const Variable& variable = function_.variables[i];
    if (variable.space != Space::kParam) continue;
    VariablePlace& place = places_[i];
    const ParameterUse& use = uses_[i];
    if (is_scalar(variable) && use.pieces_only && !use.address_taken) {
      place.kind = VariablePlace::Kind::kPiece;
      place.piece = code_.make(class_of_size(variable.size), false);
      continue;
    }
    if (use.calls == 1 && direct_in_area(use)) {
      const isa::Call& call = function_.calls[*function_.body[use.call_position].call];
      if (const Convention* convention = convention_of(call)) {
        const auto& there = use.is_result ? convention->results : convention->arguments;
        if (use.position < there.size() && there[use.position].kind == Place::Kind::kArea &&
            there[use.position].size >= variable.size) {
          place.kind = VariablePlace::Kind::kArea;
          place.offset = there[use.position].offset;
          continue;
        }
      }
    }
    place.kind = VariablePlace::Kind::kFrame;
    place.offset = allocate_frame(variable.size, std::max<std::uint64_t>(variable.align, 16));
  }
}

void Lowering::place_function_parameters() {
  const Convention& convention = self_.convention;
  std::size_t variable_index = 0;
  for (std::size_t i = 0; i < function_.parameters.size(); ++i, ++variable_index) {
    const Variable& variable = function_.parameters[i];
    const Place& from = convention.arguments[i];
    RegisterId fixed = kNoRegister;
    if (from.kind == Place::Kind::kRegister) {
      fixed = code_.make_fixed(from.cls, from.reg);
      code_.entry_registers.push_back(fixed);
    }
    if (variable.space == Space::kReg) {
      const RegisterId to = function_.parameter_registers[i];
      if (class_of(to) == RegisterClass::kPredicate) {
        RegisterId word = fixed;
        if (word == kNoRegister) {
          word = code_.make(RegisterClass::kSingle);
          load_local(word, LocalBase::kArea, from.offset, 1);
        }
        to_predicate(to, word);
      } else if (fixed != kNoRegister) {
        copy(to, Value::of(fixed));
      } else {
        load_local(to, LocalBase::kArea, from.offset, class_of(to) == RegisterClass::kPair ? 8 : 4);
      }
      continue;
    }
    const ParameterUse& use = uses_[variable_index];
    VariablePlace& place = places_[variable_index];
    const bool piece = is_scalar(variable) && use.pieces_only && !use.address_taken;
    if (!use.touched && !use.address_taken) {
      // The parameter is not read, so it needs no copy.
    } else if (piece && (fixed != kNoRegister || convention.leaves_area())) {
      place.kind = VariablePlace::Kind::kPiece;
      place.piece = code_.make(from.cls, false);
      if (fixed != kNoRegister)
        copy(place.piece, Value::of(fixed));
      else
        load_local(place.piece, LocalBase::kArea, from.offset, static_cast<unsigned>(variable.size));
    } else if (fixed == kNoRegister && !convention.leaves_area()) {
      place.kind = VariablePlace::Kind::kArea;
      place.offset = from.offset;
    } else {
      place.kind = VariablePlace::Kind::kFrame;
      place.offset = allocate_frame(variable.size, std::max<std::uint64_t>(variable.align, 16));
      if (fixed != kNoRegister)
        store_local(Value::of(fixed), LocalBase::kFrame, place.offset, static_cast<unsigned>(variable.size));
      else
        copy_local(LocalBase::kFrame, place.offset, LocalBase::kArea, from.offset, variable.size);
    }
  }
  for (std::size_t i = 0; i < function_.results.size(); ++i, ++variable_index) {
    const Variable& variable = function_.results[i];
    const Place& to = convention.results[i];
    if (variable.space == Space::kReg) continue;
    const ParameterUse& use = uses_[variable_index];
    VariablePlace& place = places_[variable_index];
    if (is_scalar(variable) && use.pieces_only && !use.address_taken) {
      place.kind = VariablePlace::Kind::kPiece;
      place.piece = code_.make(to.cls, false);
    } else if (to.kind == Place::Kind::kArea && !convention.leaves_area()) {
      place.kind = VariablePlace::Kind::kArea;
      place.offset = to.offset;
    } else {
      place.kind = VariablePlace::Kind::kFrame;
      place.offset = allocate_frame(variable.size, std::max<std::uint64_t>(variable.align, 16));
    }
  }
}

/// Lowers a load or store in parameter space. Returns true if code was emitted; if false, the state space in `inst` has
/// been replaced by the actual one.
bool Lowering::parameter_access(const Instruction& in, Inst& inst) {
  const Operand* address = nullptr;
  const Operand* value = nullptr;
  for (const Operand& operand : in.operands) {
    if (operand.kind == Operand::Kind::kAddress)
      address = &operand;
    else if (value == nullptr)
      value = &operand;
  }
  if (address == nullptr || value == nullptr) return false;
  const bool load = inst.memory.kind == isa::MemoryKind::kLoad;
  if (address->elements[0].kind != Operand::Kind::kVariable) {
    if (!code_.kernel) inst.memory.space = Space::kLocal;
    return false;
  }
  const VariablePlace& place = places_[address->elements[0].index];
  const Variable& variable = function_.variables[address->elements[0].index];
  if (place.kind == VariablePlace::Kind::kKernelParameter) {
    if (!load) error("the parameters of a kernel cannot be written");
    return false;
  }
  if (place.kind == VariablePlace::Kind::kFrame || place.kind == VariablePlace::Kind::kArea) {
    inst.memory.space = Space::kLocal;
    return false;
  }
  if (place.kind != VariablePlace::Kind::kPiece)
    error("'" + base::printable(variable.name) + "' is not a parameter that can be accessed here");
  const Operand& one = value->kind == Operand::Kind::kList && value->elements.size() == 1 ? value->elements[0] : *value;
  const Type type = inst.memory.type;
  if (!load) {
    const Value from = source(one, isa::bits(type) > 32 ? Type::kB64 : Type::kB32);
    copy(place.piece, from);
    return true;
  }
  if (one.kind != Operand::Kind::kRegister) return true;
  const RegisterId to = register_of(one);
  if (isa::bits(type) > 32 && class_of(to) != RegisterClass::kPair) error("the destination register is too narrow");
  extend(to, Value::of(place.piece), type);
  return true;
}

Value Lowering::argument_value(const Operand& operand, RegisterClass cls) {
  const Type type = cls == RegisterClass::kPair ? Type::kB64 : Type::kB32;
  if (operand.kind == Operand::Kind::kRegister && class_of(register_of(operand)) == RegisterClass::kPredicate)
    return Value::of(from_predicate(predicate(operand)));
  if (operand.kind != Operand::Kind::kVariable) return source(operand, type);
  const VariablePlace& place = places_[operand.index];
  if (place.kind == VariablePlace::Kind::kPiece) {
    if (class_of(place.piece) != cls) error("an argument's size is not that of the parameter");
    return Value::of(place.piece);
  }
  const RegisterId value = code_.make(cls);
  const LocalBase base = place.kind == VariablePlace::Kind::kArea ? LocalBase::kArea : LocalBase::kFrame;
  const std::uint64_t size = std::min<std::uint64_t>(function_.variables[operand.index].size, 8);
  load_local(value, base, place.offset, size >= 8 ? 8 : size >= 4 ? 4 : size >= 2 ? 2 : 1);
  return Value::of(value);
}

/// Converts a predicate to a register with 0 or 1, as calls pass it.
RegisterId Lowering::from_predicate(const PredicateUse& predicate) {
  isa::LookupError ignored;
  Inst inst = start(InstructionTable::instance().find("selp.b32", ignored));
  const RegisterId word = code_.make(RegisterClass::kSingle);
  inst.dst = Value::of(word);
  inst.src[0] = Value::constant(1, false);
  inst.src[1] = Value::constant(0, false);
  inst.psrc[0] = predicate;
  emit(inst);
  return word;
}

void Lowering::to_predicate(RegisterId to, RegisterId word) {
  isa::LookupError ignored;
  Inst inst = start(InstructionTable::instance().find("setp.ne.u32", ignored));
  inst.pdst[0] = to;
  inst.src[0] = Value::of(word);
  inst.src[1] = Value::constant(0, false);
  emit(inst);
}

void Lowering::pass_argument(const Operand& operand, const Place& place, CallSite& site) {
  if (place.kind == Place::Kind::kRegister) {
    const Value value = argument_value(operand, place.cls);
    const RegisterId fixed = code_.make_fixed(place.cls, place.reg);
    copy(fixed, value);
    site.arguments.push_back(fixed);
    return;
  }
  if (operand.kind == Operand::Kind::kVariable) {
    const VariablePlace& from = places_[operand.index];
    const std::uint64_t size = std::min(function_.variables[operand.index].size, place.size);
    if (from.kind == VariablePlace::Kind::kArea) {
      if (from.offset != place.offset) copy_local(LocalBase::kArea, place.offset, LocalBase::kArea, from.offset, size);
      return;
    }
    if (from.kind == VariablePlace::Kind::kFrame)
      return copy_local(LocalBase::kArea, place.offset, LocalBase::kFrame, from.offset, size);
    return store_local(Value::of(from.piece), LocalBase::kArea, place.offset, static_cast<unsigned>(size));
  }
  store_local(argument_value(operand, place.cls), LocalBase::kArea, place.offset,
              place.cls == RegisterClass::kPair ? 8 : static_cast<unsigned>(std::min<std::uint64_t>(place.size, 4)));
}

void Lowering::take_result(const Operand& operand, const Place& place, RegisterId fixed) {
  RegisterId to = kNoRegister;
  if (operand.kind == Operand::Kind::kRegister) {
    to = register_of(operand);
  } else if (operand.kind == Operand::Kind::kVariable) {
    const VariablePlace& there = places_[operand.index];
    const std::uint64_t size = std::min(function_.variables[operand.index].size, place.size);
    if (there.kind == VariablePlace::Kind::kArea) {
      if (there.offset != place.offset)
        copy_local(LocalBase::kArea, there.offset, LocalBase::kArea, place.offset, size);
      return;
    }
    if (there.kind == VariablePlace::Kind::kFrame) {
      if (place.kind == Place::Kind::kArea)
        return copy_local(LocalBase::kFrame, there.offset, LocalBase::kArea, place.offset, size);
      const RegisterId value = code_.make(place.cls);
      copy(value, Value::of(fixed));
      return store_local(Value::of(value), LocalBase::kFrame, there.offset, static_cast<unsigned>(size));
    }
    if (there.kind != VariablePlace::Kind::kPiece) return;
    to = there.piece;
  } else {
    return;
  }
  if (class_of(to) == RegisterClass::kPredicate) {
    if (place.kind == Place::Kind::kArea) {
      fixed = code_.make(RegisterClass::kSingle);
      load_local(fixed, LocalBase::kArea, place.offset, 1);
    }
    return to_predicate(to, fixed);
  }
  if (class_of(to) != place.cls) error("a result's size is not that of the function's result");
  if (place.kind == Place::Kind::kRegister)
    copy(to, Value::of(fixed));
  else
    load_local(to, LocalBase::kArea, place.offset, static_cast<unsigned>(place.size));
}

void Lowering::call(const Instruction& in) {
  const isa::Call& call = function_.calls[*in.call];
  // Lanes whose guard is false branch around the whole call sequence.
  std::uint32_t behind = kNoIndex;
  if (guard_.valid()) {
    behind = new_label();
    isa::LookupError ignored;
    Inst skip;
    skip.match = InstructionTable::instance().find("bra", ignored);
    skip.kind = Kind::kBranch;
    skip.timing = isa::TimingClass::kBranch;
    skip.guard = {guard_.reg, !guard_.negated};
    skip.target = behind;
    emit(skip);
    guard_ = {};
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
      runtime_call(call, *function);
    if (behind != kNoIndex) place_label(behind);
    return;
  }

  Inst inst = start(in.match);
  inst.kind = direct ? Kind::kCall : Kind::kCallIndirect;
  inst.handler = nullptr;
  inst.uniform = in.match.has("uni");
  CallSite site;
  if (direct)
    site.callees = {linked_.index_by_name.at(linked_.module->names[call.target.index])};
  else
    site.callees = linked_.candidates(function_, call);
  const Convention* convention = convention_of(call);
  if (convention != nullptr) {
    if (convention->arguments.size() != call.arguments.size()) error("wrong number of arguments");
    for (std::size_t i = 0; i < call.arguments.size(); ++i)
      pass_argument(call.arguments[i], convention->arguments[i], site);
  }
  if (!direct) inst.src[0] = source(call.target, Type::kU64);
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
  emit(inst);
  if (convention != nullptr) {
    std::size_t next = 0;
    for (std::size_t i = 0; i < call.results.size() && i < convention->results.size(); ++i) {
      const bool in_register = convention->results[i].kind == Place::Kind::kRegister;
      take_result(call.results[i], convention->results[i], in_register ? results[next++] : kNoRegister);
    }
  }
  if (behind != kNoIndex) place_label(behind);
}

void Lowering::system_call(const isa::Call& call, isa::SystemCall which) {
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
    error("'" + name + "' takes " + std::to_string(signature.arguments) + " arguments; this call has " +
          std::to_string(call.arguments.size()));
  Inst inst;
  inst.kind = Kind::kSystemCall;
  inst.timing = isa::TimingClass::kSystem;
  inst.imm = static_cast<std::uint64_t>(which);
  for (unsigned i = 0; i < signature.arguments && i < inst.src.size(); ++i)
    inst.src[i] = argument_value(call.arguments[i], signature.wide[i] ? RegisterClass::kPair : RegisterClass::kSingle);
  RegisterId result = kNoRegister;
  if (signature.result) {
    result = code_.make(signature.wide_result ? RegisterClass::kPair : RegisterClass::kSingle);
    inst.dst = Value::of(result);
  }
  inst.ends = which == isa::SystemCall::kAssertFail || which == isa::SystemCall::kPureVirtual;
  emit(inst);
  give_result(call, result, name);
}

/// Copies the result of a system call to the call's result operand.
void Lowering::give_result(const isa::Call& call, RegisterId result, const std::string& name) {
  if (call.results.empty()) return;
  const Operand& to = call.results[0];
  const RegisterClass cls = class_of(result);
  if (to.kind == Operand::Kind::kRegister) {
    if (class_of(register_of(to)) != cls) error("the result's size is not that of '" + name + "'");
    return copy(register_of(to), Value::of(result));
  }
  if (to.kind != Operand::Kind::kVariable) return;
  const VariablePlace& place = places_[to.index];
  if (place.kind == VariablePlace::Kind::kPiece) {
    if (class_of(place.piece) != cls) error("the result's size is not that of '" + name + "'");
    copy(place.piece, Value::of(result));
  } else {
    store_local(Value::of(result), LocalBase::kFrame, place.offset, cls == RegisterClass::kPair ? 8 : 4);
  }
}

void Lowering::return_results() {
  const Convention& convention = self_.convention;
  for (std::size_t i = 0; i < function_.results.size(); ++i) {
    const Variable& variable = function_.results[i];
    const Place& to = convention.results[i];
    RegisterId value = kNoRegister;
    if (variable.space == Space::kReg) {
      value = function_.result_registers[i];
      if (class_of(value) == RegisterClass::kPredicate) value = from_predicate({value, false});
    } else {
      const VariablePlace& place = places_[function_.parameters.size() + i];
      if (place.kind == VariablePlace::Kind::kArea) continue;
      if (place.kind == VariablePlace::Kind::kFrame) {
        if (to.kind == Place::Kind::kArea) {
          copy_local(LocalBase::kArea, to.offset, LocalBase::kFrame, place.offset, variable.size);
          continue;
        }
        value = code_.make(to.cls);
        load_local(value, LocalBase::kFrame, place.offset, static_cast<unsigned>(variable.size));
      } else {
        value = place.piece;
      }
    }
    if (to.kind == Place::Kind::kRegister) {
      const RegisterId fixed = code_.make_fixed(to.cls, to.reg);
      copy(fixed, Value::of(value));
      code_.exit_registers.push_back(fixed);
    } else {
      store_local(Value::of(value), LocalBase::kArea, to.offset, static_cast<unsigned>(variable.size));
    }
  }
}

}  // namespace castor::compiler
