#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "castor/isa/instruction_table.h"
#include "castor/isa/module.h"
#include "castor/isa/record.h"
#include "castor/isa/types.h"

/// Intermediate representation of a function: instructions similar to records, over virtual registers, in basic blocks.
/// Internal to the compiler.
namespace castor::compiler {

/// Largest number of 32-bit registers of a thread.
inline constexpr unsigned kMaxRegisters = 256;
inline constexpr unsigned kPredicateRegisters = 8;

using RegisterId = std::uint32_t;
inline constexpr RegisterId kNoRegister = std::numeric_limits<RegisterId>::max();

/// Rounds `value` up to a multiple of `align`, which must not be 0.
[[nodiscard]] constexpr std::uint64_t align_up(std::uint64_t value, std::uint64_t align) {
  return (value + align - 1) / align * align;
}

/// Storage class of a virtual register: one predicate, one 32-bit register, or an aligned pair.
enum class RegisterClass : std::uint8_t { kPredicate, kSingle, kPair };

[[nodiscard]] constexpr unsigned units(RegisterClass c) { return c == RegisterClass::kPair ? 2 : 1; }

/// Register of a function before allocation.
struct VirtualRegister {
  RegisterClass cls = RegisterClass::kSingle;
  /// The compiler made this register, and it is read only under the guard of its definition. A guarded write therefore
  /// counts as a full write.
  bool temporary = false;
  bool unspillable = false;
  std::int16_t fixed = -1;  ///< required physical register (call arguments and results), or -1
  std::int32_t slot = -1;   ///< frame offset of the spilled value, or -1
};

/// Origin of an offset in local memory. The origins are known once all frames are laid out.
enum class LocalBase : std::uint8_t {
  kNone,
  kFrame,  ///< the function's own frame; with a frame on the call stack, an offset from the stack register
  kArea,   ///< argument area: block of the program for arguments and results passed in memory
  kStack,  ///< start of the call stack
  kSize,   ///< no origin: stands for the size of the function's stack frame
};

/// Operand of an instruction: virtual register or constant.
struct Value {
  enum class Kind : std::uint8_t { kNone, kRegister, kConstant };
  Kind kind = Kind::kNone;
  bool wide = false;                  ///< the constant has 64 bits
  LocalBase base = LocalBase::kNone;  ///< not kNone: the constant is an offset in local memory from this origin
  RegisterId reg = kNoRegister;
  std::uint64_t bits = 0;

  [[nodiscard]] bool is_register() const { return kind == Kind::kRegister; }
  [[nodiscard]] bool is_constant() const { return kind == Kind::kConstant; }
  [[nodiscard]] bool none() const { return kind == Kind::kNone; }
  [[nodiscard]] static Value of(RegisterId id) {
    Value v;
    v.kind = Kind::kRegister;
    v.reg = id;
    return v;
  }
  [[nodiscard]] static Value constant(std::uint64_t bits, bool wide, LocalBase base = LocalBase::kNone) {
    Value v;
    v.kind = Kind::kConstant;
    v.bits = wide ? bits : (bits & 0xffffffffu);
    v.wide = wide;
    v.base = base;
    return v;
  }
};

/// Predicate register as an operand or guard, possibly negated.
struct PredicateUse {
  RegisterId reg = kNoRegister;
  bool negated = false;
  [[nodiscard]] bool valid() const { return reg != kNoRegister; }
};

inline constexpr std::uint32_t kNoIndex = std::numeric_limits<std::uint32_t>::max();

/// Operand of an instruction that is the vector in Inst::elements.
enum class VectorOperand : std::uint8_t { kNone, kDestination, kSource1 };

/// Instruction over virtual registers. Its register operands are laid out as in isa::Record.
struct Inst {
  isa::Match match;  ///< spelling; invalid for instructions without one
  isa::Kind kind = isa::Kind::kNop;
  isa::TimingClass timing = isa::TimingClass::kInt;
  isa::LaneFn handler = nullptr;
  isa::MemoryOp memory{};
  isa::BarrierOp barrier{};
  std::uint64_t imm = 0;
  LocalBase imm_base = LocalBase::kNone;  ///< origin of `imm` if that is an offset in local memory
  Value dst;
  std::array<Value, 4> src;
  std::array<RegisterId, 4> elements{kNoRegister, kNoRegister, kNoRegister, kNoRegister};
  std::uint8_t element_count = 0;
  VectorOperand vector = VectorOperand::kNone;
  std::array<RegisterId, 2> pdst{kNoRegister, kNoRegister};
  std::array<PredicateUse, 2> psrc;
  PredicateUse guard;
  bool move = false;     ///< a pure copy: dst = src[0], or pdst[0] = psrc[0]
  bool ends = false;     ///< the next instruction is never reached (unguarded exit, trap, call without return)
  bool uniform = false;  ///< branch with `.uni`
  /// kBranch: index of the label, after the making of blocks number of the block; kBranchIndirect: branch table
  std::uint32_t target = kNoIndex;
  std::uint32_t call = kNoIndex;  ///< index into Code::calls; valid for kCall and kCallIndirect
  const isa::SourceLine* where = nullptr;
};

/// Set of physical registers that a call destroys, by the layout of the values written to them.
struct PhysicalSet {
  std::array<std::bitset<kMaxRegisters>, 2> registers;  ///< [0] as singles, [1] as parts of pairs
  std::uint8_t predicates = 0;

  PhysicalSet& operator|=(const PhysicalSet& other) {
    registers[0] |= other.registers[0];
    registers[1] |= other.registers[1];
    predicates |= other.predicates;
    return *this;
  }
};

/// Call instruction's details, referenced by Inst::call.
struct CallSite {
  std::vector<std::uint32_t> callees;  ///< indices of functions in the program; exactly one for a direct call
  std::vector<RegisterId> arguments;   ///< fixed registers that the call reads
  std::vector<RegisterId> results;     ///< fixed registers that the call writes
  PhysicalSet clobbers;                ///< registers that the call destroys; filled before allocation
};

/// Basic block: instructions [first, last) of Code::insts.
struct Block {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  std::vector<std::uint32_t> successors;  ///< distinct blocks; the fall-through one first
  std::vector<std::uint32_t> predecessors;
  std::uint32_t post_dominator = kNoIndex;  ///< block where divergent paths from this block's end meet, or kNoIndex
  std::uint32_t loop_depth = 0;
};

/// Function in compilation, from lowering to register allocation.
struct Code {
  const isa::Module* module = nullptr;
  const isa::Function* function = nullptr;
  bool kernel = false;
  std::vector<VirtualRegister> registers;
  std::vector<Inst> insts;
  std::vector<std::uint32_t> labels;  ///< label -> instruction; used until blocks are made
  /// branch tables: indices of labels, after the making of blocks numbers of blocks
  std::vector<std::vector<std::uint32_t>> tables;
  std::vector<Block> blocks;
  std::vector<CallSite> calls;
  std::vector<RegisterId> entry_registers;  ///< fixed registers that hold arguments at entry
  std::vector<RegisterId> exit_registers;   ///< fixed registers that hold results at `ret`
  std::uint64_t frame_bytes = 0;            ///< bytes of local memory: variables, then spills
  std::uint64_t frame_align = 1;
  std::uint64_t spill_bytes = 0;
  RegisterId stack_pointer = kNoRegister;  ///< fixed stack register; kNoRegister in programs without a call stack
  bool on_stack = false;                   ///< the function's frame is on the call stack

  // Members set by register allocation.
  std::vector<std::int16_t> physical;  ///< physical register of each virtual register, or -1
  PhysicalSet used;                    ///< registers used by this function's own instructions

  RegisterId make(RegisterClass cls, bool temporary = true) {
    VirtualRegister r;
    r.cls = cls;
    r.temporary = temporary;
    registers.push_back(r);
    return static_cast<RegisterId>(registers.size() - 1);
  }
  RegisterId make_fixed(RegisterClass cls, unsigned physical_register) {
    const RegisterId id = make(cls);
    registers[id].fixed = static_cast<std::int16_t>(physical_register);
    return id;
  }
};

/// Calls f(RegisterId&) for every register and predicate that an instruction reads, the guard included. Registers of
/// call arguments are not visited.
template <class I, class F>
void for_each_use(I& inst, F&& f) {
  for (auto& s : inst.src)
    if (s.is_register()) f(s.reg);
  if (inst.vector == VectorOperand::kSource1)
    for (unsigned i = 0; i < inst.element_count; ++i) f(inst.elements[i]);
  for (auto& p : inst.psrc)
    if (p.valid()) f(p.reg);
  if (inst.guard.valid()) f(inst.guard.reg);
}

/// Calls f(RegisterId&) for every register and predicate that an instruction writes.
template <class I, class F>
void for_each_def(I& inst, F&& f) {
  if (inst.dst.is_register()) f(inst.dst.reg);
  if (inst.vector == VectorOperand::kDestination)
    for (unsigned i = 0; i < inst.element_count; ++i) f(inst.elements[i]);
  for (auto& p : inst.pdst)
    if (p != kNoRegister) f(p);
}

}  // namespace castor::compiler
