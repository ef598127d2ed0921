#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "castor/gpu/sm/context_unit.h"
#include "castor/gpu/sm/mechanism.h"
#include "castor/gpu/sm/runtime_unit.h"

namespace castor::gpu {

/// Mechanism for launches by device code on an SM (docs/gpu/launches.md): calls of the device runtime, and thread
/// blocks that are swapped out while they wait for the kernels they have launched.
class DeviceRuntime : public SmMechanism {
 public:
  explicit DeviceRuntime(const SmParts& parts)
      : clock_(parts.clock),
        blocked_(parts.blocked),
        tbs_(parts.tbs),
        memory_(parts.memory),
        hand_over_(parts.hand_over),
        calls_(parts),
        contexts_(parts, calls_) {}

  [[nodiscard]] RuntimeUnit& calls() { return calls_; }

  void start(TbStart& start) { calls_.start(start.context); }
  void come_back(TbStart& start, const SuspendedTb& saved) {
    start.setup = contexts_.restore(start.context, saved);
    restored_.push_back({start.context, start.message.suspended});
    hand_over_.raise();
  }
  void stop(unsigned context) {
    calls_.stop(tbs_[context].warps);
    contexts_.stop(context);
  }
  [[nodiscard]] int leaving() const { return calls_.active() ? contexts_.due() : -1; }
  void leave(unsigned context, SuspendedTb& saved) {
    contexts_.save(context, saved);
    calls_.leave(tbs_[context].warps);
  }
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
  void bookkeep(BusyWarps&& busy_warps) {
    if (!calls_.active()) return;
    if (calls_.due() <= clock_.tick()) calls_.advance();
    if (calls_.await_children() != 0) contexts_.look(busy_warps());
    calls_.end_tick();
  }
  [[nodiscard]] WarpMask busy_warps() const { return calls_.busy_warps(); }
  [[nodiscard]] Cycle wake() const {
    if (!calls_.active()) return kForever;
    return std::min(clock_.cycle_of(std::min(calls_.due(), contexts_.next())), calls_.next_message());
  }

  /// Writes the saved local memory of thread blocks restored in this tick back to memory. Runs between ticks, because
  /// that memory belongs to the L2 slices.
  void hand_over() {
    for (const Restored& one : restored_) memory_.restore_local(one.context, one.tb->local);
    restored_.clear();
  }
  [[nodiscard]] bool still() const {
    return calls_.moving() == 0 && !calls_.messages_pending() && contexts_.next() == kForever;
  }
  void add_waiting(std::vector<WaitReason>& reasons) const {
    reasons.push_back({blocked_.in_runtime(), "waits in a call of the device runtime"});
  }

 private:
  /// Thread block that was restored in this tick.
  struct Restored {
    unsigned context = 0;
    std::shared_ptr<const SuspendedTb> tb;
  };

  SmClock& clock_;
  const BlockedWarps& blocked_;
  const ThreadBlocks& tbs_;
  SmMemory& memory_;
  HandOver& hand_over_;
  RuntimeUnit calls_;
  ContextUnit contexts_;
  std::vector<Restored> restored_;  ///< thread blocks restored in this tick
};

}  // namespace castor::gpu
