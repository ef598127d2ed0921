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

/// State of an entry: FREE -granted-> RESERVED -parsed-> WRITTEN -kernel complete-> FREE. A written entry is active
/// while it has TBs to place, and drains afterwards.
enum class EntryState : std::uint8_t { kFree, kReserved, kWritten };

/// Generates the TB ids of a kernel or group in the order of placement: by ascending position in the grid, or in the
/// order that the kernel's context lists (`order`).
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
    const std::uint64_t gid = head(kernel);
    ++next_;
    return gid;
  }
  /// Returns the TB that `take` returns next.
  [[nodiscard]] std::uint64_t head(const KernelContext& kernel) const {
    return kernel.order == nullptr ? next_ : kernel.order[next_];
  }
  /// Drops the TBs not yet placed and returns their number.
  std::uint64_t drop() {
    const std::uint64_t left = total_ - next_;
    total_ = next_;
    return left;
  }

 private:
  std::uint64_t next_ = 0, total_ = 0;
};

/// Entry of the kernel table (docs/gpu/front-end.md, "Kernel table"). Any part may read an entry; only the table
/// changes it.
struct KernelEntry {
  EntryState state = EntryState::kFree;
  bool killed = false;  ///< set when a fault stops the kernel: no TB of it is placed any more
  bool first_placed = false;
  LaunchRecord* record = nullptr;    ///< launch record of the kernel, which the entry holds; null in a free entry
  Sequencer sequencer;               ///< TBs of the kernel to place (`left()`)
  std::uint64_t waiting_groups = 0;  ///< TBs to place of groups attached to the kernel
  std::uint32_t running = 0;         ///< TBs placed and not yet counted as complete
  std::uint32_t saved = 0;           ///< TBs that were preempted and will be placed again
  std::uint32_t suspended = 0;       ///< TBs swapped out to wait for launches, to be placed again
  std::uint32_t expected = 0;        ///< suspended TBs that are about to be placed again
  std::uint64_t started = 0, retired = 0, dropped = 0;
  std::uint64_t groups = 0, group_tbs = 0;  ///< groups attached to the kernel so far, and their TBs
  std::uint64_t live_groups = 0;            ///< attached groups with TBs that are not counted as complete
  Cycle freed = 0;  ///< cycle in which the entry was freed; it may be granted from the next cycle on
  KernelStatistics statistics;

  /// Returns the context of the kernel. The entry must not be free.
  [[nodiscard]] const KernelContext& context() const { return record->context; }
  /// Returns whether device code launched the kernel.
  [[nodiscard]] bool by_device() const { return record->parent != nullptr; }
  /// Returns the number of TBs to place, of the kernel and of its groups.
  [[nodiscard]] std::uint64_t to_place() const { return sequencer.left() + waiting_groups; }
  /// Returns whether the kernel is written and has no TB to place, running, saved or suspended.
  [[nodiscard]] bool finished() const {
    return state == EntryState::kWritten && to_place() == 0 && running == 0 && saved == 0 && suspended == 0;
  }
  /// Returns whether all TBs that are left are suspended and none of them is about to be placed again. The entry may
  /// then be given to another kernel.
  [[nodiscard]] bool deserted() const {
    return suspended != 0 && expected == 0 && state == EntryState::kWritten && to_place() == 0 && running == 0 &&
           saved == 0 && live_groups == 0 && !killed;
  }
};

/// Kernel table: every kernel from its grant to its completion, with the numbers of its TBs to place, running, saved
/// and counted as complete (docs/gpu/front-end.md, "Kernel table"). The front end owns the table.
///
/// Every step of a kernel or TB is one call, made by the part that takes the step, in the cycle of the step. A call may
/// be made in any step of the cycle and takes effect at once. A kernel passes through `reserve`, `write`, `place` for
/// each TB, `retire` and `count` for each TB, then `release`. `kill` (a fault) or `cancel` (its job is dropped) end
/// this sequence early; `drop_rest` follows for the TBs that will not be placed.
class KernelTable {
 public:
  /// TB that is removed from the list of TBs to place.
  struct NextTb {
    std::uint64_t position = 0;        ///< position in the order of placement of the kernel or group, from 0 on
    std::uint64_t gid = 0;             ///< linear index of the TB in the grid
    bool first = false, last = false;  ///< first or last TB of the entry; `last` takes the TBs of groups into account
  };

  KernelTable(unsigned entries, LaunchRecords& records, base::StatisticGroup& statistics);

  [[nodiscard]] unsigned size() const { return static_cast<unsigned>(entries_.size()); }
  [[nodiscard]] const KernelEntry& operator[](unsigned entry) const { return entries_[entry]; }
  [[nodiscard]] const LaunchRecords& records() const { return records_; }
  /// Returns the entry of a kernel's or group's context.
  [[nodiscard]] const KernelEntry& of(const KernelContext& context) const { return entries_[context.entry]; }
  /// Returns the launch record of a context, which may be a group's record.
  [[nodiscard]] LaunchRecord& record_of(const KernelContext& context) const {
    return context.group == kNoGroup ? *of(context).record : *groups_.at(context.group).record;
  }
  /// Returns the groups that are attached to kernels.
  [[nodiscard]] GroupLedger& groups() { return groups_; }
  [[nodiscard]] const GroupLedger& groups() const { return groups_; }
  /// Returns the number of entries that are not free.
  [[nodiscard]] unsigned valid() const { return valid_; }
  /// Returns the entries without a TB to place, running, saved, suspended or to count.
  [[nodiscard]] const KdMask& finished() const { return finished_; }

  /// Returns the lowest entry that was free at the start of cycle `now`, -1 = none.
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

  /// Reserves a free entry for a kernel. The entry takes over the caller's hold of the launch record. Returns the
  /// context, which the caller fills except for the entry's number.
  KernelContext& reserve(unsigned entry, LaunchRecord& record);
  /// Returns the context of a reserved entry, to be filled until `write`.
  [[nodiscard]] KernelContext& draft(unsigned entry);
  /// Marks the entry as written; its context is complete and `time` is the time of the cycle. The TBs can be placed
  /// from the next cycle on. Returns false if a fault stopped the kernel earlier; the kernel is then finished.
  bool write(unsigned entry, Picoseconds time);
  /// Takes the next TB of the kernel, or of an attached group, for placement on an SM.
  NextTb place(unsigned entry, Cycle now, std::uint32_t group = kNoGroup);
  /// Takes the next TB of a stopped kernel or group and drops it instead of placing it. The TB counts as running until
  /// it is counted as complete.
  NextTb drop_next(unsigned entry, std::uint32_t group = kNoGroup);
  /// Attaches a group to the kernel of a written entry. The table takes over the caller's hold of the group's record.
  /// The caller has set grid, parameters and ticket in the record's context; the table copies the other fields from the
  /// kernel. `stopped`: the TBs of the group will only be dropped.
  void attach(unsigned entry, std::uint32_t group, LaunchRecord& record, bool stopped);
  /// Counts a TB of a group that has retired or was dropped. If the TB was the group's last, returns the group's
  /// record, which the caller must release; otherwise null.
  [[nodiscard]] LaunchRecord* count_group(std::uint32_t group);
  /// Records that a TB has retired from its SM, and adds its issued instructions to the kernel's statistics.
  void retire(unsigned entry, std::uint64_t warp_instructions, std::uint64_t thread_instructions) {
    KernelStatistics& statistics = entries_[entry].statistics;
    statistics.warp_instructions += warp_instructions;
    statistics.thread_instructions += thread_instructions;
    ++tb_retired_;
  }
  /// Counts a TB of the kernel that has retired or was dropped by `drop_next`.
  void count(unsigned entry) {
    KernelEntry& kernel = entries_[entry];
    --kernel.running;
    ++kernel.retired;
    records_.let_go(*kernel.record);
    note_finished(entry);
  }
  /// `save`: a TB was preempted and has left its SM. `restore`: the saved TB is placed on an SM again. The TB holds the
  /// launch record all the while.
  void save(unsigned entry);
  void restore(unsigned entry);
  /// Takes back a saved TB of a stopped kernel or group, which is dropped. The TB counts as running until it is counted
  /// as complete.
  void take_back(unsigned entry);
  /// Records that a TB was swapped out of its SM to wait for launches. The TB keeps its hold of the launch record.
  void suspend(unsigned entry);
  /// `expect`: a suspended TB is about to be placed again. `resume`: the TB is placed again. `drop_suspended`: the TB
  /// belongs to a stopped kernel and is dropped.
  void expect(unsigned entry) { ++entries_[entry].expected; }
  void resume(unsigned entry);
  void drop_suspended(unsigned entry);
  /// Removes a deserted kernel from its entry, which may be reserved from the next cycle on. The returned kernel still
  /// holds its launch record.
  [[nodiscard]] KernelEntry detach(unsigned entry, Cycle now);
  /// Puts a detached kernel into a free entry, in state reserved. `write_again` then marks the entry as written.
  void reserve_again(unsigned entry, KernelEntry kernel);
  void write_again(unsigned entry) { entries_[entry].state = EntryState::kWritten; }
  /// Stops the kernel because of a fault.
  void kill(unsigned entry);
  /// Drops the kernel with its job. None of its TBs has been placed.
  void cancel(unsigned entry);
  /// Drops the TBs of a written entry that are still to be placed.
  void drop_rest(unsigned entry);
  /// Frees the entry of a complete kernel; it may be reserved from the next cycle on. The entry releases the launch
  /// record.
  [[nodiscard]] KernelStatistics release(unsigned entry, Cycle now);

  /// Returns a number that grows with every step of a kernel or TB except `reserve`.
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
