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

}  // namespace castor::workloads
