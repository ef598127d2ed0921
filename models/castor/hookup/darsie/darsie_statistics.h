#pragma once

#include <cstdint>
#include <deque>
#include <functional>

#include "castor/base/statistics.h"
#include "castor/darsie/counters.h"

namespace castor::hookup {

/// Statistics of the block darsie of one SM, in the group of the SM's fetch filter. The values come from the counters
/// of the cycle model, also if the RTL runs. Only machines with the block have them.
class DarsieStatistics {
 public:
  /// `read` returns the counters after all skipped cycles have been applied; it must stay valid as long as this object.
  DarsieStatistics(base::StatisticGroup& parent, const std::function<const darsie::Counters&()>& read);

 private:
  /// Statistic whose count is stored outside, minus its value at the last reset.
  class Count final : public base::Statistic {
   public:
    Count(base::StatisticGroup& group, base::StatisticInfo info, std::function<std::uint64_t()> read);

    [[nodiscard]] bool is_integer() const override { return true; }
    [[nodiscard]] std::uint64_t integer() const override { return read_() - base_; }
    [[nodiscard]] double real() const override { return static_cast<double>(integer()); }
    void reset() override { base_ = read_(); }

   private:
    std::function<std::uint64_t()> read_;
    std::uint64_t base_ = 0;  // value of the count at the last reset
  };

  base::StatisticGroup group_;
  std::deque<Count> counts_;
};

}  // namespace castor::hookup
