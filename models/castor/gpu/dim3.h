#pragma once

#include <cstdint>

namespace castor::gpu {

/// Extent of a grid or block in three dimensions, or an index in one.
struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;
  [[nodiscard]] std::uint64_t count() const { return std::uint64_t{x} * y * z; }
};

}  // namespace castor::gpu
