#include "compiler/move_lowering.h"

#include <algorithm>

namespace castor::compiler {

using isa::Instruction;
using isa::InstructionTable;
using isa::Operand;
using isa::OperandShape;
using isa::Type;

void MoveLowering::move(const Instruction& in) {
  const Operand& to = in.operands[0];
  const Operand& from = in.operands[1];
  const Type type =
      in.match.row().specs[0].shape == OperandShape::kPredicate ? Type::kPred : in.match.type(in.match.row().specs[0]);
  if (type == Type::kPred) return move_predicate(in);
  if (in.match.row().specs[0].shape == OperandShape::kVector) return move_vector(in);
  const unsigned width = isa::bits(type);
  if (to.kind == Operand::Kind::kList) return unpack(in, width);
  if (to.kind != Operand::Kind::kRegister) return;
  if (from.kind == Operand::Kind::kList) return pack(in, width);
  const RegisterId dst = build_.register_of(to);
  const bool wide = width > 32;
  if ((build_.class_of(dst) == RegisterClass::kPair) != wide) {
    if (wide) build_.error("the destination register is narrower than the type");
    return build_.extend(dst, operands_.source(from, type), Type::kU32);
  }
  if (from.kind == Operand::Kind::kSpecial) {
    Inst inst = internal_inst(wide ? "$special.u64" : "$special.u32");
    inst.dst = Value::of(dst);
    inst.imm = static_cast<std::uint64_t>(from.special);
    return build_.emit(inst);
  }
  build_.copy(dst, operands_.source(from, type));
  code_.insts.back().match = in.match;
}

void MoveLowering::move_vector(const Instruction& in) {
  const Type type = in.match.type(in.match.row().specs[0]);
  const auto& to = in.operands[0].elements;
  const auto& from = in.operands[1].elements;
  const RegisterClass cls = isa::bits(type) > 32 ? RegisterClass::kPair : RegisterClass::kSingle;
  // All elements are read before any is written.
  std::vector<Value> values;
  for (const Operand& element : from) {
    Value value = operands_.source(element, type);
    const bool written = value.is_register() && std::any_of(to.begin(), to.end(), [&](const Operand& o) {
                           return o.kind == Operand::Kind::kRegister && build_.register_of(o) == value.reg;
                         });
    if (written) {
      const RegisterId saved = code_.make(cls);
      build_.copy(saved, value);
      value = Value::of(saved);
    }
    values.push_back(value);
  }
  for (std::size_t i = 0; i < to.size(); ++i)
    if (to[i].kind == Operand::Kind::kRegister) build_.copy(build_.register_of(to[i]), values[i]);
}

void MoveLowering::move_predicate(const Instruction& in) {
  const RegisterId dst = operands_.predicate_destination(in.operands[0]);
  if (dst == kNoRegister) return;
  const Operand& from = in.operands[1];
  if (from.kind == Operand::Kind::kImmediate) {
    Inst inst = internal_inst("$constpred");
    inst.pdst[0] = dst;
    inst.imm = from.bits != 0 ? 1 : 0;
    return build_.emit(inst);
  }
  Inst inst = move_inst(RegisterClass::kPredicate);
  inst.match = in.match;
  inst.pdst[0] = dst;
  inst.psrc[0] = operands_.predicate(from);
  inst.move = !inst.psrc[0].negated;
  build_.emit(inst);
}

void MoveLowering::pack(const Instruction& in, unsigned width) {
  const RegisterId dst = build_.register_of(in.operands[0]);
  const auto& parts = in.operands[1].elements;
  const unsigned part = width / static_cast<unsigned>(parts.size());
  if ((build_.class_of(dst) == RegisterClass::kPair) != (width == 64))
    build_.error("the destination's width does not fit the type");
  std::string spelling = parts.size() == 4 ? "$pack4.b" : "$pack.b";
  spelling += std::to_string(width);
  if (!((parts.size() == 2 && (width == 16 || width == 32 || width == 64)) ||
        (parts.size() == 4 && (width == 32 || width == 64))))
    build_.error("a list of " + std::to_string(parts.size()) + " elements cannot make a value of " +
                 std::to_string(width) + " bits");
  Inst inst = internal_inst(spelling);
  inst.dst = Value::of(dst);
  for (std::size_t i = 0; i < parts.size(); ++i)
    inst.src[i] = operands_.source(parts[i], part == 8 ? Type::kB8 : part == 16 ? Type::kB16 : Type::kB32);
  build_.emit(inst);
}

void MoveLowering::unpack(const Instruction& in, unsigned width) {
  const auto& parts = in.operands[0].elements;
  const unsigned part = width / static_cast<unsigned>(parts.size());
  if (part != 8 && part != 16 && part != 32)
    build_.error("a value of " + std::to_string(width) + " bits cannot be taken apart into " +
                 std::to_string(parts.size()));
  Value from = operands_.source(in.operands[1], width == 64 ? Type::kB64 : Type::kB32);
  if (from.is_register()) {
    // An element may be the source's own register. The source is then copied first, so that it is read before it is
    // overwritten.
    const bool overwritten = std::any_of(parts.begin(), parts.end(), [&](const Operand& o) {
      return o.kind == Operand::Kind::kRegister && build_.register_of(o) == from.reg;
    });
    if (overwritten) {
      const RegisterId saved = code_.make(build_.class_of(from.reg));
      build_.copy(saved, from);
      from = Value::of(saved);
    }
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].kind != Operand::Kind::kRegister) continue;
    const RegisterId to = build_.register_of(parts[i]);
    std::string spelling = "$extract.b";
    spelling += std::to_string(part);
    if (width == 64 && part != 32) spelling += 'w';
    Inst inst = internal_inst(spelling);
    RegisterId target = to;
    if (build_.class_of(to) == RegisterClass::kPair) target = code_.make(RegisterClass::kSingle);
    inst.dst = Value::of(target);
    inst.src[0] = from;
    inst.imm = part * i;
    build_.emit(inst);
    if (target != to)
      build_.extend(to, Value::of(target), part == 8 ? Type::kU8 : part == 16 ? Type::kU16 : Type::kU32);
  }
}

bool MoveLowering::convert_address(const Instruction& in) {
  if (in.operands[0].kind != Operand::Kind::kRegister) return false;
  const RegisterId dst = build_.register_of(in.operands[0]);
  const bool wide = build_.class_of(dst) == RegisterClass::kPair;
  const Type type = wide ? Type::kB64 : Type::kB32;
  if (in.match.has("global") || in.match.has("const")) {
    // The generic address of a global or constant variable equals its own address.
    build_.copy(dst, operands_.source(in.operands[1], type));
    code_.insts.back().match = in.match;
    return true;
  }
  if (!in.match.has("param") && !in.match.has("param::entry")) return false;
  if (!wide) build_.error("addresses of parameters have 64 bits");
  const RegisterId base = code_.make(RegisterClass::kPair);
  const Value from = operands_.source(in.operands[1], type);
  if (code_.kernel) {
    Inst inst = internal_inst("$special.u64");
    inst.dst = Value::of(base);
    inst.imm = static_cast<std::uint64_t>(isa::SpecialRegister::kParameterBase);
    build_.emit(inst);
  } else {
    build_.copy(base, Value::constant(isa::kLocalWindow, true));
  }
  isa::LookupError ignored;
  Inst inst = inst_of(InstructionTable::instance().find(in.match.has("to") ? "sub.s64" : "add.s64", ignored));
  inst.dst = Value::of(dst);
  inst.src[0] = from;
  inst.src[1] = Value::of(base);
  build_.emit(inst);
  return true;
}

}  // namespace castor::compiler
