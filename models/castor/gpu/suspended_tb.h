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

/// A warp of a suspended thread block.
struct SuspendedWarp {
  bool live = false;        ///< it has lanes that have not exited; all that follows is of live warps
  bool at_barrier = false;  ///< it waits there, and not for launches
  std::uint32_t pc = 0, meeting = 0;
  isa::SimtStack stack;
  std::array<isa::LaneMask, 8> predicates{};
  std::vector<std::byte> registers;
  BarrierWait barrier;
  std::unique_ptr<RuntimeState> runtime;  ///< null before its first call of the device runtime
};

/// A thread block that has left its SM because all its warps wait, one at least for launches of the block. It comes
/// back, to whatever SM, when those are closed.
struct SuspendedTb {
  const KernelContext* kernel = nullptr;
  ItemData item;
  std::uint64_t gid = 0;
  std::uint32_t group = kNoGroup;
  BlockId caller = 0;
  std::uint64_t warp_instructions = 0, thread_instructions = 0;
  TbBarriers barriers;
  std::vector<std::byte> shared, local;
  std::vector<SuspendedWarp> warps;  ///< in their order
};

}  // namespace castor::gpu
