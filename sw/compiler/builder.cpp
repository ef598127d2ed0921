#include "compiler/builder.h"

#include "castor/base/error.h"

namespace castor::compiler {

using isa::InstructionTable;
using isa::Kind;
using isa::Operand;
using isa::Space;
using isa::Type;

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

Inst inst_of(const isa::Match& match) {
  const isa::Row& row = match.row();
  Inst inst;
  inst.match = match;
  inst.kind = row.kind;
  inst.timing = row.timing;
  if (row.select != nullptr) inst.handler = row.select(match);
  if (row.immediate != nullptr) inst.imm = row.immediate(match);
  return inst;
}

void Builder::emit(Inst inst) {
  if (!inst.guard.valid()) inst.guard = guard_;
  inst.where = where_;
  code_.insts.push_back(inst);
}

void Builder::copy(RegisterId to, const Value& from) {
  Inst inst = move_inst(class_of(to));
  inst.dst = Value::of(to);
  inst.src[0] = from;
  inst.move = from.is_register();
  emit(inst);
}

void Builder::extend(RegisterId to, const Value& from, Type from_type) {
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
  Inst inst = inst_of(match);
  inst.dst = Value::of(to);
  inst.src[0] = from;
  emit(inst);
}

RegisterId Builder::carry() {
  if (carry_ == kNoRegister) carry_ = code_.make(RegisterClass::kPredicate, false);
  return carry_;
}

RegisterId Builder::register_of(const Operand& operand) const {
  CASTOR_ASSERT(operand.index < function_.registers.size(), "register %u of %zu", operand.index,
                function_.registers.size());
  return operand.index;
}

std::uint32_t Builder::new_label() {
  code_.labels.push_back(kNoIndex);
  return static_cast<std::uint32_t>(code_.labels.size() - 1);
}

void Builder::place_label(std::uint32_t label) { code_.labels[label] = static_cast<std::uint32_t>(code_.insts.size()); }

void Builder::error(const std::string& message, const std::string& hint) const {
  fail(*linked_.module, *where_, message, hint);
}

RegisterId Builder::from_predicate(const PredicateUse& predicate) {
  isa::LookupError ignored;
  Inst inst = inst_of(InstructionTable::instance().find("selp.b32", ignored));
  const RegisterId word = code_.make(RegisterClass::kSingle);
  inst.dst = Value::of(word);
  inst.src[0] = Value::constant(1, false);
  inst.src[1] = Value::constant(0, false);
  inst.psrc[0] = predicate;
  emit(inst);
  return word;
}

void Builder::to_predicate(RegisterId to, RegisterId word) {
  isa::LookupError ignored;
  Inst inst = inst_of(InstructionTable::instance().find("setp.ne.u32", ignored));
  inst.pdst[0] = to;
  inst.src[0] = Value::of(word);
  inst.src[1] = Value::constant(0, false);
  emit(inst);
}

}  // namespace castor::compiler
