#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "castor/gpu/execution/barrier_arrival.h"
#include "castor/gpu/launch_record.h"
#include "castor/gpu/sm/decoded.h"
#include "castor/gpu/sm/pipelines.h"
#include "castor/gpu/sm/sm_memory_client.h"
#include "castor/gpu/sm/warp_mask.h"
#include "castor/isa/barrier.h"
#include "castor/isa/memory_access.h"
#include "castor/isa/simt_stack.h"
#include "castor/isa/warp_context.h"

namespace castor::gpu {

using isa::LaneMask;

/// Complete state of a warp in its warp slot; WarpTable keeps one per slot.
///
/// Some state of a warp is kept elsewhere, because it ends before a thread block can be swapped out: pending registers,
/// loads and stores in flight (Scoreboard), and fetched or decoded instructions, which can be fetched again
/// (FetchStage, InstructionBuffer). Blocking conditions (BlockedWarps) follow from this state or end before, too.
struct alignas(64) WarpState {
  // The members used at issue come first, to share a cache line.

  /// Next instruction to issue; written back to the top of the SIMT stack only when the stack changes
  std::uint32_t pc = 0;
  std::uint32_t meeting = 0;  ///< reconvergence PC of the top of the stack
  LaneMask active = 0;        ///< active lanes of the top of the stack
  const isa::Record* records = nullptr;
  const Decoded* decoded = nullptr;
  std::byte* registers = nullptr;        ///< registers, in the home of the slot: a row of lanes per register
  const std::byte* constants = nullptr;  ///< constants of the kernel
  std::uint64_t code_base = 0;           ///< device address of record 0
  std::uint32_t code_size = 0;           ///< number of records of the kernel
  std::uint8_t tb = 0;                   ///< TB context
  std::uint8_t warp_in_tb = 0;           ///< number of the warp in its TB

  alignas(64) LaneMask predicates[8] = {};

  isa::SimtStack stack;
  isa::WarpContext identity;
  const isa::Program* program = nullptr;
  BarrierWait barrier;          ///< barrier at which the warp waits, or waited last
  std::uint32_t call_pc = 0;    ///< PC of the warp's call into the runtime, while the warp waits for one
  LaneMask call_mask = 0;       ///< lanes that make the call
  Tick wakes = base::kForever;  ///< tick in which the warp's sleep ends
};

/// Barriers of a thread block, updated by class Barriers.
struct TbBarriers {
  /// Ticks of the first arrivals at an incomplete barrier, for statistics.
  struct Times {
    Tick first = 0;
    std::array<Tick, Pipelines::kMaxSchedulers> local{};  ///< [scheduler] first arrival of a warp of that scheduler
    std::uint8_t seen = 0;                                ///< bit per scheduler with an arrival
  };
  isa::BarrierUnit unit;
  std::array<Times, isa::BarrierUnit::kBarriers> times;
  std::uint64_t done = 0;  ///< number of barriers completed
};

/// State of a thread block on an SM; ThreadBlocks keeps one per context. Together with the WarpState of each of its
/// `slots` it is the complete state of the thread block.
///
/// Kept elsewhere, besides the exceptions of WarpState: lines of its local memory in L1 (SmMemory drops them or writes
/// them back), pending barrier releases, which need no state of the thread block, the rows of a fetch filter, and
/// records of watchdogs and hooks.
struct TbState {
  static constexpr unsigned kWarps = 32;  ///< most warps of a thread block

  const KernelContext* kernel = nullptr;  ///< kernel of the thread block; null = the context is free
  std::uint64_t warp_instructions = 0, thread_instructions = 0;
  const DecodedProgram* program = nullptr;
  ItemData item;
  std::uint64_t gid = 0;
  std::uint32_t group = kNoGroup;
  Dim3 index;
  bool killed = false;  ///< the thread block's kernel was stopped
  unsigned warp_count = 0;
  /// warp slots of the thread block; and warp slots whose warps have not exited
  WarpMask warps = 0, live = 0;
  std::array<std::uint8_t, kWarps> slots{};  ///< slots of its warps, in the order of the warps
  TbBarriers barriers;
  std::byte* shared = nullptr;  ///< shared memory, in the shared home of the context
  /// memory side's view: local memory base and acquire cycle; an array of its own, so that the contexts are adjacent
  TbMemory* memory = nullptr;
  Tick started = 0;
};

}  // namespace castor::gpu
