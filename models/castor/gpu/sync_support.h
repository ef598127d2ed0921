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
  bool images = false;                ///< TBs that are swapped out lie in images; false: the fields below mean nothing
  bool live_registers = false;        ///< an image holds only the registers that are live at the kernel's only site
  std::uint32_t warp_bytes = 0;       ///< control state of a warp in an image
  std::uint32_t predicate_bytes = 0;  ///< predicates of a warp in an image, if they can be live at a site
  std::uint32_t block_bytes = 0;      ///< further state of the TB in an image, without registers and shared memory
};

/// What the enabled blocks of a machine do about device-wide synchronisation. Whoever makes a machine from a
/// configuration fills it in from the registrations of the blocks.
struct SyncSupport {
  isa::SyncSet answered = 0;  ///< operations that an enabled block answers
  bool swaps = false;         ///< an enabled block swaps out thread blocks that wait, so that others take their places
  SwapLimits limits;          ///< limits of that block
  bool executed = true;       ///< false for a device whose SMs do not execute the operations, whatever blocks it has
  /// Returns the name of the installed block that answers an operation; empty if none does. Null: not known.
  std::string (*owner)(isa::SyncOp op) = nullptr;
};

/// What happens if a thread block ends while others of its kernel still meet at grid barriers.
enum class SyncExit : std::uint8_t {
  kError,   ///< the kernel is stopped
  kShrink,  ///< grid barriers no longer wait for the thread block
};
/// When a thread block that waits at an event is swapped out.
enum class SyncSwap : std::uint8_t {
  kEager,  ///< at once
  kLazy,   ///< when no waiting thread block of its SM has made progress for some time
  kNever,
};

/// Options of one launch for device-wide synchronisation (castor_sync.h).
struct SyncOptions {
  static constexpr std::uint32_t kMostEvents = std::uint32_t{1} << 20;
  std::uint32_t events = kMostEvents;  ///< numbers of events are below this
  std::vector<std::uint32_t> order;  ///< number in the grid of each thread block, in the order of placement; empty: the
                                     ///< order of the numbers
  SyncExit exit = SyncExit::kError;
  SyncSwap swap = SyncSwap::kLazy;
};

/// Returns the order of placement for ranks of thread blocks: ascending ranks, equal ranks in the order of the numbers.
[[nodiscard]] std::vector<std::uint32_t> placement_order(const std::vector<std::uint32_t>& ranks);

}  // namespace castor::gpu
