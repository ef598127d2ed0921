#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/session.h"

namespace castor::runtime {

/// One copy of rows between two pointers of the program; sizes and pitches in bytes.
struct CopyRequest {
  void* to = nullptr;
  const void* from = nullptr;
  std::size_t width = 0;
  std::size_t rows = 1;
  std::size_t to_pitch = 0;
  std::size_t from_pitch = 0;
  cudaMemcpyKind kind = cudaMemcpyDefault;
};

/// A copy of `count` bytes.
[[nodiscard]] CopyRequest linear(void* to, const void* from, std::size_t count, cudaMemcpyKind kind);
/// A copy of `height` rows. ApiError: invalid pitch.
[[nodiscard]] CopyRequest pitched(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                                  std::size_t width, std::size_t height, cudaMemcpyKind kind);
/// The slices of a three-dimensional copy. ApiError: invalid pitch, not supported (arrays).
[[nodiscard]] std::vector<CopyRequest> slices_of(const cudaMemcpy3DParms& request);
/// Device address of `count` bytes at `offset` in a variable of the program. ApiError: invalid symbol, invalid value.
[[nodiscard]] void* symbol_address(Session& session, const void* symbol, std::size_t offset, std::size_t count);

/// Packet of a copy that reads and writes host memory when its stream comes to it.
/// ApiError: invalid value (a device range that is not inside one allocation), invalid direction, the device's fault.
[[nodiscard]] gpu::Packet copy_packet(Session& session, const CopyRequest& request);

/// Copies in stream order, or adds the copy to the graph that the stream is captured into. Pageable sources are
/// captured at the call, pinned ones read when the copy runs; a copy to pageable memory, and every copy that is not
/// `asynchronous`, returns when it is done. ApiError: as `copy_packet`.
void copy(Session& session, const CopyRequest& request, Stream& stream, bool asynchronous);

/// One fill of rows with a pattern of 1, 2 or 4 bytes.
struct FillRequest {
  void* to = nullptr;
  std::size_t width = 0;
  std::size_t rows = 1;
  std::size_t pitch = 0;
  std::uint32_t pattern = 0;
  unsigned pattern_bytes = 1;
};
/// ApiError: invalid value, invalid pitch, the device's fault.
[[nodiscard]] gpu::FillPacket fill_packet(Session& session, const FillRequest& request);
/// Fills in stream order, or adds the fill to the graph that the stream is captured into. ApiError: as `fill_packet`.
void fill(Session& session, const FillRequest& request, Stream& stream);

/// Pointer for the program: device address for heap memory, host view for managed and pinned memory.
/// ApiError: memory allocation.
[[nodiscard]] void* allocate(Session& session, std::size_t size, gpu::AllocationKind kind);

/// Frees what `allocate` returned, after all work that may use it. Null is allowed.
/// ApiError: invalid value.
void release(Session& session, void* pointer, bool pinned);

}  // namespace castor::runtime
