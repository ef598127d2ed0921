#pragma once

#include <array>
#include <cstdint>

#include "castor/gpu/machine.h"
#include "castor/gpu/sm/decoded.h"
#include "castor/gpu/sm/scoreboard.h"
#include "castor/gpu/sm/warp_mask.h"
#include "castor/gpu/sm/warp_table.h"

namespace castor::gpu {

/// Instruction buffers of the warps of an SM: decoded instructions from the PC on, and the properties of the oldest
/// one, the head.
///
/// Steps: `stop` in S0, start; `take` and `update_head` for issuing warps, `flush` and `reopen` after control transfers
/// in S5, issue; `fill` in S6, decode. Each new head is evaluated by the scoreboard.
class InstructionBuffer {
 public:
  InstructionBuffer(const Machine& machine, const WarpTable& warps, Scoreboard& scoreboard)
      : entries_(machine.ibuffer.entries), warps_(warps), scoreboard_(scoreboard) {}

  /// Returns the warps with an instruction in the buffer.
  [[nodiscard]] WarpMask valid() const { return valid_; }
  /// Returns the warps that may not be fetched: no entry is free, or the next instruction is not known yet.
  [[nodiscard]] WarpMask full() const { return full_; }
  /// Returns the warps whose head is a barrier of the block, device-wide synchronisation, or an exit.
  [[nodiscard]] WarpMask meets() const { return meets_; }
  /// Returns the warps whose head waits for the warp's older accesses (release).
  [[nodiscard]] WarpMask drains() const { return drains_; }
  /// Returns the warps whose head belongs to `pool`. An empty buffer counts with its last head.
  [[nodiscard]] WarpMask of(UnitPool pool) const { return of_pool_[static_cast<std::size_t>(pool)]; }
  [[nodiscard]] UnitPool pool(unsigned w) const { return pool_[w]; }
  [[nodiscard]] unsigned size(unsigned w) const { return size_[w]; }
  [[nodiscard]] unsigned entries() const { return entries_; }
  /// Returns the head of a warp's buffer, or null if the buffer is empty.
  [[nodiscard]] const Decoded* head(unsigned w) const {
    return (valid_ & warp_bit(w)) != 0 ? &warps_[w].decoded[warps_[w].pc] : nullptr;
  }

  /// Empties the buffer of a slot in which a warp starts.
  void start(unsigned w) { size_[w] = 0; }
  /// Appends `count` instructions. `ends`: the instruction after them is not known yet, so fetch stops.
  void fill(unsigned w, unsigned count, bool ends) {
    const bool was_empty = size_[w] == 0;
    size_[w] = static_cast<std::uint8_t>(size_[w] + count);
    if (ends || size_[w] == entries_) full_ |= warp_bit(w);
    if (ends) ended_ |= warp_bit(w);
    if (was_empty) update_head(w);
  }
  /// Removes the head, which issues.
  void take(unsigned w) {
    --size_[w];
    full_ = (full_ & ~warp_bit(w)) | (ended_ & warp_bit(w));
  }
  /// Empties the buffer of a warp that continues at another PC.
  void flush(unsigned w) {
    size_[w] = 0;
    reopen(w);
  }
  /// Allows fetch again, because the next instruction is known.
  void reopen(unsigned w) {
    full_ &= ~warp_bit(w);
    ended_ &= ~warp_bit(w);
  }
  /// Updates the properties of a warp's head after the head has changed or the warp has ended.
  void update_head(unsigned w);
  /// Empties the buffers of these warps.
  void stop(WarpMask warps);

 private:
  // Masks with one bit per warp. valid_: the buffer is not empty. meets_: the head is a barrier of the block or an
  // exit. drains_: the head waits for older accesses.
  WarpMask valid_ = 0, meets_ = 0, drains_ = 0;
  WarpMask full_ = 0;   // may not be fetched: no free entry, or ended_
  WarpMask ended_ = 0;  // warps whose next instruction after the buffered ones is not known yet
  // [pool] warps whose head, or last head if the buffer is empty, belongs to the pool
  std::array<WarpMask, kUnitPools> of_pool_{};
  const unsigned entries_;
  const WarpTable& warps_;
  Scoreboard& scoreboard_;
  std::array<std::uint8_t, kMaxWarps> size_{};  // [warp] number of buffered instructions
  std::array<UnitPool, kMaxWarps> pool_ = control_pools();

  [[nodiscard]] static constexpr std::array<UnitPool, kMaxWarps> control_pools() {
    std::array<UnitPool, kMaxWarps> pools{};
    for (UnitPool& pool : pools) pool = UnitPool::kControl;
    return pools;
  }
};

inline void InstructionBuffer::update_head(unsigned w) {
  if (size_[w] == 0 || (warps_.live() & warp_bit(w)) == 0) {
    valid_ &= ~warp_bit(w);
    return;
  }
  valid_ |= warp_bit(w);
  const WarpState& warp = warps_[w];
  const Decoded& decoded = warp.decoded[warp.pc];
  of_pool_[static_cast<std::size_t>(pool_[w])] &= ~warp_bit(w);
  of_pool_[static_cast<std::size_t>(decoded.pool)] |= warp_bit(w);
  pool_[w] = decoded.pool;
  // A return counts as an exit only in the kernel's own frame (empty call stack).
  const bool returns = (decoded.flags & kMeetsOthers) != 0 && warp.records[warp.pc].kind == isa::Kind::kReturn &&
                       warp.stack.depth() != 0;
  meets_ = (meets_ & ~warp_bit(w)) | ((decoded.flags & kMeetsOthers) != 0 && !returns ? warp_bit(w) : 0);
  drains_ = (drains_ & ~warp_bit(w)) | ((decoded.flags & kDrainsBefore) != 0 ? warp_bit(w) : 0);
  scoreboard_.judge(w, decoded);
}

inline void InstructionBuffer::stop(WarpMask warps) {
  valid_ &= ~warps;
  full_ &= ~warps;
  ended_ &= ~warps;
  for (WarpMask left = warps; left != 0; left &= left - 1) size_[lowest(left)] = 0;
}

}  // namespace castor::gpu
