#pragma once

#include <cstddef>
#include <cstdint>

#include "castor/isa/timing_class.h"
#include "castor/isa/types.h"

namespace castor::isa {

struct Record;
struct WarpContext;

/// What went wrong inside a lane operation, if anything; the first fault of an operation is kept.
enum class LaneFault : std::uint8_t {
  kNone,
  kSyncMaskInactive,  ///< a `.sync` operation names a live lane that is not active
  kSyncMaskSelf,      ///< an active lane is missing from its own member mask
};

/// Operands of a lane operation. Rows are `lanes` elements long; element width is fixed by the operation. A 64-bit row
/// spans the two registers of an aligned pair and holds contiguous 64-bit elements. 8- and 16-bit values live in the
/// low bits of 32-bit elements; the upper bits are undefined. Source and destination rows may be the same row.
struct LaneArgs {
  std::byte* dst = nullptr;              ///< destination row
  const std::byte* src[4] = {};          ///< source rows, registers and immediates alike
  LaneMask* predicates = nullptr;        ///< the warp's predicate registers, one mask each
  LaneMask mask = 0;                     ///< lanes that execute: only these are written
  unsigned halves = 1;                   ///< lanes / 32
  const WarpContext* context = nullptr;  ///< identity, clocks, live lanes
  LaneFault fault = LaneFault::kNone;    ///< set by warp-level operations
};

/// A lane operation: computes destination rows from source rows for the lanes of `args.mask`.
using LaneFn = void (*)(const Record& record, LaneArgs& args);

/// What the result of a record can depend on, memory aside. Everything that is not known to be more regular is
/// kAnything, so that a new instruction is.
enum class ResultOf : std::uint8_t {
  kAnything,         ///< the warp's identity, its other lanes, clocks, anything; also: there is no result
  kOperands,         ///< the lane's own operands alone: equal operand rows give equal result rows in every warp
  kSpecialRegister,  ///< the special register whose number is in `imm`
};

/// How a machine treats a record.
enum class Kind : std::uint8_t {
  kLane,            ///< call the handler; covers everything that only reads and writes registers
  kMemory,          ///< load, store, atomic, reduction: three steps of memory_access.h
  kBranch,          ///< target, reconvergence; guard = condition
  kBranchIndirect,  ///< brx.idx: src[0] = index, imm = table number
  kCall,            ///< target = entry of the callee
  kCallIndirect,    ///< src[0] = function value
  kReturn,
  kExit,
  kBarrier,      ///< BarrierOp in `barrier`; src[0] = id, src[1] = count (kNoOperand: all)
  kFence,        ///< imm = FenceScope
  kTrap,         ///< stops the kernel with an error
  kBreakpoint,   ///< brkpt: ignored by machines without a debugger
  kSystemCall,   ///< imm = SystemCall; arguments in src, result in dst
  kRuntimeCall,  ///< imm = RuntimeCall; arguments in src, result in dst
  kSleep,        ///< nanosleep: src[0] = ns
  kPrefetch,     ///< address only, no effect on values
  kNop,
};

enum class FenceScope : std::uint8_t { kBlock, kDevice, kSystem };

/// Functions that device code calls and the machine provides.
enum class SystemCall : std::uint8_t {
  kPrintf,       ///< src[0] = format (generic), src[1] = packed arguments (generic), dst = int
  kMalloc,       ///< src[0] = bytes (u64), dst = generic address or 0
  kFree,         ///< src[0] = generic address
  kAssertFail,   ///< src[0] = message, src[1] = file, src[2] = line (u32), src[3] = function
  kPureVirtual,  ///< ends the kernel
};

/// Functions of CUDA's device runtime. Errors are CUDA's numbers, int; handles are u64. A function that gives a value
/// back through a pointer gives it as its result here, kNoRuntimeValue for an error; the program stores it.
enum class RuntimeCall : std::uint8_t {
  kDescribe,         ///< keeps for the lane's next call: src[0] = kernel (u64), src[1] = grid x, y, src[2] = grid z,
                     ///< block x, src[3] = block y, z (u64 of two u32, first lowest)
  kBuffer,           ///< src[0] = alignment, src[1] = bytes (u64); dst = generic address or 0
  kDescribedBuffer,  ///< of the launch that is kept: src[0] = shared bytes (u32); dst = generic address or 0
  kLaunch,           ///< what is kept: src[0] = buffer, src[1] = shared bytes (u32), src[2] = stream; dst = error
  kDescribedLaunch,  ///< what the buffer knows: src[0] = buffer, src[1] = stream; dst = error
  kLaunchGroup,      ///< what is kept, as a group: src[0] = buffer, src[1] = shared bytes (u32); dst = error
  kSynchronize,      ///< dst = error
  kStreamCreate,     ///< src[0] = flags (u32); dst = stream
  kStreamDestroy,    ///< src[0] = stream; dst = error
  kStreamWait,       ///< src[0] = stream, src[1] = event, src[2] = flags (u32); dst = error
  kEventCreate,      ///< src[0] = flags (u32); dst = event
  kEventDestroy,     ///< src[0] = event; dst = error
  kEventRecord,      ///< src[0] = event, src[1] = stream; dst = error
  kLimit,            ///< src[0] = cudaLimit (u32); dst = value (u64)
  kLastError,        ///< dst = error, which is forgotten
  kPeekError,        ///< dst = error
  kKernelFigure,     ///< src[0] = kernel (u64), src[1] = isa::KernelFigure (u32), src[2] = threads of a block (u32),
                     ///< src[3] = dynamic shared bytes (u64); dst = value (u64)
};
[[nodiscard]] constexpr bool launches(RuntimeCall call) {
  return call == RuntimeCall::kLaunch || call == RuntimeCall::kDescribedLaunch || call == RuntimeCall::kLaunchGroup;
}
/// The call concerns kernels that the program names, so they have to be loaded with it.
[[nodiscard]] constexpr bool uses_kernels(RuntimeCall call) {
  return launches(call) || call == RuntimeCall::kKernelFigure;
}
/// Figures of a kernel for device code (castor_cuda/device_queries.h). Bytes are those of a block, but for local ones.
enum class KernelFigure : std::uint32_t {
  kSharedBytes,
  kLocalBytes,  ///< of a thread
  kRegisters,   ///< of a thread
  kMostThreads,
  kBlocksPerSm,  ///< for blocks of that many threads and dynamic shared bytes
};
inline constexpr std::uint64_t kNoRuntimeValue = ~std::uint64_t{0};

enum class MemoryKind : std::uint8_t { kLoad, kStore, kAtomic, kReduction };

/// Read-modify-write operations (PTX `atom`, `red`). Type decides signedness and width.
enum class AtomicOp : std::uint8_t { kAdd, kMin, kMax, kAnd, kOr, kXor, kExch, kCas, kInc, kDec };

/// Cache operators, eviction hints excluded (they are accepted and have no effect).
enum class CacheOp : std::uint8_t { kDefault, kCa, kCg, kCs, kLu, kCv, kWb, kWt, kNc };

/// Memory ordering of an access.
enum class Ordering : std::uint8_t { kWeak, kVolatile, kRelaxed, kAcquire, kRelease, kAcqRel };

/// Everything about a memory instruction that is known before it runs. 8 bytes.
struct MemoryOp {
  MemoryKind kind : 4;
  AtomicOp atomic : 4;
  Space space;
  Type type;              ///< type of one element in memory
  std::uint8_t elements;  ///< 1, 2, 4 (vectors)
  CacheOp cache;
  Ordering ordering : 4;
  FenceScope scope : 4;        ///< scope of ordering and atomicity
  std::uint8_t register_bits;  ///< width of one register element, 32 or 64; loads extend to it by `type`
  std::uint8_t address_bits;   ///< width of the address register, 32 or 64
};
static_assert(sizeof(MemoryOp) == 8);

enum class BarrierKind : std::uint8_t { kSync, kArrive, kRedPopc, kRedAnd, kRedOr, kWarp };

/// Barrier operations; `kWarp` is bar.warp.sync (src[0] = member mask).
struct BarrierOp {
  BarrierKind kind;
  bool aligned;  ///< `bar.*` and `barrier.*.aligned`: all lanes of the warp execute it together
};

/// Branch target and the PC at which its paths meet again.
struct BranchOp {
  std::uint32_t target;
  std::uint32_t reconvergence;
};

/// Instruction index that stands for "nowhere" (paths that meet only at function return or thread exit).
inline constexpr std::uint32_t kNoPc = 0xffffffff;

/// Operand indices: below kConstantOperand a register of the warp, from there on a row of the program's constants.
using OperandIndex = std::uint16_t;
inline constexpr OperandIndex kConstantOperand = 0x8000;
inline constexpr OperandIndex kNoOperand = 0xffff;

/// Predicate operand that is absent, in a nibble of `Record::predicate_dst`.
inline constexpr std::uint8_t kNoPredicate = 8;
/// Guard byte of an unguarded record.
inline constexpr std::uint8_t kNoGuard = 0xff;

/// One decoded instruction, 32 bytes; takes 8 bytes of PC space. Index i of a program is PC base + 8 i.
struct Record {
  union {
    LaneFn handler = nullptr;  ///< kLane
    MemoryOp memory;           ///< kMemory, kPrefetch
    BranchOp branch;           ///< kBranch, kBranchIndirect, kCall, kCallIndirect
    BarrierOp barrier;         ///< kBarrier
  };
  std::uint64_t imm = 0;  ///< address offset, table number, selector of the operation (its row says which)
  OperandIndex dst = kNoOperand;
  OperandIndex src[4] = {kNoOperand, kNoOperand, kNoOperand, kNoOperand};
  std::uint8_t predicate_dst = kNoPredicate | (kNoPredicate << 4);  ///< two nibbles: first, second destination
  std::uint8_t predicate_src = 0;                                   ///< two nibbles: bits 0-2 index, bit 3 negated
  std::uint8_t guard = kNoGuard;  ///< bits 0-2 predicate, bit 3 negated; kNoGuard: always
  Kind kind = Kind::kNop;
  TimingClass timing = TimingClass::kInt;
  std::uint8_t flags = 0;  ///< RecordFlag
};
static_assert(sizeof(Record) == 32);

enum RecordFlag : std::uint8_t {
  kFlagUniform = 1,  ///< `.uni`: the program promises that all active lanes agree
};

/// Value of the predicate source in nibble `which` (0 or 1) of a record.
[[nodiscard]] inline LaneMask predicate_source(const Record& record, const LaneMask* predicates, unsigned which) {
  const unsigned nibble = (record.predicate_src >> (4 * which)) & 0xf;
  const LaneMask value = predicates[nibble & 7];
  return (nibble & 8) != 0 ? ~value : value;
}

/// Writes the lanes of `mask` of predicate destination `which`; nothing if the record has none.
inline void write_predicate(const Record& record, LaneMask* predicates, unsigned which, LaneMask value, LaneMask mask) {
  const unsigned nibble = (record.predicate_dst >> (4 * which)) & 0xf;
  if (nibble < kNoPredicate) predicates[nibble] = (predicates[nibble] & ~mask) | (value & mask);
}

/// Lanes of `active` that execute a record.
[[nodiscard]] inline LaneMask guarded(const Record& record, const LaneMask* predicates, LaneMask active) {
  if (record.guard == kNoGuard) return active;
  const LaneMask value = predicates[record.guard & 7];
  return active & ((record.guard & 8) != 0 ? ~value : value);
}

}  // namespace castor::isa
