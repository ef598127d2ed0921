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

/// Finds warps that wait for each other by spinning (docs/gpu/faults.md, "Watchdogs", fixed point).
///
/// Time is cut into windows of `watchdog.cycles`, the first from cycle 0 on. A window is **watched** if the one before
/// saw no TB start or end, no barrier, packet, kernel or copy, and the host waits. In a watched window SMs and slices
/// look closer (SpinWatch, L2Slice::watch) until the first of them sees something that may end a loop; then all stop
/// looking, so programs that make progress pay for at most a few hundred cycles per window. If a watched window ends
/// undisturbed, and every live warp is blocked or was twice in one state in it, no warp will ever do anything else.
///
/// Sound, not complete: loops that count in a register, warps that are ready and never issue, and loops that always
/// have an access under way where they jump back are not accused. Limits: machines that execute instructions; a host
/// that advances time in steps may do something after each and is never accused of waiting in vain.
class Watchdog {
 public:
  /// All must live as long as the watchdog; without SMs in `cores` it does nothing.
  Watchdog(const Machine& machine, const Store& store, FrontEnd& front_end, std::vector<Sm*> cores,
           MemorySystem& memory, std::vector<CopyEngine*> copies);

  /// The host waits for the device and does nothing before something completes; or it goes on by itself. To be called
  /// whenever it begins or ends to wait.
  void host_waits(bool waits);

  /// First cycle before which `look` has to be called: the end of a window, and earlier while one is watched.
  [[nodiscard]] Cycle due() const { return due_; }
  /// End of the window under way. A device that sleeps has to wake up here.
  [[nodiscard]] Cycle window_end() const { return end_; }
  /// A window is being watched.
  [[nodiscard]] bool watched() const { return watched_; }
  /// All cycles before `now` are over. Throws base::Error for hooks that let nothing proceed (HookWatch). True if the
  /// warps spin for ever. Windows that the device slept through without any work to come are skipped.
  [[nodiscard]] bool look(Cycle now);
  /// What `look` found: how many warps of which kernels repeat which loop and read what.
  [[nodiscard]] std::string report() const;

 private:
  [[nodiscard]] std::uint64_t progress() const;
  [[nodiscard]] bool still() const;
  /// Copies and SMs, hooks of SMs too.
  [[nodiscard]] bool units_still() const;
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
