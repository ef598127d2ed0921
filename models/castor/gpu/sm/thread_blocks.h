#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "castor/gpu/execution/aligned_bytes.h"
#include "castor/gpu/hooks/resource_view.h"
#include "castor/gpu/hooks/swap_engine.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/observer.h"
#include "castor/gpu/sm/segment_table.h"
#include "castor/gpu/sm/sm_statistics.h"
#include "castor/gpu/sm/tb_state.h"
#include "castor/gpu/sm/warp_mask.h"
#include "castor/gpu/sm_unit.h"
#include "castor/gpu/swap_reason.h"

namespace castor::gpu {

struct SavedTb;

/// Request to swap a thread block out of its context.
struct SwapRequest {
  unsigned context = 0;
  SwapReason reason = SwapReason::kChildren;
  Tick from = 0;                               ///< first tick in which the context may move
  Tick ticks = 0;                              ///< ticks that the move takes
  std::uint8_t site = SwapJob::kAllRegisters;  ///< SwapJob::site: registers that are dead there are lost
};

/// Wires of a tick between the synchronisation agent of an SM and its swap engine, and what their ports tell each
/// other. SyncAgentPort and SwapPort set them in S0.
struct AgentWires {
  Maybe<SwapParked> parked;  ///< output of the engine for a job of the agent
  bool park_ready = false;   ///< the agent takes `parked`
  Maybe<SwapJob> job;        ///< output of the agent
  bool job_ready = false;    ///< SwapPort takes `job`
  bool local_room = false;   ///< output of the agent
  TbMask open = 0;           ///< contexts with a job of the agent that is not over, its stores in memory included
  /// Thread blocks of the agent's jobs that have left the SM in this tick; SwapPort stores them between ticks.
  std::vector<std::shared_ptr<const SavedTb>> left;

  void begin_tick() {
    parked.reset();
    job.reset();
    park_ready = job_ready = false;
  }
};

/// Thread blocks of an SM that its swap engine moves (docs/gpu/swapping.md). TbMover says which, SwapPort says when
/// they have been moved.
struct EngineMoves {
  TbMask leaving = 0;  ///< contexts that the engine moves out; cleared when the TB leaves the SM or is stopped
  TbMask filling = 0;  ///< contexts that the engine moves in; cleared when TbMover has let the TB resume
  TbMask done = 0;     ///< those of `leaving` and `filling` whose move is over
  bool busy = false;   ///< a job is not over, its stores in memory included
  /// Contexts that a TB of the kernel that owns the machine has left to the agent. They keep their warp slots, and no
  /// TB of the dispatcher starts in them. They are free when a TB of another kernel starts.
  TbMask kept = 0;
  AgentWires agent;
  /// [context] read-only segments of the TB in the context; empty in an SM whose engine does not use them.
  std::vector<SegmentTable> segments;
  std::deque<ReadOnlySegment> segment_updates;  ///< changes of `segments` that the engine is still to be told, in order

  void forget(unsigned context) {
    const TbMask bit = TbMask{1} << context;
    leaving &= ~bit;
    filling &= ~bit;
    done &= ~bit;
  }
};

/// Contexts of the thread blocks on an SM, their SM resources, the stopped kernels, and which thread blocks are being
/// swapped out.
///
/// Steps: `take_order`, `start` and `stop` in S0, start; `count` in S5, issue; `exited`, `acquire`, `next_to_retire`,
/// `retire` and `swap_out` in S8, bookkeeping; `request_swap` in S0, S1 or S8, and `take_swap_requests` in S8. At most
/// one thread block starts, retires or is swapped out per tick. The state of a thread block may be read in any step.
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
  /// initialises its state except for its warps. With `message.context` it starts in that context, which an agent has
  /// kept when its TB left, and in the warp slots of that TB; with `message.saved` shared memory then stays as it is.
  /// Returns the context. Asserts that the TB fits.
  unsigned start(const TbStartMessage& message, WarpMask used, Cycle now, Tick tick);
  /// Returns the ticks that the set-up of the TB takes.
  [[nodiscard]] Tick setup_ticks(const TbStartMessage& message) const;
  /// Stops a TB: it counts as finished, because its warps issue nothing more.
  void stop(unsigned context) {
    contexts_[context].killed = true;
    contexts_[context].live = 0;
    finished_ |= TbMask{1} << context;
  }

  /// Order of the front end for all TBs of a kernel: stop them, or swap them out.
  struct Order {
    Cycle visible = 0;
    const KernelContext* kernel = nullptr;
    Ticket ticket = 0;  ///< distinguishes the kernel from a later kernel in the same table entry
    bool swaps = false;
    Cycle first = 0, each = 0;  ///< of a swap, as in SwapOutRequest
  };
  /// Stops a kernel from cycle `visible` on, including its TBs in flight to the SM.
  void kill(const KernelContext& kernel, Cycle visible) {
    orders_.push_back({visible, &kernel, kernel.ticket, false, 0, 0});
  }
  /// Swaps out the TBs of a kernel, including those in flight to the SM.
  void swap(const SwapOutRequest& request) {
    orders_.push_back({request.visible, request.kernel, request.ticket, true, request.first, request.each});
  }
  /// Returns the next order that is visible in cycle `now`. An order to swap waits until the TBs that were sent before
  /// it have started: `next_start` is the stamp of the next TB that starts.
  [[nodiscard]] std::optional<Order> take_order(Cycle now, Cycle next_start);
  /// Returns the first cycle in which an order becomes visible, or base::kForever.
  [[nodiscard]] Cycle next_order() const;
  [[nodiscard]] bool orders_pending() const { return !orders_.empty(); }
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
  /// Returns the barriers of a TB; for class Barriers, and for TbMover when the TB is restored.
  [[nodiscard]] TbBarriers& barriers(unsigned context) { return contexts_[context].barriers; }
  /// Sets the TB's acquire cycle: its later loads must not return data older than `now`.
  void acquire(unsigned context, Cycle now);

  /// Returns whether a TB may retire in `tick`, i.e. no other TB starts, retires or is swapped out in it.
  [[nodiscard]] bool may_retire(Tick tick) const { return operation_at_ != tick && quiet_tick_ != tick; }
  /// Returns the lowest finished context without a warp in `busy_warps`, if a TB may retire in this tick. The call
  /// takes a credit of `done`. Without a credit the TB has to wait, and the result is empty.
  [[nodiscard]] std::optional<unsigned> next_to_retire(WarpMask busy_warps, Credits& done, Cycle now, Tick tick);
  /// Requests that a TB be swapped out.
  void request_swap(const SwapRequest& request) {
    swapping_ |= TbMask{1} << request.context;
    swap_requests_.push_back(request);
  }
  /// Returns the contexts whose TB is to be swapped out, from the request until the TB has left.
  [[nodiscard]] TbMask swapping() const { return swapping_; }
  /// Returns the requests since the last call, oldest first; for class TbMover alone.
  [[nodiscard]] std::vector<SwapRequest> take_swap_requests() { return std::exchange(swap_requests_, {}); }
  /// Forbids requests to swap out TBs, because a hook of the SM does not support them. For constructors of mechanisms.
  void pin() { pinned_ = true; }
  [[nodiscard]] bool pinned() const { return pinned_; }
  /// Cancels the swap of a TB, which stays.
  void cancel_swap(unsigned context) { swapping_ &= ~(TbMask{1} << context); }
  /// Returns the TBs that the swap engine moves; for TbMover, the ports of engine and agent, and the SM when a TB
  /// leaves.
  [[nodiscard]] EngineMoves& engine_moves() { return engine_moves_; }
  // Shared homes (docs/gpu/swapping.md). Context c has store c, unless a swap engine has given it another one.
  /// Adds stores for shared memory until there are `stores`, and makes all stores as large as the shared memory of the
  /// SM. Returns the number of stores, which may be larger.
  std::size_t grow_shared_stores(std::size_t stores);
  [[nodiscard]] std::byte* shared_store(unsigned store) { return shared_[store].data(); }
  void use_shared_store(unsigned context, unsigned store) {
    shared_of_[context] = static_cast<std::uint8_t>(store);
    contexts_[context].shared = memory_[context].shared = shared_store(store);
  }
  /// Restores the saved state into a TB that has just been started.
  void restore(unsigned context, const SavedTb& saved);
  /// Frees the context and the resources of a TB that is swapped out.
  void swap_out(unsigned context, SwapReason reason, Cycle now, Tick tick);
  /// Frees the context and the resources of a TB that retires, and returns the message to the front end.
  [[nodiscard]] TbRetireMessage retire(unsigned context, Cycle now, Tick tick);

 private:
  void leave(unsigned context, std::optional<SwapReason> swapped, Cycle now, Tick tick);
  [[nodiscard]] unsigned take_context(const TbStartMessage& message, Cycle now);
  void take_slots(const TbStartMessage& message, unsigned context, WarpMask used, Cycle now);
  [[nodiscard]] const DecodedProgram& decoded(const isa::Program& program);

  // contexts in use; and contexts in use whose warps have all exited
  TbMask resident_ = 0, finished_ = 0;
  TbMask swapping_ = 0;                 // contexts whose TB is to be swapped out
  bool pinned_ = false;                 // no TB is swapped out
  Tick operation_at_ = base::kForever;  // tick of the last start, retirement or swap-out
  // tick after the start of a TB on an empty SM, in which no TB operation may happen
  Tick quiet_tick_ = base::kForever;
  bool waits_for_credit_ = false;  // the next TB to retire has no credit of the done FIFO
  std::vector<TbState> contexts_;
  std::vector<TbMemory> memory_;
  std::vector<AlignedBytes> shared_;     // stores for shared memory, at least one per context
  std::vector<std::uint8_t> shared_of_;  // [context] number of its store
  EngineMoves engine_moves_;
  Ticket kept_for_ = 0;                               // kernel of the kept contexts
  unsigned free_register_units_, free_shared_units_;  // free resources in allocation units; checked at every start
  const Machine& machine_;
  const unsigned sm_;
  TbCounters& counters_;
  Observer* const observer_;
  std::vector<std::unique_ptr<DecodedProgram>> programs_;
  std::vector<Order> orders_;  // orders that were not taken yet
  std::vector<Order> killed_;  // stopped kernels, whose TBs are stopped as soon as they start
  std::vector<SwapRequest> swap_requests_;
};

}  // namespace castor::gpu
