#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "castor/base/time.h"
#include "castor/gpu/device.h"

namespace castor::gpu {

/// Rows of completed kernels that a device keeps, in the order of completion: a row for each of the first
/// `run.kernel_rows`, and behind them one for each (name, level of device code) of all later ones, so that a program of
/// millions of launches needs no more memory than one of thousands.
class KernelRows {
 public:
  /// `clock`: of a machine with timing, null = none.
  explicit KernelRows(std::uint64_t most, const base::Clock* clock = nullptr) : most_(most), clock_(clock) {}

  void add(KernelStatistics row);
  [[nodiscard]] const std::vector<KernelStatistics>& rows() const { return rows_; }

 private:
  void add_to(KernelStatistics& sum, KernelStatistics row) const;
  [[nodiscard]] KernelStatistics::Sum length(const KernelStatistics& row) const;

  std::uint64_t most_;
  const base::Clock* clock_;
  std::vector<KernelStatistics> rows_;
  std::map<std::pair<unsigned, std::string>, std::size_t> sums_;  ///< places in `rows_`
};

/// Core cycles of a machine with this clock between two times that are edges of it.
[[nodiscard]] inline std::uint64_t cycles_between(const base::Clock& clock, Picoseconds start, Picoseconds end) {
  return clock.first_at_or_after(end) - clock.first_at_or_after(start);
}

}  // namespace castor::gpu
