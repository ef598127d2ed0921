#pragma once

#include <cstdint>
#include <string>

#include "castor/gpu/device.h"
#include "castor/gpu/machine.h"
#include "castor/isa/program.h"

namespace castor::gpu {

/// Why a machine cannot run a launch.
enum class LaunchError : std::uint8_t {
  kNone,
  kZeroDimension,     ///< a grid or block dimension is 0
  kBlockTooLarge,     ///< more threads per block, or in one dimension, than the machine or the kernel's bounds allow
  kGridTooLarge,      ///< a grid dimension beyond 2^31 - 1 (x) or 65535 (y, z)
  kRequiredBlock,     ///< differs from the kernel's .reqntid
  kTooManyRegisters,  ///< no block fits into the register file
  kTooMuchShared,     ///< static plus dynamic shared memory exceed what a block may have
  kParameterBytes,    ///< parameter block of another size than the kernel's
};

struct LaunchVerdict {
  LaunchError error = LaunchError::kNone;
  std::string message;  ///< what was asked for and what the limit is
};

/// Largest grid dimensions of any machine (vendor programming guide, compute capability 3.0 and up).
inline constexpr std::uint32_t kMaxGrid[3] = {0x7fffffff, 65535, 65535};
/// Largest block dimensions of any machine; their product is limited by sm.max_tb_threads.
inline constexpr std::uint32_t kMaxBlock[3] = {1024, 1024, 64};

/// How large a launch is.
struct LaunchSize {
  Dim3 grid;
  Dim3 block;
  std::uint32_t dynamic_shared = 0;  ///< bytes
  std::size_t parameter_bytes = 0;
};

/// Checks a launch against machine and program; has no side effect.
[[nodiscard]] LaunchVerdict check_launch(const Machine& machine, const isa::Program& program, const LaunchSize& launch);
[[nodiscard]] inline LaunchVerdict check_launch(const Machine& machine, const isa::Program& program,
                                                const KernelPacket& packet) {
  return check_launch(machine, program, {packet.grid, packet.block, packet.dynamic_shared, packet.parameters.size()});
}

/// Thread blocks of a program that fit on one SM together (docs/gpu/program.md, "Rounding"); 0 if none does.
[[nodiscard]] unsigned blocks_per_sm(const Machine& machine, const isa::Program& program, std::uint64_t threads,
                                     std::uint64_t dynamic_shared);

/// Threads of the largest block that a launch of the program may have, whole warps unless the program bounds them.
[[nodiscard]] unsigned most_threads(const Machine& machine, const isa::Program& program);

}  // namespace castor::gpu
