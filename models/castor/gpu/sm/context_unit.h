#pragma once

#include <vector>

#include "castor/gpu/machine.h"
#include "castor/gpu/sm/blocked_warps.h"
#include "castor/gpu/sm/runtime_unit.h"
#include "castor/gpu/sm/scoreboard.h"
#include "castor/gpu/sm/sm_clock.h"
#include "castor/gpu/sm/sm_memory.h"
#include "castor/gpu/sm/thread_blocks.h"
#include "castor/gpu/sm/warp_table.h"
#include "castor/gpu/suspended_tb.h"

namespace castor::gpu {

/// Saves and restores thread blocks that are swapped out while they wait for launches (docs/gpu/launches.md, "Waiting
/// for launches"). It selects the thread blocks, models the time of the context transfer, and copies the context.
///
/// Steps: `restore` and `stop` in S0, start; `look`, then `due` and `save` in S8, bookkeeping.
class ContextUnit {
 public:
  /// Swapping is off on machines with hooks, because hooks do not support suspended thread blocks.
  ContextUnit(const SmParts& parts, RuntimeUnit& runtime)
      : machine_(parts.machine),
        suspends_(!parts.hooks.any()),
        clock_(parts.clock),
        warps_(parts.warps),
        tbs_(parts.tbs),
        scoreboard_(parts.scoreboard),
        blocked_(parts.blocked),
        runtime_(runtime),
        memory_(parts.memory) {}

  /// Starts saving the context of every thread block whose warps are all waiting. `busy_warps`: warps with an
  /// instruction or memory access still in flight.
  void look(WarpMask busy_warps);
  /// Returns a context whose save has completed by this tick, or -1.
  [[nodiscard]] int due() const;
  /// Copies the thread block's state to `saved` and ends its save. The caller removes the thread block from the SM.
  void save(unsigned context, SuspendedTb& saved);
  /// Restores a suspended thread block into a context in which the thread block has just been restarted. Returns the
  /// ticks of the context transfer.
  Tick restore(unsigned context, const SuspendedTb& saved);
  /// Cancels the save of a thread block that ends early.
  void stop(unsigned context) { forget(context); }
  /// Returns the next tick after this one in which a save completes, or base::kForever.
  [[nodiscard]] Tick next() const;

 private:
  /// Save in progress: context, and tick in which it completes.
  struct Saving {
    unsigned context = 0;
    Tick until = 0;
  };
  [[nodiscard]] bool only_waits(const TbState& tb, WarpMask busy_warps) const;
  void forget(unsigned context);

  const Machine& machine_;
  const bool suspends_;
  const SmClock& clock_;
  WarpTable& warps_;
  ThreadBlocks& tbs_;
  const Scoreboard& scoreboard_;
  BlockedWarps& blocked_;
  RuntimeUnit& runtime_;
  SmMemory& memory_;
  std::vector<Saving> saving_;
  TbMask in_saving_ = 0;  ///< contexts in saving_
};

}  // namespace castor::gpu
