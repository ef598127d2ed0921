#pragma once

#include <cstdint>

namespace castor::gpu {

/// Requester of the swap-out of a thread block (docs/gpu/moving.md).
enum class SwapReason : std::uint8_t {
  kChildren,         ///< the block waits for its launches
  kPreemption,       ///< the front end preempts the block's queue
  kRandom,           ///< a test swaps blocks out at random instruction boundaries (context.random)
  kSynchronisation,  ///< the synchronisation agent of the SM gives the block's context to another block
};

}  // namespace castor::gpu
