#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "castor/base/statistics.h"
#include "castor/base/time.h"
#include "castor/gpu/device.h"
#include "castor/gpu/front_end/front_end.h"
#include "castor/gpu/sm/sm.h"
#include "castor/gpu/statistics_totals.h"

namespace castor::gpu {

/// Statistics over time: the growth of each statistic in each window of `run.window` cycles, summed over all SMs, and
/// the instructions of each kernel per window (docs/gpu/counting.md, "Windows").
///
/// Exists only with machine key run.windows. Memory is bounded: when there are kMost windows, neighbours are merged and
/// later windows are twice as long. Limits: instructions are attributed to kernels when a window or a kernel ends.
class Windows {
 public:
  static constexpr std::size_t kMost = 4096;

  /// All arguments must outlive this object. `series` are integer statistics that never decrease.
  Windows(Cycle window, StatisticsTotals::Series series, const FrontEnd& front_end, std::vector<Sm*> cores);

  /// Returns the first cycle after the current window.
  [[nodiscard]] Cycle due() const { return start_ + length_; }
  /// Ends the current window. All cycles before `due()` must have run, and all units must have counted them.
  void end_window();
  /// Attributes the instructions of a completed kernel. To be called before the counters of `entry` are cleared.
  void kernel_completed(unsigned entry, const KernelStatistics& kernel);

  /// Returns a JSON object: "cycles" per window, "series" by name {"unit", "meaning", "values"}, and "kernels" with the
  /// window in which their values begin. The last window is the current one, "last_cycles" long. Statistics must be up
  /// to date at `now`.
  [[nodiscard]] std::string json(Cycle now) const;

 private:
  /// Instructions issued: of warps, and weighted by active lanes.
  struct Counts {
    std::uint64_t warps = 0, lanes = 0;
  };
  /// Instructions of one kernel in each window.
  struct Kernel {
    std::string name;
    std::map<std::size_t, Counts> windows;  ///< by window number
  };
  void take_entry(unsigned entry, Ticket ticket, const std::string& name, std::map<Ticket, Kernel>& kernels,
                  std::vector<Counts>& seen) const;
  void take_entries(std::map<Ticket, Kernel>& kernels, std::vector<Counts>& seen) const;
  void halve();

  StatisticsTotals::Series statistics_;
  const FrontEnd& front_end_;
  std::vector<Sm*> cores_;
  Cycle length_, start_ = 0;
  std::vector<std::uint64_t> last_;                 ///< per statistic: value at the start of the current window
  std::vector<std::vector<std::uint64_t>> values_;  ///< per statistic and window: growth
  std::size_t count_ = 0;                           ///< number of finished windows
  std::vector<Counts> seen_;                        ///< per kernel table entry: instructions already attributed
  std::map<Ticket, Kernel> kernels_;
};

}  // namespace castor::gpu
