#pragma once

#include <cstdint>
#include <vector>

#include "castor/gpu/hooks/hook.h"
#include "castor/gpu/machine.h"

namespace castor::gpu {

/// Instruction cache of an SM with its fetch MSHRs (docs/gpu/sm.md, "Fetch, decode"). It stores tags only, since code
/// does not change. Set-associative with LRU replacement.
class InstructionCache {
 public:
  explicit InstructionCache(const Machine& machine);

  [[nodiscard]] std::uint64_t line_of(std::uint64_t address) const { return address & ~std::uint64_t{line_ - 1}; }
  [[nodiscard]] unsigned line_bytes() const { return line_; }

  /// Returns whether the line is present, and makes it the most recently used line of its set.
  [[nodiscard]] bool lookup(std::uint64_t line);

  /// Result of a miss.
  enum class Miss : std::uint8_t { kJoined, kRequest, kDropped };
  /// Handles the miss of a warp. kJoined: merged with the line's outstanding request. kRequest: allocated an MSHR, and
  /// the caller sends the request. kDropped: no MSHR is free, or `can_send` is false.
  Miss miss(std::uint64_t line, unsigned warp, bool can_send);
  /// Installs a line that has arrived, and returns the warps that wait for it.
  WarpMask fill(std::uint64_t line);
  /// Returns the warps that wait for a line.
  [[nodiscard]] WarpMask waiting() const;
  /// Removes these warps from all MSHRs.
  void forget(WarpMask warps);

 private:
  // Tag of a way: its line (all ones = empty), and the LRU time of its last use.
  struct Way {
    std::uint64_t line = ~std::uint64_t{0};
    std::uint64_t used = 0;
  };
  // Outstanding line request: `open` from the miss to the arrival of the line.
  struct Mshr {
    std::uint64_t line = 0;
    WarpMask waiters = 0;
    bool open = false;
  };
  [[nodiscard]] Way* set_of(std::uint64_t line) {
    const std::uint64_t number = line >> line_shift_;
    return ways_.data() + (set_mask_ != 0 ? number & set_mask_ : number % sets_) * ways_per_set_;
  }

  // line size in bytes (a power of two), base-2 logarithm of the line size, and the associativity
  unsigned line_, line_shift_, ways_per_set_;
  bool ideal_;
  std::uint64_t sets_, set_mask_;  // set_mask_ is 0 if the number of sets is not a power of two
  std::uint64_t uses_ = 0;         // LRU clock: number of hits and fills so far
  std::vector<Way> ways_;
  std::vector<Mshr> mshrs_;
};

}  // namespace castor::gpu
