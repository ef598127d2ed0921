#pragma once

#include <cstdint>
#include <deque>
#include <functional>

#include "castor/base/statistics.h"
#include "castor/darsie/counters.h"

namespace castor::hookup {

/// What the block darsie of one SM does, in the group of the SM's fetch filter: the model's counters, alike for model
/// and RTL. Only machines with the block have them.
class DarsieStatistics {
 public:
  /// `read` gives the counters, up to date; it must stay callable as long as this lives.
  DarsieStatistics(base::StatisticGroup& parent, const std::function<const darsie::Counters&()>& read);

 private:
  /// A count that lies elsewhere.
  class Count final : public base::Statistic {
   public:
    Count(base::StatisticGroup& group, base::StatisticInfo info, std::function<std::uint64_t()> read);

    [[nodiscard]] bool is_integer() const override { return true; }
    [[nodiscard]] std::uint64_t integer() const override { return read_() - base_; }
    [[nodiscard]] double real() const override { return static_cast<double>(integer()); }
    void reset() override { base_ = read_(); }

   private:
    std::function<std::uint64_t()> read_;
    std::uint64_t base_ = 0;  // at the last reset
  };

  base::StatisticGroup group_;
  std::deque<Count> counts_;
};

}  // namespace castor::hookup
