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

/// Tags, state and bytes of an L1 (docs/gpu/sm-memory.md, "L1"): what is where, who is replaced next. When something is
/// looked up, filled or written is the pipe's business.
///
/// A slot is a way of a set, set x ways + way. It is present while it has an address: some byte of it is valid, or a
/// miss has claimed it. Lines are found by a hash; the least recently used way by a list per set.
class L1Cache {
 public:
  static constexpr std::uint32_t kNone = LineHash::kNone;
  static constexpr std::uint16_t kNobody = 0xffff;

  struct Line {
    std::uint64_t address = 0;
    Cycle stamp = 0;  ///< when its oldest bytes were performed
    ByteMask valid, dirty;
    std::uint32_t claims = 0;       ///< open misses that will fill it
    std::uint16_t owner = kNobody;  ///< TB context, of local lines that are written back
    bool present = false;
    std::uint32_t older = kNone, newer = kNone;  ///< by last use, in the set
    std::uint32_t set = 0;                       ///< of the slot, for good
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

  /// The way that an absent line would get: the lowest that is free, else the least recently used that nobody claims;
  /// kNone if there is none. Changes nothing.
  [[nodiscard]] std::uint32_t way_for(std::uint64_t line) const;
  /// Gives `slot` to a line without valid bytes; what was there is forgotten.
  void place(std::uint32_t slot, std::uint64_t line);
  void touch(std::uint32_t slot);
  void release(std::uint32_t slot);
  /// Frees a slot without valid bytes and claims.
  void release_if_empty(std::uint32_t slot) {
    const Line& line = lines_[slot];
    if (line.valid.none() && line.claims == 0) release(slot);
  }

 private:
  struct Set {
    std::uint32_t oldest = kNone, newest = kNone;
  };
  struct alignas(64) Bytes {
    std::byte bytes[kMaxLineBytes];
  };

  void unlink(std::uint32_t slot);
  void link_newest(std::uint32_t slot);

  unsigned ways_;
  bool hash_sets_;
  unsigned line_shift_;
  std::uint64_t set_mask_;  ///< of the next lower power of two sets
  unsigned words_per_set_;
  std::vector<Line> lines_;
  std::vector<Bytes> data_;
  std::vector<Set> sets_;
  std::vector<std::uint64_t> free_;  // per set a bit per way
  LineHash hash_;
};

}  // namespace castor::gpu
