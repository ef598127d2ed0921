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
#include "castor/gpu/sm/scoreboard.h"
#include "castor/gpu/sm/sm_clock.h"
#include "castor/gpu/sm/sm_memory.h"
#include "castor/gpu/sm/sm_statistics.h"
#include "castor/gpu/sm/spin_watch.h"
#include "castor/gpu/sm/thread_blocks.h"
#include "castor/gpu/sm/warp_table.h"
#include "castor/gpu/sm_unit.h"

namespace castor::gpu {

/// Calls of the device runtime (docs/gpu.md, "Launches by device code"): the time they take, what is asked of the
/// launcher and what it replies, launch records, and the pointers that tell the launcher of them.
///
/// S0 `take_messages`, `start`, `stop`; S1 `returned`; S2, S3 `record_stored`; S5 `call`; S8 `advance`; `serve` and
/// `close_children` between ticks.
class RuntimeUnit {
 public:
  RuntimeUnit(const Machine& machine, unsigned sm, const SmClock& clock, WarpTable& warps, ThreadBlocks& tbs,
              BlockedWarps& blocked, Scoreboard& scoreboard, SmMemory& memory, EventWheel& wheel, SmOutbox& outbox,
              SpinWatch& watch, RuntimeCounters& counters);

  /// A thread block begins in a context.
  void start(unsigned context);
  /// Lanes of a warp make a call; unless it is its own, the warp waits from now on.
  void call(unsigned w, const isa::Record& record, LaneMask mask);
  /// Their TB ends early. A call that was asked for is answered first, and launches that were admitted go their way.
  void stop(WarpMask warps);

  /// Serves a call that was asked for; its reply is visible from cycle `reply` on.
  void serve(unsigned w, LaunchService& service, Cycle reply);
  /// Launches of the block are all closed, as is seen from cycle `visible` on.
  void close_children(BlockId block, Cycle visible);
  /// Replies that are visible. True if there was one.
  bool take_messages();
  /// A call or a pointer is under way, or a message has come: outside of that nothing here needs to be asked in a tick.
  [[nodiscard]] bool active() const { return active_; }
  /// To be called at the end of a tick in which it was active.
  void end_tick() { active_ = ((blocked_.in_runtime() | pointing_) != 0) || messages_pending(); }
  [[nodiscard]] bool messages_pending() const { return !replies_.empty() || !closings_.empty(); }
  /// First cycle in which one is visible.
  [[nodiscard]] Cycle next_message() const;

  /// Event kReturn.
  void returned(unsigned w);
  /// The record of a launch is performed.
  void record_stored(unsigned w, std::uint32_t number);
  /// First tick in which `advance` may have something to do; kForever if something else has to happen first.
  [[nodiscard]] Tick due() const { return due_; }
  /// Sends a record and a pointer, if some are due.
  void advance();

  /// Warps of which something is under way that outlives them: their TB does not retire.
  [[nodiscard]] WarpMask under_way() const { return asked_ | pointing_; }
  /// Warps that wait for launches of their block.
  [[nodiscard]] WarpMask await_children() const { return awaiting_; }
  /// Warps whose calls go on by themselves.
  [[nodiscard]] WarpMask moving() const { return (blocked_.in_runtime() & ~awaiting_) | pointing_; }
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
  struct Pointer {
    LaunchId launch = 0;
    StoredRecord record;
    Tick from = 0;  ///< the record may be sent
    Tick due = 0;   ///< the pointer may leave
    std::uint32_t number = 0;
    bool stored = false;
  };
  struct WarpCalls {
    RuntimeState values;
    const isa::Record* record = nullptr;  ///< of the call under way
    LaneMask mask = 0;
    LaunchOrigin origin;
    Tick called = 0, returns = base::kForever;
    std::deque<Pointer> pointers;
    std::size_t sent = 0;  ///< of them those whose record was sent: the first ones
    std::uint32_t records_out = 0;
    WarpMask older = 0;  ///< warps of the block with stores that are older than the call
  };
  struct Reply {
    Cycle visible = 0;
    unsigned warp = 0;
    bool waits = false;
    std::vector<Pointer> pointers;
  };
  struct Closing {
    Cycle visible = 0;
    BlockId block = 0;
  };
  [[nodiscard]] WarpCalls& calls(unsigned w);
  [[nodiscard]] isa::RuntimeCall kind(const WarpCalls& calls) const {
    return static_cast<isa::RuntimeCall>(calls.record->imm);
  }
  [[nodiscard]] Tick latency(isa::RuntimeCall call, unsigned lanes) const;
  void begin(unsigned w);
  void take(Reply& reply);
  void take(const Closing& closing);
  void go_on(unsigned w, Tick tick);
  void send_record();
  void send_pointer();
  [[nodiscard]] Tick next() const;
  void update_older(unsigned w);
  void look_at_first(unsigned w);
  void count_wait(isa::RuntimeCall call, Tick ticks);

  const Machine& machine_;
  const unsigned sm_;
  const SmClock& clock_;
  WarpTable& warps_;
  ThreadBlocks& tbs_;
  BlockedWarps& blocked_;
  Scoreboard& scoreboard_;
  SmMemory& memory_;
  EventWheel& wheel_;
  SmOutbox& outbox_;
  SpinWatch& watch_;
  std::vector<std::unique_ptr<WarpCalls>> warp_calls_;  ///< by warp slot; null before the slot's first call
  std::vector<BlockId> callers_;                        ///< by TB context; empty before the SM's first call
  WarpMask asked_ = 0;                                  ///< the launcher has not replied
  WarpMask awaiting_ = 0;                               ///< children
  WarpMask kept_ = 0;                                   ///< of them those that do not go on here
  WarpMask pointing_ = 0;                               ///< with pointers that have not left
  WarpMask unsent_ = 0;                                 ///< of them those with records that were not sent
  WarpMask behind_ = 0;                                 ///< those whose block has older stores under way
  WarpMask stored_ = 0;                                 ///< those of whose first pointer the record is performed
  WarpMask held_ = 0;                                   ///< launch calls behind pointers of former ones
  WarpMask restart_ = 0;                                ///< of them those that begin in the next tick
  Cycle asks_from_ = 0;                                 ///< one request per cycle
  std::uint32_t last_number_ = 0;
  Tick due_ = base::kForever;
  bool active_ = false;
  std::deque<Reply> replies_;
  std::deque<Closing> closings_;
  RuntimeCounters& counters_;
};

}  // namespace castor::gpu
