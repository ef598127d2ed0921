#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/session.h"

namespace castor::runtime {

/// Copy of rows between two pointers of the program; sizes and pitches in bytes.
struct CopyRequest {
  void* to = nullptr;
  const void* from = nullptr;
  std::size_t width = 0;
  std::size_t rows = 1;
  std::size_t to_pitch = 0;
  std::size_t from_pitch = 0;
  cudaMemcpyKind kind = cudaMemcpyDefault;
};

/// Returns the request for a copy of `count` bytes.
[[nodiscard]] CopyRequest linear(void* to, const void* from, std::size_t count, cudaMemcpyKind kind);
/// Returns the request for a copy of `height` rows. ApiError: invalid pitch.
[[nodiscard]] CopyRequest pitched(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                                  std::size_t width, std::size_t height, cudaMemcpyKind kind);
/// Returns the slices of a three-dimensional copy. ApiError: invalid pitch, not supported (arrays).
[[nodiscard]] std::vector<CopyRequest> slices_of(const cudaMemcpy3DParms& request);
/// Returns the device address of `count` bytes at `offset` in a variable of the program. ApiError: invalid symbol,
/// invalid value.
[[nodiscard]] void* symbol_address(Session& session, const void* symbol, std::size_t offset, std::size_t count);

/// Makes the packet of a copy. Host memory is read and written when the stream reaches the copy.
/// ApiError: invalid value (a device range that is not inside one allocation), invalid direction, the device's fault.
[[nodiscard]] gpu::Packet copy_packet(Session& session, const CopyRequest& request);

/// Copies in stream order, or adds the copy to the graph of a captured stream. A pageable source is saved at the call;
/// a pinned source is read when the copy runs. A copy to pageable memory, and every copy that is not `asynchronous`,
/// returns only when the copy is complete. ApiError: as `copy_packet`.
void copy(Session& session, const CopyRequest& request, Stream& stream, bool asynchronous);

/// Fill of rows with a pattern of 1, 2 or 4 bytes.
struct FillRequest {
  void* to = nullptr;
  std::size_t width = 0;
  std::size_t rows = 1;
  std::size_t pitch = 0;
  std::uint32_t pattern = 0;
  unsigned pattern_bytes = 1;
};
/// Makes the packet of a fill. ApiError: invalid value, invalid pitch, the device's fault.
[[nodiscard]] gpu::FillPacket fill_packet(Session& session, const FillRequest& request);
/// Fills in stream order, or adds the fill to the graph of a captured stream. ApiError: as `fill_packet`.
void fill(Session& session, const FillRequest& request, Stream& stream);

/// Allocates device memory and returns the program's pointer: a device address for heap memory, a host address for
/// managed and pinned memory. ApiError: memory allocation.
[[nodiscard]] void* allocate(Session& session, std::size_t size, gpu::AllocationKind kind);

/// Frees memory that `allocate` returned, after all work that may use it. `pointer` may be null.
/// ApiError: invalid value.
void release(Session& session, void* pointer, bool pinned);

}  // namespace castor::runtime
