#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "castor/gpu/front_end/front_end.h"
#include "castor/gpu/hook_watch.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/memory/memory_system.h"
#include "castor/gpu/sm/sm.h"

namespace castor::gpu {

/// Detects warps that spin on each other for ever (docs/gpu/faults.md, "Watchdogs", fixed point).
///
/// Time is divided into windows of `watchdog.cycles`, starting at cycle 0. A window is **watched** if the window before
/// saw no TB start or end, barrier, packet, kernel or copy, and the host waits. In a watched window SMs and L2 slices
/// record additional data (SpinWatch, L2Slice::watch), until the first of them sees an event that may end a loop. Then
/// all stop recording, so a program that makes progress pays for at most a few hundred cycles per window. If a watched
/// window ends undisturbed, and every live warp is blocked or was in the same state twice in that window, no warp will
/// ever make progress.
///
/// The proof is sound but not complete. It misses loops that count in a register, ready warps that never issue, and
/// loops that always have an access in flight at their backward jump. Limits: only machines that execute instructions.
/// A host that advances time in steps may act after each step, so it is never regarded as waiting.
class Watchdog {
 public:
  /// All arguments must outlive the watchdog. Without SMs in `cores` it does nothing.
  Watchdog(const Machine& machine, const Store& store, FrontEnd& front_end, std::vector<Sm*> cores,
           MemorySystem& memory, std::vector<CopyEngine*> copies);

  /// Sets whether the host is blocked until work of the device completes. To be called at the begin and end of every
  /// such wait.
  void host_waits(bool waits);

  /// Returns the cycle before which `look` has to be called: the end of the window, or earlier while the window is
  /// watched.
  [[nodiscard]] Cycle due() const { return due_; }
  /// Returns the end of the current window. A sleeping device has to wake up here.
  [[nodiscard]] Cycle window_end() const { return end_; }
  /// Returns whether the current window is watched.
  [[nodiscard]] bool watched() const { return watched_; }
  /// Checks the window; all cycles before `now` must have run. Returns true if the warps spin for ever. Throws
  /// base::Error for hooks that prevent all progress (HookWatch). Skips windows through which the device slept without
  /// pending work.
  [[nodiscard]] bool look(Cycle now);
  /// Returns the finding of `look`: the number of warps per kernel and loop, and the addresses that they read.
  [[nodiscard]] std::string report() const;

 private:
  [[nodiscard]] std::uint64_t progress() const;
  [[nodiscard]] bool still() const;
  /// Returns whether copies and SMs, with the hooks of SMs, are quiescent.
  [[nodiscard]] bool units_quiescent() const;
  [[nodiscard]] bool undisturbed() const;
  [[nodiscard]] bool proven() const;
  void open(Cycle now);
  void close();

  const Machine& machine_;
  const Store& store_;
  FrontEnd& front_end_;
  std::vector<Sm*> cores_;
  MemorySystem& memory_;
  std::vector<CopyEngine*> copies_;
  Cycle due_ = kForever, end_ = kForever;
  std::uint64_t progress_ = 0;
  HookWatch hooks_;
  bool host_waits_ = false;
  bool watched_ = false;
};

}  // namespace castor::gpu
