#pragma once

#include <cstdint>
#include <vector>

#include "castor/gpu/hooks.h"
#include "castor/gpu/machine.h"

namespace castor::gpu {

/// Instruction cache of an SM and its fetch MSHRs (docs/gpu.md, "Fetch, decode"): tags only, since code does not
/// change. Set-associative, least recently used way is replaced.
class InstructionCache {
 public:
  explicit InstructionCache(const Machine& machine);

  [[nodiscard]] std::uint64_t line_of(std::uint64_t address) const { return address / line_ * line_; }
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
  [[nodiscard]] Way* set_of(std::uint64_t line) { return ways_.data() + line / line_ % sets_ * ways_per_set_; }

  unsigned line_, ways_per_set_;
  bool ideal_;
  std::uint64_t sets_;
  std::uint64_t uses_ = 0;  // counts lookups that hit and fills, so order of use is order of numbers
  std::vector<Way> ways_;
  std::vector<Mshr> mshrs_;
};

}  // namespace castor::gpu
