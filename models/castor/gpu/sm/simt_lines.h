#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "castor/gpu/hooks/swap_engine.h"
#include "castor/gpu/sm/tb_state.h"

namespace castor::gpu {

using SwapLine = std::array<std::byte, kSwapLineBytes>;

/// Control state of a warp as SIMT lines hold it (docs/gpu/swapping.md, "SIMT lines"): 80 bytes, with the topmost
/// entries of the SIMT stack, and 32 bytes of predicates.
struct SimtRecord {
  static constexpr unsigned kEntries = 4;  ///< entries of the SIMT stack that fit
  struct Entry {
    std::uint32_t pc = 0, reconvergence = 0, mask = 0;
    std::uint32_t frame = 0;  ///< bit 0: first entry of a function; bits 31 to 1: call depth
  };
  std::uint32_t token = 0;  ///< token of the saved thread block
  std::uint32_t live = 0;   ///< lanes that have not exited
  std::uint32_t pc = 0;
  std::uint32_t depth = 0;  ///< entries of the whole stack
  std::array<Entry, kEntries> entries{};
  std::array<std::uint32_t, 8> predicates{};
};
static_assert(sizeof(SimtRecord) == 112);

/// Entries of a warp's SIMT stack that its record has no room for, from the bottom up.
using DeepStack = std::vector<isa::SimtStack::Entry>;

/// SIMT lines of a thread block of `warps` warps.
class SimtLines {
 public:
  [[nodiscard]] static constexpr unsigned lines(unsigned warps) {
    return (warps * static_cast<unsigned>(sizeof(SimtRecord)) + kSwapLineBytes - 1) / kSwapLineBytes;
  }

  /// Makes the lines of a thread block, with poison in all bytes. With `table` one more line follows, for a table of
  /// read-only segments.
  void start(unsigned warps, bool table = false);
  [[nodiscard]] std::byte* line(unsigned number) { return lines_[number].data(); }
  [[nodiscard]] unsigned size() const { return static_cast<unsigned>(lines_.size()); }
  /// Packs the state of warp number `warp` of the thread block and returns the entries that do not fit.
  [[nodiscard]] DeepStack pack(unsigned warp, const WarpState& state, std::uint32_t token);
  /// Returns the record of a warp.
  [[nodiscard]] SimtRecord record(unsigned warp) const;
  /// Returns the stack of a record together with its deep entries.
  [[nodiscard]] static isa::SimtStack stack(const SimtRecord& record, const DeepStack& deep);

 private:
  std::vector<SwapLine> lines_;
};

/// Byte that fills storage whose content has been moved away.
inline constexpr std::byte kSwapPoison{0xa7};

}  // namespace castor::gpu
