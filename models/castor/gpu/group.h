#pragma once

#include <cstdint>

namespace castor::gpu {

/// Number of a TB's group if it belongs to none: it is one of the kernel itself. Every other value names a group, 0
/// too.
inline constexpr std::uint32_t kNoGroup = 0xffffffff;

}  // namespace castor::gpu
