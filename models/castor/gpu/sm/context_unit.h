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

/// Thread blocks that give up their place while they wait for launches (docs/gpu/launches.md, "Waiting for launches"):
/// which ones do, how long their contexts move, and what a context is.
///
/// S0 `restore`, `stop`; S8 `look`, then `due` and `save`.
class ContextUnit {
 public:
  /// On machines with hooks, which do not know such blocks, all keep their place.
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

  /// Begins to save blocks that only wait. `under_way`: warps of which something is on its way.
  void look(WarpMask under_way);
  /// A block whose context has been saved in this tick; -1 = none.
  [[nodiscard]] int due() const;
  /// What the block is. It is forgotten here; the SM takes it out.
  void save(unsigned context, SuspendedTb& saved);
  /// A block has started in a context that goes on where it was suspended. Returns the ticks that its context moves.
  Tick restore(unsigned context, const SuspendedTb& saved);
  /// A block ends early.
  void stop(unsigned context) { forget(context); }
  /// First tick after this one in which a context is saved.
  [[nodiscard]] Tick next() const;

 private:
  struct Saving {
    unsigned context = 0;
    Tick until = 0;
  };
  [[nodiscard]] bool only_waits(const TbState& tb, WarpMask under_way) const;
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
  TbMask in_saving_ = 0;
};

}  // namespace castor::gpu
