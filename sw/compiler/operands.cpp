#include "compiler/operands.h"

#include <algorithm>

#include "castor/base/error.h"

namespace castor::compiler {

using isa::InstructionTable;
using isa::Operand;
using isa::Space;
using isa::Type;

Value Operands::symbol_value(const Operand& operand, bool wide) {
  const auto offset = static_cast<std::uint64_t>(operand.offset);
  if (operand.kind == Operand::Kind::kSymbol) {
    const std::string& name = linked_.module->names[operand.index];
    const auto variable = linked_.variables.find(name);
    if (variable != linked_.variables.end() && variable->second->space == Space::kShared)
      return Value::constant(linked_.shared_offsets.at(variable->second) + offset, wide);
    if (variable != linked_.variables.end() && variable->second->space == Space::kLocal)
      return Value::constant(linked_.local_offsets.at(variable->second) + offset, wide, LocalBase::kArea);
    return Value::constant(linked_.address(name, build_.where()) + offset, wide);
  }
  const VariablePlace& place = variables_.place(operand.index);
  const std::uint64_t at = place.offset + offset;
  switch (place.kind) {
    case VariablePlace::Kind::kFrame:
      return Value::constant(at, wide, LocalBase::kFrame);
    case VariablePlace::Kind::kArea:
      return Value::constant(at, wide, LocalBase::kArea);
    case VariablePlace::Kind::kKernelParameter:
    case VariablePlace::Kind::kShared:
    case VariablePlace::Kind::kDevice:
      return Value::constant(at, wide);
    default:
      build_.error("the address of '" + base::printable(function_.variables[operand.index].name) +
                   "' cannot be taken here");
  }
}

/// Emits code for the address of an object in a stack frame, which is known only at run time.
Value Operands::frame_address(const Value& offset, bool wide) {
  Value base = Value::of(code_.stack_pointer);
  isa::LookupError ignored;
  const auto make = [&](const char* spelling, RegisterClass cls, const Value& second) {
    Inst inst = inst_of(InstructionTable::instance().find(spelling, ignored));
    inst.dst = Value::of(code_.make(cls));
    inst.src[0] = base;
    inst.src[1] = second;
    build_.emit(inst);
    base = inst.dst;
  };
  if (wide) make("cvt.u64.u32", RegisterClass::kPair, {});
  make(wide ? "add.u64" : "add.u32", wide ? RegisterClass::kPair : RegisterClass::kSingle, offset);
  return base;
}

Value Operands::data(const Operand& operand, Type type) {
  const bool wide = isa::bits(type) > 32;
  switch (operand.kind) {
    case Operand::Kind::kRegister:
      return Value::of(build_.register_of(operand));
    case Operand::Kind::kImmediate:
      return Value::constant(operand.bits, wide);
    case Operand::Kind::kSpecial: {
      const RegisterId temporary = code_.make(wide ? RegisterClass::kPair : RegisterClass::kSingle);
      Inst inst = internal_inst(wide ? "$special.u64" : "$special.u32");
      inst.dst = Value::of(temporary);
      inst.imm = static_cast<std::uint64_t>(operand.special);
      build_.emit(inst);
      return Value::of(temporary);
    }
    case Operand::Kind::kVariable:
    case Operand::Kind::kSymbol: {
      const Value value = symbol_value(operand, wide);
      return code_.on_stack && value.base == LocalBase::kFrame ? frame_address(value, wide) : value;
    }
    case Operand::Kind::kNone:
      return {};
    default:
      build_.error("this operand cannot be used as a value");
  }
}

Value Operands::source(const Operand& operand, Type type) {
  const Value value = data(operand, type);
  if (!value.is_register()) return value;
  const bool wide = isa::bits(type) > 32;
  const bool pair = build_.class_of(value.reg) == RegisterClass::kPair;
  if (wide == pair) return value;
  if (wide)
    build_.error("register '" + base::printable(function_.registers[value.reg].name) +
                 "' is narrower than the operand's type ." + std::string(isa::name(type)));
  Inst inst = internal_inst("$extract.b32");
  const RegisterId low = code_.make(RegisterClass::kSingle);
  inst.dst = Value::of(low);
  inst.src[0] = value;
  build_.emit(inst);
  return Value::of(low);
}

Value Operands::part(const Operand& operand, Type type) {
  isa::LookupError ignored;
  Inst inst = inst_of(InstructionTable::instance().find(isa::is_signed(type) ? "bfe.s32" : "bfe.u32", ignored));
  inst.dst = Value::of(code_.make(RegisterClass::kSingle));
  inst.src[0] = source(operand, type);
  inst.src[1] = Value::constant(operand.part_first, false);
  inst.src[2] = Value::constant(operand.part_bits, false);
  build_.emit(inst);
  return inst.dst;
}

PredicateUse Operands::predicate(const Operand& operand) {
  PredicateUse use;
  use.negated = operand.negated;
  if (operand.kind == Operand::Kind::kRegister) {
    use.reg = build_.register_of(operand);
    if (build_.class_of(use.reg) != RegisterClass::kPredicate) build_.error("expected a predicate register");
    return use;
  }
  if (operand.kind == Operand::Kind::kNone) return use;
  if (operand.kind != Operand::Kind::kImmediate) build_.error("expected a predicate register");
  Inst inst = internal_inst("$constpred");
  use.reg = code_.make(RegisterClass::kPredicate);
  inst.pdst[0] = use.reg;
  inst.imm = operand.bits != 0 ? 1 : 0;
  build_.emit(inst);
  return use;
}

RegisterId Operands::predicate_destination(const Operand& operand) {
  if (operand.kind != Operand::Kind::kRegister) return kNoRegister;
  const RegisterId id = build_.register_of(operand);
  if (build_.class_of(id) != RegisterClass::kPredicate) build_.error("expected a predicate register");
  return id;
}

Address Operands::address(const Operand& operand, Space space) {
  Address result;
  const Operand& base = operand.kind == Operand::Kind::kAddress ? operand.elements[0] : operand;
  result.offset = operand.kind == Operand::Kind::kAddress ? static_cast<std::uint64_t>(operand.offset) : 0;
  switch (base.kind) {
    case Operand::Kind::kRegister:
      result.base = Value::of(build_.register_of(base));
      result.offset += static_cast<std::uint64_t>(base.offset);
      return result;
    case Operand::Kind::kImmediate:
      result.offset += base.bits + static_cast<std::uint64_t>(base.offset);
      return result;
    case Operand::Kind::kVariable:
    case Operand::Kind::kSymbol: {
      const Value value = symbol_value(base, true);
      result.offset += value.bits;
      result.local = value.base;
      if (space == Space::kGeneric) {
        // A variable's name stands for the address in the variable's own state space; a generic access needs the
        // generic address.
        Space own = Space::kGlobal;
        if (base.kind == Operand::Kind::kVariable) {
          own = function_.variables[base.index].space;
        } else {
          const auto variable = linked_.variables.find(linked_.module->names[base.index]);
          if (variable != linked_.variables.end()) own = variable->second->space;
        }
        if (own == Space::kShared) result.offset += isa::kSharedWindow;
        if (own == Space::kLocal) {
          // A frame on the stack has no fixed address, and its generic address takes 64 bits.
          if (code_.on_stack && value.base == LocalBase::kFrame) {
            result.base = frame_address(value, true);
            result.offset -= value.bits;
            result.local = LocalBase::kNone;
          }
          result.offset += isa::kLocalWindow;
        }
      }
      return result;
    }
    default:
      build_.error("this operand cannot be used as an address");
  }
}

void Operands::vector(const Operand& operand, Type type, bool destination, Inst& inst, std::vector<Inst>& after) {
  inst.vector = destination ? VectorOperand::kDestination : VectorOperand::kSource1;
  inst.element_count = static_cast<std::uint8_t>(operand.elements.size());
  if (operand.elements.size() > inst.elements.size())
    build_.error("vectors of more than four elements are not supported");
  bool pair = isa::bits(type) > 32;
  for (const Operand& element : operand.elements)
    if (element.kind == Operand::Kind::kRegister &&
        build_.class_of(build_.register_of(element)) == RegisterClass::kPair)
      pair = true;
  const RegisterClass cls = pair ? RegisterClass::kPair : RegisterClass::kSingle;
  for (std::size_t i = 0; i < operand.elements.size(); ++i) {
    const Operand& element = operand.elements[i];
    if (element.kind == Operand::Kind::kRegister && build_.class_of(build_.register_of(element)) == cls) {
      const RegisterId id = build_.register_of(element);
      // A register may occur only once in a vector; copies fill its further positions.
      if (std::find(inst.elements.begin(), inst.elements.begin() + i, id) == inst.elements.begin() + i) {
        inst.elements[i] = id;
        continue;
      }
    }
    const RegisterId temporary = code_.make(cls);
    inst.elements[i] = temporary;
    if (!destination) {
      if (element.kind == Operand::Kind::kRegister && build_.class_of(build_.register_of(element)) != cls)
        build_.extend(temporary, Value::of(build_.register_of(element)), Type::kU32);
      else
        build_.copy(temporary, data(element, pair ? Type::kB64 : Type::kB32));
    } else if (element.kind == Operand::Kind::kRegister) {
      const RegisterId to = build_.register_of(element);
      if (build_.class_of(to) != cls && isa::bits(type) > 32)
        build_.error("an element's register is narrower than the access");
      Inst move = build_.class_of(to) == cls ? move_inst(cls) : internal_inst("$extract.b32");
      move.dst = Value::of(to);
      move.src[0] = Value::of(temporary);
      after.push_back(move);
    }
  }
  inst.memory.register_bits = pair ? 64 : 32;
}

}  // namespace castor::compiler
