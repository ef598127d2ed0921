#pragma once

#include <cstdint>
#include <vector>

#include "castor/gpu/hooks/hook.h"
#include "castor/gpu/machine.h"

namespace castor::gpu {

/// Instruction cache of an SM and its fetch MSHRs (docs/gpu/sm.md, "Fetch, decode"): tags only, since code does not
/// change. Set-associative, least recently used way is replaced.
class InstructionCache {
 public:
  explicit InstructionCache(const Machine& machine);

  [[nodiscard]] std::uint64_t line_of(std::uint64_t address) const { return address & ~std::uint64_t{line_ - 1}; }
  [[nodiscard]] unsigned line_bytes() const { return line_; }

  /// Whether the line is present; makes it the most recently used.
  [[nodiscard]] bool lookup(std::uint64_t line);

  enum class Miss : std::uint8_t { kJoined, kRequest, kDropped };
  /// A warp missed: joins the request of its line, or opens one (the caller sends it), or is dropped if no MSHR is free
  /// or `can_send` does not hold.
  Miss miss(std::uint64_t line, unsigned warp, bool can_send);
  /// The line has arrived: writes it and returns the warps that wait for it.
  WarpMask fill(std::uint64_t line);
  /// Warps that wait for lines.
  [[nodiscard]] WarpMask waiting() const;
  /// The warp does not want its line any more.
  void forget(WarpMask warps);

 private:
  struct Way {
    std::uint64_t line = ~std::uint64_t{0};
    std::uint64_t used = 0;
  };
  struct Mshr {
    std::uint64_t line = 0;
    WarpMask waiters = 0;
    bool open = false;
  };
  [[nodiscard]] Way* set_of(std::uint64_t line) {
    const std::uint64_t number = line >> line_shift_;
    return ways_.data() + (set_mask_ != 0 ? number & set_mask_ : number % sets_) * ways_per_set_;
  }

  unsigned line_, line_shift_, ways_per_set_;  // lines are powers of two
  bool ideal_;
  std::uint64_t sets_, set_mask_;  // mask 0: no power of two
  std::uint64_t uses_ = 0;         // counts lookups that hit and fills, so order of use is order of numbers
  std::vector<Way> ways_;
  std::vector<Mshr> mshrs_;
};

}  // namespace castor::gpu
