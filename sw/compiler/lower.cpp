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
using isa::Variable;

namespace {

RegisterClass class_for(Type type) {
  if (type == Type::kPred) return RegisterClass::kPredicate;
  return isa::bits(type) > 32 ? RegisterClass::kPair : RegisterClass::kSingle;
}

}  // namespace

Lowering::Lowering(const Linked& linked, std::uint32_t index)
    : linked_(linked),
      function_(*linked.functions[index].function),
      build_(linked, function_, code_),
      frame_(build_, code_),
      variables_(linked, linked.functions[index], build_, frame_, code_),
      operands_(linked, function_, variables_, build_, code_),
      moves_(operands_, build_, code_),
      calls_(linked, linked.functions[index], variables_, operands_, frame_, build_, code_) {
  code_.module = linked.module;
  code_.function = &function_;
  code_.kernel = index == 0;
  code_.on_stack = linked.functions[index].on_stack;
}

Code Lowering::run() {
  code_.registers.reserve(function_.registers.size() * 2);
  for (const isa::VirtualRegister& r : function_.registers) code_.make(class_for(r.type), false);
  code_.labels.assign(function_.labels.size(), kNoIndex);
  for (const isa::BranchTable& table : function_.tables) code_.tables.push_back(table.labels);
  code_.insts.reserve(function_.body.size() * 5 / 4 + 16);
  if (!code_.kernel) return_label_ = build_.new_label();
  variables_.scan_parameters();
  if (linked_.uses_stack) frame_.enter();
  variables_.place_variables();

  std::vector<std::pair<std::uint32_t, std::uint32_t>> labels;  // position, label
  for (std::uint32_t i = 0; i < function_.labels.size(); ++i) labels.emplace_back(function_.labels[i].position, i);
  std::sort(labels.begin(), labels.end());
  auto next_label = labels.begin();
  for (std::uint32_t i = 0; i < function_.body.size(); ++i) {
    for (; next_label != labels.end() && next_label->first <= i; ++next_label) build_.place_label(next_label->second);
    instruction(function_.body[i]);
  }
  for (; next_label != labels.end(); ++next_label) build_.place_label(next_label->second);
  // Execution that reaches the end of the body returns.
  build_.clear_guard();
  if (!code_.kernel) {
    build_.place_label(return_label_);
    calls_.return_results();
    if (code_.stack_pointer != kNoRegister) frame_.leave();
  }
  isa::LookupError ignored;
  Inst ret;
  ret.match = InstructionTable::instance().find("ret", ignored);
  ret.kind = Kind::kReturn;
  ret.timing = isa::TimingClass::kBranch;
  ret.ends = true;
  build_.emit(ret);
  return std::move(code_);
}

void Lowering::instruction(const Instruction& in) {
  build_.begin(in);
  const isa::Row& row = in.match.row();
  switch (row.kind) {
    case Kind::kBranch:
    case Kind::kBranchIndirect:
      return branch(in);
    case Kind::kCall:
    case Kind::kCallIndirect:
      return calls_.call(in);
    case Kind::kReturn:
      if (!code_.kernel) {
        isa::LookupError ignored;
        Inst inst;
        inst.match = InstructionTable::instance().find("bra", ignored);
        inst.kind = Kind::kBranch;
        inst.timing = isa::TimingClass::kBranch;
        inst.target = return_label_;
        return build_.emit(inst);
      }
      [[fallthrough]];
    case Kind::kExit:
    case Kind::kTrap: {
      Inst inst = inst_of(in.match);
      inst.ends = !build_.guard().valid();
      return build_.emit(inst);
    }
    default:
      break;
  }
  if (row.opcode == "mov") return moves_.move(in);
  if (row.opcode == "cvta" && moves_.convert_address(in)) return;
  generic(in);
}

void Lowering::branch(const Instruction& in) {
  Inst inst = inst_of(in.match);
  inst.uniform = in.match.has("uni");
  if (inst.kind == Kind::kBranch) {
    inst.target = in.operands[0].index;
  } else {
    inst.src[0] = operands_.source(in.operands[0], Type::kU32);
    inst.target = in.operands[1].index;
  }
  build_.emit(inst);
}

void Lowering::generic(const Instruction& in) {
  const isa::Row& row = in.match.row();
  Inst inst = inst_of(in.match);
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
        inst.pdst.at(predicates_written++) = operands_.predicate_destination(operand);
      else
        inst.psrc.at(predicates_read++) = operands_.predicate(operand);
    } else if (spec.shape == OperandShape::kImmediate) {
      if (immediates < 2) inst.imm |= (operand.bits & 0xffffffffu) << (32 * immediates);
      ++immediates;
    } else if (spec.shape == OperandShape::kAddress) {
      const Address where = operands_.address(operand, inst.memory.space);
      if (where.base.is_register() && build_.class_of(where.base.reg) == RegisterClass::kSingle)
        inst.memory.address_bits = 32;
      inst.src.at(sources++) = where.base;
      inst.imm = where.offset;
      inst.imm_base = where.local;
    } else if (spec.shape == OperandShape::kVector && operand.kind == Operand::Kind::kList) {
      operands_.vector(operand, type, spec.destination, inst, after);
      if (!spec.destination) ++sources;
    } else if (spec.destination) {
      const bool wide = isa::bits(type) > 32;
      if (operand.kind != Operand::Kind::kRegister) {
        inst.dst = Value::of(code_.make(wide ? RegisterClass::kPair : RegisterClass::kSingle));
      } else {
        const RegisterId dst = build_.register_of(operand);
        const bool pair = build_.class_of(dst) == RegisterClass::kPair;
        inst.dst = Value::of(dst);
        if (wide && !pair)
          build_.error("destination register '" + base::printable(function_.registers[dst].name) +
                       "' is narrower than the type ." + std::string(isa::name(type)));
        if (memory && plain) {
          inst.memory.register_bits = pair ? 64 : 32;
        } else if (pair && !wide) {
          const RegisterId low = code_.make(RegisterClass::kSingle);
          inst.dst = Value::of(low);
          isa::LookupError ignored;
          Inst widen =
              inst_of(InstructionTable::instance().find(isa::is_signed(type) ? "cvt.s64.s32" : "cvt.u64.u32", ignored));
          widen.dst = Value::of(dst);
          widen.src[0] = Value::of(low);
          after.push_back(widen);
        }
      }
    } else if (memory && plain) {
      const Value value = operands_.data(operand, type);
      inst.src.at(sources++) = value;
      if (value.is_register()) inst.memory.register_bits = build_.class_of(value.reg) == RegisterClass::kPair ? 64 : 32;
      if (value.is_register() && isa::bits(type) > inst.memory.register_bits)
        build_.error("register '" + base::printable(function_.registers[value.reg].name) +
                     "' is narrower than the type ." + std::string(isa::name(type)));
    } else {
      inst.src.at(sources++) = operand.part_bits != 0 ? operands_.part(operand, type) : operands_.source(operand, type);
    }
    if (spec.second_predicate) {
      const Operand& second = next();
      inst.pdst.at(predicates_written++) = operands_.predicate_destination(second);
    }
  }
  const auto carry_use = static_cast<unsigned>(row.carry);
  if ((carry_use & static_cast<unsigned>(isa::CarryUse::kReads)) != 0)
    inst.psrc.at(predicates_read++) = {build_.carry(), false};
  if ((carry_use & static_cast<unsigned>(isa::CarryUse::kWrites)) != 0)
    inst.pdst.at(predicates_written++) = build_.carry();
  build_.emit(inst);
  for (const Inst& extra : after) build_.emit(extra);
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
  const VariablePlace& place = variables_.place(address->elements[0].index);
  const Variable& variable = function_.variables[address->elements[0].index];
  if (place.kind == VariablePlace::Kind::kKernelParameter) {
    if (!load) build_.error("the parameters of a kernel cannot be written");
    return false;
  }
  if (place.kind == VariablePlace::Kind::kFrame || place.kind == VariablePlace::Kind::kArea) {
    inst.memory.space = Space::kLocal;
    return false;
  }
  if (place.kind != VariablePlace::Kind::kPiece)
    build_.error("'" + base::printable(variable.name) + "' is not a parameter that can be accessed here");
  const Operand& one = value->kind == Operand::Kind::kList && value->elements.size() == 1 ? value->elements[0] : *value;
  const Type type = inst.memory.type;
  if (!load) {
    const Value from = operands_.source(one, isa::bits(type) > 32 ? Type::kB64 : Type::kB32);
    build_.copy(place.piece, from);
    return true;
  }
  if (one.kind != Operand::Kind::kRegister) return true;
  const RegisterId to = build_.register_of(one);
  if (isa::bits(type) > 32 && build_.class_of(to) != RegisterClass::kPair)
    build_.error("the destination register is too narrow");
  build_.extend(to, Value::of(place.piece), type);
  return true;
}

}  // namespace castor::compiler
