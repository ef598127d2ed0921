#include "castor/gpu/sm/decoded.h"

#include <algorithm>

#include "castor/base/error.h"
#include "castor/isa/warp_context.h"

namespace castor::gpu {
namespace {

using isa::Kind;
using isa::TimingClass;

UnitPool arithmetic_pool(const Machine& machine, TimingClass timing) {
  const Machine::Units& units = machine.units;
  const UnitPool special = units.sfu > 0 ? UnitPool::kSfu : UnitPool::kSp;
  const UnitPool integer = units.integer > 0 ? UnitPool::kInt : UnitPool::kSp;
  switch (timing) {
    case TimingClass::kInt:
    case TimingClass::kIntMinMax:
    case TimingClass::kIntShift:
    case TimingClass::kIntMul:
    case TimingClass::kIntMad:
      return integer;
    case TimingClass::kPopc:
    case TimingClass::kClz:
    case TimingClass::kConvert:
      return units.convert_on_sfu ? special : integer;
    case TimingClass::kIntDiv:
    case TimingClass::kF32Div:
    case TimingClass::kF32Root:
    case TimingClass::kSpecial:
    case TimingClass::kSinCos:
    case TimingClass::kScaled:
      return special;
    case TimingClass::kF64:
    case TimingClass::kF64MinMax:
    case TimingClass::kF64Div:
    case TimingClass::kF64Root:
      if (units.dp > 0) return UnitPool::kDp;
      return units.dp_on_sfu ? special : UnitPool::kSp;
    default:
      return UnitPool::kSp;
  }
}

InstructionClass arithmetic_class(TimingClass timing) {
  switch (timing) {
    case TimingClass::kF32Add:
    case TimingClass::kF32MinMax:
    case TimingClass::kF32Mul:
    case TimingClass::kF32Fma:
      return InstructionClass::kSp;
    case TimingClass::kF32Div:
    case TimingClass::kF32Root:
    case TimingClass::kSpecial:
    case TimingClass::kSinCos:
    case TimingClass::kScaled:
      return InstructionClass::kSfu;
    case TimingClass::kF64:
    case TimingClass::kF64MinMax:
    case TimingClass::kF64Div:
    case TimingClass::kF64Root:
      return InstructionClass::kDp;
    default:
      return InstructionClass::kInt;
  }
}

InstructionClass memory_class(const isa::MemoryOp& op) {
  if (op.kind == isa::MemoryKind::kAtomic || op.kind == isa::MemoryKind::kReduction) return InstructionClass::kAtomic;
  const bool load = op.kind == isa::MemoryKind::kLoad;
  switch (op.space) {
    case isa::Space::kGlobal:
      return load ? InstructionClass::kLoadGlobal : InstructionClass::kStoreGlobal;
    case isa::Space::kShared:
      return load ? InstructionClass::kLoadShared : InstructionClass::kStoreShared;
    case isa::Space::kLocal:
      return load ? InstructionClass::kLoadLocal : InstructionClass::kStoreLocal;
    case isa::Space::kConst:
    case isa::Space::kParam:
      return InstructionClass::kLoadConstant;
    default:
      return load ? InstructionClass::kLoadGeneric : InstructionClass::kStoreGeneric;
  }
}

void decode_memory(const Machine& machine, const isa::Record& record, Decoded& decoded) {
  const isa::MemoryOp& op = record.memory;
  const bool own_unit = machine.units.mem_shared > 0 && op.space == isa::Space::kShared;
  decoded.pool = own_unit ? UnitPool::kShared : UnitPool::kMemory;
  if (record.kind == Kind::kPrefetch) {
    decoded.flags |= kReturnsData;  // the memory side reports completion although the instruction has no destination
    return;
  }
  decoded.instruction_class = memory_class(op);
  if (op.kind == isa::MemoryKind::kLoad || op.kind == isa::MemoryKind::kAtomic) decoded.flags |= kReturnsData;
  if (op.scope == isa::FenceScope::kBlock) return;
  if (op.ordering == isa::Ordering::kAcquire || op.ordering == isa::Ordering::kAcqRel) decoded.flags |= kDrainsBehind;
  if (op.ordering == isa::Ordering::kRelease || op.ordering == isa::Ordering::kAcqRel) decoded.flags |= kDrainsBefore;
}

void decode_kind(const Machine& machine, const isa::Record& record, Decoded& decoded) {
  switch (record.kind) {
    case Kind::kLane:
      decoded.pool = arithmetic_pool(machine, record.timing);
      decoded.instruction_class = arithmetic_class(record.timing);
      decoded.latency = static_cast<std::uint16_t>(unit_latency(machine, record.timing));
      decoded.interval = static_cast<std::uint16_t>(machine.timing(record.timing).interval);
      if (isa::may_read_clock(record)) decoded.flags |= kReadsClock;
      break;
    case Kind::kMemory:
    case Kind::kPrefetch:
      decode_memory(machine, record, decoded);
      break;
    case Kind::kExit:
    case Kind::kReturn:  // a return in the kernel's own frame is an exit
      decoded.flags |= kEndsDecode | kMeetsOthers;
      decoded.instruction_class = InstructionClass::kBranch;
      break;
    case Kind::kBranch:
    case Kind::kBranchIndirect:
    case Kind::kCall:
    case Kind::kCallIndirect:
      decoded.flags |= kEndsDecode;
      decoded.instruction_class = InstructionClass::kBranch;
      break;
    case Kind::kBarrier:
      decoded.instruction_class = InstructionClass::kBarrier;
      if (record.barrier.kind != isa::BarrierKind::kWarp) decoded.flags |= kMeetsOthers;
      break;
    case Kind::kSync:
      decoded.instruction_class = InstructionClass::kBarrier;
      decoded.flags |= kMeetsOthers | kSynchronises;
      break;
    case Kind::kFence:
    case Kind::kSystemCall:
    case Kind::kRuntimeCall:
    case Kind::kSleep:
      decoded.pool = UnitPool::kSync;
      decoded.instruction_class = record.kind == Kind::kFence ? InstructionClass::kSync : InstructionClass::kOther;
      break;
    case Kind::kTrap:
      decoded.flags |= kEndsDecode;
      break;
    case Kind::kBreakpoint:
    case Kind::kNop:
      break;
  }
}

Decoded decode(const Machine& machine, const isa::Record& record, const isa::RegisterUse& use) {
  Decoded decoded;
  decode_kind(machine, record, decoded);
  const auto touch = [&](unsigned reg) { decoded.registers[reg / 64] |= std::uint64_t{1} << (reg % 64); };
  for (unsigned operand = 0; operand < 4; ++operand) {
    for (unsigned i = 0; i < use.src[operand]; ++i) {
      const unsigned reg = record.src[operand] + i;
      std::uint8_t* const end = decoded.sources + decoded.source_count;
      if (std::find(decoded.sources, end, reg) != end) continue;
      CASTOR_ASSERT(decoded.source_count < Decoded::kMaxSources, "an instruction reads more than %u registers",
                    Decoded::kMaxSources);
      decoded.sources[decoded.source_count++] = static_cast<std::uint8_t>(reg);
      touch(reg);
    }
  }
  decoded.dst_count = use.dst;
  if (use.dst != 0) decoded.dst = static_cast<std::uint8_t>(record.dst);
  for (unsigned i = 0; i < use.dst; ++i) touch(record.dst + i);
  decoded.predicates = use.predicates_read | use.predicates_written;
  decoded.predicates_written = use.predicates_written;
  return decoded;
}

}  // namespace

unsigned unit_latency(const Machine& machine, TimingClass timing) {
  const unsigned latency = machine.timing(timing).latency;
  // A dependent instruction issues one tick after the write-back, so oc_cycles + 1 ticks of the issue-to-issue distance
  // are not unit latency.
  return machine.latency.from == LatencyFrom::kIssue ? latency - machine.oc_cycles - 1 : latency;
}

std::string_view name(InstructionClass instruction_class) {
  static constexpr std::array<std::string_view, kInstructionClasses> kNames = {
      "int",           "sp",           "dp",           "sfu",          "load_global", "load_shared",   "load_local",
      "load_constant", "load_generic", "store_global", "store_shared", "store_local", "store_generic", "atomic",
      "branch",        "barrier",      "sync",         "launch",       "other"};
  return kNames[static_cast<std::size_t>(instruction_class)];
}

DecodedProgram::DecodedProgram(const Machine& machine, const isa::Program& source) : program(&source) {
  code.reserve(source.code.size());
  for (std::size_t i = 0; i < source.code.size(); ++i) code.push_back(decode(machine, source.code[i], source.uses[i]));
}

}  // namespace castor::gpu
