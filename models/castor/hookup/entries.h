#pragma once

#include <cstddef>
#include <cstdint>

#include "castor/gpu/dim3.h"
#include "castor/gpu/hooks/hook.h"

/// Conversions of kernel table entries and grids between the GPU's hooks and ports of blocks.
namespace castor::hookup {

/// Returns a mask of kernel table entries as a port. Bits is twin::Bits; all entries in `mask` must be below its width.
template <class Bits>
[[nodiscard]] Bits port_of(const gpu::KdMask& mask) {
  Bits bits;
  for (std::size_t entry = mask._Find_first(); entry < mask.size(); entry = mask._Find_next(entry)) {
    bits.set(static_cast<unsigned>(entry));
  }
  return bits;
}
/// Returns a port's mask of kernel table entries for a hook.
template <class Bits>
[[nodiscard]] gpu::KdMask mask_of(const Bits& bits) {
  gpu::KdMask mask;
  for (unsigned word = 0; word < Bits::kWords; ++word) {
    for (std::uint64_t left = bits.word(word); left != 0; left &= left - 1) {
      mask[word * 64 + static_cast<unsigned>(__builtin_ctzll(left))] = true;
    }
  }
  return mask;
}

/// Returns the number of thread blocks in each dimension as a port: {z 16, y 16, x 32}.
[[nodiscard]] inline std::uint64_t port_of(const gpu::Dim3& grid) {
  return std::uint64_t{grid.z} << 48U | std::uint64_t{grid.y} << 32U | grid.x;
}
[[nodiscard]] inline gpu::Dim3 grid_of(std::uint64_t port) {
  return {static_cast<std::uint32_t>(port), static_cast<std::uint32_t>(port >> 32U & 0xffffU),
          static_cast<std::uint32_t>(port >> 48U)};
}

}  // namespace castor::hookup
