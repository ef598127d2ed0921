#pragma once

#include "castor/twin/ports.h"

namespace castor::darsie::tb {

constexpr twin::U64 bit(unsigned b) { return twin::U64{1} << b; }
constexpr bool contains(twin::U64 mask, unsigned b) { return (mask >> b & 1U) != 0; }
/// Returns the number of the lowest set bit; `mask` must not be 0.
inline unsigned lowest(twin::U64 mask) { return static_cast<unsigned>(__builtin_ctzll(mask)); }
/// Returns the number of set bits.
inline unsigned size(twin::U64 mask) { return static_cast<unsigned>(__builtin_popcountll(mask)); }

}  // namespace castor::darsie::tb
