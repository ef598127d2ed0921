#pragma once

#include <cstdint>
#include <vector>

namespace castor::gpu {

/// Distribution of the service times of a replayed kernel's thread blocks, in core cycles at full speed
/// (docs/gpu/replay.md, "Replay tier"). A ReplayType holds it.
///
/// A drawn service depends only on (seed, launch, TB), so neither placement nor scheduler changes it. All arithmetic is
/// integer, so the draw is the same on every host.
struct ServiceLaw {
  enum class Kind : std::uint8_t {
    kConstant,     ///< always `a`
    kUniform,      ///< integers from `a` to `b`, both included
    kExponential,  ///< mean `a`, rounded to the nearest cycle
    kNormal,       ///< mean `a`, standard deviation `b`, rounded to the nearest cycle; below 0 becomes 0
    kTable,        ///< recorded: TB g takes `values[g]`
    kSample,       ///< one of `values`, each with equal probability
  };
  Kind kind = Kind::kConstant;
  std::uint32_t a = 0, b = 0;
  std::vector<std::uint32_t> values;

  /// Returns the service of TB `gid` of a launch, saturated to 32 bits. kTable: `gid` must be below values.size()
  /// (assertion). `launch`: number that distinguishes the launches of a run (from ticket and group).
  [[nodiscard]] std::uint32_t draw(std::uint64_t seed, std::uint64_t launch, std::uint64_t gid) const;
};

namespace detail {

/// Returns -ln(x / 2^64) x 2^32 for x in 1..2^64 - 1. The error before scaling is at most 2^-26.
[[nodiscard]] std::uint64_t minus_ln(std::uint64_t x);
/// Returns the largest r with r x r <= x.
[[nodiscard]] std::uint64_t root(std::uint64_t x);

}  // namespace detail
}  // namespace castor::gpu
