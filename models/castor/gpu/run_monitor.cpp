#include "castor/gpu/run_monitor.h"

#include <algorithm>

namespace castor::gpu {

RunMonitor::RunMonitor(const Sights& sights)
    : units_(sights.units),
      watchdog_(sights.machine, sights.store, sights.front_end, sights.cores, sights.memory, sights.copies) {
  if (!sights.machine.run.windows) return;
  windows_ =
      std::make_unique<Windows>(sights.machine.run.window, sights.totals.series(), sights.front_end, sights.cores);
}

void RunMonitor::look(Cycle now) {
  if (now >= watchdog_.due() && watchdog_.look(now)) spinning_ = true;
  due_ = watchdog_.due();
  if (windows_ == nullptr) return;
  end_windows(now);
  due_ = std::min(due_, windows_->due());
}

void RunMonitor::host_waits(bool waits) {
  watchdog_.host_waits(waits);
  due_ = 0;
  spinning_ = false;
}

void RunMonitor::kernel_completed(const KernelStatistics& kernel) {
  if (windows_ != nullptr) windows_->kernel_completed(kernel.entry, kernel);
}

std::string RunMonitor::windows_json(Cycle now) {
  if (windows_ == nullptr) return {};
  end_windows(now);
  count_until(now);
  return windows_->json(now);
}

// Ends all windows whose end is at or before `now`. The counters of sleeping units are first brought up to the end of
// each window.
void RunMonitor::end_windows(Cycle now) {
  while (windows_->due() <= now) {
    count_until(windows_->due());
    windows_->end_window();
  }
}

void RunMonitor::count_until(Cycle cycle) {
  for (Unit* const unit : units_) unit->count_until(cycle);
}

}  // namespace castor::gpu
