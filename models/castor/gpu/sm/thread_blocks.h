#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "castor/gpu/hooks/resource_view.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/observer.h"
#include "castor/gpu/sm/sm_statistics.h"
#include "castor/gpu/sm/tb_state.h"
#include "castor/gpu/sm/warp_mask.h"
#include "castor/gpu/sm_unit.h"

namespace castor::gpu {

struct SuspendedTb;

/// Contexts of the thread blocks on an SM, their SM resources, and the stopped kernels.
///
/// Steps: `take_kill`, `start` and `stop` in S0, start; `count` in S5, issue; `exited`, `acquire`, `next_to_retire` and
/// `retire` in S8, bookkeeping. At most one thread block starts or retires per tick. The state of a thread block may be
/// read in any step.
class ThreadBlocks {
 public:
  /// `observer` may be null.
  ThreadBlocks(const Machine& machine, unsigned sm, TbCounters& counters, Observer* observer);
  ThreadBlocks(const ThreadBlocks&) = delete;
  ThreadBlocks& operator=(const ThreadBlocks&) = delete;

  [[nodiscard]] const TbState& operator[](unsigned context) const { return contexts_[context]; }
  /// Returns the memory side's view of the contexts, an array of sm.tb_contexts elements that does not move.
  [[nodiscard]] const TbMemory* memory() const { return memory_.data(); }
  /// Returns the contexts in use.
  [[nodiscard]] TbMask resident() const { return resident_; }
  /// Returns the contexts in use whose warps have all exited.
  [[nodiscard]] TbMask finished() const { return finished_; }
  /// Returns whether the next TB to retire waits for a credit of the done FIFO.
  [[nodiscard]] bool waits_for_credit() const { return waits_for_credit_; }
  /// Returns the free resources of the SM, given the warp slots `used`. `threads` is not set.
  [[nodiscard]] SmResources room(WarpMask used) const;

  /// Returns whether a TB may start in `tick`. In the tick after the start of a TB on an empty SM, no TB may start,
  /// retire or be swapped out.
  [[nodiscard]] bool may_start(Tick tick) const { return quiet_tick_ != tick; }
  /// Starts a TB in the lowest free context, allocates its resources and the lowest warp slots not in `used`, and
  /// initialises its state except for its warps. Returns the context. Asserts that the TB fits.
  unsigned start(const TbStartMessage& message, WarpMask used, Cycle now, Tick tick);
  /// Returns the ticks that the set-up of the TB takes.
  [[nodiscard]] Tick setup_ticks(const TbStartMessage& message) const;
  /// Stops a TB: it counts as finished, because its warps issue nothing more.
  void stop(unsigned context) {
    contexts_[context].killed = true;
    contexts_[context].live = 0;
    finished_ |= TbMask{1} << context;
  }

  /// Stops a kernel from cycle `visible` on, including its TBs in flight to the SM.
  void kill(const KernelContext& kernel, Cycle visible) { kills_.push_back({visible, &kernel, kernel.ticket}); }
  /// Returns the next kernel whose stop is visible in cycle `now`, or null.
  [[nodiscard]] const KernelContext* take_kill(Cycle now);
  /// Returns the first cycle in which a stop becomes visible, or base::kForever.
  [[nodiscard]] Cycle next_kill() const;
  [[nodiscard]] bool kills_pending() const { return !kills_.empty(); }
  /// Returns whether the kernel was stopped.
  [[nodiscard]] bool killed(const KernelContext& kernel) const;

  /// Counts an instruction of the TB that issued for `lanes` lanes.
  void count(unsigned context, unsigned lanes) {
    ++contexts_[context].warp_instructions;
    contexts_[context].thread_instructions += lanes;
  }
  /// Records that a warp has exited.
  void exited(unsigned context, unsigned warp) {
    TbState& tb = contexts_[context];
    tb.live &= ~warp_bit(warp);
    if (tb.live == 0) finished_ |= TbMask{1} << context;
  }
  /// Returns the barriers of a TB; for class Barriers alone.
  [[nodiscard]] TbBarriers& barriers(unsigned context) { return contexts_[context].barriers; }
  /// Sets the TB's acquire cycle: its later loads must not return data older than `now`.
  void acquire(unsigned context, Cycle now);

  /// Returns whether a TB may retire in `tick`, i.e. no other TB starts, retires or is swapped out in it.
  [[nodiscard]] bool may_retire(Tick tick) const { return operation_at_ != tick && quiet_tick_ != tick; }
  /// Returns the lowest finished context without a warp in `busy_warps`, if a TB may retire in this tick. The call
  /// takes a credit of `done`. Without a credit the TB has to wait, and the result is empty.
  [[nodiscard]] std::optional<unsigned> next_to_retire(WarpMask busy_warps, Credits& done, Cycle now, Tick tick);
  /// Restores the saved state into a TB that has just been started.
  void restore(unsigned context, const SuspendedTb& saved);
  /// Frees the context and the resources of a TB that is swapped out.
  void suspend(unsigned context, Cycle now, Tick tick);
  /// Frees the context and the resources of a TB that retires, and returns the message to the front end.
  [[nodiscard]] TbRetireMessage retire(unsigned context, Cycle now, Tick tick);

 private:
  // Stop of a kernel, visible from a cycle on; the ticket distinguishes the kernel from a later kernel in the same
  // table entry.
  struct Kill {
    Cycle visible;
    const KernelContext* kernel;
    Ticket ticket;
  };
  void leave(unsigned context, Cycle now, Tick tick);
  [[nodiscard]] const DecodedProgram& decoded(const isa::Program& program);

  // contexts in use; and contexts in use whose warps have all exited
  TbMask resident_ = 0, finished_ = 0;
  Tick operation_at_ = base::kForever;  // tick of the last start, retirement or swap-out
  // tick after the start of a TB on an empty SM, in which no TB operation may happen
  Tick quiet_tick_ = base::kForever;
  bool waits_for_credit_ = false;  // the next TB to retire has no credit of the done FIFO
  std::vector<TbState> contexts_;
  std::vector<TbMemory> memory_;
  unsigned free_register_units_, free_shared_units_;  // free resources in allocation units; checked at every start
  const Machine& machine_;
  const unsigned sm_;
  TbCounters& counters_;
  Observer* const observer_;
  std::vector<std::unique_ptr<DecodedProgram>> programs_;
  std::vector<Kill> kills_;   // stops that are not visible yet
  std::vector<Kill> killed_;  // stopped kernels, whose TBs are stopped as soon as they start
};

}  // namespace castor::gpu
