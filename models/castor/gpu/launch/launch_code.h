#pragma once

#include <cstdint>

namespace castor::gpu {

/// Numbers of launches and of thread blocks that have started; 0 is none, and none is used twice.
using LaunchId = std::uint64_t;
using BlockId = std::uint64_t;

/// Streams that every launch has (cudaStreamTailLaunch, cudaStreamFireAndForget); handles of others are larger.
inline constexpr std::uint64_t kTailStream = 3;
inline constexpr std::uint64_t kFreeStream = 4;

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
