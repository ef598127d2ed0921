#pragma once

#include <cstddef>
#include <vector>

namespace castor::workloads {

/// Mean and standard deviation (of the sample: n - 1) over runs that differ in their input only.
struct Spread {
  double mean = 0, deviation = 0;
  std::size_t count = 0;
};
/// All 0 without values.
[[nodiscard]] Spread arithmetic_spread(const std::vector<double>& values);
/// With the geometric mean; all values above 0. The deviation is that from the arithmetic mean.
[[nodiscard]] Spread geometric_spread(const std::vector<double>& values);
/// Half of the interval around the mean that holds the true one with a probability of 95 per cent, by Student's t with
/// n - 1 degrees of freedom. Errors: none; infinite for fewer than two values.
[[nodiscard]] double confidence(const Spread& spread);
/// Of a figure that is no mean: `whole` from all runs, `without` once for each run left out (jackknife). Of a mean this
/// is its arithmetic_spread.
[[nodiscard]] Spread jackknife_spread(double whole, const std::vector<double>& without);

}  // namespace castor::workloads
