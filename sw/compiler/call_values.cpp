#include "compiler/call_values.h"

#include <algorithm>

namespace castor::compiler {

using isa::Operand;
using isa::Type;

Value CallValues::argument_value(const Operand& operand, RegisterClass cls) {
  const Type type = cls == RegisterClass::kPair ? Type::kB64 : Type::kB32;
  if (operand.kind == Operand::Kind::kRegister &&
      build_.class_of(build_.register_of(operand)) == RegisterClass::kPredicate)
    return Value::of(build_.from_predicate(operands_.predicate(operand)));
  if (operand.kind != Operand::Kind::kVariable) return operands_.source(operand, type);
  const VariablePlace& place = variables_.place(operand.index);
  if (place.kind == VariablePlace::Kind::kPiece) {
    if (build_.class_of(place.piece) != cls) build_.error("an argument's size is not that of the parameter");
    return Value::of(place.piece);
  }
  const RegisterId value = code_.make(cls);
  const LocalBase base = place.kind == VariablePlace::Kind::kArea ? LocalBase::kArea : LocalBase::kFrame;
  const std::uint64_t size = std::min<std::uint64_t>(function_.variables[operand.index].size, 8);
  frame_.load(value, base, place.offset, size >= 8 ? 8 : size >= 4 ? 4 : size >= 2 ? 2 : 1);
  return Value::of(value);
}

void CallValues::give_result(const isa::Call& call, RegisterId result, const std::string& name) {
  if (call.results.empty()) return;
  const Operand& to = call.results[0];
  const RegisterClass cls = build_.class_of(result);
  if (to.kind == Operand::Kind::kRegister) {
    if (build_.class_of(build_.register_of(to)) != cls) build_.error("the result's size is not that of '" + name + "'");
    return build_.copy(build_.register_of(to), Value::of(result));
  }
  if (to.kind != Operand::Kind::kVariable) return;
  const VariablePlace& place = variables_.place(to.index);
  if (place.kind == VariablePlace::Kind::kPiece) {
    if (build_.class_of(place.piece) != cls) build_.error("the result's size is not that of '" + name + "'");
    build_.copy(place.piece, Value::of(result));
  } else {
    frame_.store(Value::of(result), LocalBase::kFrame, place.offset, cls == RegisterClass::kPair ? 8 : 4);
  }
}

}  // namespace castor::compiler
