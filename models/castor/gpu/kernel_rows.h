#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "castor/base/time.h"
#include "castor/gpu/device.h"

namespace castor::gpu {

/// Statistics rows of completed kernels that a device keeps, in the order of completion. Each of the first
/// `run.kernel_rows` kernels has its own row. Later kernels share one row per (name, nesting level), so that memory
/// stays bounded in programs with millions of launches.
class KernelRows {
 public:
  /// `clock`: core clock of a machine with timing, null = no timing.
  explicit KernelRows(std::uint64_t most, const base::Clock* clock = nullptr) : most_(most), clock_(clock) {}

  void add(KernelStatistics row);
  [[nodiscard]] const std::vector<KernelStatistics>& rows() const { return rows_; }

 private:
  void add_to(KernelStatistics& sum, KernelStatistics row) const;
  [[nodiscard]] KernelStatistics::Sum length(const KernelStatistics& row) const;

  std::uint64_t most_;
  const base::Clock* clock_;
  std::vector<KernelStatistics> rows_;
  std::map<std::pair<unsigned, std::string>, std::size_t> sums_;  ///< indices of the shared rows in `rows_`
};

/// Returns the core cycles between two times that are edges of `clock`.
[[nodiscard]] inline std::uint64_t cycles_between(const base::Clock& clock, Picoseconds start, Picoseconds end) {
  return clock.first_at_or_after(end) - clock.first_at_or_after(start);
}

}  // namespace castor::gpu
