#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "castor/gpu/hooks/room_view.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/observer.h"
#include "castor/gpu/sm/sm_statistics.h"
#include "castor/gpu/sm/tb_state.h"
#include "castor/gpu/sm/warp_mask.h"
#include "castor/gpu/sm_unit.h"

namespace castor::gpu {

struct SuspendedTb;

/// Contexts of the thread blocks on an SM, the room that they take, and the kernels that are stopped.
///
/// S0 `take_kill`, `start`, `stop`; S5 `count`; S8 `exited`, `acquire`, `next_to_retire` and `retire`. One thread block
/// starts or retires per tick. All of a thread block may be read at any time.
class ThreadBlocks {
 public:
  /// `observer` may be null.
  ThreadBlocks(const Machine& machine, unsigned sm, TbCounters& counters, Observer* observer);
  ThreadBlocks(const ThreadBlocks&) = delete;
  ThreadBlocks& operator=(const ThreadBlocks&) = delete;

  [[nodiscard]] const TbState& operator[](unsigned context) const { return contexts_[context]; }
  /// What the memory side sees of the contexts: an array of sm.tb_contexts, which stays where it is.
  [[nodiscard]] const TbMemory* memory() const { return memory_.data(); }
  /// Contexts in use.
  [[nodiscard]] TbMask resident() const { return resident_; }
  /// Of them those whose warps have all exited.
  [[nodiscard]] TbMask finished() const { return finished_; }
  /// The next to retire waits for a credit of the done FIFO.
  [[nodiscard]] bool waits_for_credit() const { return waits_for_credit_; }
  /// What is free beside the warp slots that are `used`; threads are left out.
  [[nodiscard]] SmRoom room(WarpMask used) const;

  /// No TB operation may happen in the tick behind the start of a kernel on an SM that was empty.
  [[nodiscard]] bool may_start(Tick tick) const { return quiet_tick_ != tick; }
  /// Takes the lowest free context, the lowest slots that are not `used`, and room, and makes the state of a TB that
  /// begins, but for its warps. Asserts that it fits.
  unsigned start(const TbStartMessage& message, WarpMask used, Cycle now, Tick tick);
  /// Ticks that its set-up takes.
  [[nodiscard]] Tick setup_ticks(const TbStartMessage& message) const;
  /// The TB issues nothing any more.
  void stop(unsigned context) {
    contexts_[context].killed = true;
    contexts_[context].live = 0;
    finished_ |= TbMask{1} << context;
  }

  /// The kernel is stopped from cycle `visible` on, also in TBs that are on their way.
  void kill(const KernelContext& kernel, Cycle visible) { kills_.push_back({visible, &kernel, kernel.ticket}); }
  /// The next kernel whose stop is visible in `now`; null if there is none.
  [[nodiscard]] const KernelContext* take_kill(Cycle now);
  /// First cycle in which one will be.
  [[nodiscard]] Cycle next_kill() const;
  [[nodiscard]] bool kills_pending() const { return !kills_.empty(); }
  /// The kernel was stopped.
  [[nodiscard]] bool killed(const KernelContext& kernel) const;

  /// An instruction of the TB issued for `lanes` lanes.
  void count(unsigned context, unsigned lanes) {
    ++contexts_[context].warp_instructions;
    contexts_[context].thread_instructions += lanes;
  }
  /// A warp has exited.
  void exited(unsigned context, unsigned warp) {
    TbState& tb = contexts_[context];
    tb.live &= ~warp_bit(warp);
    if (tb.live == 0) finished_ |= TbMask{1} << context;
  }
  /// For Barriers alone.
  [[nodiscard]] TbBarriers& barriers(unsigned context) { return contexts_[context].barriers; }
  /// What the TB loads from now on must not be older than `now`.
  void acquire(unsigned context, Cycle now);

  /// Other TB operations leave the tick to a retire.
  [[nodiscard]] bool may_retire(Tick tick) const { return operation_at_ != tick && quiet_tick_ != tick; }
  /// The lowest finished context of whose warps nothing is `under_way`, if one may retire. It gets a credit of `done`,
  /// or waits for one.
  [[nodiscard]] std::optional<unsigned> next_to_retire(WarpMask under_way, Credits& done, Cycle now, Tick tick);
  /// The TB that has just been started goes on where it was suspended.
  void restore(unsigned context, const SuspendedTb& saved);
  /// A TB leaves to come back: context and room are free.
  void suspend(unsigned context, Cycle now, Tick tick);
  /// Gives context and room free, and says what the front end is told.
  [[nodiscard]] TbRetireMessage retire(unsigned context, Cycle now, Tick tick);

 private:
  struct Kill {
    Cycle visible;
    const KernelContext* kernel;
    Ticket ticket;
  };
  void leave(unsigned context, Cycle now, Tick tick);
  [[nodiscard]] const DecodedProgram& decoded(const isa::Program& program);

  TbMask resident_ = 0, finished_ = 0;
  Tick operation_at_ = base::kForever;  // tick of the last TB operation
  Tick quiet_tick_ = base::kForever;    // tick behind a kernel start, without TB operations
  bool waits_for_credit_ = false;
  std::vector<TbState> contexts_;
  std::vector<TbMemory> memory_;
  unsigned free_register_units_, free_shared_units_;  // asserted against every start
  const Machine& machine_;
  const unsigned sm_;
  TbCounters& counters_;
  Observer* const observer_;
  std::vector<std::unique_ptr<DecodedProgram>> programs_;
  std::vector<Kill> kills_;   // not yet visible
  std::vector<Kill> killed_;  // starts of these kernels end at once
};

}  // namespace castor::gpu
