#pragma once

#include <cstddef>
#include <vector>

#include "runtime/session.h"
#include "vector_types.h"

namespace castor::runtime {

/// Returns the parameter block of a launch. The arguments are given by pointers (one per parameter, sizes from the
/// kernel's entry), or as a ready-made block in `extra`. ApiError: invalid value, if neither or both are given, or if
/// the block is too short.
[[nodiscard]] std::vector<std::byte> parameter_block(const LoadedKernel& kernel, void** arguments, void** extra);

/// Grid, block and dynamic shared memory of a launch, and whether it is cooperative.
struct LaunchForm {
  dim3 grid;
  dim3 block;
  std::size_t dynamic_shared = 0;  ///< bytes
  bool cooperative = false;
};

/// Makes the packet of a launch. If no block of this size fits an SM, and neither the source nor the user limits
/// registers, the kernel is compiled again with fewer registers. A line on stderr reports the recompilation. ApiError:
/// invalid configuration, launch out of resources, cooperative launch too large; the device's fault.
[[nodiscard]] gpu::KernelPacket launch_packet(Session& session, LoadedKernel& kernel, const LaunchForm& form,
                                              std::vector<std::byte> parameters);

/// Launches `kernel` in a stream, or adds the launch to the graph that the stream is captured into.
/// ApiError: as `launch_packet`.
void launch(Session& session, LoadedKernel& kernel, const LaunchForm& form, void** arguments, Stream& stream);
/// Launches `kernel` with a ready-made parameter block.
void launch_block(Session& session, LoadedKernel& kernel, const LaunchForm& form, std::vector<std::byte> parameters,
                  Stream& stream);

/// Returns whether launch attributes make a launch cooperative. Attributes that have no effect here are accepted.
/// ApiError: not supported, for other attributes and for clusters of several thread blocks; invalid value.
[[nodiscard]] bool is_cooperative(const cudaLaunchAttribute* attributes, unsigned count);

/// Returns the number of thread blocks of `block_threads` threads that are resident on one SM together.
[[nodiscard]] int resident_blocks(Session& session, LoadedKernel& kernel, int block_threads,
                                  std::size_t dynamic_shared);

/// Sets an attribute of a kernel (cudaFuncSetAttribute). ApiError: invalid value.
void set_attribute(Session& session, LoadedKernel& kernel, cudaFuncAttribute attribute, int value);

/// Fills the attributes that cudaFuncGetAttributes reports, for the program of the next launch. maxThreadsPerBlock is
/// the largest block that fits this program, as on a real GPU, so a launch of that size needs no compilation with
/// spills.
void fill_attributes(Session& session, const LoadedKernel& kernel, cudaFuncAttributes& attributes);

}  // namespace castor::runtime
