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

/// Statistics over time: how much each grew in each window of `run.window` cycles, all SMs together, and the
/// instructions of each kernel (docs/gpu/counting.md, "Windows").
///
/// Made only with machine key run.windows. Memory is bounded: when there are kMost windows, neighbours are added up
/// and windows are twice as long from then on. Limits: instructions are attributed to kernels when a window or a kernel
/// ends.
class Windows {
 public:
  static constexpr std::size_t kMost = 4096;

  /// All must outlive this. `series` are whole numbers that only grow.
  Windows(Cycle window, StatisticsTotals::Series series, const FrontEnd& front_end, std::vector<Sm*> cores);

  /// First cycle that is not in the window under way.
  [[nodiscard]] Cycle due() const { return start_ + length_; }
  /// All cycles before `due()` are over and all units have counted them: the window ends.
  void end_window();
  /// A kernel of `entry` is complete; before its instructions are cleared.
  void kernel_completed(unsigned entry, const KernelStatistics& kernel);

  /// JSON object: "cycles" of a window, "series" by name {"unit", "meaning", "values"}, "kernels" with the window in
  /// which their values begin. The window under way is the last, "last_cycles" long. Statistics are up to `now`.
  [[nodiscard]] std::string json(Cycle now) const;

 private:
  struct Counts {
    std::uint64_t warps = 0, lanes = 0;
  };
  struct Kernel {
    std::string name;
    std::map<std::size_t, Counts> windows;  ///< by number of the window
  };
  void take_entry(unsigned entry, Ticket ticket, const std::string& name, std::map<Ticket, Kernel>& kernels,
                  std::vector<Counts>& seen) const;
  void take_entries(std::map<Ticket, Kernel>& kernels, std::vector<Counts>& seen) const;
  void halve();

  StatisticsTotals::Series statistics_;
  const FrontEnd& front_end_;
  std::vector<Sm*> cores_;
  Cycle length_, start_ = 0;
  std::vector<std::uint64_t> last_;                 ///< per statistic: at the start of the window under way
  std::vector<std::vector<std::uint64_t>> values_;  ///< per statistic and window
  std::size_t count_ = 0;                           ///< windows that are over
  std::vector<Counts> seen_;                        ///< per entry: instructions attributed already
  std::map<Ticket, Kernel> kernels_;
};

}  // namespace castor::gpu
