#pragma once

#include <cstdint>

#include "castor/gpu/dim3.h"
#include "castor/gpu/group.h"
#include "castor/gpu/hooks/hook.h"
#include "castor/gpu/job.h"
#include "castor/gpu/tb_need.h"

/// Records that several types of hooks receive.
namespace castor::gpu {

/// Event of a thread block: placed on an SM, retired, or completed.
struct TbEvent {
  std::uint16_t sm = 0;  ///< SM on which the TB is, or was
  /// TB context of the TB on its SM; 0 in `placed` events, because the SM assigns the context later
  std::uint8_t slot = 0;
  std::uint16_t kd = 0;            ///< kernel table entry
  std::uint16_t queue = 0;         ///< queue of the TB's kernel
  std::uint8_t kid = 0;            ///< kernel type, as jobs number it
  std::uint32_t gid = 0;           ///< linear index in the grid, x fastest
  std::uint32_t group = kNoGroup;  ///< group of the TB; kNoGroup = a TB of the kernel itself
  bool first = false;              ///< in `placed` events: first TB of the kernel
  /// in `placed` events: neither the kernel nor a group attached to it has a TB left to place
  bool last = false;
};

/// New work for the dispatch policy: a kernel, or a group attached to a kernel. Its TBs can be placed from the next
/// cycle on.
struct WorkItem {
  std::uint16_t kd = 0;     ///< kernel table entry
  std::uint16_t queue = 0;  ///< queue through which the kernel came
  std::uint8_t kid = 0;     ///< kernel type, as jobs number it
  std::uint32_t tbs = 0;    ///< TBs to place, the product of `grid`
  Dim3 grid;                ///< TBs in each dimension
  std::uint64_t param = 0;  ///< device address of the parameter block; 0 = no parameters
  TbNeed need;              ///< SM resources that one TB occupies
  std::uint32_t group = kNoGroup;
  std::uint32_t level = 0;      ///< nesting depth: number of device launches above this work
  std::uint16_t parent_sm = 0;  ///< with level above 0: SM of the TB that launched this work
};

/// Event of a kernel: its table entry was written, or the kernel has completed.
struct KernelEvent {
  std::uint16_t kd = 0;     ///< kernel table entry
  std::uint16_t queue = 0;  ///< queue through which the kernel came
  std::uint8_t kid = 0;     ///< kernel type, as jobs number it
  /// in `completed` events: last kernel of its job, or of its queue without a job scheduler that judges jobs
  bool queue_empty = false;
};

/// Events of the front end in this cycle. In `settle` a hook sees the events of earlier steps of the cycle, at the edge
/// all of them. Each field holds at most one event, except `retired`. Skipped cycles have no events.
struct FrontEvents {
  Maybe<TbEvent> placed;  ///< F5, placement: a TB was sent to an SM
  Maybe<TbEvent> done;    ///< F2, completions: a TB's completion was counted; its `retired` event came earlier
  /// F2, completions: TBs that have left their SM and freed its resources; at most one per SM
  View<TbEvent> retired;
  Maybe<KernelEvent> started;    ///< F8, parse: a kernel table entry was written
  Maybe<KernelEvent> completed;  ///< F7, release: a kernel has left its table entry
  Maybe<WorkItem> pushed;        ///< F6, attachment: a group; F8, parse: a new kernel, unless it was stopped before
  /// Access of the host to the register window of this hook. Level: set from the cycle in which the access is visible
  /// to the cycle of the reply. Governors see it at the edge only.
  Maybe<RegisterAccess> reg;
};

/// Quotas: most resident TBs per SM and kernel table entry.
struct Quota {
  static constexpr std::uint8_t kUnlimited = 0xff;
  unsigned entries = 0;                   ///< number of kernel table entries
  const std::uint8_t* allowed = nullptr;  ///< [sm * entries + kd]: allowed resident TBs; kUnlimited = as many as fit

  /// Returns whether an SM with `resident` TBs of a kernel table entry may receive one more.
  [[nodiscard]] bool allows(unsigned sm, unsigned entry, unsigned resident) const {
    const std::uint8_t most = allowed[sm * entries + entry];
    return most == kUnlimited || resident < most;
  }
  /// Returns how many more TBs of a kernel table entry an SM with `resident` of them may receive.
  [[nodiscard]] unsigned left(unsigned sm, unsigned entry, unsigned resident) const {
    const std::uint8_t most = allowed[sm * entries + entry];
    if (most == kUnlimited) return ~0U;
    return resident < most ? most - resident : 0;
  }
};

/// Event: a TB starts on an SM, or resumes there after it was suspended.
struct TbStartEvent {
  std::uint8_t tb = 0;      ///< TB context
  WarpMask warps = 0;       ///< warp slots of the TB
  WarpMask full = 0;        ///< warp slots of the TB whose warps start with all lanes
  std::uint32_t gid = 0;    ///< linear index in the grid, x fastest
  std::uint16_t entry = 0;  ///< kernel table entry
  /// Fetch filter: the filter may act on the TB, and `base`, `rows` and `slots` are valid. False for other hooks.
  bool enable = false;
  /// Fetch filter: compiler marks of value 1 ("redundant if the block's shape allows") count as 2 ("redundant"). Set if
  /// the block has several dimensions and its x size is a power of two up to 32. Valid with or without `enable`.
  bool promote = false;
  std::uint16_t base = 0;  ///< first register-file row of the TB's pool of spare rows
  std::uint16_t rows = 0;  ///< number of rows in the TB's pool, between FilterTerms::least_rows and FilterTerms::rows
  /// number of registers that can be renamed: registers 0 to slots - 1; at most FilterTerms::slots
  std::uint16_t slots = 0;
};

}  // namespace castor::gpu
