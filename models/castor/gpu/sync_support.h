#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "castor/isa/sync_op.h"

namespace castor::gpu {

/// Memory that a block needs for a thread block (TB) that it swaps out, and how many TBs of a kernel it can swap out.
/// An image is the memory that holds one TB; its size follows from the kernel (image_bytes).
struct SwapLimits {
  static constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};
  std::uint64_t away = kNoLimit;      ///< largest number of TBs of a kernel that are swapped out at once
  bool images = false;                ///< swapped-out TBs are stored in images; false: the fields below are meaningless
  bool live_registers = false;        ///< an image holds only the registers that are live at the kernel's only sync
                                      ///< site
  std::uint32_t warp_bytes = 0;       ///< control state of a warp in an image
  std::uint32_t predicate_bytes = 0;  ///< bytes of a warp's predicates in an image, if predicates can be live at a site
  std::uint32_t block_bytes = 0;      ///< bytes of other TB state in an image, without registers and shared memory
};

/// Support of a machine's enabled blocks for device-wide synchronisation. The code that makes a machine from a
/// configuration fills the fields in from the registrations of the blocks.
struct SyncSupport {
  isa::SyncSet answered = 0;  ///< operations that an enabled block answers
  bool swaps = false;         ///< an enabled block swaps out waiting thread blocks, so that others get their slots
  SwapLimits limits;          ///< limits of that block
  bool executed = true;       ///< false for a device whose SMs never execute the operations, whatever blocks are
                              ///< enabled
  /// Returns the name of the installed block that answers an operation; empty if no block does. A null function means
  /// that the installed blocks are unknown.
  std::string (*owner)(isa::SyncOp op) = nullptr;
};

/// Effect of the end of a thread block while others of its kernel still use grid barriers.
enum class SyncExit : std::uint8_t {
  kError,   ///< the kernel is stopped
  kShrink,  ///< grid barriers no longer wait for the thread block
};
/// Time at which a thread block that waits at an event is swapped out.
enum class SyncSwap : std::uint8_t {
  kEager,  ///< at once
  kLazy,   ///< when no waiting thread block of its SM has made progress for some time
  kNever,
};

/// Options of one launch for device-wide synchronisation (castor_sync.h).
struct SyncOptions {
  static constexpr std::uint32_t kMostEvents = std::uint32_t{1} << 20;
  std::uint32_t events = kMostEvents;  ///< event numbers must be below this
  std::vector<std::uint32_t> order;    ///< numbers in the grid of the thread blocks, in the order of placement; empty:
                                       ///< ascending numbers
  SyncExit exit = SyncExit::kError;
  SyncSwap swap = SyncSwap::kLazy;
};

/// Returns the order of placement that follows from the ranks of the thread blocks: ascending ranks, and ascending
/// numbers for equal ranks.
[[nodiscard]] std::vector<std::uint32_t> placement_order(const std::vector<std::uint32_t>& ranks);

}  // namespace castor::gpu
