#pragma once

#include <cstdint>
#include <vector>

#include "castor/base/error.h"
#include "castor/gpu/device.h"
#include "castor/gpu/front_end/launch_trees.h"
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

/// A row of the kernel table (docs/gpu.md, "Kernel table").
struct KernelEntry {
  EntryState state = EntryState::kFree;
  bool killed = false;
  bool first_placed = false;
  KernelContext context;
  Sequencer sequencer;        ///< its `left()` = TBs to place
  std::uint32_t running = 0;  ///< TBs placed and not completed
  std::uint32_t saved = 0;    ///< TBs that were preempted and are to come back
  std::uint64_t started = 0, retired = 0, dropped = 0;
  LaunchTrees::Id tree = 0;
  Cycle freed = 0;  ///< may be granted from the next cycle on
  KernelStatistics statistics;

  [[nodiscard]] bool finished() const {
    return state == EntryState::kWritten && sequencer.left() == 0 && running == 0 && saved == 0;
  }
};

class KernelTable {
 public:
  explicit KernelTable(unsigned entries) : entries_(entries) {
    for (unsigned i = 0; i < entries; ++i) entries_[i].context.entry = static_cast<std::uint16_t>(i);
  }

  [[nodiscard]] unsigned size() const { return static_cast<unsigned>(entries_.size()); }
  [[nodiscard]] KernelEntry& operator[](unsigned entry) { return entries_[entry]; }
  [[nodiscard]] const KernelEntry& operator[](unsigned entry) const { return entries_[entry]; }
  /// The entry that a context belongs to.
  [[nodiscard]] KernelEntry& of(const KernelContext& context) { return entries_[context.entry]; }
  /// Entries that are not free.
  [[nodiscard]] unsigned valid() const { return valid_; }

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
  KernelEntry& reserve(unsigned entry) {
    entries_[entry].state = EntryState::kReserved;
    ++valid_;
    return entries_[entry];
  }
  void release(unsigned entry, Cycle now) {
    entries_[entry].state = EntryState::kFree;
    entries_[entry].freed = now;
    --valid_;
  }

 private:
  std::vector<KernelEntry> entries_;
  unsigned valid_ = 0;
};

}  // namespace castor::gpu
