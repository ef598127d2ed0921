#pragma once

#include <array>

#include "castor/gpu/sm/warp_mask.h"

namespace castor::gpu {

/// Which warps of an SM are older: those of a thread block that started before, inside a thread block lower slots.
class AgeOrder {
 public:
  /// Warps of a TB start (S0) while those of `there` are resident.
  void started(WarpMask warps, WarpMask there) {
    for (WarpMask left = warps; left != 0; left &= left - 1) {
      const unsigned w = lowest(left);
      older_[w] = there | (warps & (warp_bit(w) - 1));
    }
    for (WarpMask left = there; left != 0; left &= left - 1) older_[lowest(left)] &= ~warps;
  }
  /// Oldest warp of a mask of resident ones that is not empty.
  [[nodiscard]] unsigned oldest(WarpMask mask) const {
    unsigned w = lowest(mask);
    while ((mask &= older_[w]) != 0) w = lowest(mask);
    return w;
  }

 private:
  std::array<WarpMask, kMaxWarps> older_{};  // warps older than this one
};

}  // namespace castor::gpu
