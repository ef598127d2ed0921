#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "castor/gpu/execution/aligned_bytes.h"
#include "castor/gpu/execution/barrier_arrival.h"
#include "castor/gpu/launch_record.h"
#include "castor/gpu/sm/decoded.h"
#include "castor/gpu/sm/pipelines.h"
#include "castor/gpu/sm/sm_memory.h"
#include "castor/gpu/sm/warp_mask.h"
#include "castor/isa/barrier.h"
#include "castor/isa/memory_access.h"
#include "castor/isa/simt_stack.h"
#include "castor/isa/warp_context.h"

namespace castor::gpu {

using isa::LaneMask;

/// All that a warp of a thread block is, in the warp slot that it has; WarpTable keeps one per slot.
///
/// Not in it, because it is over before a thread block can leave: registers, loads and stores under way (Scoreboard),
/// fetched and decoded instructions, which can be fetched again (FetchStage, InstructionBuffer), and the reasons that
/// block it, which follow from what is here, but for fences (BlockedWarps).
struct alignas(64) WarpState {
  // What issuing touches stands in front.
  std::uint32_t pc = 0;       ///< next to issue; the top of the stack learns of it where the stack changes
  std::uint32_t meeting = 0;  ///< at this PC the top of the stack ends
  LaneMask active = 0;        ///< lanes of the top of the stack
  const isa::Record* records = nullptr;
  const Decoded* decoded = nullptr;
  std::byte* registers = nullptr;        ///< of the slot: a row of lanes per register
  const std::byte* constants = nullptr;  ///< of the kernel
  std::uint64_t code_base = 0;           ///< device address of record 0
  std::uint32_t code_size = 0;           ///< records
  std::uint8_t tb = 0;                   ///< TB context
  std::uint8_t warp_in_tb = 0;

  alignas(64) LaneMask predicates[8] = {};

  isa::SimtStack stack;
  isa::WarpContext identity;
  const isa::Program* program = nullptr;
  BarrierWait barrier;          ///< the one that it waits at, or waited at last
  std::uint32_t call_pc = 0;    ///< its call into the runtime, if it waits for one
  LaneMask call_mask = 0;       ///< lanes that call
  Tick wakes = base::kForever;  ///< end of its sleep
};

/// The barriers of a thread block; Barriers works on them.
struct TbBarriers {
  /// First arrivals at a barrier that is not complete, for statistics.
  struct Times {
    Tick first = 0;
    std::array<Tick, Pipelines::kMaxSchedulers> local{};  ///< per scheduler
    std::uint8_t seen = 0;                                ///< bit per scheduler
  };
  isa::BarrierUnit unit;
  std::array<Times, isa::BarrierUnit::kBarriers> times;
  std::uint64_t done = 0;  ///< barriers completed
};

/// A thread block on an SM; ThreadBlocks keeps one per context. With the WarpState of each of its `slots` it is all
/// that the thread block is.
///
/// Not in it, besides what WarpState leaves out: lines of its local memory in L1 (SmMemory drops or writes them back),
/// barrier releases under way, which end by themselves, a fetch filter's rows, and what watches and hooks remember of
/// it.
struct TbState {
  static constexpr unsigned kWarps = 32;  ///< at most

  const KernelContext* kernel = nullptr;  ///< null: nobody is in the context
  std::uint64_t warp_instructions = 0, thread_instructions = 0;
  const DecodedProgram* program = nullptr;
  ItemData item;
  std::uint64_t gid = 0;
  std::uint32_t group = kNoGroup;
  Dim3 index;
  bool killed = false;
  unsigned warp_count = 0;
  WarpMask warps = 0, live = 0;              ///< its slots; those whose warps have not exited
  std::array<std::uint8_t, kWarps> slots{};  ///< of its warps, in their order
  TbBarriers barriers;
  AlignedBytes shared;         ///< shared memory
  TbMemory* memory = nullptr;  ///< local memory base and acquire cycle, beside each other for the memory side
  Tick started = 0;
};

}  // namespace castor::gpu
