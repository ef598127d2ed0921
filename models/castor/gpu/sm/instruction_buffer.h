#pragma once

#include <array>
#include <cstdint>

#include "castor/gpu/machine.h"
#include "castor/gpu/sm/decoded.h"
#include "castor/gpu/sm/scoreboard.h"
#include "castor/gpu/sm/warp_mask.h"
#include "castor/gpu/sm/warp_table.h"

namespace castor::gpu {

/// Instruction buffers of the warps: decoded instructions from the PC on, and what the first of them, the head, needs.
///
/// S5 `take` and `update_head` for what issues, `flush` and `reopen` where the warp goes on elsewhere; S6 `fill`;
/// `stop` in S0. The scoreboard judges every new head.
class InstructionBuffer {
 public:
  InstructionBuffer(const Machine& machine, const WarpTable& warps, Scoreboard& scoreboard)
      : entries_(machine.ibuffer.entries), warps_(warps), scoreboard_(scoreboard) {}

  /// Warps with an instruction in the buffer.
  [[nodiscard]] WarpMask valid() const { return valid_; }
  /// Nothing may be fetched: no entry is free, or what comes behind is not known yet.
  [[nodiscard]] WarpMask full() const { return full_; }
  /// Head is a barrier of the block or an exit.
  [[nodiscard]] WarpMask meets() const { return meets_; }
  /// Head waits for older accesses (release).
  [[nodiscard]] WarpMask drains() const { return drains_; }
  /// Warps by the pool of their head, or of the last one that they had.
  [[nodiscard]] WarpMask of(UnitPool pool) const { return of_pool_[static_cast<std::size_t>(pool)]; }
  [[nodiscard]] UnitPool pool(unsigned w) const { return pool_[w]; }
  [[nodiscard]] unsigned size(unsigned w) const { return size_[w]; }
  [[nodiscard]] unsigned entries() const { return entries_; }
  /// Null without one.
  [[nodiscard]] const Decoded* head(unsigned w) const {
    return (valid_ & warp_bit(w)) != 0 ? &warps_[w].decoded[warps_[w].pc] : nullptr;
  }

  /// A warp begins in the slot.
  void start(unsigned w) { size_[w] = 0; }
  /// `count` more instructions; with `ends` the next one is not known yet.
  void fill(unsigned w, unsigned count, bool ends) {
    const bool was_empty = size_[w] == 0;
    size_[w] = static_cast<std::uint8_t>(size_[w] + count);
    if (ends || size_[w] == entries_) full_ |= warp_bit(w);
    if (ends) ended_ |= warp_bit(w);
    if (was_empty) update_head(w);
  }
  /// The head issues.
  void take(unsigned w) {
    --size_[w];
    full_ = (full_ & ~warp_bit(w)) | (ended_ & warp_bit(w));
  }
  /// The warp goes on elsewhere: what is behind the head is none of its own.
  void flush(unsigned w) {
    size_[w] = 0;
    reopen(w);
  }
  /// What comes next is known.
  void reopen(unsigned w) {
    full_ &= ~warp_bit(w);
    ended_ &= ~warp_bit(w);
  }
  /// The first instruction is another one, or the warp does not live any more.
  void update_head(unsigned w);
  void stop(WarpMask warps);

 private:
  // One word per property of warps.
  WarpMask valid_ = 0, meets_ = 0, drains_ = 0;
  WarpMask full_ = 0;
  WarpMask ended_ = 0;  // nothing may be fetched behind what the buffer holds
  std::array<WarpMask, kUnitPools> of_pool_{};
  const unsigned entries_;
  const WarpTable& warps_;
  Scoreboard& scoreboard_;
  std::array<std::uint8_t, kMaxWarps> size_{};
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
  // A return is an exit in the kernel's own frame only.
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
