#pragma once

#include <cstdint>
#include <vector>

#include "castor/gpu/front_end/front_end.h"
#include "castor/gpu/sm/sm.h"

namespace castor::gpu {

/// Detects hooks that keep a machine awake but prevent all progress (docs/gpu/faults.md, "Watchdogs"). Examples: an
/// issue policy that lets no ready warp issue; a dispatch policy that wakes up for ever and places no TB. The watchdog
/// calls it once per window.
class HookWatch {
 public:
  HookWatch(const FrontEnd& front_end, const std::vector<Sm*>& cores) : front_end_(front_end), cores_(cores) {}

  /// Checks at the end of a window of `length` cycles during which the machine was awake. `rests`: copies and memory
  /// have nothing in flight. Errors: base::Error that names the hook's block, the SM, the warps and the cycle.
  void look(Cycle now, Cycle length, std::uint64_t progress, bool rests);
  /// Discards the last state, because the host has acted or the machine slept.
  void forget() { snapshot_valid_ = false; }

 private:
  void check_issue(Cycle now, Cycle length) const;
  void check_front_end(Cycle now, Cycle length) const;

  const FrontEnd& front_end_;
  const std::vector<Sm*>& cores_;
  std::uint64_t progress_ = 0, instructions_ = 0;  ///< values at the last call of `look`
  bool snapshot_valid_ = false;                    ///< `progress_` and `instructions_` are valid
};

}  // namespace castor::gpu
