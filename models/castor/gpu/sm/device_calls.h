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

/// Calls of device code into the runtime (printf, malloc, free, assert): asked for by a message, served by the front
/// end, answered by a message.
///
/// S5 `call`; S8 `ask`, when the warp's older accesses are performed; `serve` between ticks; S0 `take_answers`.
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
  template <class UnderWay>
  void bookkeep(UnderWay&& /*under_way*/) {
    const WarpMask due = blocked_.calls_due(scoreboard_.memory_busy());
    if (due == 0) return;
    clock_.stir();
    ask(due);
  }
  [[nodiscard]] WarpMask under_way() const { return blocked_.calling(); }
  [[nodiscard]] Cycle wake() const { return answers_.empty() ? kForever : next_answer(); }
  [[nodiscard]] bool still() const { return answers_.empty() && blocked_.in_call() == 0; }
  void add_waiting(std::vector<WaitReason>& reasons) const {
    reasons.push_back({blocked_.calling(), "waits for a call into the runtime"});
  }

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
  SmClock& clock_;
  WarpTable& warps_;
  const ThreadBlocks& tbs_;
  BlockedWarps& blocked_;
  const Scoreboard& scoreboard_;
  const SmMemory& memory_;
  SmOutbox& outbox_;
};

}  // namespace castor::gpu
