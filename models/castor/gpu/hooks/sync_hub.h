#pragma once

#include <array>

#include "castor/gpu/hooks/events.h"
#include "castor/gpu/hooks/hook.h"
#include "castor/gpu/hooks/hook_memory.h"
#include "castor/gpu/hooks/sync_message.h"

/// SyncHub hook: central controller of synchronisation between thread blocks of the whole device. It exchanges messages
/// with the SyncAgent of each SM (docs/gpu/sync-network.md).
namespace castor::gpu {

/// Inputs of a synchronisation hub. "F3": valid in `settle` and at the edge. "At the edge": valid in `clock`.
struct HubIn {
  Cycle now = 0;  ///< core cycle of this front-end cycle
  /// F3: [sm] oldest message that has arrived from the SM; stays until it is taken. One element per SM.
  View<Maybe<SyncMessage>> up;
  SmMask room;  ///< F3: SMs whose down channel has room for a message
  /// At the edge: the table entry of a kernel that synchronises was written in this cycle. At most one such kernel is
  /// in the table at a time. Its TBs start in later cycles.
  Maybe<SyncKernel> launch;
  bool stopped = false;  ///< at the edge: that kernel was stopped since the last edge, by a fault or with its job
  /// At the edge, level: every TB of that kernel has been placed, or no SM may take its next TB now. False without such
  /// a kernel. Of a kernel that owns the machine: the fill is over; never false again before the kernel's end.
  bool filled = false;
  /// F3: number in the grid of the next TB of a kernel that owns the machine, once its fill is over; empty if no TB is
  /// left, and for other kernels.
  Maybe<std::uint32_t> next_tb;
  /// F3: a kernel that synchronises is in the table, and each of its TBs has been placed, taken by `pop` or dropped.
  bool none_left = false;
  std::array<Maybe<MemoryReply>, 2> reply;  ///< F3: [i] reply to a request made through HookSite::memory (0) or
                                            ///< HookSite::second_memory (1), valid for one cycle
  FrontEvents ev;                           ///< front-end events of this cycle
};

/// Outputs of a synchronisation hub. "Early": depends on the hub's state only.
struct HubOut {
  SmMask take;           ///< SMs whose message in `HubIn::up` is taken in this cycle
  Maybe<SyncDown> down;  ///< early: message to SMs; sent in this cycle if every addressed SM is in `HubIn::room`
  bool pop = false;      ///< `HubIn::next_tb` is taken in this cycle; the hub's messages bring it to an SM
  /// Early, of a kernel that owns the machine: all its TBs have ended. If the kernel was stopped: none of its TBs is on
  /// an SM, on its way to one or from one any more; those that are swapped out are dropped. Said once per kernel.
  bool done = false;
  KdMask hold;                 ///< early: kernel table entries that must not be released in this cycle
  Maybe<RegisterReply> reg{};  ///< reply to the register access in `ev.reg`, valid for one cycle
};

/// At most one per GPU, together with one SyncAgent per SM. Settles in F3, synchronisation, and clocks in F10, edges,
/// after the launch unit.
using SyncHub = ClockedHook<HubIn, HubOut>;

}  // namespace castor::gpu
