#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "castor/gpu/dim3.h"
#include "castor/gpu/hooks/room_view.h"
#include "castor/gpu/sm/blocked_warps.h"
#include "castor/gpu/sm/fetch_stage.h"
#include "castor/gpu/sm/hook_port.h"
#include "castor/gpu/sm/instruction_buffer.h"
#include "castor/gpu/sm/scoreboard.h"
#include "castor/gpu/sm/sm_memory.h"
#include "castor/gpu/sm/thread_blocks.h"
#include "castor/gpu/sm/warp_table.h"
#include "castor/gpu/spin_report.h"
#include "castor/gpu/wait_graph.h"

namespace castor::gpu {

/// An SM's report to watchdogs (docs/gpu/faults.md, "Watchdogs"): who waits for whom, and who repeats a loop. A look at
/// its parts between two cycles, which changes nothing.
class SmWaitReport {
 public:
  /// `held`: warps that a fetch filter keeps from being fetched.
  SmWaitReport(unsigned sm, const WarpTable& warps, const ThreadBlocks& tbs, const InstructionBuffer& buffer,
               const Scoreboard& scoreboard, const BlockedWarps& blocked, const FetchStage& fetch,
               const SmMemory& memory, const SpinWatch& watch, const HookPort& hooks, WarpMask held)
      : sm_(sm),
        warps_(warps),
        tbs_(tbs),
        buffer_(buffer),
        scoreboard_(scoreboard),
        blocked_(blocked),
        fetch_(fetch),
        memory_(memory),
        watch_(watch),
        hooks_(hooks),
        held_(held) {}

  /// What each TB and warp waits for, one line each.
  [[nodiscard]] std::string text() const;
  /// The same as a graph.
  void add_to(WaitGraph& graph) const;
  /// Since the watch was opened every live warp was blocked, or twice in one state.
  [[nodiscard]] bool stuck() const;
  /// Adds the live warps that repeat their loops.
  void add_spinning(std::vector<SpinningWarp>& list) const;
  /// Warps whose instruction is decoded and has its operands, where an issue policy is plugged in; and its block.
  [[nodiscard]] WarpMask ready_to_be_picked() const;
  [[nodiscard]] const char* issue_block() const { return hooks_.issue_block(); }
  /// Asserts that every slot in use has a TB and that every live warp that is blocked waits for something that is
  /// there; with `ledger` (null while messages are under way) also that the SM counts the same room. `now` is for the
  /// message.
  void check(const SmRoom* ledger, Cycle now) const;

 private:
  [[nodiscard]] std::string reason(unsigned w) const;
  [[nodiscard]] std::string barrier_reason(unsigned w) const;
  [[nodiscard]] std::string pending_registers(unsigned w) const;
  [[nodiscard]] WarpMask missing_at_barrier(unsigned w) const;

  const unsigned sm_;
  const WarpTable& warps_;
  const ThreadBlocks& tbs_;
  const InstructionBuffer& buffer_;
  const Scoreboard& scoreboard_;
  const BlockedWarps& blocked_;
  const FetchStage& fetch_;
  const SmMemory& memory_;
  const SpinWatch& watch_;
  const HookPort& hooks_;
  const WarpMask held_;
};

}  // namespace castor::gpu
