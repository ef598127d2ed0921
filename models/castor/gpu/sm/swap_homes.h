#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "castor/gpu/execution/aligned_bytes.h"
#include "castor/gpu/hooks/swap_engine.h"
#include "castor/gpu/sm/segment_table.h"
#include "castor/gpu/sm/swap_layout.h"
#include "castor/gpu/sm/tb_state.h"

namespace castor::gpu {

class ThreadBlocks;
class WarpTable;

/// Register homes, shared homes and places of an SM, by the numbers under which a swap engine knows them
/// (docs/gpu/swapping.md, "Homes and places"). A home that a TB context owns is the storage of its warp slots, or of
/// its shared memory; all others are spare. SwapPort owns it.
class SwapHomes {
 public:
  SwapHomes(const Machine& machine, WarpTable& warps, ThreadBlocks& tbs, const SwapStorage& most);

  /// Returns the number of register homes, and of shared homes, of the kernel for which the engine is configured.
  [[nodiscard]] unsigned register_homes() const { return static_cast<unsigned>(registers_.size()); }
  [[nodiscard]] unsigned shared_homes() const { return static_cast<unsigned>(shared_.size()); }

  /// Records the storage of a thread block that starts in a context.
  void start(unsigned context);
  /// Gives a context other homes. The homes that it had are spare afterwards.
  void enter(unsigned context, unsigned register_home, unsigned shared_home);
  /// Numbers the homes and places anew for a kernel: home c is that of context c, spare homes follow. Contexts from
  /// `slots` on have no home. All storage of registers that no warp slot uses goes to the spare homes.
  void renumber(const SwapKernel& kernel);
  /// Returns whether a register home (or shared home) belongs to another context.
  [[nodiscard]] bool foreign(unsigned context, bool registers, unsigned home) const;
  /// Returns whether the homes exist, are spare or those of the context, and have storage for its warps.
  [[nodiscard]] bool may_enter(unsigned context, unsigned register_home, unsigned shared_home) const;

  /// Returns the row of a register of a warp, given by the warp's number in its thread block; null if the home has no
  /// storage for the warp.
  [[nodiscard]] std::byte* row(unsigned home, unsigned warp, unsigned reg);
  /// Returns a line of shared memory.
  [[nodiscard]] std::byte* shared_line(unsigned home, unsigned line);
  /// Returns a line of a place; `address` is SwapAccess::address. Null if the kernel has no such place, or the place no
  /// such line.
  [[nodiscard]] std::byte* place_line(std::uint64_t address);

  /// Returns the constants of the kernel of a thread block for the swap engine. A kernel that owns the machine has
  /// spare storage.
  [[nodiscard]] SwapKernel constants(const TbState& tb) const;
  /// Poisons the registers and the shared memory of a context into which a thread block is moved.
  void poison(unsigned context, const SwapKernel& kernel);
  /// Poisons the registers of a context that are not live: a thread block that is moved out loses them.
  void poison_dead(unsigned context, const std::bitset<256>& live);
  /// Poisons the lines of shared memory of a context that read-only segments cover.
  void poison_covered(unsigned context, const SegmentTable& segments);

 private:
  static constexpr std::uint16_t kNoRows = 0xffff;
  static constexpr unsigned kNoHome = ~0U;
  /// Storage of a TB context.
  struct Owned {
    unsigned registers = kNoHome, shared = kNoHome;  ///< numbers of the homes
    std::uint8_t store = 0;                          ///< number of the shared storage in ThreadBlocks
  };
  [[nodiscard]] SwapDemand demand(const TbState& tb) const;
  /// Returns the lines of a place; 0 if there is no such place.
  [[nodiscard]] unsigned place_lines(std::uint64_t place) const;
  void number_shared(const SwapKernel& kernel);
  void number_registers(const SwapKernel& kernel);
  using Rows = std::array<std::uint16_t, TbState::kWarps>;  ///< [warp in TB] row set of WarpTable

  const Machine& machine_;
  WarpTable& warps_;
  ThreadBlocks& tbs_;
  const SwapStorage most_;
  SwapKernel kernel_;                 // the kernel for which homes and places are numbered
  std::vector<Rows> registers_;       // [register home]
  std::vector<std::uint8_t> shared_;  // [shared home] number of the shared storage in ThreadBlocks
  std::vector<Owned> of_;             // [context] homes of the context
  std::vector<AlignedBytes> places_;  // [place] lines, at least those of the kernel's places
};

}  // namespace castor::gpu
