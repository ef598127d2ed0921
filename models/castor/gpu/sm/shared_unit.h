#pragma once

#include <cstdint>
#include <vector>

#include "castor/gpu/machine.h"
#include "castor/gpu/sm/memory_operation.h"
#include "castor/gpu/sm/shared_banks.h"
#include "castor/gpu/sm/warp_mask.h"

namespace castor::gpu {

/// What becomes of an instruction's accesses to shared memory, round by round: how long a round takes, which
/// instruction leaves the unit and comes back through issue for more, and which lanes have the locks of their words
/// (docs/gpu/sm-memory.md, "Shared memory"). What it knows of an instruction under way is in MemoryOperation::rounds.
///
/// S3 `begin_tick`, then at most one `tick`: of `back` if there is one, else of the head of a queue. S5 `start`. Times
/// are ticks.
class SharedUnit {
 public:
  explicit SharedUnit(const Machine& machine);

  /// An instruction with rounds is resolved and will come to the unit.
  void start(MemoryOperation& operation) const {
    operation.rounds.left = operation.rounds.total;
    if (!plain_) begin(operation);
  }
  /// Its warp issues nothing until it is over: it comes back through issue.
  [[nodiscard]] bool holds(const MemoryOperation& operation) const {
    return locks(operation) || (replays(operation) && operation.rounds.conflicts);
  }
  /// From the end of the last round to the result.
  [[nodiscard]] unsigned latency(const MemoryOperation& operation) const {
    if (locks(operation)) return 0;
    return latency_ + (operation.is_atomic() ? atomic_latency_ : 0);
  }

  void begin_tick() { reissued_ = 0; }
  /// The one that has come back and is in the unit; null without.
  [[nodiscard]] MemoryOperation* back(Tick tick) const {
    return back_.empty() || back_.front().due > tick ? nullptr : back_.front().operation;
  }
  /// First tick in which there is one.
  [[nodiscard]] Tick next_back() const { return back_.empty() ? base::kForever : back_.front().due; }
  /// The one that will come back for this warp; null without.
  [[nodiscard]] const MemoryOperation* back_of(unsigned warp) const;
  /// Warps whose instruction came back in this tick, and took an issue slot for it.
  [[nodiscard]] WarpMask reissued() const { return reissued_; }

  struct Result {
    bool round = false;       ///< a round is over
    bool leaves = false;      ///< and the instruction leaves the unit:
    bool over = false;        ///< it is over, or will be `back`
    isa::LaneMask lanes = 0;  ///< whose accesses are performed now
  };
  /// The instruction has the unit in this tick. One that is `back` and leaves is not any more.
  Result tick(MemoryOperation& operation, Tick now) {
    if (!plain_) return visit(operation, now);
    const bool over = --operation.rounds.left == 0;
    return {true, over, over, over ? operation.shared : 0};
  }

 private:
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
  const bool plain_;          // a round per tick, and nothing comes back
  std::vector<Back> back_;    // by tick, those of one tick in the order in which they left
  std::vector<bool> locked_;  // word of a TB context
  WarpMask reissued_ = 0;
};

}  // namespace castor::gpu
