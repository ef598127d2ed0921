#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "castor/gpu/execution/barrier_arrival.h"
#include "castor/gpu/launch/runtime_call.h"
#include "castor/gpu/launch_record.h"
#include "castor/gpu/sm/tb_state.h"
#include "castor/isa/memory_access.h"
#include "castor/isa/simt_stack.h"

namespace castor::gpu {

/// Context of one warp of a suspended thread block.
struct SuspendedWarp {
  bool live = false;        ///< some lanes have not exited; the other members are valid only for live warps
  bool at_barrier = false;  ///< the warp waits at a barrier, not for launches
  std::uint32_t pc = 0, meeting = 0;
  isa::SimtStack stack;
  std::array<isa::LaneMask, 8> predicates{};
  std::vector<std::byte> registers;
  BarrierWait barrier;
  std::unique_ptr<RuntimeState> runtime;  ///< null before the warp's first call of the device runtime
};

/// Context of a thread block that was swapped out of its SM because all its warps wait, at least one of them for
/// launches of the block. The block resumes, on any SM, when these launches are closed.
struct SuspendedTb {
  const KernelContext* kernel = nullptr;
  ItemData item;
  std::uint64_t gid = 0;
  std::uint32_t group = kNoGroup;
  BlockId caller = 0;
  std::uint64_t warp_instructions = 0, thread_instructions = 0;
  TbBarriers barriers;
  std::vector<std::byte> shared, local;
  std::vector<SuspendedWarp> warps;  ///< in the order of warps in the TB
};

}  // namespace castor::gpu
