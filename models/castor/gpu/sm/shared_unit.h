#pragma once

#include <cstdint>
#include <vector>

#include "castor/gpu/machine.h"
#include "castor/gpu/sm/memory_operation.h"
#include "castor/gpu/sm/shared_banks.h"
#include "castor/gpu/sm/warp_mask.h"

namespace castor::gpu {

/// Unit of shared memory in an SM: times the rounds of accesses, replays instructions with bank conflicts through
/// issue, and holds the word locks of atomics (docs/gpu/sm-memory.md, "Shared memory"). The unit's state of an
/// instruction in flight is MemoryOperation::rounds.
///
/// Steps: `begin_tick` in S3, memory, then at most one `tick`: for the returned instruction `back`, if any, else for
/// the head of a queue. `start` in S5, issue. Times are ticks.
class SharedUnit {
 public:
  explicit SharedUnit(const Machine& machine);

  /// Initialises the rounds of an instruction that has been resolved and will enter the unit.
  void start(MemoryOperation& operation) const {
    operation.rounds.left = operation.rounds.total;
    if (!plain_) begin(operation);
  }
  /// Returns whether the instruction holds its warp: it re-enters through issue, so the warp issues nothing until the
  /// instruction's last round.
  [[nodiscard]] bool holds(const MemoryOperation& operation) const {
    return locks(operation) || (replays(operation) && operation.rounds.conflicts);
  }
  /// Returns the ticks from the end of the last round to the result.
  [[nodiscard]] unsigned latency(const MemoryOperation& operation) const {
    if (locks(operation)) return 0;
    return latency_ + (operation.is_atomic() ? atomic_latency_ : 0);
  }

  void begin_tick() { reissued_ = 0; }
  /// Returns the instruction that has re-entered the unit and may use the unit in `tick`, or null.
  [[nodiscard]] MemoryOperation* back(Tick tick) const {
    return back_.empty() || back_.front().due > tick ? nullptr : back_.front().operation;
  }
  /// Returns the first tick in which an instruction re-enters the unit, or base::kForever.
  [[nodiscard]] Tick next_back() const { return back_.empty() ? base::kForever : back_.front().due; }
  /// Returns the instruction of this warp that will re-enter the unit, or null.
  [[nodiscard]] const MemoryOperation* back_of(unsigned warp) const;
  /// Returns the warps whose instruction re-entered the unit in this tick and took an issue slot.
  [[nodiscard]] WarpMask reissued() const { return reissued_; }

  /// Result of a tick in the unit.
  struct Result {
    bool round = false;       ///< a round ended in this tick
    bool leaves = false;      ///< the instruction leaves the unit
    bool over = false;        ///< with `leaves`: all rounds of the instruction are done; else it will re-enter the unit
    isa::LaneMask lanes = 0;  ///< lanes whose accesses are performed in this tick
  };
  /// Executes one tick of an instruction in the unit. If the instruction is `back` and leaves, it is removed from the
  /// list of returned instructions.
  Result tick(MemoryOperation& operation, Tick now) {
    if (!plain_) return visit(operation, now);
    const bool over = --operation.rounds.left == 0;
    return {true, over, over, over ? operation.shared : 0};
  }

 private:
  // Instruction that will re-enter the unit, and the tick from which it may.
  struct Back {
    MemoryOperation* operation;
    Tick due;
  };
  Result visit(MemoryOperation& operation, Tick now);
  [[nodiscard]] bool locks(const MemoryOperation& operation) const { return loop_ && operation.is_atomic(); }
  [[nodiscard]] bool replays(const MemoryOperation& operation) const {
    return replay_ticks_ != 0 && (loop_ || !operation.is_atomic());
  }
  void begin(MemoryOperation& operation) const;
  [[nodiscard]] unsigned round_ticks(const MemoryOperation& operation) const;
  void begin_access(MemoryOperation& operation) const;
  void count_rounds(MemoryOperation& operation, isa::LaneMask lanes) const;
  void come_back(MemoryOperation& operation, Tick due);
  void take_locks(MemoryOperation& operation);
  void give_locks(const MemoryOperation& operation);
  [[nodiscard]] std::uint64_t word(const MemoryOperation& operation, unsigned lane) const {
    return operation.issue.context * context_words_ + operation.access.address[lane] / 4;
  }

  const SharedBanks banks_;
  const unsigned lanes_;
  const unsigned latency_, atomic_latency_;
  const unsigned round_ticks_, conflict_ticks_, atomic_ticks_;
  const unsigned replay_ticks_, replay_rounds_;
  const bool loop_;
  const unsigned lock_ticks_, retry_ticks_;
  const std::uint64_t context_words_;
  const bool plain_;  // machine without replays and locks: one round per tick, and no instruction re-enters
  // instructions that will re-enter, sorted by tick, then by the order in which they left the unit
  std::vector<Back> back_;
  std::vector<bool> locked_;  // [TB context x words + word] the word is locked
  WarpMask reissued_ = 0;     // warps whose instruction re-entered the unit in this tick
};

}  // namespace castor::gpu
