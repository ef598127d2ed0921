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

/// Who looks at a device between two cycles: the fixed-point watchdog, and statistics over time where the machine wants
/// them. Asked before a cycle only if that is `due`.
class Lookout {
 public:
  /// What is looked at; all must outlive the lookout. `units` count what they do not count by themselves.
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
  explicit Lookout(const Sights& sights);

  /// Has to look before this cycle runs.
  [[nodiscard]] Cycle due() const { return due_; }
  /// All cycles before `now` are over.
  void look(Cycle now);
  /// A device that sleeps has to wake up here.
  [[nodiscard]] Cycle window_end() const { return watchdog_.window_end(); }

  /// See Gpu.
  void host_waits(bool waits);
  [[nodiscard]] bool spinning() const { return spinning_; }
  [[nodiscard]] std::string spin_report() const { return watchdog_.report(); }

  /// A kernel is complete; before its instructions are cleared.
  void kernel_completed(const KernelStatistics& kernel);
  /// Statistics over time up to `now`; empty without machine key run.windows.
  [[nodiscard]] std::string windows_json(Cycle now);

 private:
  void end_windows(Cycle now);
  void count_until(Cycle cycle);

  const std::vector<Unit*>& units_;
  Watchdog watchdog_;
  std::unique_ptr<Windows> windows_;  ///< with run.windows
  Cycle due_ = 0;
  bool spinning_ = false;
};

}  // namespace castor::gpu
