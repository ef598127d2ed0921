#pragma once

#include <algorithm>
#include <vector>

#include "castor/gpu/sm/mechanism.h"
#include "castor/gpu/sm/runtime_unit.h"

namespace castor::gpu {

/// Mechanism for launches by device code on an SM (docs/gpu/launches.md): calls of the device runtime. Asks that thread
/// blocks be swapped out while they wait for the kernels they have launched. It does not ask on SMs with a hook that
/// does not support such blocks: a synchronisation agent, or a filter that pins them (ThreadBlocks::pin).
class DeviceRuntime : public SmMechanism {
 public:
  explicit DeviceRuntime(const SmParts& parts)
      : machine_(parts.machine),
        swaps_(parts.hooks.agent == nullptr),
        clock_(parts.clock),
        blocked_(parts.blocked),
        warps_(parts.warps),
        tbs_(parts.tbs),
        calls_(parts) {}

  [[nodiscard]] RuntimeUnit& calls() { return calls_; }

  void start(TbStart& start) { calls_.start(start.context); }
  void come_back(TbStart& start, const SavedTb& saved) { calls_.restore(start.context, saved); }
  void stop(unsigned context) { calls_.stop(tbs_[context].warps); }
  void freeze(unsigned context) { calls_.keep_waiting(tbs_[context].warps); }
  void leave(unsigned context, SavedTb& saved) { calls_.save(context, saved); }
  void retire(unsigned context, TbRetireMessage& message) { message.caller = calls_.caller(context); }

  void take_messages() {
    if (calls_.active() && calls_.take_messages()) clock_.stir();
  }
  bool take(const SmEvent& event) {
    if (event.kind != SmEvent::Kind::kReturn) return false;
    calls_.returned(event.warp);
    return true;
  }
  void record_stored(unsigned w, std::uint32_t number) { calls_.record_stored(w, number); }
  template <class BusyWarps>
  void bookkeep(BusyWarps&& /*busy_warps*/) {
    if (!calls_.active()) return;
    if (calls_.due() <= clock_.tick()) calls_.advance();
    if (swaps_ && !tbs_.pinned() && calls_.await_children() != 0) request_swaps();
    calls_.end_tick();
  }
  [[nodiscard]] WarpMask busy_warps() const { return calls_.moving(); }
  [[nodiscard]] Cycle wake() const {
    if (!calls_.active()) return kForever;
    return std::min(clock_.cycle_of(calls_.due()), calls_.next_message());
  }
  [[nodiscard]] bool still() const { return calls_.moving() == 0 && !calls_.messages_pending(); }
  void add_waiting(std::vector<WaitReason>& reasons) const {
    reasons.push_back({blocked_.in_runtime(), "waits in a call of the device runtime"});
  }

 private:
  /// Asks that every thread block be swapped out whose warps all wait for launches or at a barrier. The mover drops the
  /// request if an instruction or access of the block is still in flight.
  void request_swaps() {
    for (WarpMask left = calls_.await_children(); left != 0; left &= left - 1) {
      const unsigned context = warps_[lowest(left)].tb;
      const TbState& tb = tbs_[context];
      if ((tbs_.swapping() >> context & 1) != 0 || tb.killed) continue;
      if ((tb.live & ~(calls_.await_children() | blocked_.held_at_barrier())) != 0) continue;
      tbs_.request_swap({context, SwapReason::kChildren, 0, context_move_time(machine_, tb.kernel->need)});
    }
  }

  const Machine& machine_;
  const bool swaps_;  ///< thread blocks that wait for their launches are swapped out, unless they are pinned
  SmClock& clock_;
  const BlockedWarps& blocked_;
  const WarpTable& warps_;
  ThreadBlocks& tbs_;
  RuntimeUnit calls_;
};

}  // namespace castor::gpu
