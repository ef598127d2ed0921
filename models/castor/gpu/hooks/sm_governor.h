#pragma once

#include <cstdint>

#include "castor/gpu/hooks/events.h"
#include "castor/gpu/hooks/hook.h"

/// SmGovernor: what may an SM take, does its clock run.
namespace castor::gpu {

/// What one SM did in the last cycle in which it ticked; a message, so one cycle old when it is seen.
struct SmPulse {
  std::uint16_t lanes = 0;             ///< active lanes of the instructions issued
  std::uint8_t l1_primary_misses = 0;  ///< read misses that created a request
  bool memory_stall = false;           ///< no scheduler issued and at least one waits for memory
  std::uint16_t outstanding = 0;       ///< L1 MSHRs in use and bypassing reads under way
  [[nodiscard]] bool operator==(const SmPulse& other) const {
    return lanes == other.lanes && l1_primary_misses == other.l1_primary_misses && memory_stall == other.memory_stall &&
           outstanding == other.outstanding;
  }
  [[nodiscard]] bool operator!=(const SmPulse& other) const { return !(*this == other); }
};

/// The ledger's view of one SM at the start of the cycle.
struct SmLoad {
  std::uint8_t warps = 0;  ///< of TBs that have arrived and not left
  std::uint8_t tbs = 0;    ///< that have arrived and not left
  bool in_flight = false;  ///< a TB is on its way, not counted above
};

/// Valid at the edge: a governor's outputs depend on its state only.
struct GovernIn {
  Cycle now = 0;          ///< core cycle
  View<SmPulse> pulse;    ///< [sm]
  View<SmLoad> load;      ///< [sm]
  SmMask fits_head = 0;   ///< the dispatch policy's: SMs on which the current kernel's next TB fits
  SmMask bound_wait = 0;  ///< the dispatch policy's: SMs to which waiting TBs are bound; 0 with the built-in one
  bool ready = false;     ///< a TB is ready to be placed
  bool waiting = false;   ///< work waits, from its doorbell to its placement without a gap
  FrontEvents ev;         ///< what happened
};

struct GovernOut {
  SmMask open = kAllSms;          ///< SMs that may take a TB in this cycle; of several governors all must agree
  const Quota* quota = nullptr;   ///< null = none; of several governors the smaller number counts
  SmMask clock_enable = kAllSms;  ///< SMs that tick in the next cycle; of several governors all must agree
  bool uncore_enable = true;      ///< the front end works in the next cycle; without, only governors have edges
};

/// Any number per GPU; settle in F4, clock in F10; outputs depend on state only.
using SmGovernor = ClockedHook<GovernIn, GovernOut>;

}  // namespace castor::gpu
