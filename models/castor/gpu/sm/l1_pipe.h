#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "castor/gpu/sm/l1_lines.h"
#include "castor/gpu/sm/operation_tracker.h"
#include "castor/gpu/sm/packet_sender.h"
#include "castor/gpu/sm/ring.h"

namespace castor::gpu {

/// L1 pipe of an SM: line accesses between their LSU pass and their lookup, the lookups, and the replies to their reads
/// (docs/gpu/sm-memory.md, "L1"). A lookup that lacks a resource changes nothing and stalls the pipe.
///
/// Steps: `take_read` and `take_atomic` in S2, replies; `look_up`, then `push` in S3, memory; `next` in S10, end.
class L1Pipe {
 public:
  /// Line access in the pipe, with the tick of its lookup.
  struct Access {
    MemoryOperation* operation;
    std::uint32_t line;
    Tick due;
  };

  L1Pipe(const Machine& machine, unsigned sm, const Store& store, OperationTracker& operations, PacketSender& sender);

  [[nodiscard]] bool full() const { return pipe_.size() >= depth_; }
  /// Appends line number `line` of an operation after its pass in `tick`; the pipe must not be full.
  void push(MemoryOperation& operation, unsigned line, Tick tick) {
    pipe_.push_back({&operation, line, tick + access_latency_});
  }
  /// Performs the lookups that are due.
  void look_up(Cycle now, Tick tick) {
    primary_misses_ = 0;
    if (!pipe_.empty() && pipe_.front().due <= tick) look_up_due(now, tick);
  }
  /// Returns the first tick after `tick` in which `look_up` has work if nothing else happens, or kForever.
  [[nodiscard]] Tick next(Tick tick) const {
    if (pipe_.empty() || (stalled_ && !may_resume())) return kForever;
    return std::max(pipe_.front().due, tick + 1);
  }
  /// Counts the stalls of the ticks up to `tick`, which changed nothing else.
  void catch_up(Tick tick);
  /// Handles the reply to a read, and to an atomic.
  void take_read(const Transaction& reply, Tick tick);
  void take_atomic(const Transaction& reply, Tick tick);
  /// Drops the dirty local lines of a TB that has left its context.
  void tb_retired(unsigned context) {
    freed_ = true;
    lines_.drop_owned(context);
  }
  /// Compares the hits of cycle `now` with memory (machine key check.stale).
  void check_stale(Cycle now);

  /// Returns L1: its lines and MSHRs.
  [[nodiscard]] L1Lines& lines() { return lines_; }
  [[nodiscard]] const L1Lines& lines() const { return lines_; }
  [[nodiscard]] const Ring<Access>& accesses() const { return pipe_; }
  /// Returns whether the head of the pipe was stalled in the last tick.
  [[nodiscard]] bool stalled() const { return stalled_; }
  /// Returns the accesses of the last tick that sent a request for their result.
  [[nodiscard]] unsigned primary_misses() const { return primary_misses_; }

 private:
  // Resource that the stalled head lacks.
  enum class StallReason : std::uint8_t {
    kInjectionSlot,  ///< entry of the injection FIFO
    kEntry,          ///< MSHR, or a merge slot in the MSHR of its line
    kWay,            ///< way: all ways of the set are claimed by fills
  };
  // A hit of this tick that is compared with memory at the end of the cycle.
  struct Hit {
    std::uint64_t line;
    std::uint32_t slot;
    ByteMask bytes;
    std::uint64_t* traffic;  ///< counter of stale hits of the kernel table entry
  };

  // Record the missing resource of a lookup; return false.
  [[nodiscard]] bool lacks(StallReason what) {
    missing_ = what;
    return false;
  }
  [[nodiscard]] bool lacks_way(std::uint64_t line) {
    missing_set_ = lines_.cache().set_of(line);
    return lacks(StallReason::kWay);
  }
  // Returns whether the missing resource may have become free since the head stalled, or the acquire cycle of its block
  // has changed.
  [[nodiscard]] bool may_resume() const {
    return freed_ || (sender_.sent() && missing_ == StallReason::kInjectionSlot) ||
           operations_.acquire(*pipe_.front().operation) != stalled_acquire_;
  }
  // Records that an MSHR, and a claim on a way of the line's set, was released.
  void released(std::uint64_t line) {
    freed_ = freed_ || missing_ != StallReason::kWay || lines_.cache().set_of(line) == missing_set_;
  }
  void look_up_due(Cycle now, Tick tick);
  // Stalls the head, an access of this operation.
  void stall(const MemoryOperation& operation, Tick tick);
  void write_back(std::uint32_t slot) {
    lines_.write_back(slot, sender_);
    ++statistics_.l1_write_backs;
  }
  // Looks a line up, and performs or sends the access. Returns false if a resource is missing; nothing is changed then.
  [[nodiscard]] bool access(MemoryOperation& operation, unsigned line, Cycle now, Tick tick);
  // Performs a cached load of a line: hit, merge with an open MSHR, or miss.
  [[nodiscard]] bool load(MemoryOperation& operation, unsigned line, Cycle now, Tick tick);
  // Counts a miss of a load. Loads the bytes that L1 has, unless they are stale, and returns the MSHR target that waits
  // for the others.
  [[nodiscard]] MshrFile::Target load_present(MemoryOperation& operation, unsigned line, std::uint32_t slot, bool stale,
                                              const ByteMask& missing);
  void count_write(const MemoryOperation& operation, bool hit);
  // Performs a store with write-through: updates L1 on a hit, and sends the bytes to memory.
  [[nodiscard]] bool store_through(MemoryOperation& operation, unsigned line, Tick tick);
  // Performs a store to a local line with write-back: allocates the line, and marks the bytes dirty.
  [[nodiscard]] bool store_back(MemoryOperation& operation, unsigned line, Tick tick);
  // Sends an access that bypasses L1, and drops the line from L1 after writing its dirty bytes back.
  [[nodiscard]] bool bypass(MemoryOperation& operation, unsigned line, Cycle now, Tick tick);
  // Returns whether a line is older than its reader's acquire cycle; local lines with write-back never are.
  [[nodiscard]] bool too_old(std::uint32_t slot, const MemoryOperation& operation, unsigned line) const;
  void check_stale(const Hit& hit, Cycle now);

  const Machine& machine_;
  const unsigned sm_;
  const Store& store_;
  OperationTracker& operations_;
  PacketSender& sender_;
  SmMemoryStatistics& statistics_;
  const unsigned access_latency_;
  const std::size_t depth_;
  Ring<Access> pipe_;
  L1Lines lines_;
  std::vector<Hit> hits_;                     // hits of this cycle that are to be compared with memory
  Tick uncounted_ = 0;                        // while stalled: first tick whose stall is not counted yet
  Cycle stalled_acquire_ = 0;                 // acquire cycle of the stalled head's block when the head stalled
  MemoryTraffic* stalled_traffic_ = nullptr;  // traffic entry that counts the stalled ticks
  bool stalled_ = false;                      // the head was stalled in the last tick
  StallReason missing_ = StallReason::kInjectionSlot;  // resource that the stalled head lacked
  bool freed_ = false;             // an MSHR has become free since the head stalled; with kWay, a way of the set
  std::uint32_t missing_set_ = 0;  // with kWay: set of L1 without a free way
  unsigned primary_misses_ = 0;
};

}  // namespace castor::gpu
