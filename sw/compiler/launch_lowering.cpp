#include "compiler/launch_lowering.h"

#include <string>

#include "castor/base/error.h"
#include "compiler/runtime_calls.h"

namespace castor::compiler {

using isa::InstructionTable;
using isa::Kind;
using isa::Operand;
using isa::RuntimeCall;

namespace {

/// Arguments of a device runtime call; each dim3 is split into words.
struct Arguments {
  std::vector<Value> values;
  std::vector<Value> dimensions;
  Value pointer;  ///< address where the result is stored
};

}  // namespace

/// Loads word `index` of a dim3 argument.
Value LaunchLowering::dimension(const Operand& operand, unsigned index) {
  constexpr std::uint64_t kBytes = 12;
  constexpr unsigned kWord = 4;
  if (operand.kind != Operand::Kind::kVariable || function_.variables[operand.index].size != kBytes)
    build_.error("an argument's size is not that of a dim3");
  const VariablePlace& place = variables_.place(operand.index);
  if (place.kind != VariablePlace::Kind::kFrame && place.kind != VariablePlace::Kind::kArea)
    build_.error("a dim3 must be passed in a variable of the caller");
  const RegisterId word = code_.make(RegisterClass::kSingle);
  const LocalBase base = place.kind == VariablePlace::Kind::kArea ? LocalBase::kArea : LocalBase::kFrame;
  frame_.load(word, base, place.offset + std::uint64_t{kWord} * index, kWord);
  return Value::of(word);
}

Value LaunchLowering::packed(const Value& low, const Value& high) {
  Inst inst = internal_inst("$pack.b64");
  const RegisterId pair = code_.make(RegisterClass::kPair);
  inst.dst = Value::of(pair);
  inst.src[0] = low;
  inst.src[1] = high;
  build_.emit(inst);
  return Value::of(pair);
}

RegisterId LaunchLowering::emit_runtime_call(RuntimeCall call, const std::vector<Value>& values, RegisterClass cls) {
  Inst inst;
  inst.kind = Kind::kRuntimeCall;
  inst.timing = isa::TimingClass::kSystem;
  inst.imm = static_cast<std::uint64_t>(call);
  CASTOR_ASSERT(values.size() <= inst.src.size(), "a runtime call of %zu values", values.size());
  for (std::size_t i = 0; i < values.size(); ++i) inst.src[i] = values[i];
  RegisterId result = kNoRegister;
  if (call != RuntimeCall::kDescribe) {
    result = code_.make(cls);
    inst.dst = Value::of(result);
  }
  build_.emit(inst);
  return result;
}

/// Emits code that stores the result of a runtime call through `pointer`, unless the call failed. Returns the register
/// with the function's error code.
RegisterId LaunchLowering::store_result(RegisterId value, const Value& pointer, int error_code) {
  isa::LookupError ignored;
  const RegisterId failed = code_.make(RegisterClass::kPredicate);
  Inst compare = inst_of(InstructionTable::instance().find("setp.eq.u64", ignored));
  compare.pdst[0] = failed;
  compare.src[0] = Value::of(value);
  compare.src[1] = Value::constant(isa::kNoRuntimeValue, true);
  build_.emit(compare);
  Inst store = inst_of(InstructionTable::instance().find("st.u64", ignored));
  store.memory = isa::memory_op(store.match);
  store.memory.register_bits = 64;
  store.memory.address_bits = 64;
  store.src[0] = pointer;
  store.src[1] = Value::of(value);
  store.guard = {failed, true};
  build_.emit(store);
  Inst select = inst_of(InstructionTable::instance().find("selp.b32", ignored));
  const RegisterId result = code_.make(RegisterClass::kSingle);
  select.dst = Value::of(result);
  select.src[0] = Value::constant(static_cast<std::uint32_t>(error_code), false);
  select.src[1] = Value::constant(0, false);
  select.psrc[0] = {failed, false};
  build_.emit(select);
  return result;
}

void LaunchLowering::runtime_call(const isa::Call& call, const RuntimeFunction& function) {
  const std::string name(function.name);
  if (call.arguments.size() != function.arguments.size())
    build_.error("'" + name + "' takes " + std::to_string(function.arguments.size()) + " arguments; this call has " +
                 std::to_string(call.arguments.size()));
  Arguments arguments;
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const Operand& argument = call.arguments[i];
    switch (function.arguments[i]) {
      case '3':
        for (unsigned word = 0; word < 3; ++word) arguments.dimensions.push_back(dimension(argument, word));
        break;
      case 'p':
        arguments.pointer = values_.argument_value(argument, RegisterClass::kPair);
        break;
      case 'd':
        arguments.values.push_back(values_.argument_value(argument, RegisterClass::kPair));
        break;
      default:
        arguments.values.push_back(values_.argument_value(argument, RegisterClass::kSingle));
        break;
    }
  }
  if (!arguments.dimensions.empty()) {
    // The description immediately precedes the launch, so the same lanes execute both.
    const std::vector<Value>& words = arguments.dimensions;
    const Value pairs[] = {packed(words[0], words[1]), packed(words[2], words[3]), packed(words[4], words[5])};
    emit_runtime_call(RuntimeCall::kDescribe, {arguments.values[0], pairs[0], pairs[1], pairs[2]},
                      RegisterClass::kSingle);
    arguments.values.erase(arguments.values.begin());
  }
  const bool stores = !arguments.pointer.none();
  const bool wide = stores || function.result == 'd';
  RegisterId result =
      emit_runtime_call(function.call, arguments.values, wide ? RegisterClass::kPair : RegisterClass::kSingle);
  if (stores) result = store_result(result, arguments.pointer, function.error);
  values_.give_result(call, result, name);
}

}  // namespace castor::compiler
