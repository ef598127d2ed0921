#include "castor/gpu/replay/service.h"

#include <algorithm>
#include <limits>

#include "castor/base/error.h"
#include "castor/base/hash.h"
#include "castor/base/rng.h"

namespace castor::gpu {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::uint64_t kLn2 = 2977044472;  // ln 2 x 2^32, rounded

/// Returns a uniform integer in 0..bound - 1 from 64 random bits.
std::uint64_t scale(std::uint64_t bits, std::uint64_t bound) {
  return static_cast<std::uint64_t>((Wide{bits} * bound) >> 64U);
}

/// Saturates a value to 32 bits.
std::uint32_t cut(std::uint64_t value) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(value, std::numeric_limits<std::uint32_t>::max()));
}

/// Normal deviate (magnitude x 2^28, and sign), drawn from a point in the unit disc by the polar method (Marsaglia and
/// Bray 1964).
struct Deviate {
  bool negative = false;
  std::uint64_t size = 0;
};
Deviate normal(base::SplitMix64& bits) {
  while (true) {
    const std::uint64_t word = bits();
    // u and v are signed numbers in [-1, 1), x 2^31.
    const auto u = static_cast<std::int64_t>(static_cast<std::int32_t>(word));
    const auto v = static_cast<std::int64_t>(static_cast<std::int32_t>(word >> 32U));
    const auto uu = static_cast<std::uint64_t>(u * u);
    const std::uint64_t s = uu + static_cast<std::uint64_t>(v * v);  // value x 2^62
    if (s == 0 || s >= std::uint64_t{1} << 62U) continue;
    const std::uint64_t l = 2 * detail::minus_ln(s << 2U);  // x 2^32, below 2^39
    const auto square = static_cast<std::uint64_t>(Wide{uu} * l / s);
    return {u < 0, detail::root(square << 24U)};
  }
}

}  // namespace

namespace detail {

std::uint64_t minus_ln(std::uint64_t x) {
  // x = m x 2^(63 - shift) with m in [1, 2); the bits of log2 m follow from squaring.
  unsigned shift = 0;
  while (x >> 63U == 0) {
    x <<= 1U;
    ++shift;
  }
  std::uint64_t fraction = 0;  // fraction of log2 m, x 2^36
  for (unsigned i = 0; i < 36; ++i) {
    const auto square = static_cast<std::uint64_t>((Wide{x} * x) >> 63U);
    const bool above = ((Wide{x} * x) >> 127U) != 0;  // the square is at least 2
    fraction = fraction << 1U | (above ? 1U : 0U);
    x = above ? static_cast<std::uint64_t>((Wide{x} * x) >> 64U) : square;
  }
  const std::uint64_t log2 = (std::uint64_t{shift + 1} << 36U) - fraction;  // log2(2^64 / x), x 2^36
  return static_cast<std::uint64_t>((Wide{log2} * kLn2) >> 36U);
}

std::uint64_t root(std::uint64_t x) {
  std::uint64_t result = 0;
  for (std::uint64_t bit = std::uint64_t{1} << 31U; bit != 0; bit >>= 1U) {
    const std::uint64_t next = result | bit;
    if (next * next <= x) result = next;
  }
  return result;
}

}  // namespace detail

std::uint32_t ServiceLaw::draw(std::uint64_t seed, std::uint64_t launch, std::uint64_t gid) const {
  if (kind == Kind::kConstant) return a;
  if (kind == Kind::kTable) {
    CASTOR_ASSERT(gid < values.size(), "no recorded service");
    return values[gid];
  }
  base::SplitMix64 bits(base::mix(base::mix(base::mix(seed) ^ launch) ^ gid));
  switch (kind) {
    case Kind::kUniform:
      return a + static_cast<std::uint32_t>(scale(bits(), std::uint64_t{b} - a + 1));
    case Kind::kExponential: {
      const std::uint64_t l = detail::minus_ln(std::max<std::uint64_t>(bits(), 1));
      return cut(static_cast<std::uint64_t>((Wide{l} * a + (Wide{1} << 31U)) >> 32U));
    }
    case Kind::kNormal: {
      const Deviate z = normal(bits);
      const auto away = static_cast<std::uint64_t>((Wide{z.size} * b + (Wide{1} << 27U)) >> 28U);
      if (z.negative) return away < a ? a - static_cast<std::uint32_t>(away) : 0;
      return cut(a + away);
    }
    case Kind::kSample:
      return values[scale(bits(), values.size())];
    default:
      return a;
  }
}

}  // namespace castor::gpu
