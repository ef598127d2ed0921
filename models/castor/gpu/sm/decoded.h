#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "castor/gpu/machine.h"
#include "castor/isa/program.h"

namespace castor::gpu {

/// Units that an instruction competes for, in the order in which the instructions of a tick commit (docs/gpu/sm.md,
/// "Commit order"). Control instructions need no unit; kSync is the part of them that waits (fence, call into the
/// runtime, sleep), an issue class of its own on machines that issue one instruction per class.
enum class UnitPool : std::uint8_t { kMemory, kShared, kSfu, kDp, kInt, kSp, kControl, kSync, kCount };
inline constexpr std::size_t kUnitPools = static_cast<std::size_t>(UnitPool::kCount);
/// Pools with units.
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

enum DecodedFlag : std::uint8_t {
  kEndsDecode = 1,    ///< control transfer or exit: nothing behind it is fetched before it has issued
  kMeetsOthers = 2,   ///< barrier of the block or exit: needs the issue policy's consent
  kDrainsBefore = 4,  ///< release: waits for the warp's older accesses
  kDrainsBehind = 8,  ///< acquire: the warp waits for it, then older L1 lines are absent
  kReadsClock = 16,   ///< may read %clock or %globaltimer
  kReturnsData = 32,  ///< load, atomic with result or prefetch: completed by the memory side
};

/// Ticks from dispatch to write-back of a class that has units.
[[nodiscard]] unsigned unit_latency(const Machine& machine, isa::TimingClass timing);

/// What timing needs to know of one record on one machine; 64 bytes, indexed as the program's code.
struct alignas(64) Decoded {
  static constexpr unsigned kMaxSources = 14;
  std::uint64_t registers[4] = {};  ///< bit per register that is read or written
  std::uint8_t predicates = 0;      ///< bit per predicate that is read or written
  std::uint8_t predicates_written = 0;
  std::uint8_t dst = 0, dst_count = 0;  ///< registers written
  UnitPool pool = UnitPool::kControl;
  std::uint8_t flags = 0;
  InstructionClass instruction_class = InstructionClass::kOther;
  std::uint8_t source_count = 0;
  std::uint16_t latency = 0, interval = 1;
  std::uint8_t sources[kMaxSources] = {};  ///< distinct registers read, in operand order
};
static_assert(sizeof(Decoded) == 64);

/// A program as one machine runs it.
struct DecodedProgram {
  DecodedProgram(const Machine& machine, const isa::Program& program);

  const isa::Program* program;
  std::vector<Decoded> code;
};

}  // namespace castor::gpu
