#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <string_view>

/// Figures that Yeh 2020 published (docs/results/darsie.md, "Claims"): of single programs and of the means "mean 1D"
/// and "mean 2D".
namespace castor::workloads::darsie::published {

/// A published figure of a program or of a mean of programs.
struct Figure {
  std::string_view programs, what;  ///< `what`: a system, or a class of instructions
  double value;
};
/// Speed-up over the baseline, by system.
inline constexpr std::array<Figure, 4> kSpeed = {
    {{"mean 2D", "darsie", 1.30}, {"mean 2D", "dac_ideal", 1.11}, {"mean 2D", "uv", 1.02}, {"FWS", "darsie", 1.13}}};
/// Share of instructions that are not executed with the block, in %, by class.
inline constexpr std::array<Figure, 3> kFewer = {{{"mean 2D", "all", 17}, {"FWS", "all", 21}, {"LIB", "all", 75}}};
/// Redundant instructions at a level, in % of all.
inline constexpr std::array<Figure, 1> kRedundant = {{{"mean", "thread block", 33}}};

/// Returns the published value, or NaN if there is none.
template <std::size_t N>
[[nodiscard]] double value(const std::array<Figure, N>& all, std::string_view programs, std::string_view what) {
  for (const Figure& one : all) {
    if (one.programs == programs && one.what == what) return one.value;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace castor::workloads::darsie::published
