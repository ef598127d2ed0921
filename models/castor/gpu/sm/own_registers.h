#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "castor/gpu/sm/scoreboard.h"
#include "castor/gpu/sm/warp_mask.h"
#include "castor/gpu/sm/warp_table.h"

namespace castor::gpu {

/// Own registers of the warps of an SM that skip instructions (docs/gpu/fetch-filter.md, "Thread blocks that move"):
/// the result of a skipped instruction is written to the register as well, so that the register holds it when the
/// warp's thread block is swapped out. No instruction reads the register while a pool row stands for it. FilterUnit
/// owns the object.
///
/// An older load of the warp may still be going to write the register. The result is then kept until `settle`.
///
/// Steps: `start` in S0, start; `skipped` and `written` in S5, issue; `settle` in S8, bookkeeping.
class OwnRegisters {
 public:
  OwnRegisters(WarpTable& warps, const Scoreboard& scoreboard) : warps_(warps), scoreboard_(scoreboard) {}

  /// Drops the results of a slot in which a warp starts.
  void start(unsigned w) { drop(w, 0, kAll); }
  /// Takes the result of a skipped instruction for a register. `value`: the register's value in all lanes.
  void skipped(unsigned w, unsigned reg, const std::byte* value);
  /// Drops the kept results for registers that the warp writes itself.
  void written(unsigned w, unsigned reg, unsigned count) {
    if ((keeping_ & warp_bit(w)) != 0) drop(w, reg, count);
  }
  /// Writes the kept results of a warp to its registers. No register of the warp is pending.
  void settle(unsigned w);

 private:
  static constexpr unsigned kAll = 256;  ///< registers of a warp

  /// Result of a skipped instruction for a register with a pending write.
  struct Kept {
    std::uint8_t warp = 0, reg = 0;
    std::vector<std::byte> value;
  };
  void drop(unsigned w, unsigned reg, unsigned count);
  [[nodiscard]] std::byte* place(unsigned w, unsigned reg) {
    return warps_.view(w).dst(static_cast<isa::OperandIndex>(reg));
  }

  WarpTable& warps_;
  const Scoreboard& scoreboard_;
  std::vector<Kept> kept_;
  WarpMask keeping_ = 0;  // warps with an element in kept_
};

}  // namespace castor::gpu
