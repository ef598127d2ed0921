#pragma once

#include "castor/darsie/ports.h"

namespace castor::darsie {

/// Returns the number of the lowest set bit; `mask` must not be 0.
[[nodiscard]] inline unsigned lowest(U64 mask) { return static_cast<unsigned>(__builtin_ctzll(mask)); }

/// Returns the first set bit in the order from, from + 1, ..., 63, 0, ...; `mask` must not be 0.
[[nodiscard]] inline unsigned first_from(U64 mask, unsigned from) {
  const U64 behind = mask & (~U64{0} << from);
  return lowest(behind != 0 ? behind : mask);
}

[[nodiscard]] constexpr WarpMask warp_bit(unsigned warp) { return U64{1} << warp; }
[[nodiscard]] constexpr TbMask tb_bit(unsigned tb) { return U32{1} << tb; }
[[nodiscard]] constexpr U32 row_bit(unsigned row) { return U32{1} << row; }
[[nodiscard]] constexpr bool has(U64 mask, unsigned bit) { return (mask >> bit & 1U) != 0; }

/// Returns the number of set bits. Usually the mask has at most one, and no population count is needed.
[[nodiscard]] inline U64 count_bits(U64 mask) {
  return (mask & (mask - 1)) == 0 ? U64{mask != 0} : static_cast<U64>(__builtin_popcountll(mask));
}

/// Sets the bits of `where` in `mask` to `value`.
template <class T>
constexpr void assign(T& mask, T where, bool value) {
  mask = static_cast<T>(value ? mask | where : mask & ~where);
}

/// Calls f(number) for every set bit, lowest first.
template <class F>
void for_each_bit(U64 mask, F f) {
  for (; mask != 0; mask &= mask - 1) f(lowest(mask));
}

}  // namespace castor::darsie
