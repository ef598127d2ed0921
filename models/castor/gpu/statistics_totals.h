#pragma once

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "castor/base/statistics.h"

namespace castor::gpu {

/// Totals of the statistics of all SMs, L2 slices and DRAM channels, in a group "total" of their parent
/// (docs/gpu/counting.md, "Statistics"). Totals are computed when read, so they cost nothing during a run.
///
/// Statistics with the same name are added. `lane_instructions` and `warp_instructions` are also added over all
/// classes, and the stall classes over all schedulers. The parts of histograms are added, except for the largest value,
/// of which the maximum is taken.
class StatisticsTotals {
 public:
  /// `parent` must already have the groups sm<k>, slice<k> and channel<k>, and must outlive this object.
  explicit StatisticsTotals(base::StatisticGroup& parent);

  /// Statistics that grow with time or with events and are therefore sampled over windows, with their paths below the
  /// group.
  using Series = std::vector<std::pair<std::string, const base::Statistic*>>;
  [[nodiscard]] const Series& series() const { return series_; }

 private:
  /// Statistic that returns the sum of its terms.
  class Sum final : public base::Statistic {
   public:
    Sum(base::StatisticGroup& group, base::StatisticInfo info, std::vector<const base::Statistic*> terms)
        : Statistic(group, info), terms_(std::move(terms)) {}
    [[nodiscard]] bool is_integer() const override { return true; }
    [[nodiscard]] std::uint64_t integer() const override;
    [[nodiscard]] double real() const override { return static_cast<double>(integer()); }
    void reset() override {}
    [[nodiscard]] std::size_t parts() const override { return terms_.front()->parts(); }
    [[nodiscard]] std::uint64_t part(std::size_t index) const override;
    [[nodiscard]] std::string part_name(std::size_t index) const override { return terms_.front()->part_name(index); }

   private:
    std::vector<const base::Statistic*> terms_;
  };
  const Sum& add(base::StatisticGroup& group, const base::StatisticInfo& info,
                 std::vector<const base::Statistic*> terms);
  void add_units(const base::StatisticGroup& parent, const std::string& prefix);

  base::StatisticGroup group_;
  std::deque<base::StatisticGroup> groups_;
  std::deque<Sum> sums_;
  Series series_;
};

}  // namespace castor::gpu
