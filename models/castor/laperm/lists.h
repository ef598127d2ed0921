#pragma once

#include <array>
#include <vector>

#include "castor/laperm/ports.h"
#include "castor/laperm/state.h"

/// The queue sets of LaPerm: their lists on chip and in memory, and their free slots (docs/blocks/laperm.md, "Theory of
/// operation"). A list belongs to a set and a level, 1..LvlMax; its number is set * LvlMax + level - 1.
namespace castor::laperm {

inline constexpr unsigned kMaxSets = 32;
inline constexpr unsigned kMaxLists = List32::kElements;

/// Occupancy of each queue set: entries on chip, and slots promised to reads in flight.
class Sets {
 public:
  explicit Sets(unsigned sets) : all_(static_cast<U32>(twin::mask(sets))) {}

  void reset() {
    entries_ = {};
    promised_ = {};
    filled_ = skipped_ = full_ = 0;
  }
  /// Sets the number of entries that a set may have, 1 or more.
  void set_limit(unsigned limit) {
    if (limit == limit_) return;
    limit_ = limit;
    for (U32 left = all_; left != 0; left &= left - 1) judge(static_cast<unsigned>(__builtin_ctz(left)));
  }

  /// Return the sets with entries on chip; with promised slots; with a slot that is neither occupied nor promised.
  [[nodiscard]] U32 filled() const { return filled_; }
  [[nodiscard]] U32 owed() const { return skipped_; }
  [[nodiscard]] U32 open() const { return all_ & ~full_; }
  /// Whether the set has at most one slot that is neither occupied nor promised.
  [[nodiscard]] bool nearly_full(unsigned set) const { return used(set) + 1 >= limit_; }
  [[nodiscard]] const PerSet& entries() const { return entries_; }
  [[nodiscard]] const Set8& promised() const { return promised_; }

  void add(unsigned set) {
    ++entries_[set];
    judge(set);
  }
  void remove(unsigned set) {
    --entries_[set];
    judge(set);
  }
  void promise(unsigned set) {
    ++promised_[set];
    judge(set);
  }
  /// Turns a promised slot of the set into an entry.
  void keep(unsigned set) {
    --promised_[set];
    add(set);
  }

 private:
  [[nodiscard]] unsigned used(unsigned set) const { return unsigned{entries_[set]} + promised_[set]; }
  void judge(unsigned set) {
    const U32 bit = U32{1} << set;
    filled_ = entries_[set] != 0 ? filled_ | bit : filled_ & ~bit;
    skipped_ = promised_[set] != 0 ? skipped_ | bit : skipped_ & ~bit;
    full_ = used(set) >= limit_ ? full_ | bit : full_ & ~bit;
  }

  U32 all_;                                  // one bit for each set
  unsigned limit_ = ~0U;                     // number of entries that a set may have
  PerSet entries_;                           // by set: entries on chip
  Set8 promised_;                            // by set: slots promised to reads in flight
  U32 filled_ = 0, skipped_ = 0, full_ = 0;  // sets with entries, with promised slots, without a free slot
};

/// The lists on chip, first in first out, in one store of sets * BankDepth slots. Each list has the position in its
/// head: the number of the head's next thread block. The position is 0 while no block of the head is placed, and while
/// the list is empty.
class ChipLists {
 public:
  explicit ChipLists(const Params& params);

  void reset();
  /// Returns the levels of the set whose lists have entries, bit level - 1.
  [[nodiscard]] U32 levels(unsigned set) const { return levels_[set]; }
  [[nodiscard]] bool empty(unsigned list) const { return head_[list] == kNoSlot; }
  [[nodiscard]] const Item& front(unsigned list) const { return slots_[head_[list]].item; }
  [[nodiscard]] U64 position(unsigned list) const { return position_[list]; }

  void advance(unsigned list, U64 pos) { position_[list] = pos; }
  /// Appends an item to a list; a slot must be free.
  void append(unsigned set, unsigned list, const Item& item);
  /// Removes the head of a list, which must not be empty.
  void pop(unsigned set, unsigned list);

 private:
  static constexpr U16 kNoSlot = 0xffff;
  struct Slot {
    Item item;
    U16 next = kNoSlot;
  };

  [[nodiscard]] U32 level_bit(unsigned set, unsigned list) const { return U32{1} << (list - set * level_count_); }

  unsigned level_count_;                   // number of levels of a set
  std::vector<Slot> slots_;                // slots of all sets: sets * BankDepth
  U16 free_ = kNoSlot;                     // head of the stack of freed slots
  unsigned fresh_ = 0;                     // first slot that was never used
  std::array<U32, kMaxSets> levels_{};     // by set: lists with entries, bit level - 1
  std::array<U16, kMaxLists> head_{};      // by list: slot of the oldest entry
  std::array<U16, kMaxLists> tail_{};      // by list: slot of the youngest entry
  std::array<U64, kMaxLists> position_{};  // by list: next thread block of the head
};

/// The lists in memory, which are rings of a power of two of entries, and the reads that bring entries back on chip.
class MemoryLists {
 public:
  explicit MemoryLists(unsigned levels) : level_count_(levels) {}

  void reset();
  /// Returns the sets with entries in memory.
  [[nodiscard]] U32 sets() const { return sets_; }
  /// Returns the set's list of the highest level that has entries in memory; the set must have one.
  [[nodiscard]] unsigned highest_list(unsigned set) const { return set * level_count_ + highest(levels_[set]); }
  /// Whether older items of the list are in memory or being read back.
  [[nodiscard]] bool pending(unsigned list) const { return count_[list] != 0 || fetches_[list] != 0; }
  [[nodiscard]] const List32& counts() const { return count_; }
  [[nodiscard]] const List32& oldest() const { return oldest_; }
  [[nodiscard]] const List8& fetches() const { return fetches_; }

  /// Adds an entry at the end of a list and returns its index; `mask` is the ring's size minus 1.
  U32 write(unsigned set, unsigned list, U32 mask);
  /// Removes the oldest entry of a list for a read and returns its index; the read is then in flight.
  U32 read(unsigned set, unsigned list, U32 mask);
  /// Ends a read of the list: its entry has been inserted on chip.
  void arrive(unsigned list) { --fetches_[list]; }

 private:
  unsigned level_count_;                // number of levels of a set
  U32 sets_ = 0;                        // sets with entries in memory
  std::array<U32, kMaxSets> levels_{};  // by set: lists with entries in memory, bit level - 1
  List32 count_;                        // by list: entries in memory
  List32 oldest_;                       // by list: index of the oldest entry
  List8 fetches_;                       // by list: reads in flight, from request to insertion
};

}  // namespace castor::laperm
