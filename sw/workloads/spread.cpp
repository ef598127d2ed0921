#include "workloads/spread.h"

#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>

namespace castor::workloads {

Spread arithmetic_spread(const std::vector<double>& values) {
  Spread out;
  out.count = values.size();
  if (values.empty()) return out;
  const auto n = static_cast<double>(values.size());
  for (const double value : values) out.mean += value;
  out.mean /= n;
  double squares = 0;
  for (const double value : values) squares += (value - out.mean) * (value - out.mean);
  if (values.size() > 1) out.deviation = std::sqrt(squares / (n - 1));
  return out;
}

Spread geometric_spread(const std::vector<double>& values) {
  Spread out = arithmetic_spread(values);
  double logs = 0;
  for (const double value : values) logs += std::log(value);
  if (!values.empty()) out.mean = std::exp(logs / static_cast<double>(values.size()));
  return out;
}

double confidence(const Spread& spread) {
  if (spread.count < 2) return std::numeric_limits<double>::infinity();
  constexpr double kUpper = 0.975;  // quantile for a two-sided interval of 95 %
  const auto n = static_cast<double>(spread.count);
  return boost::math::quantile(boost::math::students_t(n - 1), kUpper) * spread.deviation / std::sqrt(n);
}

Spread jackknife_spread(double whole, const std::vector<double>& without) {
  const auto n = static_cast<double>(without.size());
  std::vector<double> values;
  values.reserve(without.size());
  for (const double value : without) values.push_back(n * whole - (n - 1) * value);
  Spread out = arithmetic_spread(values);
  out.mean = whole;
  return out;
}

}  // namespace castor::workloads
