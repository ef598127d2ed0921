#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "castor/gpu/execution/system_call.h"
#include "castor/gpu/sm/blocked_warps.h"
#include "castor/gpu/sm/mechanism.h"
#include "castor/gpu/sm/scoreboard.h"
#include "castor/gpu/sm/sm_clock.h"
#include "castor/gpu/sm/sm_memory.h"
#include "castor/gpu/sm/thread_blocks.h"
#include "castor/gpu/sm/warp_table.h"
#include "castor/gpu/sm_unit.h"

namespace castor::gpu {

/// Mechanism for calls of device code into the runtime (printf, malloc, free, assert, registers of blocks). The SM
/// sends a request message, the front end serves the call, and a reply message unblocks the warp.
///
/// Steps: `call` in S5, issue; `ask` in S8, bookkeeping, once the warp's older accesses have completed; `serve` between
/// ticks; `take_answers` in S0, start.
class DeviceCalls : public SmMechanism {
 public:
  explicit DeviceCalls(const SmParts& parts)
      : sm_(parts.sm),
        clock_(parts.clock),
        warps_(parts.warps),
        tbs_(parts.tbs),
        blocked_(parts.blocked),
        scoreboard_(parts.scoreboard),
        memory_(parts.memory),
        outbox_(parts.outbox) {}

  void take_messages() {
    if (!answers_.empty() && take_answers()) clock_.stir();
  }
  template <class BusyWarps>
  void bookkeep(BusyWarps&& /*busy_warps*/) {
    const WarpMask due = blocked_.calls_due(scoreboard_.memory_busy());
    if (due == 0) return;
    clock_.stir();
    ask(due);
  }
  [[nodiscard]] WarpMask busy_warps() const { return blocked_.calling(); }
  [[nodiscard]] Cycle wake() const { return answers_.empty() ? kForever : next_answer(); }
  [[nodiscard]] bool still() const { return answers_.empty() && blocked_.in_call() == 0; }
  void add_waiting(std::vector<WaitReason>& reasons) const {
    reasons.push_back({blocked_.calling(), "waits for a call into the runtime"});
  }

  /// Blocks the warp in a call at its PC for the lanes of `mask`.
  void call(unsigned w, LaneMask mask) {
    warps_.call(w, mask);
    blocked_.call(w);
  }
  /// Sends the call requests of these warps to the front end.
  void ask(WarpMask warps);
  /// Serves the requested call of a warp, without effect if `services` is null. The reply is visible from cycle
  /// `answer` on. Returns a fault if the call stops the kernel.
  [[nodiscard]] std::optional<Fault> serve(unsigned w, DeviceServices* services, Cycle answer);
  /// Unblocks the warps whose reply is visible. Returns whether any warp had one.
  bool take_answers();
  /// Returns the first cycle in which a reply becomes visible, or base::kForever.
  [[nodiscard]] Cycle next_answer() const;

 private:
  /// Reply of the front end: cycle from which it is visible, warp, and whether the call faulted.
  struct Answer {
    Cycle visible;
    std::uint8_t warp;
    bool failed;
  };

  std::vector<Answer> answers_;
  const unsigned sm_;
  SmClock& clock_;
  WarpTable& warps_;
  const ThreadBlocks& tbs_;
  BlockedWarps& blocked_;
  const Scoreboard& scoreboard_;
  const SmMemory& memory_;
  SmOutbox& outbox_;
};

}  // namespace castor::gpu
