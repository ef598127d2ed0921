#pragma once

#include "castor/gpu/sm/event_wheel.h"
#include "castor/gpu/sm/warp_mask.h"

namespace castor::gpu {

/// Why warps may not issue: barrier, fence, sleep, call into the runtime or the device runtime, fault.
///
/// Warps are blocked where they issue (S5) or fault, and go on by an event of the wheel (S1: barrier, sleep), by an
/// answer (S0: call), or in S8 (fence). `stop` takes back what need not be waited for.
class BlockedWarps {
 public:
  explicit BlockedWarps(EventWheel& wheel) : wheel_(wheel) {}

  /// Blocked for whatever reason.
  [[nodiscard]] WarpMask any() const { return barrier_ | fence_ | sleep_ | call_ | runtime_ | fault_; }
  /// At a barrier, those included that are being released.
  [[nodiscard]] WarpMask at_barrier() const { return barrier_; }
  /// Of them those whose barrier is complete, and those whose barrier is not.
  [[nodiscard]] WarpMask releasing() const { return releasing_; }
  [[nodiscard]] WarpMask held_at_barrier() const { return barrier_ & ~releasing_; }
  [[nodiscard]] WarpMask in_fence() const { return fence_; }
  [[nodiscard]] WarpMask asleep() const { return sleep_; }
  /// In a call into the runtime, those included that wait to make it.
  [[nodiscard]] WarpMask in_call() const { return call_; }
  /// Of them those that wait for their older accesses first, and those whose call is made.
  [[nodiscard]] WarpMask before_call() const { return before_call_; }
  [[nodiscard]] WarpMask calling() const { return call_ & ~before_call_; }
  /// In a call of the device runtime.
  [[nodiscard]] WarpMask in_runtime() const { return runtime_; }
  /// Faulted: they wait for the end of their kernel.
  [[nodiscard]] WarpMask faulted() const { return fault_; }

  void wait_at_barrier(unsigned w) { barrier_ |= warp_bit(w); }
  /// Their barrier completes in `tick`; they go on in tick `until`.
  void release(WarpMask warps, Tick tick, Tick until) {
    SmEvent event;
    event.kind = SmEvent::Kind::kUnblock;
    event.payload = warps;
    wheel_.add(tick, until, event);
    releasing_ |= warps;
  }
  /// That event.
  void released(WarpMask warps) {
    barrier_ &= ~warps;
    releasing_ &= ~warps;
  }

  void fence(unsigned w) { fence_ |= warp_bit(w); }
  /// Warps whose fence is over, since none of their accesses (`memory_busy`) is under way.
  [[nodiscard]] WarpMask fences_over(WarpMask memory_busy) const { return fence_ & ~memory_busy; }
  void end_fences(WarpMask warps) { fence_ &= ~warps; }

  /// From `tick` on it sleeps until tick `until`.
  void sleep(unsigned w, Tick tick, Tick until) {
    SmEvent event;
    event.kind = SmEvent::Kind::kTimer;
    event.warp = static_cast<std::uint8_t>(w);
    wheel_.add(tick, until, event);
    sleep_ |= warp_bit(w);
  }
  /// That event, unless the warp that slept has left meanwhile.
  void wake(unsigned w) { sleep_ &= ~warp_bit(w); }

  void call(unsigned w) {
    call_ |= warp_bit(w);
    before_call_ |= warp_bit(w);
  }
  /// Warps that can make their call, since none of their accesses is under way.
  [[nodiscard]] WarpMask calls_due(WarpMask memory_busy) const { return before_call_ & ~memory_busy; }
  void make_calls(WarpMask warps) { before_call_ &= ~warps; }
  void answered(unsigned w) { call_ &= ~warp_bit(w); }

  /// For RuntimeUnit alone.
  void call_runtime(unsigned w) { runtime_ |= warp_bit(w); }
  void return_from_runtime(unsigned w) { runtime_ &= ~warp_bit(w); }

  void fault(unsigned w) { fault_ |= warp_bit(w); }

  /// Their TB ends early. A call that was not made is not made any more; one under way is answered first, and a release
  /// under way ends by itself.
  void stop(WarpMask warps) {
    barrier_ &= ~warps;
    fence_ &= ~warps;
    sleep_ &= ~warps;
    fault_ &= ~warps;
    call_ &= ~(warps & before_call_);
    before_call_ &= ~warps;
  }

 private:
  WarpMask barrier_ = 0, fence_ = 0, sleep_ = 0, call_ = 0, runtime_ = 0, fault_ = 0;
  WarpMask releasing_ = 0, before_call_ = 0;
  EventWheel& wheel_;
};

}  // namespace castor::gpu
