#pragma once

#include <cstddef>
#include <cstdint>

#include "castor/gpu/execution/barrier_arrival.h"
#include "castor/gpu/launch_record.h"
#include "castor/gpu/sm/decoded.h"
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

}  // namespace castor::gpu
