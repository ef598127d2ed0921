#pragma once

#include <cstdint>

#include "castor/gpu/hooks/events.h"
#include "castor/gpu/hooks/hook.h"

/// SmGovernor hook: decides which SMs may receive TBs, and which SMs are clocked.
namespace castor::gpu {

/// Activity of one SM in the last cycle in which it ticked. Sent as a message, so a governor sees it one cycle later.
struct SmPulse {
  std::uint16_t lanes = 0;  ///< active lanes of all instructions issued
  /// line accesses with a result that sent a request: L1 read misses that were not merged into an MSHR, and loads and
  /// atomics that bypass L1
  std::uint8_t l1_primary_misses = 0;
  bool memory_stall = false;      ///< no scheduler issued, and at least one of them was stalled on memory
  std::uint16_t outstanding = 0;  ///< L1 MSHRs in use, plus bypassing reads in flight
  [[nodiscard]] bool operator==(const SmPulse& other) const {
    return lanes == other.lanes && l1_primary_misses == other.l1_primary_misses && memory_stall == other.memory_stall &&
           outstanding == other.outstanding;
  }
  [[nodiscard]] bool operator!=(const SmPulse& other) const { return !(*this == other); }
};

/// Load of one SM as the front end's ledger has it at the start of the cycle.
struct SmLoad {
  std::uint8_t warps = 0;  ///< warps of the resident TBs
  std::uint8_t tbs = 0;    ///< resident TBs: arrived on the SM and not retired or swapped out
  bool in_flight = false;  ///< a TB is in flight to the SM; `warps` and `tbs` do not include it
};

/// Inputs of a governor, valid at the edge only: the outputs depend on the governor's state alone.
struct GovernIn {
  Cycle now = 0;        ///< core cycle of this front-end cycle
  View<SmPulse> pulse;  ///< [sm] activity of each SM; all 0 while no governor wants pulses
  View<SmLoad> load;    ///< [sm] ledger's load of each SM
  /// SMs with free resources for the TB that would be placed next: a swapped-out TB that is placed again goes first,
  /// else it is the dispatch policy's choice of F5, placement. Closed SMs and quotas are ignored. All ones if no TB
  /// waits to be placed, or if the policy has not chosen one.
  SmMask fits_head = kAllSms;
  SmMask bound_wait;   ///< from the dispatch policy: SMs to which waiting TBs are bound; empty with the built-in policy
  bool ready = false;  ///< the dispatch policy has a TB ready to be placed
  /// Work waits to be placed: TBs of kernels and groups in the table that are not placed, swapped-out TBs that are to
  /// be placed again, and whatever becomes such a TB: kernels at the head of a queue or in a lane, launches by device
  /// code that have not begun. True without a gap from the doorbell, or the launch, to the placement.
  bool waiting = false;
  FrontEvents ev;  ///< front-end events of this cycle
};

/// Outputs of a governor.
struct GovernOut {
  SmMask open = kAllSms;          ///< SMs that may receive a TB in this cycle; several governors are combined by AND
  const Quota* quota = nullptr;   ///< TB quotas, null = none; of several governors the smaller number holds
  SmMask clock_enable = kAllSms;  ///< SMs that tick in the next cycle; several governors are combined by AND
  /// the front end works in the next cycle; if false, only governors are clocked in that cycle
  bool uncore_enable = true;
  /// the governor reads `GovernIn::pulse`. SMs measure their activity from the next cycle on, and wake the governors
  /// when it changes. Without a governor that wants it nobody measures.
  bool pulses = false;
  Maybe<RegisterReply> reg{};  ///< reply to the register access in `ev.reg`, valid for one cycle
};

/// Any number per GPU. Settle in F4, governors, and clock in F10, edges. Their outputs depend on state only.
using SmGovernor = ClockedHook<GovernIn, GovernOut>;

}  // namespace castor::gpu
