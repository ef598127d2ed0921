#pragma once

#include <cstdint>

#include "castor/gpu/dim3.h"
#include "castor/gpu/group.h"
#include "castor/gpu/hooks/hook.h"
#include "castor/gpu/job.h"
#include "castor/gpu/tb_need.h"

/// Records that hooks of several kinds see.
namespace castor::gpu {

struct KernelContext;

/// Something happened to a TB.
struct TbEvent {
  std::uint8_t sm = 0;             ///< on which it is, or was
  std::uint8_t slot = 0;           ///< TB context of the SM that it had; 0 when it is placed, the SM chooses later
  std::uint16_t kd = 0;            ///< kernel table entry
  std::uint16_t queue = 0;         ///< of its kernel
  std::uint8_t kid = 0;            ///< kernel type as jobs name it
  std::uint32_t gid = 0;           ///< linear index in the grid, x fastest
  std::uint32_t group = kNoGroup;  ///< it belongs to this group
  bool first = false;              ///< placed: the kernel's first TB
  bool last = false;               ///< placed: the kernel has no TB left to place, nor has a group that is with it
};

/// A kernel, or a group that is with one, whose TBs can be placed from the next cycle on.
struct WorkItem {
  std::uint16_t kd = 0;     ///< kernel table entry
  std::uint16_t queue = 0;  ///< that it came through
  std::uint8_t kid = 0;     ///< kernel type as jobs name it
  std::uint32_t tbs = 0;    ///< TBs to place: those of `grid`
  Dim3 grid;                ///< TBs in each dimension
  std::uint64_t param = 0;  ///< device address of its parameter block; 0 = it has none
  TbNeed need;              ///< what one TB takes of an SM
  std::uint32_t group = kNoGroup;
  std::uint32_t level = 0;     ///< launches above it
  std::uint8_t parent_sm = 0;  ///< level above 0: SM of the TB that launched it
};

/// Something happened to a kernel.
struct KernelEvent {
  std::uint16_t kd = 0;      ///< kernel table entry
  std::uint16_t queue = 0;   ///< that it came through
  std::uint8_t kid = 0;      ///< kernel type as jobs name it
  bool queue_empty = false;  ///< completed: it was the last of its job, or of its queue if nobody judges jobs
};

/// What happened in the front end in this cycle: when a hook settles, what earlier steps of the cycle have done; at the
/// edge all of it. At most one of each unless it is a view. In cycles that are skipped there is none.
struct FrontEvents {
  Maybe<TbEvent> placed;         ///< F5: a TB goes to an SM
  Maybe<TbEvent> done;           ///< F2: a completion was drained and counted; its `retired` came before
  View<TbEvent> retired;         ///< F2: wires of SMs: a TB has left and its room is free; at most one per SM
  Maybe<KernelEvent> started;    ///< F8: an entry was written
  Maybe<KernelEvent> completed;  ///< F7: a kernel has left its entry
  Maybe<WorkItem> pushed;        ///< F6: a group; F8: what was written, unless the kernel was stopped before
  /// F8: access to the window of the job scheduler, a level: from the cycle in which it is visible to the one in which
  /// the job scheduler replies. Nothing for other hooks.
  Maybe<RegisterAccess> reg;
};

/// Table SM x kernel table entry of allowed resident TBs.
struct Quota {
  static constexpr std::uint8_t kUnlimited = 0xff;
  unsigned entries = 0;                   ///< of the kernel table
  const std::uint8_t* allowed = nullptr;  ///< [sm * entries + kd]; kUnlimited = as many as fit
};

/// A TB starts on an SM, or comes back.
struct TbStartEvent {
  std::uint8_t tb = 0;      ///< TB context
  WarpMask warps = 0;       ///< its warps
  WarpMask full = 0;        ///< of them those whose lanes are all started
  std::uint32_t gid = 0;    ///< linear index in the grid, x fastest
  std::uint16_t entry = 0;  ///< kernel table entry
  /// Fetch filter: it may act on the TB; base, rows and slots are then valid. Other hooks: false.
  bool enable = false;
  /// Fetch filter: marks "redundant if the block's shape allows" (1) count as "redundant" (2): the block has several
  /// dimensions and its x is a power of two, at most 32. Valid with or without `enable`.
  bool promote = false;
  std::uint16_t base = 0;   ///< first spare row of the TB's pool
  std::uint16_t rows = 0;   ///< rows of the pool, between the filter's limits
  std::uint16_t slots = 0;  ///< registers below this number can be renamed, at most the filter's limit
  /// Fetch filter, if its terms ask for it: the TB's kernel, valid until the TB retires.
  const KernelContext* kernel = nullptr;
};

}  // namespace castor::gpu
