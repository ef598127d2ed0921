#pragma once

#include <algorithm>
#include <array>

#include "castor/tb_swap/kernel.h"

namespace castor::tb_swap {

/// Table of the live registers at the sites of a kernel. Both machines read it.
class Sites {
 public:
  /// Empties the table for a kernel.
  void reset(const Kernel& kernel, const Params& params) {
    all_ = RegBits::ones(std::min<unsigned>(kernel.regs, params.NumRegs));
    live_ = kernel.live;
    rows_ = static_cast<U8>(params.NumSites);
    valid_ = 0;
  }
  /// Writes the row at the ports site_*; a site without a row is ignored.
  void write(const Inputs& in) {
    if (in.site_index >= rows_) return;
    masks_[in.site_index] = in.site_mask & all_;
    valid_ |= U64{1} << in.site_index;
  }
  /// Returns the registers that move for a TB at `site`, 0..127.
  [[nodiscard]] const RegBits& registers(unsigned site) const {
    return live_ && site < rows_ && (valid_ >> site & 1U) != 0 ? masks_[site] : all_;
  }
  [[nodiscard]] U64 valid() const { return valid_; }

 private:
  std::array<RegBits, 64> masks_;  // live registers of each site, within `all_`
  RegBits all_;                    // registers of a thread
  U64 valid_ = 0;                  // sites whose mask has been written since cfg_valid
  U8 rows_ = 0;                    // NumSites
  bool live_ = false;              // only live registers move
};

}  // namespace castor::tb_swap
