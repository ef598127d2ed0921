#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "castor/base/time.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/memory/address_map.h"
#include "castor/gpu/memory/transaction.h"
#include "castor/gpu/sm/line_hash.h"
#include "castor/gpu/sm/memory_operation.h"

namespace castor::gpu {

/// Storage of an L1 (docs/gpu/sm-memory.md, "L1"): tags, state and data of its lines, and LRU order. L1Lines
/// keeps it consistent with the MSHRs; L1Pipe decides when lines are looked up, filled or written.
///
/// A slot is a way of a set, numbered set x ways + way. A slot is present while it holds an address: some of its bytes
/// are valid, or a miss has claimed it. Lines are found through a hash table; each set has a list in LRU order.
class L1Cache {
 public:
  static constexpr std::uint32_t kNone = LineHash::kNone;
  static constexpr std::uint16_t kNobody = 0xffff;

  /// State of a slot.
  struct Line {
    std::uint64_t address = 0;
    Cycle stamp = 0;  ///< cycle in which the oldest bytes of the line were read
    ByteMask valid, dirty;
    std::uint32_t claims = 0;       ///< number of open misses that will fill the line
    std::uint16_t owner = kNobody;  ///< local lines with write-back: TB context; else kNobody
    bool present = false;
    std::uint32_t older = kNone, newer = kNone;  ///< neighbours in the LRU list of the set
    std::uint32_t set = 0;                       ///< set of the slot, constant
  };

  explicit L1Cache(const Machine& machine);

  [[nodiscard]] std::uint32_t find(std::uint64_t line) const { return hash_.find(line); }
  [[nodiscard]] Line& at(std::uint32_t slot) { return lines_[slot]; }
  [[nodiscard]] const Line& at(std::uint32_t slot) const { return lines_[slot]; }
  [[nodiscard]] std::byte* data(std::uint32_t slot) { return data_[slot].bytes; }
  [[nodiscard]] const std::byte* data(std::uint32_t slot) const { return data_[slot].bytes; }
  [[nodiscard]] std::size_t slots() const { return lines_.size(); }
  [[nodiscard]] std::uint32_t set_of(std::uint64_t line) const {
    const std::uint64_t number = line >> line_shift_;
    if (hash_sets_) return static_cast<std::uint32_t>((number + folded(number / sets_.size())) % sets_.size());
    return static_cast<std::uint32_t>(set_mask_ + 1 == sets_.size() ? number & set_mask_ : number % sets_.size());
  }

  /// Returns the slot for an absent line: the lowest free way of its set, else the least recently used way without
  /// claims, else kNone. Changes nothing.
  [[nodiscard]] std::uint32_t way_for(std::uint64_t line) const;
  /// Assigns `slot` to a line without valid bytes, and drops the previous line of the slot. `owner`: TB context of a
  /// local line with write-back, else kNobody.
  void place(std::uint32_t slot, std::uint64_t line, std::uint16_t owner);
  /// Makes the slot the most recently used of its set.
  void touch(std::uint32_t slot);
  /// Makes all bytes of the slot invalid.
  void empty(std::uint32_t slot) { lines_[slot].valid = lines_[slot].dirty = {}; }
  /// Returns whether the slot holds dirty bytes.
  [[nodiscard]] bool dirty(std::uint32_t slot) const {
    return slot != kNone && lines_[slot].present && !lines_[slot].dirty.none();
  }
  /// Frees the slot.
  void release(std::uint32_t slot);
  /// Frees a slot that has neither valid bytes nor claims.
  void release_if_empty(std::uint32_t slot) {
    if (lines_[slot].valid.none() && lines_[slot].claims == 0) release(slot);
  }
  /// Returns the number of lines that a TB context owns.
  [[nodiscard]] std::uint32_t owned(unsigned context) const { return owned_[context]; }

 private:
  // LRU list of a set.
  struct Set {
    std::uint32_t oldest = kNone, newest = kNone;
  };
  struct alignas(64) Bytes {
    std::byte bytes[kMaxLineBytes];
  };

  void unlink(std::uint32_t slot);
  void link_newest(std::uint32_t slot);
  // Takes the line out of everything but the set of present slots.
  void drop(std::uint32_t slot);

  unsigned ways_;
  bool hash_sets_;
  unsigned line_shift_;
  // all bits of a number below the largest power of two that does not exceed the number of sets
  std::uint64_t set_mask_;
  unsigned words_per_set_;
  std::vector<Line> lines_;
  std::vector<Bytes> data_;
  std::vector<Set> sets_;
  std::vector<std::uint64_t> free_;  // bit per way, set if the way is free; words_per_set_ words per set
  LineHash hash_;
  std::vector<std::uint32_t> owned_;  // [TB context] number of its lines
};

}  // namespace castor::gpu
