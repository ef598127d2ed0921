#pragma once

#include <cstdint>

namespace castor::gpu {

/// Group number of a TB that belongs to the kernel's own grid. Every other value, including 0, is the number of a
/// group.
inline constexpr std::uint32_t kNoGroup = 0xffffffff;

}  // namespace castor::gpu
