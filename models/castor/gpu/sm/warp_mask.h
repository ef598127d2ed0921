#pragma once

#include "castor/gpu/hooks/hook.h"
#include "castor/isa/types.h"

namespace castor::gpu {

/// Most warp slots of an SM: the number of bits of a WarpMask.
inline constexpr unsigned kMaxWarps = 64;

[[nodiscard]] inline WarpMask warp_bit(unsigned warp) { return WarpMask{1} << warp; }

/// Returns the number of the lowest set bit of a non-empty mask of warps, lanes or thread blocks.
[[nodiscard]] inline unsigned lowest(std::uint64_t mask) { return static_cast<unsigned>(__builtin_ctzll(mask)); }

/// Returns the next warp after `last`, in cyclic order, of a non-empty mask.
[[nodiscard]] inline unsigned next_after(WarpMask mask, unsigned last) {
  const WarpMask behind = last >= 63 ? 0 : mask & (~WarpMask{0} << (last + 1));
  return lowest(behind != 0 ? behind : mask);
}

/// Returns the mask of the first `lanes` lanes of a warp.
[[nodiscard]] inline isa::LaneMask all_lanes(unsigned lanes) {
  return lanes >= 64 ? ~isa::LaneMask{0} : (isa::LaneMask{1} << lanes) - 1;
}

/// Returns the mask of `count` lanes from lane `first` < 64 on.
[[nodiscard]] inline isa::LaneMask lane_range(unsigned first, unsigned count) {
  return all_lanes(count) << (first & 63);
}

}  // namespace castor::gpu
