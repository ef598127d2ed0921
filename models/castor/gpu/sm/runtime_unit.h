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

/// Calls of the device runtime (docs/gpu/launches.md, "Launches by device code"): the time they take, what is asked of
/// the launcher and what it replies.
///
/// S0 `take_messages`, `start`, `stop`; S1 `returned`; S2, S3 `record_stored`; S5 `call`; S8 `advance`; `serve` and
/// `tell` between ticks.
class RuntimeUnit {
 public:
  explicit RuntimeUnit(const SmParts& parts);

  /// A thread block begins in a context.
  void start(unsigned context);
  /// Lanes of a warp make a call; unless it is its own, the warp waits from now on.
  void call(unsigned w, const isa::Record& record, LaneMask mask);
  /// Their TB ends early. A call that was asked for is answered first, and launches that were admitted go their way.
  void stop(WarpMask warps);

  /// Serves a call that was asked for; its reply is visible from cycle `reply` on.
  void serve(unsigned w, LaunchService& service, Cycle reply);
  void tell(const RuntimeNews& news);
  /// Replies that are visible. True if there was one.
  bool take_messages();
  /// A call or a pointer is under way, or a message has come: outside of that nothing here needs to be asked in a tick.
  [[nodiscard]] bool active() const { return active_; }
  /// To be called at the end of a tick in which it was active.
  void end_tick() { active_ = ((blocked_.in_runtime() | pointers_.open()) != 0) || messages_pending(); }
  [[nodiscard]] bool messages_pending() const { return !replies_.empty() || !news_.empty(); }
  /// First cycle in which one is visible.
  [[nodiscard]] Cycle next_message() const;

  /// Event kReturn.
  void returned(unsigned w);
  /// The record of a launch is performed.
  void record_stored(unsigned w, std::uint32_t number) { pointers_.record_stored(w, number); }
  /// First tick in which `advance` may have something to do; kForever if something else has to happen first.
  [[nodiscard]] Tick due() const { return restart_ != 0 ? clock_.tick() : pointers_.due(); }
  /// Sends a record and a pointer, if some are due.
  void advance();

  /// Warps of which something is under way that outlives them: their TB does not retire.
  [[nodiscard]] WarpMask under_way() const { return asked_ | pointers_.open(); }
  /// Warps that wait for launches of their block.
  [[nodiscard]] WarpMask await_children() const { return awaiting_; }
  /// Warps whose calls go on by themselves.
  [[nodiscard]] WarpMask moving() const { return (blocked_.in_runtime() & ~awaiting_) | pointers_.open(); }
  /// Warps whose block is being suspended: it is told of its launches when it is away, and they do not go on here.
  void keep_waiting(WarpMask warps) { kept_ |= warps; }
  // What a block takes with it, and brings back.
  [[nodiscard]] std::unique_ptr<RuntimeState> take_values(unsigned w) const;
  void give_values(unsigned w, const RuntimeState* values);
  void give_caller(unsigned context, BlockId caller);
  /// The block leaves the SM.
  void leave(WarpMask warps);
  /// The number of the thread block in a context, 0 if it has not called.
  [[nodiscard]] BlockId caller(unsigned context) const { return callers_.empty() ? 0 : callers_[context]; }

 private:
  struct WarpCalls {
    RuntimeState values;
    const isa::Record* record = nullptr;  ///< of the call under way
    LaneMask mask = 0;
    LaunchOrigin origin;
    Tick called = 0, returns = base::kForever;
    std::vector<LaneLaunch> groups;  ///< that it has launched
  };
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
  void take(const RuntimeNews& news);
  void ask(unsigned w);
  void send_command(unsigned w);
  void free_command();
  void next_turn();
  void go_on(unsigned w, Tick tick);
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
  std::vector<std::unique_ptr<WarpCalls>> warp_calls_;  ///< by warp slot; null before the slot's first call
  std::vector<BlockId> callers_;                        ///< by TB context; empty before the SM's first call
  WarpMask asked_ = 0;                                  ///< the launcher has not replied
  WarpMask awaiting_ = 0;                               ///< children
  WarpMask kept_ = 0;                                   ///< of them those that do not go on here
  WarpMask held_ = 0;                                   ///< launch calls behind pointers of former ones, or commands
  std::deque<unsigned> turns_;                          ///< of them those that wait for the place of a command
  unsigned commands_ = 0;                               ///< places of commands that are taken
  WarpMask restart_ = 0;                                ///< of them those that begin in the next tick
  Cycle asks_from_ = 0;                                 ///< one request per cycle
  bool active_ = false;
  std::deque<Reply> replies_;
  std::deque<RuntimeNews> news_;
  RuntimeCounters& counters_;
  LaunchPointers pointers_;
};

}  // namespace castor::gpu
