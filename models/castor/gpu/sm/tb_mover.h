#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "castor/base/statistics.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/sm/blocked_warps.h"
#include "castor/gpu/sm/event_wheel.h"
#include "castor/gpu/sm/fetch_stage.h"
#include "castor/gpu/sm/instruction_buffer.h"
#include "castor/gpu/sm/mechanism.h"
#include "castor/gpu/sm/scoreboard.h"
#include "castor/gpu/sm/sm_clock.h"
#include "castor/gpu/sm/sm_memory.h"
#include "castor/gpu/sm/thread_blocks.h"
#include "castor/gpu/sm/warp_table.h"

namespace castor::gpu {

/// State of a thread block that a TbMover moves (docs/gpu/moving.md).
enum class MoveState : std::uint8_t {
  kRun,      ///< the block runs
  kQuiesce,  ///< its warps issue nothing more; instructions and accesses are still in flight
  kOut,      ///< its context is being moved out
  kFilling,  ///< its context is being moved in
};

/// Statistics of the thread blocks that an SM swaps out and restores; on machines where thread blocks move for other
/// reasons than their launches, too.
struct MoveCounters {
  explicit MoveCounters(base::StatisticGroup& sm) : group(sm, "moves") {}
  base::StatisticGroup group;
  base::Counter out{group, {"out", "", "thread blocks that were swapped out"}};
  base::Counter in{group, {"in", "", "swapped-out thread blocks that were restored"}};
  base::Counter quiesce{
      group, {"quiesce", "ticks", "sum over all swaps of the ticks from the request until the context began to move"}};
  base::Counter transfer_out{group, {"transfer_out", "ticks", "sum over all swaps of the ticks of the move out"}};
  base::Counter transfer_in{group, {"transfer_in", "ticks", "sum over all returns of the ticks of the move in"}};
};

/// Mover of an SM (docs/gpu/moving.md): swaps thread blocks out at any instruction boundary, restores them, and times
/// the transfer of their contexts. Others ask for a swap (ThreadBlocks::request_swap). The SM calls `advance` and `due`
/// only while a thread block is to be swapped out.
///
/// Steps: `come_back` and `stop` in S0, start; `take` in S1, events; `advance`, then `due` and `leave` in S8,
/// bookkeeping; `hand_over` between ticks.
class TbMover : public SmMechanism {
 public:
  explicit TbMover(const SmParts& parts);

  void start(TbStart& start) {
    filled_[start.context] = 0;
    draw_again();
  }
  void come_back(TbStart& start, const SavedTb& saved);
  /// Cancels the swap of a thread block that ends early.
  void stop(unsigned context);
  void leave(unsigned context, SavedTb& saved);
  bool take(const SmEvent& event);
  /// Writes the saved local memory of thread blocks restored in this tick back to memory, and compares all that came
  /// back with what left. Runs between ticks, because that memory belongs to the L2 slices.
  void hand_over() {
    if (!restored_.empty()) hand_over_restored();
  }
  [[nodiscard]] bool still() const { return tbs_.swapping() == 0 && draws_at_ == base::kForever; }
  void add_waiting(std::vector<WaitReason>& reasons) const;
  void add_statistics();

  /// Takes the requests of the tick and begins the moves of thread blocks that are quiescent. `busy_warps()` returns
  /// the warps with an instruction, access or message in flight. Returns the contexts whose move begins in this tick.
  template <class BusyWarps>
  [[nodiscard]] TbMask advance(BusyWarps&& busy_warps) {
    for (const SwapRequest& request : tbs_.take_swap_requests()) accept(request);
    return waits_ == 0 ? 0 : begin(busy_warps());
  }
  /// Returns a context whose move out is over, or -1.
  [[nodiscard]] int due() const;
  /// Returns the state of the thread block in a context.
  [[nodiscard]] MoveState state(unsigned context) const;

 private:
  /// Thread block that is to be swapped out.
  struct Move {
    SwapRequest request;
    bool out = false;  ///< the context is being moved
    Tick asked = 0;    ///< tick of the request
    Tick begun = 0;    ///< with `out`: tick in which the move began
    Tick until = 0;    ///< with `out`: tick in which the move is over; kForever = the swap engine says when
    /// with `out`, by the swap engine: state of the thread block when the move began
    std::unique_ptr<SavedTb> saved;
  };
  /// Thread block that was restored in this tick, or whose context has been moved in by the swap engine.
  struct Restored {
    unsigned context = 0;
    std::shared_ptr<const SavedTb> tb;
    bool local = true;    ///< its local memory is to be written back
    bool compare = true;  ///< its state is complete
    Tick since = 0;       ///< tick of the return
  };

  void accept(const SwapRequest& request);
  [[nodiscard]] TbMask begin(WarpMask busy_warps);
  [[nodiscard]] bool quiet(const TbState& tb, WarpMask busy_warps) const;
  void forget(unsigned context);
  [[nodiscard]] bool by_engine(SwapReason reason) const {
    if (reason == SwapReason::kSynchronisation) return true;
    return machine_.context.mover == ContextMover::kEngine && reason != SwapReason::kChildren;
  }
  void save(unsigned context, bool whole, SavedTb& saved) const;
  void restore_barriers(unsigned context, const SavedTb& saved);
  void restore_warps(TbStart& start, const SavedTb& saved);
  void restore_sleep(unsigned w, Tick rest);
  void expect_fill(TbStart& start, const std::shared_ptr<const SavedTb>& saved);
  void end_fills();
  void wake_in(Tick tick);
  void draw();
  void draw_later();
  void draw_again() {
    if (machine_.context.random != 0 && draws_at_ == base::kForever) draw_later();
  }
  void hand_over_restored();
  [[nodiscard]] std::uint64_t random(std::uint64_t salt) const;
  [[nodiscard]] Tick rest_of_sleep(unsigned w) const;
  void save_warp(unsigned w, bool whole, SavedWarp& to) const;
  [[nodiscard]] std::uint64_t digest(unsigned context, unsigned site) const;

  const Machine& machine_;
  const unsigned sm_;
  const bool agent_moves_;  ///< a synchronisation agent gives jobs to a swap engine
  base::StatisticGroup& statistics_;
  const SmClock& clock_;
  EventWheel& wheel_;
  WarpTable& warps_;
  ThreadBlocks& tbs_;
  const Scoreboard& scoreboard_;
  BlockedWarps& blocked_;
  InstructionBuffer& buffer_;
  FetchStage& fetch_;
  SmMemory& memory_;
  HandOver& hand_over_;
  std::vector<Move> moves_;         ///< thread blocks that are to be swapped out, in the order of the requests
  TbMask waits_ = 0;                ///< contexts of moves_ that are not being moved yet
  std::vector<Tick> filled_;        ///< [context] tick in which the context has been moved in
  Tick draws_at_ = base::kForever;  ///< tick of the next random swap
  std::vector<Restored> restored_;  ///< thread blocks restored in this tick
  std::vector<Restored> fills_;     ///< thread blocks that the swap engine moves in
  std::unique_ptr<MoveCounters> counters_;
};

}  // namespace castor::gpu
