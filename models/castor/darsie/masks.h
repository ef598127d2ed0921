#pragma once

#include "castor/darsie/ports.h"

namespace castor::darsie {

/// Number of the lowest bit that is set; there must be one.
[[nodiscard]] inline unsigned lowest(U64 mask) { return static_cast<unsigned>(__builtin_ctzll(mask)); }

/// The first bit that is set in the order from, from + 1, ..., 63, 0, ...; there must be one.
[[nodiscard]] inline unsigned first_from(U64 mask, unsigned from) {
  const U64 behind = mask & (~U64{0} << from);
  return lowest(behind != 0 ? behind : mask);
}

[[nodiscard]] constexpr WarpMask warp_bit(unsigned warp) { return U64{1} << warp; }
[[nodiscard]] constexpr TbMask tb_bit(unsigned tb) { return U32{1} << tb; }
[[nodiscard]] constexpr U32 row_bit(unsigned row) { return U32{1} << row; }
[[nodiscard]] constexpr bool has(U64 mask, unsigned bit) { return (mask >> bit & 1U) != 0; }

/// The bits of `where` in `mask` become those of `value`.
template <class T>
constexpr void assign(T& mask, T where, bool value) {
  mask = static_cast<T>(value ? mask | where : mask & ~where);
}

/// f(number) for every bit that is set, lowest first.
template <class F>
void for_each_bit(U64 mask, F f) {
  for (; mask != 0; mask &= mask - 1) f(lowest(mask));
}

}  // namespace castor::darsie
