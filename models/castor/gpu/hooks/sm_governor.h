#pragma once

#include <cstdint>

#include "castor/gpu/hooks/events.h"
#include "castor/gpu/hooks/hook.h"

/// SmGovernor hook: decides which SMs may receive TBs, and which SMs are clocked.
namespace castor::gpu {

/// Activity of one SM in the last cycle in which it ticked. Sent as a message, so a governor sees it one cycle later.
struct SmPulse {
  std::uint16_t lanes = 0;             ///< active lanes of all instructions issued
  std::uint8_t l1_primary_misses = 0;  ///< L1 read misses that sent a request (not merged into an MSHR)
  bool memory_stall = false;           ///< no scheduler issued, and at least one of them was stalled on memory
  std::uint16_t outstanding = 0;       ///< L1 MSHRs in use, plus bypassing reads in flight
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
  View<SmPulse> pulse;  ///< [sm] activity of each SM
  View<SmLoad> load;    ///< [sm] ledger's load of each SM
  SmMask fits_head;     ///< from the dispatch policy: SMs on which the current kernel's next TB fits
  SmMask bound_wait;   ///< from the dispatch policy: SMs to which waiting TBs are bound; empty with the built-in policy
  bool ready = false;  ///< a TB is ready to be placed
  bool waiting = false;  ///< work waits to be placed; true without a gap from the doorbell to the placement
  FrontEvents ev;        ///< front-end events of this cycle
};

/// Outputs of a governor.
struct GovernOut {
  SmMask open = kAllSms;          ///< SMs that may receive a TB in this cycle; several governors are combined by AND
  const Quota* quota = nullptr;   ///< TB quotas, null = none; of several governors the smaller number holds
  SmMask clock_enable = kAllSms;  ///< SMs that tick in the next cycle; several governors are combined by AND
  /// the front end works in the next cycle; if false, only governors are clocked in that cycle
  bool uncore_enable = true;
};

/// Any number per GPU. Settle in F4, governors, and clock in F10, edges. Their outputs depend on state only.
using SmGovernor = ClockedHook<GovernIn, GovernOut>;

}  // namespace castor::gpu
