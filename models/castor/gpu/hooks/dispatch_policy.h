#pragma once

#include <cstdint>

#include "castor/gpu/hooks/events.h"
#include "castor/gpu/hooks/hook.h"
#include "castor/gpu/hooks/hook_memory.h"
#include "castor/gpu/hooks/room_view.h"

/// DispatchPolicy: which TB of which kernel goes to which SM now.
namespace castor::gpu {

/// A choice: the next TB of a kernel, or of a group that runs with it, goes to an SM.
struct Placement {
  static constexpr std::uint8_t kAnySm = 0xff;  ///< the platform's round robin chooses among fitting SMs
  std::uint16_t kd = 0;                         ///< kernel table entry
  std::uint8_t sm = kAnySm;                     ///< where it must fit, or kAnySm
  std::uint32_t position = 0;      ///< in the entry, from 0 without gaps; its order source turns it into the TB's index
  bool linear = false;             ///< the policy keeps no odometer: the SM divides to get block indices
  std::uint32_t group = kNoGroup;  ///< the next TB of this group instead; the machine checks what follows
  Dim3 grid{};                     ///< of a group: its TBs in each dimension
  std::uint64_t param = 0;         ///< of a group: device address of its parameters
  bool last_of_group = false;
};

struct DispatchIn {
  Cycle now = 0;                   ///< core cycle
  const RoomView* room = nullptr;  ///< free room per SM, placements in flight subtracted
  const KdMask* fits = nullptr;    ///< entries whose next TB fits an open SM below quota
  SmMask open = kAllSms;           ///< SMs that exist and that no governor has closed
  const Quota* quota = nullptr;    ///< of the governors; null = none
  Maybe<WorkItem> push;            ///< at the edge: from the next cycle on its TBs can be placed
  bool taken = false;              ///< at the edge: the offer of this cycle was placed
  Maybe<MemoryReply> reply;        ///< to the oldest request (HookSite::memory) without one; one cycle
  FrontEvents ev;                  ///< what happened
};

struct DispatchOut {
  bool push_ready = true;     ///< early: an entry may be written in this cycle
  bool push_groups = false;   ///< early: groups that attach are pushed as kernels are; false: it knows of them itself
  bool attach_ready = false;  ///< early: a group may attach to a kernel in this cycle; false: it knows no groups
  Maybe<Placement> place;     ///< the offer; taken unless its SM is closed or above quota
  KdMask hold;                ///< early: entries that must not be released though no TB of them is left
  bool ready = false;         ///< a TB is ready; for governors
  bool waiting = false;       ///< work waits, ready or not; for governors
  SmMask fits_head = 0;       ///< SMs on which the current kernel's next TB fits; for governors
  SmMask bound_wait = 0;      ///< SMs to which waiting TBs are bound; for governors
};

/// At most one per GPU, else the built-in one; settles in F5, clocks in F10.
using DispatchPolicy = ClockedHook<DispatchIn, DispatchOut>;

}  // namespace castor::gpu
