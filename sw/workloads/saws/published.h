#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <string_view>

/// Figures that the source published for four warp schedulers: means over its programs with barriers
/// (docs/results/saws.md, "Claims").
namespace castor::workloads::saws::published {

/// The published mean of a policy, in %.
struct Mean {
  std::string_view policy;
  double percent;
};
/// Gain in performance over GTO, in %.
inline constexpr std::array<Mean, 2> kFaster = {{{"SAWS/no-toggle", 7}, {"SAWS", 9}}};
/// Increase of the barrier waiting time over GTO, in %.
inline constexpr std::array<Mean, 2> kWaiting = {{{"CATLS", 2}, {"SAWS", -15}}};

/// Returns the published mean of a policy, or NaN if there is none.
template <std::size_t N>
[[nodiscard]] double mean_of(const std::array<Mean, N>& all, std::string_view policy) {
  for (const Mean& one : all) {
    if (one.policy == policy) return one.percent;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace castor::workloads::saws::published
