#pragma once

#include <array>
#include <cstdint>

#include "castor/gpu/hooks/events.h"
#include "castor/gpu/hooks/hook.h"
#include "castor/gpu/hooks/issue_policy.h"
#include "castor/gpu/hooks/swap_engine.h"
#include "castor/gpu/hooks/sync_message.h"
#include "castor/isa/sync_op.h"

/// SyncAgent hook: the part of a device-wide synchronisation mechanism inside an SM. It stalls warps, and exchanges
/// messages with the SyncHub (docs/gpu/sync-network.md).
namespace castor::gpu {

/// Instruction of device-wide synchronisation that a warp issues: tb.gridsync, tb.wait or tb.signal with at least one
/// active lane. At most one per scheduler and tick.
struct SyncIssue {
  /// value of `site` of an instruction without a register set of its own (isa::kMostSites)
  static constexpr std::uint8_t kNoSite = 127;

  std::uint8_t scheduler = 0;   ///< scheduler of the warp
  std::uint8_t warp = 0;        ///< warp slot
  std::uint8_t tb = 0;          ///< TB context
  std::uint8_t site = kNoSite;  ///< number of the site in the program (isa::SyncUse::sites), or kNoSite
  isa::SyncOp op = isa::SyncOp::kGridBarrier;
  bool full = true;     ///< all live lanes of the warp are active
  bool uniform = true;  ///< the operands are the same in all active lanes; true for tb.gridsync
  /// event and target in the lowest active lane; 0 for tb.gridsync
  std::array<std::uint32_t, 2> operand{};
};

/// Inputs of a synchronisation agent. It sees TBs of kernels that synchronise, and no others. "S0": valid in `settle`
/// and at the edge. "S5": valid in the second `settle` of a tick, and at the edge. "At the edge": valid in `clock`.
struct AgentIn {
  Cycle now = 0;                   ///< core cycle of the tick
  Maybe<SyncKernel> kernel_start;  ///< S0: the kernel's table entry was written; its TBs start in later ticks
  Maybe<SyncMessage> received;     ///< S0: oldest message that has arrived from the hub; stays until it is taken
  Maybe<TbStartEvent> start;       ///< S0: a TB has started in this tick
  TbMask stopped = 0;  ///< S0: TBs that were stopped in this tick; no exits of their warps follow, but `retired` does
  /// S5: candidates, the instructions that the warp schedulers have picked in this tick. At the edge: those that have
  /// issued. An instruction that faults does not issue: a tb.gridsync or tb.wait that is not `full`, or one that is not
  /// `uniform`.
  View<SyncIssue> issue;
  /// S5, level: TBs that had, at the start of S5, no load in flight, no unacknowledged store, and no register or
  /// predicate with a pending write. Atomics count as loads and stores. Instructions that issue in this tick count from
  /// the next tick on.
  TbMask quiesced = 0;
  /// S0: the swap engine has moved out the TB of a job of the agent; stays until `AgentOut::park_ready`. The port keeps
  /// the result of a job whose TB was stopped to itself.
  Maybe<SwapParked> parked;
  /// At the edge, and in every `settle` with `parked` but the first: the message in `AgentOut::send` is sent in this
  /// tick; false without one.
  bool send_ready = false;
  bool job_ready = false;       ///< at the edge: the job in `AgentOut::job` is taken in this tick; false without one
  View<WarpExit> exit;          ///< at the edge: warps that have exited; at most one per scheduler
  Maybe<std::uint8_t> retired;  ///< at the edge: TB context of the TB that retired
};

/// Outputs of a synchronisation agent; all but `issue_ready` and `park_ready` are early: they depend on the agent's
/// state only.
struct AgentOut {
  WarpMask stall = 0;         ///< warps that must not issue in this tick; bits of warps that the agent does not see are
                              ///< ignored
  TbMask acquire = 0;         ///< TBs whose loads from this tick on must not return L1 lines filled before
  Maybe<SyncMessage> send;    ///< message to the hub; sent when the up channel has room
  bool receive_ready = true;  ///< `AgentIn::received` is taken in this tick
  /// Job for the swap engine of the SM; stays until `AgentIn::job_ready`. With `out` it names a TB that is quiesced and
  /// whose live warps are all stalled; without, a context that a TB of the kernel has left to the agent.
  Maybe<SwapJob> job;
  bool local_room = false;  ///< one more TB whose context stays in this SM can be kept (SwapIn::local_room)
  /// `AgentIn::parked` is taken in this tick. Depends on the agent's state, `parked` and `send_ready`. Read in the
  /// second `settle` of a tick with `parked`.
  bool park_ready = false;
  /// Bit per scheduler: its candidate in `AgentIn::issue` may issue. Read in the second `settle` of a tick. A candidate
  /// without its bit is refused, and its scheduler issues nothing in its place.
  std::uint8_t issue_ready = 0xff;
};

/// One per SM, together with the SyncHub of the GPU. Settles in S0, start, once more there in ticks with `parked`, and
/// again in S5, issue, of ticks with candidates; clocks in S9, hook edges. Within S0 the order is: outputs of the swap
/// engine, agent, agent with `send_ready`, swap engine with the agent's job and answers. An agent that stalls the warp
/// of an instruction does so from the next tick on; the warp issues nothing in between. Not called while the SM has no
/// TB of a kernel that synchronises, no message has arrived, and the agent is quiet and sends nothing.
using SyncAgent = ClockedHook<AgentIn, AgentOut>;

}  // namespace castor::gpu
