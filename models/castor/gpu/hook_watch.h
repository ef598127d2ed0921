#pragma once

#include <cstdint>
#include <vector>

#include "castor/gpu/front_end/front_end.h"
#include "castor/gpu/sm/sm.h"

namespace castor::gpu {

/// Finds hooks that keep a machine awake and let nothing proceed (docs/gpu/faults.md, "Watchdogs"): an issue policy
/// that lets no ready warp issue, a dispatch policy that wakes up for ever and places nothing. Looked at once per
/// watchdog window.
class HookWatch {
 public:
  HookWatch(const FrontEnd& front_end, const std::vector<Sm*>& cores) : front_end_(front_end), cores_(cores) {}

  /// The end of a window of `length` cycles through which the machine was awake. `rests`: copies and memory, too, have
  /// nothing under way. Errors: base::Error that names the hook's block, SM, warps and the cycle.
  void look(Cycle now, Cycle length, std::uint64_t progress, bool rests);
  /// The host has done something, or the machine slept.
  void forget() { stands_ = false; }

 private:
  void check_issue(Cycle now, Cycle length) const;
  void check_front_end(Cycle now, Cycle length) const;

  const FrontEnd& front_end_;
  const std::vector<Sm*>& cores_;
  std::uint64_t progress_ = 0, instructions_ = 0;  ///< at the last look
  bool stands_ = false;                            ///< there was a last look
};

}  // namespace castor::gpu
