#pragma once

#include <cstdint>
#include <vector>

namespace castor::gpu {

/// Service times of the thread blocks of a replayed kernel, in core cycles at full speed (docs/gpu/replay.md, "Replay
/// tier").
///
/// Drawn services depend on nothing but (seed, launch, TB), so neither placement nor scheduler changes them. All
/// arithmetic is whole numbers: the same draw on every host.
struct ServiceLaw {
  enum class Kind : std::uint8_t {
    kConstant,     ///< `a`
    kUniform,      ///< whole numbers from `a` to `b`, both included
    kExponential,  ///< mean `a`, rounded to the nearest cycle
    kNormal,       ///< mean `a`, standard deviation `b`, rounded to the nearest cycle; below 0 becomes 0
    kTable,        ///< recorded: TB g takes `values[g]`
    kSample,       ///< one of `values`, each with equal chance
  };
  Kind kind = Kind::kConstant;
  std::uint32_t a = 0, b = 0;
  std::vector<std::uint32_t> values;

  /// Service of TB `gid` of a launch. Cut to 32 bits. kTable: `gid` must be below values.size() (assertion).
  /// `launch`: what tells one launch from the others of a run (ticket, group).
  [[nodiscard]] std::uint32_t draw(std::uint64_t seed, std::uint64_t launch, std::uint64_t gid) const;
};

namespace detail {

/// -ln(x / 2^64) x 2^32 for x in 1..2^64 - 1, within 2^-26 (in units before scaling).
[[nodiscard]] std::uint64_t minus_ln(std::uint64_t x);
/// Largest r with r x r <= x.
[[nodiscard]] std::uint64_t root(std::uint64_t x);

}  // namespace detail
}  // namespace castor::gpu
