#pragma once

#include <cstdint>

#include "castor/gpu/hooks/events.h"
#include "castor/gpu/hooks/hook.h"
#include "castor/gpu/hooks/issue_policy.h"
#include "castor/gpu/hooks/sync_message.h"

/// SyncAgent hook: the part of a device-wide synchronisation mechanism inside an SM. It stalls warps, and exchanges
/// messages with the SyncHub (docs/gpu/sync.md).
namespace castor::gpu {

/// Inputs of a synchronisation agent. It sees TBs of kernels that synchronise, and no others. "S0": valid in `settle`
/// and at the edge. "At the edge": valid in `clock`.
struct AgentIn {
  Cycle now = 0;                   ///< core cycle of the tick
  Maybe<SyncKernel> kernel_start;  ///< S0: the kernel's table entry was written; its TBs start in later ticks
  Maybe<SyncMessage> received;     ///< S0: oldest message that has arrived from the hub; stays until it is taken
  Maybe<TbStartEvent> start;       ///< S0: a TB has started in this tick
  TbMask stopped = 0;  ///< S0: TBs that were stopped in this tick; no exits of their warps follow, but `retired` does
  bool send_ready = false;  ///< at the edge: the message in `AgentOut::send` is sent in this tick; false without one
  View<WarpExit> exit;      ///< at the edge: warps that have exited; at most one per scheduler
  /// At the edge, level: TBs without a load in flight, an unacknowledged store, or a register or predicate with a
  /// pending write. Atomics count as loads and stores.
  TbMask quiesced = 0;
  Maybe<std::uint8_t> retired;  ///< at the edge: TB context of the TB that retired
};

/// Outputs of a synchronisation agent; all are early: they depend on the agent's state only.
struct AgentOut {
  WarpMask stall = 0;         ///< warps that must not issue in this tick; bits of warps that the agent does not see are
                              ///< ignored
  TbMask acquire = 0;         ///< TBs whose loads from this tick on must not return L1 lines filled before
  Maybe<SyncMessage> send;    ///< message to the hub; sent when the up channel has room
  bool receive_ready = true;  ///< `AgentIn::received` is taken in this tick
};

/// One per SM, together with the SyncHub of the GPU. Settles in S0, start, and clocks in S9, hook edges. Not called
/// while the SM has no TB of a kernel that synchronises, no message has arrived, and the agent is quiet and sends
/// nothing.
using SyncAgent = ClockedHook<AgentIn, AgentOut>;

}  // namespace castor::gpu
