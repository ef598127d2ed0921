#pragma once

#include <array>

#include "castor/gpu/sm/warp_mask.h"

namespace castor::gpu {

/// Age order of an SM's warps: a warp is older if its thread block started earlier; inside a thread block the lower
/// slot is older.
class AgeOrder {
 public:
  /// Records the start of a TB (S0) in the slots `warps`. `there`: warps that were resident before, which are older.
  void started(WarpMask warps, WarpMask there) {
    for (WarpMask left = warps; left != 0; left &= left - 1) {
      const unsigned w = lowest(left);
      older_[w] = there | (warps & (warp_bit(w) - 1));
    }
    for (WarpMask left = there; left != 0; left &= left - 1) older_[lowest(left)] &= ~warps;
  }
  /// Returns the oldest warp of a non-empty mask of resident warps.
  [[nodiscard]] unsigned oldest(WarpMask mask) const {
    unsigned w = lowest(mask);
    while ((mask &= older_[w]) != 0) w = lowest(mask);
    return w;
  }

 private:
  std::array<WarpMask, kMaxWarps> older_{};  // [warp] mask of the resident warps that are older
};

}  // namespace castor::gpu
