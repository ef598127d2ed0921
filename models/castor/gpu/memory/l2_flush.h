#pragma once

#include <cstddef>

#include "castor/gpu/memory/l2_memory_side.h"
#include "castor/gpu/memory/tag_array.h"
#include "castor/gpu/unit.h"

namespace castor::gpu {

/// Flush engine of an L2 slice, for machines that flush at the end of a kernel. It walks over all lines, writes dirty
/// sectors to the miss queue, one dirty line per cycle, and invalidates lines. Lines with an MSHR entry in flight stay.
/// During the flush the slice serves nothing from its pipe.
class L2Flush {
 public:
  L2Flush(TagArray& tags, L2MemorySide& memory) : tags_(tags), memory_(memory) {}

  /// Requests a flush that starts in cycle `visible`.
  void ask(Cycle visible) {
    from_ = visible;
    next_ = 0;
  }
  /// Returns whether a flush has been requested and is not complete.
  [[nodiscard]] bool wanted() const { return from_ != kForever; }
  [[nodiscard]] bool due(Cycle now) const { return from_ <= now; }
  [[nodiscard]] Cycle from() const { return from_; }
  /// Returns whether a flush is requested or running. Other units see the end one cycle late, so the result stays true
  /// for that cycle.
  [[nodiscard]] bool under_way(Cycle now) const { return wanted() || over_from_ > now; }

  /// Runs one cycle of the flush.
  void step(Cycle now);

 private:
  TagArray& tags_;
  L2MemorySide& memory_;
  Cycle from_ = kForever;  ///< first cycle of the requested flush; kForever if none
  Cycle over_from_ = 0;    ///< first cycle after the last flush
  std::size_t next_ = 0;   ///< next line to be flushed
};

}  // namespace castor::gpu
