#pragma once

#include <cstdint>

namespace castor::gpu {

/// Numbers of launches and of thread blocks that have started; 0 is none, and none is used twice.
using LaunchId = std::uint64_t;
using BlockId = std::uint64_t;

/// What the device runtime returns, with CUDA's numbers.
enum class LaunchCode : std::int32_t {
  kSuccess = 0,
  kInvalidValue = 1,
  kInvalidConfiguration = 9,
  kSyncDepthExceeded = 68,
  kPendingCountExceeded = 69,
  kInvalidHandle = 400,
};

}  // namespace castor::gpu
