#pragma once

#include <cstddef>
#include <cstdint>

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

/// Copies in stream order. Pageable sources are captured at the call, pinned ones read when the copy runs; a copy to
/// pageable memory, and every copy that is not `asynchronous`, returns when it is done.
/// ApiError: invalid value (a device range that is not inside one allocation), invalid direction, the device's fault.
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
void fill(Session& session, const FillRequest& request, Stream& stream);

/// Pointer for the program: device address for heap memory, host view for managed and pinned memory.
/// ApiError: memory allocation.
[[nodiscard]] void* allocate(Session& session, std::size_t size, gpu::AllocationKind kind);

/// Frees what `allocate` returned, after all work that may use it. Null is allowed.
/// ApiError: invalid value.
void release(Session& session, void* pointer, bool pinned);

}  // namespace castor::runtime
