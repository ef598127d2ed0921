#include "compiler/lower.h"

#include <algorithm>

#include "castor/base/error.h"

namespace castor::compiler {

using isa::Instruction;
using isa::InstructionTable;
using isa::Kind;
using isa::Operand;
using isa::OperandShape;
using isa::Space;
using isa::Type;

namespace {

RegisterClass class_for(Type type) {
  if (type == Type::kPred) return RegisterClass::kPredicate;
  return isa::bits(type) > 32 ? RegisterClass::kPair : RegisterClass::kSingle;
}

}  // namespace

Inst internal_inst(std::string_view spelling) {
  Inst inst;
  inst.match = InstructionTable::instance().internal(spelling);
  const isa::Row& row = inst.match.row();
  inst.kind = row.kind;
  inst.timing = row.timing;
  inst.handler = row.select(inst.match);
  return inst;
}

Inst move_inst(RegisterClass cls) {
  Inst inst = internal_inst(cls == RegisterClass::kPredicate ? "$move.pred"
                            : cls == RegisterClass::kPair    ? "$move.b64"
                                                             : "$move.b32");
  inst.move = true;
  return inst;
}

Inst local_access(bool load, RegisterClass cls, LocalBase base, std::uint64_t offset, unsigned size) {
  Inst inst;
  const Type type = size == 8 ? Type::kB64 : size == 4 ? Type::kB32 : size == 2 ? Type::kU16 : Type::kU8;
  isa::LookupError ignored;
  inst.match = InstructionTable::instance().find(
      std::string(load ? "ld.local." : "st.local.") + std::string(isa::name(type)), ignored);
  inst.kind = Kind::kMemory;
  inst.timing = load ? isa::TimingClass::kLoad : isa::TimingClass::kStore;
  inst.memory.kind = load ? isa::MemoryKind::kLoad : isa::MemoryKind::kStore;
  inst.memory.atomic = isa::AtomicOp::kAdd;
  inst.memory.space = Space::kLocal;
  inst.memory.type = type;
  inst.memory.elements = 1;
  inst.memory.cache = isa::CacheOp::kDefault;
  inst.memory.ordering = isa::Ordering::kWeak;
  inst.memory.scope = isa::FenceScope::kDevice;
  inst.memory.register_bits = cls == RegisterClass::kPair ? 64 : 32;
  inst.memory.address_bits = 64;
  inst.imm = offset;
  inst.imm_base = base;
  return inst;
}

Lowering::Lowering(const Linked& linked, std::uint32_t index)
    : linked_(linked), self_(linked.functions[index]), function_(*self_.function) {
  code_.module = linked.module;
  code_.function = &function_;
  code_.kernel = index == 0;
  code_.on_stack = self_.on_stack;
}

Code Lowering::run() {
  where_ = &function_.where;
  code_.registers.reserve(function_.registers.size() * 2);
  for (const isa::VirtualRegister& r : function_.registers) code_.make(class_for(r.type), false);
  code_.labels.assign(function_.labels.size(), kNoIndex);
  for (const isa::BranchTable& table : function_.tables) code_.tables.push_back(table.labels);
  code_.insts.reserve(function_.body.size() * 5 / 4 + 16);
  if (!code_.kernel) return_label_ = new_label();
  scan_parameters();
  if (linked_.uses_stack) enter_frame();
  place_variables();

  std::vector<std::pair<std::uint32_t, std::uint32_t>> labels;  // position, label
  for (std::uint32_t i = 0; i < function_.labels.size(); ++i) labels.emplace_back(function_.labels[i].position, i);
  std::sort(labels.begin(), labels.end());
  auto next_label = labels.begin();
  for (std::uint32_t i = 0; i < function_.body.size(); ++i) {
    for (; next_label != labels.end() && next_label->first <= i; ++next_label) place_label(next_label->second);
    instruction(function_.body[i]);
  }
  for (; next_label != labels.end(); ++next_label) place_label(next_label->second);
  // Execution that reaches the end of the body returns.
  guard_ = {};
  if (!code_.kernel) {
    place_label(return_label_);
    return_results();
    if (code_.stack_pointer != kNoRegister) leave_frame();
  }
  isa::LookupError ignored;
  Inst ret;
  ret.match = InstructionTable::instance().find("ret", ignored);
  ret.kind = Kind::kReturn;
  ret.timing = isa::TimingClass::kBranch;
  ret.ends = true;
  emit(ret);
  return std::move(code_);
}

void Lowering::error(const std::string& message, const std::string& hint) const {
  fail(*linked_.module, *where_, message, hint);
}

std::uint32_t Lowering::new_label() {
  code_.labels.push_back(kNoIndex);
  return static_cast<std::uint32_t>(code_.labels.size() - 1);
}

void Lowering::place_label(std::uint32_t label) {
  code_.labels[label] = static_cast<std::uint32_t>(code_.insts.size());
}

Inst Lowering::start(const isa::Match& match) {
  const isa::Row& row = match.row();
  Inst inst;
  inst.match = match;
  inst.kind = row.kind;
  inst.timing = row.timing;
  if (row.select != nullptr) inst.handler = row.select(match);
  if (row.immediate != nullptr) inst.imm = row.immediate(match);
  return inst;
}

Inst Lowering::internal(std::string_view spelling) { return internal_inst(spelling); }

void Lowering::emit(Inst inst) {
  if (!inst.guard.valid()) inst.guard = guard_;
  inst.where = where_;
  code_.insts.push_back(inst);
}

void Lowering::copy(RegisterId to, const Value& from) {
  Inst inst = move_inst(class_of(to));
  inst.dst = Value::of(to);
  inst.src[0] = from;
  inst.move = from.is_register();
  emit(inst);
}

void Lowering::extend(RegisterId to, const Value& from, Type from_type) {
  const bool wide = class_of(to) == RegisterClass::kPair;
  const unsigned width = isa::bits(from_type);
  if (width == (wide ? 64U : 32U)) return copy(to, from);
  const bool is_signed = isa::is_signed(from_type);
  std::string spelling = is_signed ? "cvt.s" : "cvt.u";
  spelling += wide ? "64" : "32";
  spelling += is_signed ? ".s" : ".u";
  spelling += std::to_string(width);
  isa::LookupError lookup;
  const isa::Match match = InstructionTable::instance().find(spelling, lookup);
  CASTOR_ASSERT(match.valid(), "no instruction %s: %s", spelling.c_str(), lookup.message.c_str());
  Inst inst = start(match);
  inst.dst = Value::of(to);
  inst.src[0] = from;
  emit(inst);
}

RegisterId Lowering::carry() {
  if (carry_ == kNoRegister) carry_ = code_.make(RegisterClass::kPredicate, false);
  return carry_;
}

RegisterId Lowering::register_of(const Operand& operand) {
  CASTOR_ASSERT(operand.index < function_.registers.size(), "register %u of %zu", operand.index,
                function_.registers.size());
  return operand.index;
}

Value Lowering::symbol_value(const Operand& operand, bool wide) {
  const auto offset = static_cast<std::uint64_t>(operand.offset);
  if (operand.kind == Operand::Kind::kSymbol) {
    const std::string& name = linked_.module->names[operand.index];
    const auto variable = linked_.variables.find(name);
    if (variable != linked_.variables.end() && variable->second->space == Space::kShared)
      return Value::constant(linked_.shared_offsets.at(variable->second) + offset, wide);
    if (variable != linked_.variables.end() && variable->second->space == Space::kLocal)
      return Value::constant(linked_.local_offsets.at(variable->second) + offset, wide, LocalBase::kArea);
    return Value::constant(linked_.address(name, *where_) + offset, wide);
  }
  const VariablePlace& place = places_[operand.index];
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
      error("the address of '" + base::printable(function_.variables[operand.index].name) + "' cannot be taken here");
  }
}

/// Emits code for the address of an object in a stack frame, which is known only at run time.
Value Lowering::frame_address(const Value& offset, bool wide) {
  Value base = Value::of(code_.stack_pointer);
  isa::LookupError ignored;
  const auto make = [&](const char* spelling, RegisterClass cls, const Value& second) {
    Inst inst = start(InstructionTable::instance().find(spelling, ignored));
    inst.dst = Value::of(code_.make(cls));
    inst.src[0] = base;
    inst.src[1] = second;
    emit(inst);
    base = inst.dst;
  };
  if (wide) make("cvt.u64.u32", RegisterClass::kPair, {});
  make(wide ? "add.u64" : "add.u32", wide ? RegisterClass::kPair : RegisterClass::kSingle, offset);
  return base;
}

Value Lowering::data(const Operand& operand, Type type) {
  const bool wide = isa::bits(type) > 32;
  switch (operand.kind) {
    case Operand::Kind::kRegister:
      return Value::of(register_of(operand));
    case Operand::Kind::kImmediate:
      return Value::constant(operand.bits, wide);
    case Operand::Kind::kSpecial: {
      const RegisterId temporary = code_.make(wide ? RegisterClass::kPair : RegisterClass::kSingle);
      Inst inst = internal(wide ? "$special.u64" : "$special.u32");
      inst.dst = Value::of(temporary);
      inst.imm = static_cast<std::uint64_t>(operand.special);
      emit(inst);
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
      error("this operand cannot be used as a value");
  }
}

Value Lowering::source(const Operand& operand, Type type) {
  const Value value = data(operand, type);
  if (!value.is_register()) return value;
  const bool wide = isa::bits(type) > 32;
  const bool pair = class_of(value.reg) == RegisterClass::kPair;
  if (wide == pair) return value;
  if (wide)
    error("register '" + base::printable(function_.registers[value.reg].name) +
          "' is narrower than the operand's type ." + std::string(isa::name(type)));
  Inst inst = internal("$extract.b32");
  const RegisterId low = code_.make(RegisterClass::kSingle);
  inst.dst = Value::of(low);
  inst.src[0] = value;
  emit(inst);
  return Value::of(low);
}

Value Lowering::part(const Operand& operand, Type type) {
  isa::LookupError ignored;
  Inst inst = start(InstructionTable::instance().find(isa::is_signed(type) ? "bfe.s32" : "bfe.u32", ignored));
  inst.dst = Value::of(code_.make(RegisterClass::kSingle));
  inst.src[0] = source(operand, type);
  inst.src[1] = Value::constant(operand.part_first, false);
  inst.src[2] = Value::constant(operand.part_bits, false);
  emit(inst);
  return inst.dst;
}

PredicateUse Lowering::predicate(const Operand& operand) {
  PredicateUse use;
  use.negated = operand.negated;
  if (operand.kind == Operand::Kind::kRegister) {
    use.reg = register_of(operand);
    if (class_of(use.reg) != RegisterClass::kPredicate) error("expected a predicate register");
    return use;
  }
  if (operand.kind == Operand::Kind::kNone) return use;
  if (operand.kind != Operand::Kind::kImmediate) error("expected a predicate register");
  Inst inst = internal("$constpred");
  use.reg = code_.make(RegisterClass::kPredicate);
  inst.pdst[0] = use.reg;
  inst.imm = operand.bits != 0 ? 1 : 0;
  emit(inst);
  return use;
}

RegisterId Lowering::predicate_destination(const Operand& operand) {
  if (operand.kind != Operand::Kind::kRegister) return kNoRegister;
  const RegisterId id = register_of(operand);
  if (class_of(id) != RegisterClass::kPredicate) error("expected a predicate register");
  return id;
}

Lowering::Address Lowering::address(const Operand& operand, Space space) {
  Address result;
  const Operand& base = operand.kind == Operand::Kind::kAddress ? operand.elements[0] : operand;
  result.offset = operand.kind == Operand::Kind::kAddress ? static_cast<std::uint64_t>(operand.offset) : 0;
  switch (base.kind) {
    case Operand::Kind::kRegister:
      result.base = Value::of(register_of(base));
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
      error("this operand cannot be used as an address");
  }
}

void Lowering::vector(const Operand& operand, Type type, bool destination, Inst& inst, std::vector<Inst>& after) {
  inst.vector = destination ? VectorOperand::kDestination : VectorOperand::kSource1;
  inst.element_count = static_cast<std::uint8_t>(operand.elements.size());
  if (operand.elements.size() > inst.elements.size()) error("vectors of more than four elements are not supported");
  bool pair = isa::bits(type) > 32;
  for (const Operand& element : operand.elements)
    if (element.kind == Operand::Kind::kRegister && class_of(register_of(element)) == RegisterClass::kPair) pair = true;
  const RegisterClass cls = pair ? RegisterClass::kPair : RegisterClass::kSingle;
  for (std::size_t i = 0; i < operand.elements.size(); ++i) {
    const Operand& element = operand.elements[i];
    if (element.kind == Operand::Kind::kRegister && class_of(register_of(element)) == cls) {
      const RegisterId id = register_of(element);
      // A register may occur only once in a vector; copies fill its further positions.
      if (std::find(inst.elements.begin(), inst.elements.begin() + i, id) == inst.elements.begin() + i) {
        inst.elements[i] = id;
        continue;
      }
    }
    const RegisterId temporary = code_.make(cls);
    inst.elements[i] = temporary;
    if (!destination) {
      if (element.kind == Operand::Kind::kRegister && class_of(register_of(element)) != cls)
        extend(temporary, Value::of(register_of(element)), Type::kU32);
      else
        copy(temporary, data(element, pair ? Type::kB64 : Type::kB32));
    } else if (element.kind == Operand::Kind::kRegister) {
      const RegisterId to = register_of(element);
      if (class_of(to) != cls && isa::bits(type) > 32) error("an element's register is narrower than the access");
      Inst move = class_of(to) == cls ? move_inst(cls) : internal("$extract.b32");
      move.dst = Value::of(to);
      move.src[0] = Value::of(temporary);
      after.push_back(move);
    }
  }
  inst.memory.register_bits = pair ? 64 : 32;
}

void Lowering::instruction(const Instruction& in) {
  where_ = &in.where;
  guard_ = {};
  if (in.guard) guard_ = {*in.guard, in.guard_negated};
  const isa::Row& row = in.match.row();
  switch (row.kind) {
    case Kind::kBranch:
    case Kind::kBranchIndirect:
      return branch(in);
    case Kind::kCall:
    case Kind::kCallIndirect:
      return call(in);
    case Kind::kReturn:
      if (!code_.kernel) {
        isa::LookupError ignored;
        Inst inst;
        inst.match = InstructionTable::instance().find("bra", ignored);
        inst.kind = Kind::kBranch;
        inst.timing = isa::TimingClass::kBranch;
        inst.target = return_label_;
        return emit(inst);
      }
      [[fallthrough]];
    case Kind::kExit:
    case Kind::kTrap: {
      Inst inst = start(in.match);
      inst.ends = !guard_.valid();
      return emit(inst);
    }
    default:
      break;
  }
  if (row.opcode == "mov") return move(in);
  if (row.opcode == "cvta" && convert_address(in)) return;
  generic(in);
}

void Lowering::branch(const Instruction& in) {
  Inst inst = start(in.match);
  inst.uniform = in.match.has("uni");
  if (inst.kind == Kind::kBranch) {
    inst.target = in.operands[0].index;
  } else {
    inst.src[0] = source(in.operands[0], Type::kU32);
    inst.target = in.operands[1].index;
  }
  emit(inst);
}

void Lowering::generic(const Instruction& in) {
  const isa::Row& row = in.match.row();
  Inst inst = start(in.match);
  const bool memory = inst.kind == Kind::kMemory || inst.kind == Kind::kPrefetch;
  if (memory) {
    inst.memory = isa::memory_op(in.match);
    inst.memory.register_bits = isa::bits(inst.memory.type) > 32 ? 64 : 32;
    inst.memory.address_bits = 64;
    if (inst.memory.space == Space::kParam && parameter_access(in, inst)) return;
  }
  const bool plain = inst.memory.kind == isa::MemoryKind::kLoad || inst.memory.kind == isa::MemoryKind::kStore;
  if (inst.kind == Kind::kBarrier) inst.barrier = isa::barrier_op(in.match);
  std::vector<Inst> after;
  unsigned sources = 0;
  unsigned predicates_read = 0;
  unsigned predicates_written = 0;
  unsigned immediates = 0;
  const Operand absent;
  std::size_t at = 0;
  const auto next = [&]() -> const Operand& { return at < in.operands.size() ? in.operands[at++] : absent; };
  for (const isa::OperandSpec& spec : row.specs) {
    const Operand& operand = next();
    if (memory && spec.name == "policy") continue;  // cache policies have no effect
    const Type type = spec.shape == OperandShape::kPredicate ? Type::kPred : in.match.type(spec);
    const bool is_predicate = spec.shape == OperandShape::kPredicate || type == Type::kPred;
    if (is_predicate) {
      if (spec.destination)
        inst.pdst.at(predicates_written++) = predicate_destination(operand);
      else
        inst.psrc.at(predicates_read++) = predicate(operand);
    } else if (spec.shape == OperandShape::kImmediate) {
      if (immediates < 2) inst.imm |= (operand.bits & 0xffffffffu) << (32 * immediates);
      ++immediates;
    } else if (spec.shape == OperandShape::kAddress) {
      const Address where = address(operand, inst.memory.space);
      if (where.base.is_register() && class_of(where.base.reg) == RegisterClass::kSingle) inst.memory.address_bits = 32;
      inst.src.at(sources++) = where.base;
      inst.imm = where.offset;
      inst.imm_base = where.local;
    } else if (spec.shape == OperandShape::kVector && operand.kind == Operand::Kind::kList) {
      vector(operand, type, spec.destination, inst, after);
      if (!spec.destination) ++sources;
    } else if (spec.destination) {
      const bool wide = isa::bits(type) > 32;
      if (operand.kind != Operand::Kind::kRegister) {
        inst.dst = Value::of(code_.make(wide ? RegisterClass::kPair : RegisterClass::kSingle));
      } else {
        const RegisterId dst = register_of(operand);
        const bool pair = class_of(dst) == RegisterClass::kPair;
        inst.dst = Value::of(dst);
        if (wide && !pair)
          error("destination register '" + base::printable(function_.registers[dst].name) +
                "' is narrower than the type ." + std::string(isa::name(type)));
        if (memory && plain) {
          inst.memory.register_bits = pair ? 64 : 32;
        } else if (pair && !wide) {
          const RegisterId low = code_.make(RegisterClass::kSingle);
          inst.dst = Value::of(low);
          isa::LookupError ignored;
          Inst widen =
              start(InstructionTable::instance().find(isa::is_signed(type) ? "cvt.s64.s32" : "cvt.u64.u32", ignored));
          widen.dst = Value::of(dst);
          widen.src[0] = Value::of(low);
          after.push_back(widen);
        }
      }
    } else if (memory && plain) {
      const Value value = data(operand, type);
      inst.src.at(sources++) = value;
      if (value.is_register()) inst.memory.register_bits = class_of(value.reg) == RegisterClass::kPair ? 64 : 32;
      if (value.is_register() && isa::bits(type) > inst.memory.register_bits)
        error("register '" + base::printable(function_.registers[value.reg].name) + "' is narrower than the type ." +
              std::string(isa::name(type)));
    } else {
      inst.src.at(sources++) = operand.part_bits != 0 ? part(operand, type) : source(operand, type);
    }
    if (spec.second_predicate) {
      const Operand& second = next();
      inst.pdst.at(predicates_written++) = predicate_destination(second);
    }
  }
  const auto carry_use = static_cast<unsigned>(row.carry);
  if ((carry_use & static_cast<unsigned>(isa::CarryUse::kReads)) != 0)
    inst.psrc.at(predicates_read++) = {carry(), false};
  if ((carry_use & static_cast<unsigned>(isa::CarryUse::kWrites)) != 0) inst.pdst.at(predicates_written++) = carry();
  emit(inst);
  for (const Inst& extra : after) emit(extra);
}

}  // namespace castor::compiler
