#pragma once

#include <array>
#include <limits>

#include "castor/tb_swap/ports.h"

namespace castor::tb_swap {

/// Statistics that the model counts since cfg_valid or reset; they stop at 2^32 - 1. The hardware has no counters.
struct Counters {
  std::array<U32, 5> jobs{};    ///< jobs by class of the TB that is moved out; 0: no TB is moved out
  std::array<U32, 4> stored{};  ///< stores to memory, by AccessType
  std::array<U32, 4> loaded{};  ///< loads from memory, by AccessType
  U32 copied_out = 0;           ///< lines copied into places
  U32 copied_in = 0;            ///< lines copied out of places
  U32 skipped_lines = 0;        ///< lines of read-only segments that were not saved
  U32 dead_registers = 0;       ///< registers of warps that were not saved because they were dead
  U32 throttled = 0;            ///< cycles in which an access to memory was held back and none else was written

  /// Adds to one of the counters.
  static void add(U32& counter, U32 amount = 1) {
    const U32 room = std::numeric_limits<U32>::max() - counter;
    counter += amount < room ? amount : room;
  }
};

}  // namespace castor::tb_swap
