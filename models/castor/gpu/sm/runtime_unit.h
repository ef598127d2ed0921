#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "castor/gpu/launch/launch_service.h"
#include "castor/gpu/launch/runtime_call.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/sm/blocked_warps.h"
#include "castor/gpu/sm/event_wheel.h"
#include "castor/gpu/sm/launch_pointers.h"
#include "castor/gpu/sm/scoreboard.h"
#include "castor/gpu/sm/sm_clock.h"
#include "castor/gpu/sm/sm_memory.h"
#include "castor/gpu/sm/sm_parts.h"
#include "castor/gpu/sm/sm_statistics.h"
#include "castor/gpu/sm/spin_watch.h"
#include "castor/gpu/sm/thread_blocks.h"
#include "castor/gpu/sm/warp_table.h"
#include "castor/gpu/sm_unit.h"

namespace castor::gpu {

struct SavedTb;

/// Unit for calls of the device runtime (docs/gpu/launches.md, "Launches by device code"): latency of the calls,
/// requests to the launcher, and its replies.
///
/// Steps: `take_messages`, `start` and `stop` in S0, start; `returned` in S1, events; `record_stored` in S2 and S3;
/// `call` in S5, issue; `advance` in S8, bookkeeping; `serve` and `tell` between ticks.
class RuntimeUnit {
 public:
  explicit RuntimeUnit(const SmParts& parts);

  /// Resets the call state of a context in which a thread block starts.
  void start(unsigned context);
  /// Starts a call for the lanes `mask` of a warp. The warp is blocked from now on, unless the call needs no launcher.
  void call(unsigned w, const isa::Record& record, LaneMask mask);
  /// Ends the calls of a TB that ends early. A requested call stays open until its reply, and admitted launches still
  /// leave.
  void stop(WarpMask warps);

  /// Executes a requested call with the launcher. The reply is visible from cycle `reply` on.
  void serve(unsigned w, LaunchService& service, Cycle reply);
  /// Delivers a message of the launcher: the launches of a block have closed, or a command was accepted.
  void tell(const RuntimeNotification& notification);
  /// Takes the visible replies and messages. Returns whether there was any.
  bool take_messages();
  /// Returns whether a call, pointer or message is pending. If not, the unit needs no call in a tick.
  [[nodiscard]] bool active() const { return active_; }
  /// Updates `active` at the end of a tick in which the unit was active.
  void end_tick() { active_ = ((blocked_.in_runtime() | pointers_.open()) != 0) || messages_pending(); }
  [[nodiscard]] bool messages_pending() const { return !replies_.empty() || !notifications_.empty(); }
  /// Returns the first cycle in which a reply or message becomes visible, or base::kForever.
  [[nodiscard]] Cycle next_message() const;

  /// Ends a call when its kReturn event is due.
  void returned(unsigned w);
  /// Records that a launch record has been stored.
  void record_stored(unsigned w, std::uint32_t number) { pointers_.record_stored(w, number); }
  /// Returns the first tick in which `advance` may have work, or kForever if it waits for another event.
  [[nodiscard]] Tick due() const { return restart_ != 0 ? clock_.tick() : pointers_.due(); }
  /// Sends one launch record and one pointer, if they are due, and starts calls that were held.
  void advance();

  /// Returns the warps that wait for the launches of their block (cudaDeviceSynchronize).
  [[nodiscard]] WarpMask await_children() const { return awaiting_; }
  /// Returns the warps with a call or pointer that completes even if the launches of the block stay open. A TB with
  /// such a warp neither retires nor is swapped out.
  [[nodiscard]] WarpMask moving() const { return (blocked_.in_runtime() & ~awaiting_) | pointers_.open(); }
  /// Keeps warps waiting whose block is being moved out: when their launches close, they do not resume on this SM.
  void keep_waiting(WarpMask warps) { kept_ |= warps; }
  /// Saves the unit's state of a block that is swapped out, and unblocks its warps. A warp that waits for its launches
  /// repeats its call when the block is restored, unless the block stays swapped out until these launches are closed.
  void save(unsigned context, SavedTb& saved);
  /// Restores the state that `save` has saved, and starts the repeated calls.
  void restore(unsigned context, const SavedTb& saved);
  /// Returns the launcher's number of the thread block in a context, 0 if the block has not called the device runtime.
  [[nodiscard]] BlockId caller(unsigned context) const { return callers_.empty() ? 0 : callers_[context]; }

 private:
  /// Call state of a warp.
  struct WarpCalls {
    RuntimeState values;
    const isa::Record* record = nullptr;  ///< record of the call in progress
    LaneMask mask = 0;
    LaunchOrigin origin;
    Tick called = 0, returns = base::kForever;
    std::vector<LaneLaunch> groups;  ///< groups launched by the call in progress, for its command
  };
  /// Reply of the launcher to a call, visible from a cycle on.
  struct Reply {
    Cycle visible = 0;
    unsigned warp = 0;
    bool waits = false;
    std::vector<LaunchPointers::Pointer> pointers;
    std::vector<LaneLaunch> groups;
  };
  [[nodiscard]] WarpCalls& calls(unsigned w);
  [[nodiscard]] isa::RuntimeCall kind(const WarpCalls& calls) const {
    return static_cast<isa::RuntimeCall>(calls.record->imm);
  }
  [[nodiscard]] Tick latency(isa::RuntimeCall call, unsigned lanes) const;
  void begin(unsigned w);
  void take(Reply& reply);
  void take(const RuntimeNotification& notification);
  void ask(unsigned w);
  void send_command(unsigned w);
  void free_command();
  void next_turn();
  void resume(unsigned w, Tick tick);
  void count_wait(isa::RuntimeCall call, Tick ticks);

  const Machine& machine_;
  const unsigned sm_;
  const SmClock& clock_;
  WarpTable& warps_;
  ThreadBlocks& tbs_;
  BlockedWarps& blocked_;
  EventWheel& wheel_;
  SmOutbox& outbox_;
  SpinWatch& watch_;
  std::vector<std::unique_ptr<WarpCalls>> warp_calls_;  ///< [warp slot]; null before the slot's first call
  std::vector<BlockId> callers_;                        ///< [TB context]; empty before the SM's first call
  WarpMask asked_ = 0;                                  ///< warps with a request to which the launcher has not replied
  WarpMask awaiting_ = 0;                               ///< warps that wait for the launches of their block
  WarpMask kept_ = 0;  ///< warps of awaiting_ whose block is being saved, so they do not resume here
  /// warps whose launch call is held: older pointers of the warp are not sent yet, or no command slot is free
  WarpMask held_ = 0;
  std::deque<unsigned> turns_;  ///< warps of held_ that wait for a command slot, oldest first
  unsigned commands_ = 0;       ///< number of command slots in use
  WarpMask restart_ = 0;        ///< warps of held_ whose call starts in the next tick
  /// first cycle in which the SM may send its next request; an SM sends at most one request per cycle
  Cycle requests_from_ = 0;
  bool active_ = false;                            ///< a call, pointer or message is pending
  std::deque<Reply> replies_;                      ///< replies not taken yet, oldest first
  std::deque<RuntimeNotification> notifications_;  ///< messages of the launcher not taken yet, oldest first
  RuntimeCounters& counters_;
  LaunchPointers pointers_;
};

}  // namespace castor::gpu
