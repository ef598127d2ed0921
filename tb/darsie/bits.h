#pragma once

#include "castor/twin/ports.h"

namespace castor::darsie::tb {

constexpr twin::U64 bit(unsigned b) { return twin::U64{1} << b; }
constexpr bool contains(twin::U64 mask, unsigned b) { return (mask >> b & 1U) != 0; }
/// Number of the lowest of a mask that is not 0.
inline unsigned lowest(twin::U64 mask) { return static_cast<unsigned>(__builtin_ctzll(mask)); }
inline unsigned size(twin::U64 mask) { return static_cast<unsigned>(__builtin_popcountll(mask)); }

}  // namespace castor::darsie::tb
