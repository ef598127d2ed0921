#pragma once

#include <cstddef>

#include "castor/gpu/memory/l2_memory_side.h"
#include "castor/gpu/memory/tag_array.h"
#include "castor/gpu/unit.h"

namespace castor::gpu {

/// Empties a slice, for machines that flush at the end of a kernel: line after line, dirty sectors into the miss queue,
/// one dirty line per cycle; lines with an entry in flight stay. Meanwhile nothing is served from the pipe.
class L2Flush {
 public:
  L2Flush(TagArray& tags, L2MemorySide& memory) : tags_(tags), memory_(memory) {}

  /// Begins in cycle `visible`.
  void ask(Cycle visible) {
    from_ = visible;
    next_ = 0;
  }
  /// Asked for and not over.
  [[nodiscard]] bool wanted() const { return from_ != kForever; }
  [[nodiscard]] bool due(Cycle now) const { return from_ <= now; }
  [[nodiscard]] Cycle from() const { return from_; }
  /// As others see it: the end counts from the next cycle on.
  [[nodiscard]] bool under_way(Cycle now) const { return wanted() || over_from_ > now; }

  /// One cycle of it.
  void step(Cycle now);

 private:
  TagArray& tags_;
  L2MemorySide& memory_;
  Cycle from_ = kForever;
  Cycle over_from_ = 0;   ///< first cycle after the last flush
  std::size_t next_ = 0;  ///< line
};

}  // namespace castor::gpu
