#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "castor/gpu/machine.h"
#include "castor/isa/program.h"

namespace castor::gpu {

/// Unit pools: execution units that an instruction competes for, in the order in which the instructions of a tick
/// commit (docs/gpu/sm.md, "Commit order"). Control instructions (kControl, kSync) need no unit. kSync holds the
/// control instructions that wait: fence, call into the runtime, sleep. It is an issue class of its own on machines
/// that issue one instruction per class.
enum class UnitPool : std::uint8_t { kMemory, kShared, kSfu, kDp, kInt, kSp, kControl, kSync, kCount };
inline constexpr std::size_t kUnitPools = static_cast<std::size_t>(UnitPool::kCount);
/// Number of pools that have units.
inline constexpr std::size_t kRealPools = static_cast<std::size_t>(UnitPool::kControl);

/// Classes of the instruction statistics.
enum class InstructionClass : std::uint8_t {
  kInt,
  kSp,
  kDp,
  kSfu,
  kLoadGlobal,
  kLoadShared,
  kLoadLocal,
  kLoadConstant,
  kLoadGeneric,
  kStoreGlobal,
  kStoreShared,
  kStoreLocal,
  kStoreGeneric,
  kAtomic,
  kBranch,
  kBarrier,
  kSync,
  kLaunch,
  kOther,
  kCount
};
inline constexpr std::size_t kInstructionClasses = static_cast<std::size_t>(InstructionClass::kCount);
[[nodiscard]] std::string_view name(InstructionClass instruction_class);

/// Flags of a decoded record.
enum DecodedFlag : std::uint8_t {
  kEndsDecode = 1,     ///< control transfer or exit: no younger instruction of the warp is fetched until it has issued
  kMeetsOthers = 2,    ///< barrier, device-wide synchronisation or exit: may issue only if the issue policy permits it
  kDrainsBefore = 4,   ///< release: issues after all older accesses of the warp have completed
  kDrainsBehind = 8,   ///< acquire: blocks the warp until it completes; older lines in L1 then count as absent
  kReadsClock = 16,    ///< may read %clock or %globaltimer
  kReturnsData = 32,   ///< load, atomic with result, or prefetch: SmMemory reports its data
  kSynchronises = 64,  ///< device-wide synchronisation; never the second instruction of a pair
};

/// Returns the ticks from dispatch to write-back for a timing class that has units.
[[nodiscard]] unsigned unit_latency(const Machine& machine, isa::TimingClass timing);

/// Timing properties of one record on one machine, 64 bytes; DecodedProgram::code has one per record of the program.
struct alignas(64) Decoded {
  static constexpr unsigned kMaxSources = 14;
  std::uint64_t registers[4] = {};  ///< bit per register that is read or written
  std::uint8_t predicates = 0;      ///< bit per predicate register that is read or written
  std::uint8_t predicates_written = 0;
  std::uint8_t dst = 0, dst_count = 0;  ///< first register written, and number of registers written
  UnitPool pool = UnitPool::kControl;
  std::uint8_t flags = 0;
  InstructionClass instruction_class = InstructionClass::kOther;
  std::uint8_t source_count = 0;
  std::uint16_t latency = 0, interval = 1;
  std::uint8_t sources[kMaxSources] = {};  ///< distinct registers read, in operand order
};
static_assert(sizeof(Decoded) == 64);

/// Program decoded for one machine.
struct DecodedProgram {
  DecodedProgram(const Machine& machine, const isa::Program& program);

  const isa::Program* program;
  std::vector<Decoded> code;
};

}  // namespace castor::gpu
