#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <string_view>

/// What the source of the redundancy filter published (docs/results/darsie.md, "Claims"): figures of programs, and of
/// "mean 1D", "mean 2D".
namespace castor::workloads::darsie::published {

struct Figure {
  std::string_view programs, what;  ///< `what`: a system, or a class of instructions
  double value;
};
/// Speed-up over the baseline, by system.
inline constexpr std::array<Figure, 4> kSpeed = {
    {{"mean 2D", "darsie", 1.30}, {"mean 2D", "dac_ideal", 1.11}, {"mean 2D", "uv", 1.02}, {"FWS", "darsie", 1.13}}};
/// Instructions that are not executed with the block, %, by class.
inline constexpr std::array<Figure, 3> kFewer = {{{"mean 2D", "all", 17}, {"FWS", "all", 21}, {"LIB", "all", 75}}};
/// Redundant in a level, % of all.
inline constexpr std::array<Figure, 1> kRedundant = {{{"mean", "thread block", 33}}};

/// NaN if there is none.
template <std::size_t N>
[[nodiscard]] double value(const std::array<Figure, N>& all, std::string_view programs, std::string_view what) {
  for (const Figure& one : all) {
    if (one.programs == programs && one.what == what) return one.value;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace castor::workloads::darsie::published
