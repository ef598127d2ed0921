#pragma once

#include <cstddef>
#include <vector>

namespace castor::workloads {

/// Mean and sample standard deviation (divisor n - 1) over runs that differ only in their input.
struct Spread {
  double mean = 0, deviation = 0;
  std::size_t count = 0;
};
/// Returns arithmetic mean and deviation; all fields are 0 without values.
[[nodiscard]] Spread arithmetic_spread(const std::vector<double>& values);
/// Returns the geometric mean, and the deviation from the arithmetic mean. All values must be above 0.
[[nodiscard]] Spread geometric_spread(const std::vector<double>& values);
/// Returns half the width of the 95 % confidence interval of the mean, by Student's t with n - 1 degrees of freedom.
/// Infinite for fewer than two values.
[[nodiscard]] double confidence(const Spread& spread);
/// Returns the jackknife spread of a figure that is not a mean. `whole`: the figure of all runs; `without`: the figure
/// once for each run left out. For a mean the result equals its arithmetic_spread.
[[nodiscard]] Spread jackknife_spread(double whole, const std::vector<double>& without);

}  // namespace castor::workloads
