#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "castor/base/error.h"
#include "castor/base/statistics.h"
#include "castor/gpu/device.h"
#include "castor/gpu/front_end/group_ledger.h"
#include "castor/gpu/front_end/launch_records.h"
#include "castor/gpu/hooks/hook.h"
#include "castor/gpu/launch_record.h"

namespace castor::gpu {

/// FREE -granted-> RESERVED -parsed-> WRITTEN -own completion-> FREE. A written entry is active while it has TBs to
/// place, and drains afterwards.
enum class EntryState : std::uint8_t { kFree, kReserved, kWritten };

/// Turns positions of an item into TB ids: each position once, in ascending order.
class Sequencer {
 public:
  void start(std::uint64_t total) {
    next_ = 0;
    total_ = total;
  }
  [[nodiscard]] std::uint64_t next() const { return next_; }
  [[nodiscard]] std::uint64_t left() const { return total_ - next_; }
  [[nodiscard]] std::uint64_t take(const KernelContext& kernel) {
    CASTOR_ASSERT(next_ < total_, "kernel %s has no TB left", kernel.program->kernel.c_str());
    const std::uint64_t position = next_++;
    return kernel.order == nullptr ? position : kernel.order[position];
  }
  /// Gives up what is left and returns how much that was.
  std::uint64_t drop() {
    const std::uint64_t left = total_ - next_;
    total_ = next_;
    return left;
  }

 private:
  std::uint64_t next_ = 0, total_ = 0;
};

/// A row of the kernel table (docs/gpu/front-end.md, "Kernel table"). Everybody reads it, the table alone changes it.
struct KernelEntry {
  EntryState state = EntryState::kFree;
  bool killed = false;  ///< nothing of it is placed any more
  bool first_placed = false;
  LaunchRecord* record = nullptr;    ///< of its launch, which it holds; null in a free entry
  Sequencer sequencer;               ///< its `left()` = TBs to place
  std::uint64_t waiting_groups = 0;  ///< TBs to place of groups that are with it
  std::uint32_t running = 0;         ///< TBs placed and not completed
  std::uint32_t saved = 0;           ///< TBs that were preempted and are to come back
  std::uint32_t suspended = 0;       ///< TBs that wait for launches away from their SM, and are to come back
  std::uint32_t expected = 0;        ///< of them those that are on their way back
  std::uint64_t started = 0, retired = 0, dropped = 0;
  std::uint64_t groups = 0, group_tbs = 0;  ///< that have attached to it
  std::uint64_t live_groups = 0;            ///< of them those with TBs that are not completed
  Cycle freed = 0;                          ///< may be granted from the next cycle on
  KernelStatistics statistics;

  /// Of an entry that is not free.
  [[nodiscard]] const KernelContext& context() const { return record->context; }
  [[nodiscard]] bool by_device() const { return record->parent != nullptr; }
  /// TBs to place, of the kernel and of groups.
  [[nodiscard]] std::uint64_t to_place() const { return sequencer.left() + waiting_groups; }
  [[nodiscard]] bool finished() const {
    return state == EntryState::kWritten && to_place() == 0 && running == 0 && saved == 0 && suspended == 0;
  }
  /// All that is left are suspended TBs that are not on their way back: others may have the entry meanwhile.
  [[nodiscard]] bool deserted() const {
    return suspended != 0 && expected == 0 && state == EntryState::kWritten && to_place() == 0 && running == 0 &&
           saved == 0 && live_groups == 0 && !killed;
  }
};

/// The kernel table: what is known of every kernel from its grant to its completion, and how many of its TBs are to be
/// placed, run, wait saved or are counted (docs/gpu/front-end.md, "Kernel table").
///
/// Every step of a kernel or TB is one call, made by the part that takes the step, in the cycle in which it happens;
/// a call may be made in any step of the cycle, and what it changes is seen at once. A kernel goes the way `reserve`,
/// `write`, `place` for each TB, `retire` and `count` for each, `release`. It leaves that way by `kill` (a fault) or
/// `give_up` (its job), each followed by `drop_rest` for the TBs that nobody will place.
class KernelTable {
 public:
  /// A TB that leaves the list of those to place.
  struct NextTb {
    std::uint64_t position = 0;        ///< in the entry, from 0 on
    std::uint64_t gid = 0;             ///< linear index in the grid
    bool first = false, last = false;  ///< of the entry, `last` with its groups
  };

  KernelTable(unsigned entries, LaunchRecords& records, base::StatisticGroup& statistics);

  [[nodiscard]] unsigned size() const { return static_cast<unsigned>(entries_.size()); }
  [[nodiscard]] const KernelEntry& operator[](unsigned entry) const { return entries_[entry]; }
  [[nodiscard]] const LaunchRecords& records() const { return records_; }
  /// The entry that a context belongs to.
  [[nodiscard]] const KernelEntry& of(const KernelContext& context) const { return entries_[context.entry]; }
  /// The record of a context, which may be that of a group.
  [[nodiscard]] LaunchRecord& record_of(const KernelContext& context) const {
    return context.group == kNoGroup ? *of(context).record : *groups_.at(context.group).record;
  }
  /// Groups that are with kernels.
  [[nodiscard]] GroupLedger& groups() { return groups_; }
  [[nodiscard]] const GroupLedger& groups() const { return groups_; }
  /// Entries that are not free.
  [[nodiscard]] unsigned valid() const { return valid_; }
  /// Entries without a TB to place, running, saved or to count.
  [[nodiscard]] const KdMask& finished() const { return finished_; }

  /// Lowest entry that was free at the start of cycle `now`, -1 = none.
  [[nodiscard]] int first_free(Cycle now) const {
    if (valid_ == entries_.size()) return -1;
    for (unsigned i = 0; i < entries_.size(); ++i) {
      if (free(i, now)) return static_cast<int>(i);
    }
    return -1;
  }
  [[nodiscard]] bool free(unsigned entry, Cycle now) const {
    return entries_[entry].state == EntryState::kFree && (entries_[entry].freed < now || now == 0);
  }

  /// A kernel takes a free entry, and what its caller holds of its record. The context is filled by the caller, but for
  /// the entry's number.
  KernelContext& reserve(unsigned entry, LaunchRecord& record);
  /// The context of a reserved entry, to be filled until `write`.
  [[nodiscard]] KernelContext& draft(unsigned entry);
  /// The context is complete; `time` is that of the cycle. From the next cycle on the TBs can be placed. False if the
  /// kernel was stopped before: it is finished.
  bool write(unsigned entry, Picoseconds time);
  /// The next TB goes to an SM: of the kernel, or of a group that is with it.
  NextTb place(unsigned entry, Cycle now, std::uint32_t group = kNoGroup);
  /// The next TB of a stopped kernel or group is dropped although it was placed: it runs until it is counted.
  NextTb drop_next(unsigned entry, std::uint32_t group = kNoGroup);
  /// A group attaches to the kernel of a written entry, with what its caller holds of its record, whose context has the
  /// group's grid, parameters and ticket; the rest follows from the kernel. `stopped`: its TBs are only dropped.
  void attach(unsigned entry, std::uint32_t group, LaunchRecord& record, bool stopped);
  /// A TB of a group that has retired, or was dropped, is counted. Returns the group's record, for the caller to let
  /// go, if it was the last.
  [[nodiscard]] LaunchRecord* count_group(std::uint32_t group);
  /// A TB has left its SM; what it issued counts for its kernel.
  void retire(unsigned entry, std::uint64_t warp_instructions, std::uint64_t thread_instructions) {
    KernelStatistics& statistics = entries_[entry].statistics;
    statistics.warp_instructions += warp_instructions;
    statistics.thread_instructions += thread_instructions;
    ++tb_retired_;
  }
  /// A TB that has retired, or was dropped by `drop_next`, is counted.
  void count(unsigned entry) {
    KernelEntry& kernel = entries_[entry];
    --kernel.running;
    ++kernel.retired;
    records_.let_go(*kernel.record);
    note_finished(entry);
  }
  /// A TB has left its SM before it was complete, or comes back to one. It holds its record all the while.
  void save(unsigned entry);
  void restore(unsigned entry);
  /// The saved TBs of a stopped kernel will not come back.
  void drop_saved(unsigned entry);
  /// A TB has left its SM to wait for launches, and is to come back; it holds its record.
  void suspend(unsigned entry);
  /// A suspended TB is on its way back; it is placed again; it is of a stopped kernel, and dropped.
  void expect(unsigned entry) { ++entries_[entry].expected; }
  void resume(unsigned entry);
  void drop_suspended(unsigned entry);
  /// A deserted kernel leaves its entry, which may be reserved from the next cycle on. It holds its record.
  [[nodiscard]] KernelEntry detach(unsigned entry, Cycle now);
  /// It takes a free entry; with `write_again` it is written.
  void reserve_again(unsigned entry, KernelEntry kernel);
  void write_again(unsigned entry) { entries_[entry].state = EntryState::kWritten; }
  /// A fault stops the kernel.
  void kill(unsigned entry);
  /// The kernel is dropped with its job; none of its TBs was placed.
  void give_up(unsigned entry);
  /// The TBs of a written entry that are to be placed are dropped.
  void drop_rest(unsigned entry);
  /// The kernel is complete; its entry lets go of the record, and may be reserved from the next cycle on.
  [[nodiscard]] KernelStatistics release(unsigned entry, Cycle now);

  /// Grows with every step of a kernel or TB, `reserve` excepted.
  [[nodiscard]] std::uint64_t progress() const;
  [[nodiscard]] std::uint64_t tbs_placed() const { return tb_placed_.value(); }

 private:
  static constexpr unsigned kWaitBins = 16;

  NextTb take(KernelEntry& kernel, std::uint32_t group);
  void note_finished(unsigned entry) {
    if (entries_[entry].finished()) finished_[entry] = true;
  }
  void note_wait(Cycle cycles);

  LaunchRecords& records_;
  std::vector<KernelEntry> entries_;
  GroupLedger groups_;
  unsigned valid_ = 0;
  KdMask finished_;
  base::Counter kernels_parsed_, kernels_completed_, kernels_stopped_;
  base::Counter tb_placed_, tb_retired_, tb_dropped_, tb_saved_, tb_restored_;
  base::Histogram child_waits_;
  base::StatisticGroup waits_;
  std::array<std::unique_ptr<base::Counter>, kWaitBins> wait_bins_;
};

}  // namespace castor::gpu
