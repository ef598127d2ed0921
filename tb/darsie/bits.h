#pragma once

#include "castor/twin/bits.h"

namespace castor::darsie::tb {

constexpr twin::U64 bit(unsigned b) { return twin::U64{1} << b; }
constexpr bool contains(twin::U64 mask, unsigned b) { return (mask >> b & 1U) != 0; }

}  // namespace castor::darsie::tb
