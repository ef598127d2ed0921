#pragma once

#include <cstdint>

namespace castor::gpu {

/// Numbers of launches and of thread blocks that have started; 0 is none, and no number is used twice.
using LaunchId = std::uint64_t;
using BlockId = std::uint64_t;

/// Special streams that every launch has (cudaStreamTailLaunch, cudaStreamFireAndForget). Handles of created streams
/// are larger.
inline constexpr std::uint64_t kTailStream = 3;
inline constexpr std::uint64_t kFreeStream = 4;

/// Error codes returned by the device runtime, with CUDA's numbers.
enum class LaunchCode : std::int32_t {
  kSuccess = 0,
  kInvalidValue = 1,
  kInvalidConfiguration = 9,
  kSyncDepthExceeded = 68,
  kPendingCountExceeded = 69,
  kInvalidHandle = 400,
  kTooManyBlocks = 720,
  kNotSupported = 801,
};

}  // namespace castor::gpu
