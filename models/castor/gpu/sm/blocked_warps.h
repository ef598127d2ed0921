#pragma once

#include "castor/gpu/sm/event_wheel.h"
#include "castor/gpu/sm/warp_mask.h"

namespace castor::gpu {

/// Blocking conditions of the warps of an SM: barrier, fence, sleep, call into the runtime, call of the device runtime,
/// fault, stall by the synchronisation agent.
///
/// A warp is blocked when it issues the instruction (S5, issue) or faults. It is unblocked by an event of the wheel
/// (S1, events: barrier, sleep), by a reply (S0, start: call), or in S8, bookkeeping (fence). The agent's stalls are
/// set anew in S0 of each of its ticks. `stop` unblocks the warps of a TB that ends early.
class BlockedWarps {
 public:
  explicit BlockedWarps(EventWheel& wheel) : wheel_(wheel) {}

  /// Returns the warps blocked for any reason.
  [[nodiscard]] WarpMask any() const { return barrier_ | fence_ | sleep_ | call_ | runtime_ | fault_ | stalled_; }
  /// Returns the warps at a barrier, including warps whose release is pending.
  [[nodiscard]] WarpMask at_barrier() const { return barrier_; }
  /// Warps at a completed barrier, whose release is pending; and warps at a barrier that is not complete.
  [[nodiscard]] WarpMask releasing() const { return releasing_; }
  [[nodiscard]] WarpMask held_at_barrier() const { return barrier_ & ~releasing_; }
  [[nodiscard]] WarpMask in_fence() const { return fence_; }
  [[nodiscard]] WarpMask asleep() const { return sleep_; }
  /// Returns the warps in a call into the runtime, including warps whose call has not been sent yet.
  [[nodiscard]] WarpMask in_call() const { return call_; }
  /// Warps that wait for their older accesses before their call is sent; and warps whose call has been sent.
  [[nodiscard]] WarpMask before_call() const { return before_call_; }
  [[nodiscard]] WarpMask calling() const { return call_ & ~before_call_; }
  /// Returns the warps in a call of the device runtime.
  [[nodiscard]] WarpMask in_runtime() const { return runtime_; }
  /// Returns the faulted warps: they stay blocked until their kernel ends.
  [[nodiscard]] WarpMask faulted() const { return fault_; }

  /// Returns the warps that the synchronisation agent stalls.
  [[nodiscard]] WarpMask stalled() const { return stalled_; }

  void wait_at_barrier(unsigned w) { barrier_ |= warp_bit(w); }
  /// Schedules the release of warps whose barrier completes in `tick`; they resume in tick `until`.
  void release(WarpMask warps, Tick tick, Tick until) {
    SmEvent event;
    event.kind = SmEvent::Kind::kUnblock;
    event.payload = warps;
    wheel_.add(tick, until, event);
    releasing_ |= warps;
  }
  /// Unblocks warps when their kUnblock event is due.
  void released(WarpMask warps) {
    barrier_ &= ~warps;
    releasing_ &= ~warps;
  }

  void fence(unsigned w) { fence_ |= warp_bit(w); }
  /// Returns the warps whose fence is complete. `memory_busy`: warps with accesses in flight.
  [[nodiscard]] WarpMask fences_over(WarpMask memory_busy) const { return fence_ & ~memory_busy; }
  void end_fences(WarpMask warps) { fence_ &= ~warps; }

  /// Blocks a warp from `tick` on, and schedules its wake-up in tick `until`.
  void sleep(unsigned w, Tick tick, Tick until) {
    SmEvent event;
    event.kind = SmEvent::Kind::kTimer;
    event.warp = static_cast<std::uint8_t>(w);
    wheel_.add(tick, until, event);
    sleep_ |= warp_bit(w);
  }
  /// Unblocks a sleeping warp when its kTimer event is due. Not called if the warp's TB has retired meanwhile.
  void wake(unsigned w) { sleep_ &= ~warp_bit(w); }

  /// Blocks a warp in a call into the runtime; the call is sent after the warp's older accesses.
  void call(unsigned w) {
    call_ |= warp_bit(w);
    before_call_ |= warp_bit(w);
  }
  /// Returns the warps whose call can be sent: `memory_busy` has the warps with accesses in flight.
  [[nodiscard]] WarpMask calls_due(WarpMask memory_busy) const { return before_call_ & ~memory_busy; }
  /// Marks the calls of these warps as sent.
  void make_calls(WarpMask warps) { before_call_ &= ~warps; }
  /// Unblocks a warp whose call into the runtime has its reply.
  void answered(unsigned w) { call_ &= ~warp_bit(w); }

  /// Block and unblock a warp in a call of the device runtime; for RuntimeUnit alone.
  void call_runtime(unsigned w) { runtime_ |= warp_bit(w); }
  void return_from_runtime(unsigned w) { runtime_ &= ~warp_bit(w); }

  void fault(unsigned w) { fault_ |= warp_bit(w); }

  /// Sets the warps that the synchronisation agent stalls; for SyncAgentPort alone.
  void stall(WarpMask warps) { stalled_ = warps; }

  /// Unblocks the warps of a TB that ends early. Calls that were not sent are cancelled. A call in flight stays blocked
  /// until its reply, and a pending release until its event.
  void stop(WarpMask warps) {
    barrier_ &= ~warps;
    fence_ &= ~warps;
    sleep_ &= ~warps;
    fault_ &= ~warps;
    stalled_ &= ~warps;
    call_ &= ~(warps & before_call_);
    before_call_ &= ~warps;
  }

 private:
  /// Warps blocked, by reason. A bit is set when the warp issues the instruction or faults, and cleared when the reason
  /// ends.
  WarpMask barrier_ = 0, fence_ = 0, sleep_ = 0, call_ = 0, runtime_ = 0, fault_ = 0, stalled_ = 0;
  /// Warps of barrier_ whose release is pending, and warps of call_ whose call has not been sent.
  WarpMask releasing_ = 0, before_call_ = 0;
  EventWheel& wheel_;
};

}  // namespace castor::gpu
