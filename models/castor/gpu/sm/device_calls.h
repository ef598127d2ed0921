#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "castor/gpu/execution/system_call.h"
#include "castor/gpu/sm/blocked_warps.h"
#include "castor/gpu/sm/sm_clock.h"
#include "castor/gpu/sm/sm_memory.h"
#include "castor/gpu/sm/thread_blocks.h"
#include "castor/gpu/sm/warp_table.h"
#include "castor/gpu/sm_unit.h"

namespace castor::gpu {

/// Calls of device code into the runtime (printf, malloc, free, assert): asked for by a message, served by the front
/// end, answered by a message.
///
/// S5 `call`; S8 `ask`, when the warp's older accesses are performed; `serve` between ticks; S0 `take_answers`.
class DeviceCalls {
 public:
  DeviceCalls(unsigned sm, const SmClock& clock, WarpTable& warps, const ThreadBlocks& tbs, BlockedWarps& blocked,
              const SmMemory& memory, SmOutbox& outbox)
      : sm_(sm), clock_(clock), warps_(warps), tbs_(tbs), blocked_(blocked), memory_(memory), outbox_(outbox) {}

  /// Lanes of a warp call at its PC; it waits from now on.
  void call(unsigned w, LaneMask mask) {
    warps_.call(w, mask);
    blocked_.call(w);
  }
  /// Warps make their call.
  void ask(WarpMask warps);
  /// Serves a call that was asked for; its answer is visible from cycle `answer` on. A fault stops the kernel.
  [[nodiscard]] std::optional<Fault> serve(unsigned w, DeviceServices& services, Cycle answer);
  /// Warps whose answer is visible go on. True if there was one.
  bool take_answers();
  [[nodiscard]] bool answers_pending() const { return !answers_.empty(); }
  /// First cycle in which one is visible.
  [[nodiscard]] Cycle next_answer() const;

 private:
  struct Answer {
    Cycle visible;
    std::uint8_t warp;
    bool failed;
  };

  std::vector<Answer> answers_;
  const unsigned sm_;
  const SmClock& clock_;
  WarpTable& warps_;
  const ThreadBlocks& tbs_;
  BlockedWarps& blocked_;
  const SmMemory& memory_;
  SmOutbox& outbox_;
};

}  // namespace castor::gpu
