#pragma once

#include <cstdint>
#include <string>

#include "castor/gpu/device.h"
#include "castor/gpu/machine.h"
#include "castor/isa/program.h"

namespace castor::gpu {

/// Reason for which a machine cannot run a launch.
enum class LaunchError : std::uint8_t {
  kNone,
  kZeroDimension,       ///< a grid or block dimension is 0
  kBlockTooLarge,       ///< more threads per block, or in one dimension, than the machine or the kernel's bounds allow
  kGridTooLarge,        ///< a grid dimension beyond 2^31 - 1 (x) or 65535 (y, z)
  kRequiredBlock,       ///< block differs from the kernel's .reqntid
  kTooManyRegisters,    ///< registers of one block exceed the register file
  kTooMuchShared,       ///< static plus dynamic shared memory exceed the limit of a block
  kParameterBytes,      ///< size of the parameter block differs from the kernel's
  kNotAnswered,         ///< the kernel can reach an instruction of device-wide synchronisation that nothing answers
  kNoSwapMemory,        ///< thread blocks wait for each other, and there is no memory for those swapped out
  kTooManyBlocks,       ///< thread blocks wait for each other, and they cannot all be resident or be swapped out
  kBarrierAndLaunches,  ///< all TBs must be resident at once, and the kernel launches kernels from device code
  kSyncOptions,         ///< options of device-wide synchronisation do not fit the launch
};

/// Result of a launch check.
struct LaunchVerdict {
  LaunchError error = LaunchError::kNone;
  std::string message;  ///< requested value and limit
};

/// Largest grid dimensions of any machine (vendor programming guide, compute capability 3.0 and up).
inline constexpr std::uint32_t kMaxGrid[3] = {0x7fffffff, 65535, 65535};
/// Largest block dimensions of any machine; their product is limited by sm.max_tb_threads.
inline constexpr std::uint32_t kMaxBlock[3] = {1024, 1024, 64};

/// Dimensions and memory sizes of a launch.
struct LaunchSize {
  Dim3 grid;
  Dim3 block;
  std::uint32_t dynamic_shared = 0;  ///< bytes
  std::size_t parameter_bytes = 0;
  bool cooperative = false;
  const SyncOptions* sync = nullptr;  ///< null: the defaults
};

/// Returns whether all thread blocks of a launch must be resident at once: of a cooperative launch, and of a kernel
/// that can wait at the barrier of its grid.
[[nodiscard]] inline bool needs_all_resident(const isa::Program& program, bool cooperative) {
  return cooperative || program.reach.grid_barrier;
}

/// Returns whether thread blocks of a program meet at grid barriers or events: a hub and agents see its launches.
[[nodiscard]] bool synchronises(const isa::Program& program);
/// Returns the first instruction at which thread blocks of such a program meet, and where it is: "it can reach
/// tb.gridsync in kernel ...".
[[nodiscard]] std::string why_synchronises(const isa::Program& program);
/// Returns the same for one launch. KernelPacket::synchronises is set for programs without such instructions.
[[nodiscard]] inline bool synchronises(const isa::Program& program, const KernelPacket& packet) {
  return packet.synchronises || synchronises(program);
}
/// Returns whether thread blocks of a program can wait for each other and keep their SMs while they wait, so that all
/// of them must be resident at once.
[[nodiscard]] bool waits_resident(const Machine& machine, const isa::Program& program);

/// Checks a launch against the limits of machine and program; has no side effect.
[[nodiscard]] LaunchVerdict check_launch(const Machine& machine, const isa::Program& program, const LaunchSize& launch);
[[nodiscard]] inline LaunchVerdict check_launch(const Machine& machine, const isa::Program& program,
                                                const KernelPacket& packet) {
  return check_launch(machine, program,
                      {packet.grid, packet.block, packet.dynamic_shared, packet.parameters.size(), packet.cooperative,
                       packet.sync.get()});
}

/// Returns whether a kernel that synchronises must have the machine to itself: not all its thread blocks fit at once,
/// and a block of the machine swaps them out. The launch has passed `check_launch`.
[[nodiscard]] bool owns_machine(const Machine& machine, const isa::Program& program, const KernelPacket& packet);

/// Returns the number of thread blocks of a program that fit together on one SM (docs/gpu/program.md, "Rounding"); 0 if
/// none fits.
[[nodiscard]] unsigned blocks_per_sm(const Machine& machine, const isa::Program& program, std::uint64_t threads,
                                     std::uint64_t dynamic_shared);

/// Returns the threads of the largest block with which the program can be launched, a multiple of the warp size unless
/// the program sets a bound.
[[nodiscard]] unsigned most_threads(const Machine& machine, const isa::Program& program);

}  // namespace castor::gpu
