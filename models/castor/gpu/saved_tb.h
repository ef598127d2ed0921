#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "castor/gpu/execution/barrier_arrival.h"
#include "castor/gpu/hooks/swap_engine.h"
#include "castor/gpu/launch/runtime_call.h"
#include "castor/gpu/launch_record.h"
#include "castor/gpu/sm/tb_state.h"
#include "castor/gpu/swap_reason.h"
#include "castor/isa/memory_access.h"
#include "castor/isa/record.h"
#include "castor/isa/simt_stack.h"

namespace castor::gpu {

struct SwapRecord;

/// Context of one warp of a thread block that was swapped out.
struct SavedWarp {
  bool live = false;        ///< some lanes have not exited; the other members are valid only for live warps
  bool at_barrier = false;  ///< the warp waits at a barrier that is not complete
  Tick sleep = 0;           ///< rest of the warp's sleep, 0 = the warp does not sleep
  std::uint32_t pc = 0, meeting = 0;
  isa::SimtStack stack;
  std::array<isa::LaneMask, 8> predicates{};
  std::vector<std::byte> registers;
  BarrierWait barrier;
  std::unique_ptr<RuntimeState> runtime;  ///< null before the warp's first call of the device runtime
  /// call of the device runtime in which the warp waited for launches, and its lanes; the warp makes the call again
  /// when it is back. Null: the warp makes no call.
  const isa::Record* call = nullptr;
  isa::LaneMask call_mask = 0;
};

/// Context of a thread block that was swapped out of its SM before it was complete (docs/gpu/moving.md). Launch ticket
/// and `gid` identify the block. It resumes on any SM.
struct SavedTb {
  SwapReason reason = SwapReason::kChildren;
  const KernelContext* kernel = nullptr;
  ItemData item;
  std::uint64_t gid = 0;
  std::uint32_t group = kNoGroup;
  BlockId caller = 0;      ///< the block's number in the device runtime; 0 if it has made no call
  std::uint64_t rest = 0;  ///< replaying SMs: remaining service, in a unit of the SM's own choice
  std::uint64_t warp_instructions = 0, thread_instructions = 0;
  TbBarriers barriers;
  /// tick and cycle in which the block left; an SM without a clock for a while counts fewer ticks than another
  Tick left_tick = 0;
  Cycle left = 0;
  std::vector<std::byte> shared, local;
  std::vector<SavedWarp> warps;  ///< in the order of warps in the TB
  /// Registers, predicates, SIMT stacks and shared memory are where a swap engine has put them, not in `shared` and
  /// `warps`. Null: no engine has moved the TB.
  std::shared_ptr<SwapRecord> swap;
  std::uint8_t site = SwapJob::kAllRegisters;  ///< SwapJob::site of the move out
  /// digest of all storage cells of the block when it left, without registers that are dead at `site` (TbMover)
  std::uint64_t digest = 0;
};

}  // namespace castor::gpu
