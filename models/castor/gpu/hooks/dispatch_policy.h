#pragma once

#include <cstdint>

#include "castor/gpu/hooks/events.h"
#include "castor/gpu/hooks/hook.h"
#include "castor/gpu/hooks/hook_memory.h"
#include "castor/gpu/hooks/resource_view.h"

/// DispatchPolicy hook: selects in each cycle the next TB to place, its kernel and its SM.
namespace castor::gpu {

/// Returns the SMs of `set` with fewer TBs of an entry than the quota allows; all of `set` without a quota.
[[nodiscard]] inline SmMask within_quota(SmMask set, const Quota* quota, const ResourceView& room, unsigned entry) {
  if (quota == nullptr) return set;
  for (unsigned sm = 0; sm < room.sms(); ++sm) {
    if (set[sm] && !quota->allows(sm, entry, room.resident(sm, entry))) set.reset(sm);
  }
  return set;
}

/// Offer of a dispatch policy: place the next TB of a kernel, or of a group attached to the kernel, on an SM.
struct Placement {
  static constexpr std::uint16_t kAnySm = 0xffff;  ///< the platform selects an SM with free resources, round robin
  std::uint16_t kd = 0;                            ///< kernel table entry
  std::uint16_t sm = kAnySm;                       ///< SM on which the TB must fit, or kAnySm
  /// position of the TB in its kernel table entry, counted from 0 without gaps; the entry's order source maps it to the
  /// TB's index
  std::uint32_t position = 0;
  /// true: the policy keeps no block index counters, so the SM computes the block index by division
  bool linear = false;
  /// group whose next TB is placed; kNoGroup = a TB of the kernel itself. The machine checks the fields below
  std::uint32_t group = kNoGroup;
  Dim3 grid{};              ///< offers for a group: TBs of the group in each dimension
  std::uint64_t param = 0;  ///< offers for a group: device address of the group's parameters
  bool last_of_group = false;
};

/// Inputs of a dispatch policy. "At the edge": valid in `clock` only.
struct DispatchIn {
  Cycle now = 0;                       ///< core cycle of this front-end cycle
  const ResourceView* room = nullptr;  ///< free resources per SM, TBs in flight to the SM subtracted
  const KdMask* fits = nullptr;        ///< kernel table entries whose next TB fits an open SM below its quota
  SmMask open = kAllSms;               ///< SMs that exist and that no governor has closed
  const Quota* quota = nullptr;        ///< combined quota of the governors; null = no quota
  /// entries of which no TB is accepted now, because the TBs of a grid must be resident at once; null = none
  const KdMask* withheld = nullptr;
  Maybe<WorkItem> push;      ///< at the edge: new kernel or group whose TBs can be placed from the next cycle on
  bool taken = false;        ///< at the edge: the offer of this cycle was placed
  Maybe<MemoryReply> reply;  ///< reply to the oldest outstanding request to HookSite::memory; valid for one cycle
  FrontEvents ev;            ///< front-end events of this cycle
};

/// Outputs of a dispatch policy. "Early": depends on the policy's state only.
struct DispatchOut {
  bool push_ready = true;  ///< early: a kernel table entry may be written in this cycle
  /// early: attached groups are pushed through `DispatchIn::push`, as kernels are; false: the policy tracks groups
  /// itself
  bool push_groups = false;
  /// early: a group may attach to a kernel in this cycle; a policy without groups leaves it false
  bool attach_ready = false;
  Maybe<Placement> place;      ///< offer of this cycle; accepted unless its SM is closed or above its quota
  KdMask hold;                 ///< early: entries that must not be released although all their TBs have been placed
  bool ready = false;          ///< for governors: a TB is ready to be placed
  SmMask fits_head = kAllSms;  ///< for governors: GovernIn::fits_head, without swapped-out TBs
  SmMask bound_wait;           ///< for governors: SMs to which waiting TBs are bound
  Maybe<RegisterReply> reg;    ///< reply to the register access in `ev.reg`, valid for one cycle
};

/// At most one per GPU; without one the built-in policy places TBs. Settles in F5, placement, and clocks in F10, edges.
using DispatchPolicy = ClockedHook<DispatchIn, DispatchOut>;

}  // namespace castor::gpu
