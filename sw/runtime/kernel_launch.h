#pragma once

#include <cstddef>
#include <vector>

#include "runtime/session.h"
#include "vector_types.h"

namespace castor::runtime {

/// Parameter block of a launch: from arguments given by pointers (one per parameter, sizes from the kernel's entry), or
/// ready made in `extra`. ApiError: invalid value, for neither or both, and for a block that is too short.
[[nodiscard]] std::vector<std::byte> parameter_block(const LoadedKernel& kernel, void** arguments, void** extra);

/// Packet of a launch. If no block of that size fits, and nothing bounds the kernel, it is compiled again so that one
/// does, and a line on stderr says so. ApiError: invalid configuration, launch out of resources; the device's fault.
[[nodiscard]] gpu::KernelPacket launch_packet(Session& session, LoadedKernel& kernel, const dim3& grid,
                                              const dim3& block, std::vector<std::byte> parameters,
                                              std::size_t dynamic_shared);

/// Launches `kernel` in a stream, or adds the launch to the graph that the stream is captured into.
/// ApiError: as `launch_packet`.
void launch(Session& session, LoadedKernel& kernel, const dim3& grid, const dim3& block, void** arguments,
            std::size_t dynamic_shared, Stream& stream);
/// Launches `kernel` with a ready parameter block.
void launch_block(Session& session, LoadedKernel& kernel, const dim3& grid, const dim3& block,
                  std::vector<std::byte> parameters, std::size_t dynamic_shared, Stream& stream);

/// Thread blocks of a kernel that are resident on one SM together when a launch asks for blocks of that size.
[[nodiscard]] int resident_blocks(Session& session, LoadedKernel& kernel, int block_threads,
                                  std::size_t dynamic_shared);

/// cudaFuncSetAttribute. ApiError: invalid value.
void set_attribute(Session& session, LoadedKernel& kernel, cudaFuncAttribute attribute, int value);

/// Fills what cudaFuncGetAttributes reports: of the program that the next launch runs, if its blocks fit. The largest
/// block is the largest that does, as on the real machine, so who asks gets no spills.
void fill_attributes(Session& session, const LoadedKernel& kernel, cudaFuncAttributes& attributes);

}  // namespace castor::runtime
