#pragma once

#include <cstdint>

#include "castor/base/statistics.h"

namespace castor::gpu {

/// Statistic that reads a counter stored in another object, so that counters updated together can lie in one struct.
class CounterView final : public base::Statistic {
 public:
  /// `value` must outlive the statistic.
  CounterView(base::StatisticGroup& group, base::StatisticInfo info, std::uint64_t& value)
      : Statistic(group, info), value_(value) {}
  [[nodiscard]] bool is_integer() const override { return true; }
  [[nodiscard]] std::uint64_t integer() const override { return value_; }
  [[nodiscard]] double real() const override { return static_cast<double>(value_); }
  void reset() override { value_ = 0; }

 private:
  std::uint64_t& value_;
};

}  // namespace castor::gpu
