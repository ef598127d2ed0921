#pragma once

#include "castor/tb_swap/entry.h"
#include "castor/tb_swap/kernel.h"

namespace castor::tb_swap {

/// Position of a machine in the context that it moves: SIMT lines, registers warp by warp, lines of shared memory.
struct Position {
  U64 address = 0;  // address of the next line; 0 before it is known
  U16 line = 0;     // lines done of the SIMT lines, or of shared memory
  U8 warp = 0;      // warp whose registers move; 0 unless registers move
  RegBits mask;     // registers of that warp that are still to be moved; 0 unless registers move

  /// Returns the next register of the warp.
  [[nodiscard]] U8 reg() const {
    const unsigned lowest = mask.next();
    return static_cast<U8>(lowest < RegBits::kBits ? lowest : 0);
  }
  /// Advances to the next address.
  void pass_address() { address = (address + 1) & kAddressMask; }
  /// Counts a SIMT line, or a line of shared memory, as done.
  void pass_line() { line = static_cast<U16>((line + 1U) & 0xfffU); }
  /// Advances past a SIMT line. Returns whether it was the last one.
  bool pass_simt(const Kernel& kernel) {
    pass_address();
    pass_line();
    return line == kernel.simt;
  }
  /// Advances past a register of a TB whose live registers are `live`. Returns whether it was the TB's last one.
  bool pass_register(const Kernel& kernel, const RegBits& live) {
    mask.clear(reg());
    pass_address();
    if (mask.any()) return false;
    const bool last = ((warp + 1U) & 0x1fU) == (kernel.warps & 0x1fU);
    warp = static_cast<U8>(last ? 0 : warp + 1U);
    if (!last) mask = live;
    return last;
  }
};

}  // namespace castor::tb_swap
