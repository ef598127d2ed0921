#pragma once

#include <cstddef>
#include <cstdint>

#include "castor/isa/sync_op.h"
#include "castor/isa/timing_class.h"
#include "castor/isa/types.h"

namespace castor::isa {

struct Record;
struct WarpContext;

/// Fault of a lane operation; the first fault of an operation is kept.
enum class LaneFault : std::uint8_t {
  kNone,
  kSyncMaskInactive,  ///< the member mask of a `.sync` operation has a live lane that is not active
  kSyncMaskSelf,      ///< an active lane is missing from its own member mask
};

/// Operands of a lane operation. Rows have `lanes` elements; the operation fixes the element width. A 64-bit row spans
/// the two registers of an aligned pair and holds contiguous 64-bit elements. 8- and 16-bit values are in the low bits
/// of 32-bit elements; the upper bits are undefined. Source and destination rows may be the same row.
struct LaneArgs {
  std::byte* dst = nullptr;              ///< destination row
  const std::byte* src[4] = {};          ///< source rows: registers or immediates
  LaneMask* predicates = nullptr;        ///< the warp's predicate registers, one mask each
  LaneMask mask = 0;                     ///< lanes that execute; only their elements are written
  unsigned halves = 1;                   ///< number of halves: lanes / 32
  const WarpContext* context = nullptr;  ///< identity, clocks and live lanes of the warp
  LaneFault fault = LaneFault::kNone;    ///< fault, set by warp-level operations
};

/// A lane operation: computes destination rows from source rows for the lanes of `args.mask`.
using LaneFn = void (*)(const Record& record, LaneArgs& args);

/// Inputs on which the result of a record can depend, apart from memory. The default is kAnything, so a new instruction
/// is never assumed to be regular.
enum class ResultOf : std::uint8_t {
  kAnything,         ///< warp identity, other lanes, clocks, anything; also for records without a result
  kOperands,         ///< only the lane's own operands: equal operand rows give equal result rows in every warp
  kSpecialRegister,  ///< the special register whose number is in `imm`
};

/// Class of a record, which decides how a machine executes it.
enum class Kind : std::uint8_t {
  kLane,            ///< calls the handler; all operations that only read and write registers
  kMemory,          ///< load, store, atomic, reduction: the three steps of memory_access.h
  kBranch,          ///< branch with target and reconvergence point; the guard is its condition
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
  kPrefetch,     ///< computes an address only, no effect on values
  kNop,
  kSync,  ///< device-wide synchronisation: imm = SyncOp; operands in src
};

/// Scope of a fence, or of the ordering of an access.
enum class FenceScope : std::uint8_t { kBlock, kDevice, kSystem };

/// System functions that device code calls and the machine implements.
enum class SystemCall : std::uint8_t {
  kPrintf,       ///< src[0] = format (generic), src[1] = packed arguments (generic), dst = int
  kMalloc,       ///< src[0] = bytes (u64), dst = generic address or 0
  kFree,         ///< src[0] = generic address
  kAssertFail,   ///< src[0] = message, src[1] = file, src[2] = line (u32), src[3] = function
  kPureVirtual,  ///< call of a pure virtual function: ends the kernel
  kRegister,     ///< access to a register of a block: src[0] = number, src[1] = 1 to write, src[2] = value (u32);
                 ///< dst = value + 2^32 x error of CUDA (u64)
};

/// Functions of CUDA's device runtime. Errors are CUDA's numbers, of type int; handles are u64. Functions that return a
/// value through a pointer return it here as their result (kNoRuntimeValue for an error); the program stores it.
enum class RuntimeCall : std::uint8_t {
  kDescribe,         ///< sets the launch description for the lane's next call: src[0] = kernel (u64), src[1] = grid x,
                     ///< y, src[2] = grid z, block x, src[3] = block y, z (u64 of two u32, first lowest)
  kBuffer,           ///< src[0] = alignment, src[1] = bytes (u64); dst = generic address or 0
  kDescribedBuffer,  ///< buffer for the described launch: src[0] = shared bytes (u32); dst = generic address or 0
  /// launches the described kernel: src[0] = buffer, src[1] = shared bytes (u32), src[2] = stream; dst = error
  kLaunch,
  kDescribedLaunch,  ///< launches the kernel that the buffer describes: src[0] = buffer, src[1] = stream; dst = error
  /// launches the described kernel's thread blocks as a group: src[0] = buffer, src[1] = shared bytes (u32); dst =
  /// error
  kLaunchGroup,
  kSynchronize,    ///< dst = error
  kStreamCreate,   ///< src[0] = flags (u32); dst = stream
  kStreamDestroy,  ///< src[0] = stream; dst = error
  kStreamWait,     ///< src[0] = stream, src[1] = event, src[2] = flags (u32); dst = error
  kEventCreate,    ///< src[0] = flags (u32); dst = event
  kEventDestroy,   ///< src[0] = event; dst = error
  kEventRecord,    ///< src[0] = event, src[1] = stream; dst = error
  kLimit,          ///< src[0] = cudaLimit (u32); dst = value (u64)
  kLastError,      ///< dst = last error, which is then cleared
  kPeekError,      ///< dst = error
  kKernelFigure,   ///< src[0] = kernel (u64), src[1] = isa::KernelFigure (u32), src[2] = threads of a block (u32),
                   ///< src[3] = dynamic shared bytes (u64); dst = value (u64)
};
[[nodiscard]] constexpr bool launches(RuntimeCall call) {
  return call == RuntimeCall::kLaunch || call == RuntimeCall::kDescribedLaunch || call == RuntimeCall::kLaunchGroup;
}
/// Whether the call refers to kernels that the program names, which must then be loaded together with the program.
[[nodiscard]] constexpr bool uses_kernels(RuntimeCall call) {
  return launches(call) || call == RuntimeCall::kKernelFigure;
}
/// Properties of a kernel that device code can query (castor_cuda/device_queries.h). Shared bytes are per block.
enum class KernelFigure : std::uint32_t {
  kSharedBytes,
  kLocalBytes,  ///< local memory bytes per thread
  kRegisters,   ///< registers per thread
  kMostThreads,
  kBlocksPerSm,  ///< resident blocks per SM, for the given threads and dynamic shared bytes per block
};
inline constexpr std::uint64_t kNoRuntimeValue = ~std::uint64_t{0};

/// Class of a memory instruction.
enum class MemoryKind : std::uint8_t { kLoad, kStore, kAtomic, kReduction };

/// Read-modify-write operations (PTX `atom`, `red`). The type of the access gives signedness and width.
enum class AtomicOp : std::uint8_t { kAdd, kMin, kMax, kAnd, kOr, kXor, kExch, kCas, kInc, kDec };

/// Cache operators. Eviction hints are accepted, but have no effect.
enum class CacheOp : std::uint8_t { kDefault, kCa, kCg, kCs, kLu, kCv, kWb, kWt, kNc };

/// Memory ordering of an access.
enum class Ordering : std::uint8_t { kWeak, kVolatile, kRelaxed, kAcquire, kRelease, kAcqRel };

/// Properties of a memory instruction that are known before it executes. 8 bytes.
struct MemoryOp {
  MemoryKind kind : 4;
  AtomicOp atomic : 4;
  Space space;
  Type type;              ///< type of one element in memory
  std::uint8_t elements;  ///< 1, 2, 4 (vectors)
  CacheOp cache;
  Ordering ordering : 4;
  FenceScope scope : 4;        ///< scope of ordering and atomicity
  std::uint8_t register_bits;  ///< width of one register element, 32 or 64; loads extend to this width by `type`
  std::uint8_t address_bits;   ///< width of the address register, 32 or 64
};
static_assert(sizeof(MemoryOp) == 8);

/// Barrier operation: sync, arrive, one of the reductions, or the barrier of a warp.
enum class BarrierKind : std::uint8_t { kSync, kArrive, kRedPopc, kRedAnd, kRedOr, kWarp };

/// Barrier operations; `kWarp` is bar.warp.sync (src[0] = member mask).
struct BarrierOp {
  BarrierKind kind;
  bool aligned;  ///< `bar.*` and `barrier.*.aligned`: all lanes of the warp must execute it together
};

/// Branch target and reconvergence PC.
struct BranchOp {
  std::uint32_t target;
  std::uint32_t reconvergence;
};

/// Reconvergence PC of paths that meet only at function return or thread exit.
inline constexpr std::uint32_t kNoPc = 0xffffffff;

/// Operand index: below kConstantOperand a register of the warp, from there on a row of the program's constants.
using OperandIndex = std::uint16_t;
inline constexpr OperandIndex kConstantOperand = 0x8000;
inline constexpr OperandIndex kNoOperand = 0xffff;

/// Absent predicate operand, in a nibble of `Record::predicate_dst`.
inline constexpr std::uint8_t kNoPredicate = 8;
/// Guard byte of an unguarded record.
inline constexpr std::uint8_t kNoGuard = 0xff;

/// One decoded instruction, 32 bytes; takes 8 bytes of PC space. Record i of a program is at PC base + 8 i.
struct Record {
  union {
    LaneFn handler = nullptr;  ///< kLane
    MemoryOp memory;           ///< kMemory, kPrefetch
    BranchOp branch;           ///< kBranch, kBranchIndirect, kCall, kCallIndirect
    BarrierOp barrier;         ///< kBarrier
  };
  std::uint64_t imm = 0;  ///< address offset, table number, or selector bits of the operation, as the instruction's row
                          ///< defines
  OperandIndex dst = kNoOperand;
  OperandIndex src[4] = {kNoOperand, kNoOperand, kNoOperand, kNoOperand};
  std::uint8_t predicate_dst = kNoPredicate | (kNoPredicate << 4);  ///< two nibbles: first and second destination
  std::uint8_t predicate_src = 0;                                   ///< two nibbles; in each, bits 0-2 index, bit 3
                                                                    ///< negated
  std::uint8_t guard = kNoGuard;  ///< bits 0-2 predicate, bit 3 negated; kNoGuard: always
  Kind kind = Kind::kNop;
  TimingClass timing = TimingClass::kInt;
  std::uint8_t flags = 0;  ///< bits of RecordFlag
};
static_assert(sizeof(Record) == 32);

/// Bits of Record::flags.
enum RecordFlag : std::uint8_t {
  kFlagUniform = 1,  ///< `.uni`: the program guarantees that all active lanes agree
};

/// Returns the value of the predicate source in nibble `which` (0 or 1) of a record.
[[nodiscard]] inline LaneMask predicate_source(const Record& record, const LaneMask* predicates, unsigned which) {
  const unsigned nibble = (record.predicate_src >> (4 * which)) & 0xf;
  const LaneMask value = predicates[nibble & 7];
  return (nibble & 8) != 0 ? ~value : value;
}

/// Writes predicate destination `which` for the lanes of `mask`; does nothing if the record has none.
inline void write_predicate(const Record& record, LaneMask* predicates, unsigned which, LaneMask value, LaneMask mask) {
  const unsigned nibble = (record.predicate_dst >> (4 * which)) & 0xf;
  if (nibble < kNoPredicate) predicates[nibble] = (predicates[nibble] & ~mask) | (value & mask);
}

/// Returns whether a thread block waits for other thread blocks at the record, and may be moved away meanwhile.
[[nodiscard]] inline bool is_sync_site(const Record& record) {
  return record.kind == Kind::kSync && (sync_bit(static_cast<SyncOp>(record.imm)) & kBlockingOps) != 0;
}

/// Returns the lanes of `active` that execute a record, that is, whose guard is true.
[[nodiscard]] inline LaneMask guarded(const Record& record, const LaneMask* predicates, LaneMask active) {
  if (record.guard == kNoGuard) return active;
  const LaneMask value = predicates[record.guard & 7];
  return active & ((record.guard & 8) != 0 ? ~value : value);
}

}  // namespace castor::isa
