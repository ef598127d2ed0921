#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "castor/gpu/front_end/copy_engine.h"
#include "castor/gpu/front_end/front_end.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/memory/memory_system.h"
#include "castor/gpu/sm/sm.h"
#include "castor/gpu/statistics_totals.h"
#include "castor/gpu/unit.h"
#include "castor/gpu/watchdog.h"
#include "castor/gpu/windows.h"

namespace castor::gpu {

/// Run monitor: runs the fixed-point watchdog and, with machine key run.windows, samples statistics over time. The GPU
/// calls it between two cycles, if `due` has been reached.
class RunMonitor {
 public:
  /// Parts of the device that the monitor reads; all must outlive the monitor. `units`: all units whose counters may
  /// lag behind and are brought up to date before a sample.
  struct Sights {
    const Machine& machine;
    const Store& store;
    FrontEnd& front_end;
    MemorySystem& memory;
    const std::vector<Sm*>& cores;
    std::vector<CopyEngine*> copies;
    const std::vector<Unit*>& units;
    const StatisticsTotals& totals;
  };
  explicit RunMonitor(const Sights& sights);

  /// Returns the cycle before which `look` has to be called.
  [[nodiscard]] Cycle due() const { return due_; }
  /// Runs the checks and samples that are due. All cycles before `now` must have run.
  void look(Cycle now);
  /// Returns the end of the current watchdog window, at which a sleeping device has to wake up.
  [[nodiscard]] Cycle window_end() const { return watchdog_.window_end(); }

  /// Implements Gpu::host_waits.
  void host_waits(bool waits);
  [[nodiscard]] bool spinning() const { return spinning_; }
  [[nodiscard]] std::string spin_report() const { return watchdog_.report(); }

  /// Attributes a completed kernel's instructions to windows. To be called before the counters of its entry are
  /// cleared.
  void kernel_completed(const KernelStatistics& kernel);
  /// Returns the windowed statistics up to `now` as a JSON object; empty without machine key run.windows.
  [[nodiscard]] std::string windows_json(Cycle now);

 private:
  void end_windows(Cycle now);
  void count_until(Cycle cycle);

  const std::vector<Unit*>& units_;
  Watchdog watchdog_;
  std::unique_ptr<Windows> windows_;  ///< sampler of windowed statistics; null unless machine key run.windows is set
  Cycle due_ = 0;
  bool spinning_ = false;
};

}  // namespace castor::gpu
