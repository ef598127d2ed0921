#pragma once

#include <algorithm>
#include <cstdint>

#include "castor/gpu/sm/l1_pipe.h"
#include "castor/gpu/sm/operation_tracker.h"
#include "castor/gpu/sm/ring.h"
#include "castor/gpu/sm/shared_unit.h"

namespace castor::gpu {

/// Load/store unit of an SM: the queues of issued memory instructions, their passes into the L1 pipe, and shared memory
/// (docs/gpu/sm-memory.md, "LSU"). Machines with `units.mem_shared` have a second queue, for shared memory.
///
/// Steps: `advance` in S3, memory; `can_accept` and `enqueue` in S5, issue; `next` in S10, end.
class LoadStoreUnit {
 public:
  /// An instruction in a queue, or its part for this queue if global and shared memory have queues of their own.
  struct Queued {
    MemoryOperation* operation;
    bool shared;  ///< this queue has to do the operation's shared-memory rounds
    bool memory;  ///< this queue has to do the operation's lines and ideal loads
  };
  using Queue = Ring<Queued>;

  LoadStoreUnit(const Machine& machine, const Store& store, OperationTracker& operations, L1Pipe& pipe);

  /// Returns whether the queues that this record needs have a free entry.
  [[nodiscard]] bool can_accept(const isa::Record& record) const {
    if (!two_units_) return !queues_[0].full();
    // The address space of a generic access is not known before issue, so both queues need an entry.
    const isa::Space space = record.memory.space;
    return (space == isa::Space::kShared || !queues_[0].full()) &&
           ((space != isa::Space::kShared && space != isa::Space::kGeneric) || !queues_[1].full());
  }
  /// Returns a bit per full queue.
  [[nodiscard]] unsigned full() const { return (queues_[0].full() ? 1U : 0U) | (queues_[1].full() ? 2U : 0U); }
  /// While barred, the queues accept no instruction, as if they were full; `has_entry` does not depend on it.
  void bar(bool barred) {
    for (Queue& queue : queues_) queue.limit(barred ? 0 : machine_.lsu.queue);
    if (!two_units_) queues_[1].limit(0);
  }
  /// Returns whether the queue for global memory has a free entry.
  [[nodiscard]] bool has_entry() const { return queues_[0].size() < machine_.lsu.queue; }
  /// Appends a resolved operation to its queues.
  void enqueue(MemoryOperation& operation);
  /// Executes one pass per queue.
  void advance(Tick tick) {
    shared_unit_.begin_tick();
    MemoryOperation* const back = shared_unit_.back(tick);
    const bool taken = back != nullptr && take_back(*back, tick);
    if (!queues_[0].empty() && (!taken || two_units_)) pass(queues_[0], tick);
    if (!queues_[1].empty() && !taken) pass(queues_[1], tick);
  }
  /// Returns the first tick after `tick` in which `advance` has work if nothing else happens, or kForever.
  [[nodiscard]] Tick next(Tick tick) const {
    const Tick queued = std::min(next_pass(queues_[0], tick), next_pass(queues_[1], tick));
    return std::min(queued, std::max(shared_unit_.next_back(), tick + 1));
  }

  /// Returns queue 0 or 1.
  [[nodiscard]] const Queue& queue(unsigned number) const { return queues_[number]; }
  [[nodiscard]] const SharedUnit& shared_unit() const { return shared_unit_; }

 private:
  // Gives the shared-memory unit to the returned instruction, if it may have it. Returns whether it has.
  [[nodiscard]] bool take_back(MemoryOperation& back, Tick tick);
  void pass(Queue& queue, Tick tick);
  void pass_lines(MemoryOperation& operation, Tick tick);
  // Gives the shared-memory unit to an operation for one tick.
  SharedUnit::Result shared_tick(MemoryOperation& operation, Tick tick);
  // Completes the shared-memory part of an operation after its last round.
  void shared_over(MemoryOperation& operation, Tick tick);
  [[nodiscard]] Tick next_pass(const Queue& queue, Tick tick) const {
    if (queue.empty()) return kForever;
    const Queued& head = queue.front();
    const MemoryOperation& operation = *head.operation;
    // No wake-up is needed for a full pipe: room appears only when the pipe's own head leaves, which has a wake-up of
    // its own.
    if (!head.shared && operation.ideal_left == 0 && pipe_.full()) return kForever;
    return std::max(operation.issue.dispatch, tick) + 1;
  }

  const Machine& machine_;
  const Store& store_;
  OperationTracker& operations_;
  L1Pipe& pipe_;
  SmMemoryStatistics& statistics_;
  const bool two_units_;  // shared memory has queue 1
  Queue queues_[2];       // [0] global memory, and shared memory unless two_units_; [1] shared memory
  SharedUnit shared_unit_;
};

}  // namespace castor::gpu
