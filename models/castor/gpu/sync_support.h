#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "castor/isa/sync_op.h"

namespace castor::gpu {

/// What the enabled blocks of a machine do about device-wide synchronisation. Whoever makes a machine from a
/// configuration fills it in from the registrations of the blocks.
struct SyncSupport {
  isa::SyncSet answered = 0;  ///< operations that an enabled block answers
  bool swaps = false;         ///< an enabled block swaps out thread blocks that wait, so that others take their places
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
