#pragma once

#include <cstring>

#include "castor/isa/memory_access.h"

namespace castor::gpu {

/// Returns the lowest lane of a mask, which must not be 0.
[[nodiscard]] inline unsigned first_lane(isa::LaneMask mask) { return static_cast<unsigned>(__builtin_ctzll(mask)); }

/// Returns the element of type T in one lane of a source operand.
template <class T>
[[nodiscard]] T lane_value(const isa::RegisterView& view, isa::OperandIndex index, unsigned lane) {
  T value;
  std::memcpy(&value, view.src(index) + lane * sizeof(T), sizeof value);
  return value;
}

/// Writes one lane of a destination row; no effect without a destination.
template <class T>
void set_lane(const isa::RegisterView& view, isa::OperandIndex index, unsigned lane, T value) {
  if (index != isa::kNoOperand) std::memcpy(view.dst(index) + lane * sizeof(T), &value, sizeof value);
}

}  // namespace castor::gpu
