#pragma once

#include <cstdint>

#include "castor/base/statistics.h"

namespace castor::gpu {

/// Raises a counter that holds the largest value seen to `value`, if that is larger.
inline void note_largest(base::Counter& counter, std::uint64_t value) {
  if (value > counter.value()) counter += value - counter.value();
}

}  // namespace castor::gpu
