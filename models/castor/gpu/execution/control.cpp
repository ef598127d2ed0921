#include "castor/gpu/execution/control.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

#include "castor/base/words.h"
#include "castor/gpu/execution/lane_access.h"

namespace castor::gpu {
namespace {

using isa::LaneMask;

// Returns the index of the program's function that contains a record.
std::size_t function_of(const isa::Program& program, std::uint32_t pc) {
  const auto behind = std::upper_bound(
      program.functions.begin(), program.functions.end(), pc,
      [](std::uint32_t value, const isa::ProgramFunction& function) { return value < function.first; });
  return static_cast<std::size_t>(behind - program.functions.begin()) - 1;
}

// Returns a fault if the callee's frame does not fit. A frame on the call stack ends at the end of the caller's frame
// plus its own size. The call stack is the last part of local memory.
std::optional<ExecutionFault> overflowing(const isa::Program& program, const isa::Record& record,
                                          const isa::RegisterView& view, const isa::ProgramFunction& callee,
                                          LaneMask lanes, const isa::SimtStack& stack) {
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    const unsigned lane = first_lane(left);
    const auto end = lane_value<std::uint32_t>(view, record.src[1], lane);
    if (std::uint64_t{end} + callee.frame_bytes <= program.local_bytes) continue;
    const std::uint32_t used = end - (program.local_bytes - program.stack_bytes);
    return ExecutionFault{FaultKind::kStackOverflow, lane,
                          "call stack overflow: " + base::readable_name(callee.name) + " takes " +
                              std::to_string(callee.frame_bytes) + " bytes per call, and " + std::to_string(used) +
                              " of the thread's " + std::to_string(program.stack_bytes) + " bytes are taken, " +
                              std::to_string(stack.depth()) +
                              " calls deep; recursion that ends may need more: cudaDeviceSetLimit(cudaLimitStackSize, "
                              "bytes) before the launch",
                          0};
  }
  return std::nullopt;
}

// Returns the lanes of `lanes` that are already inside the function that starts at `target`.
LaneMask recursing(const isa::Program& program, const isa::SimtStack& stack, std::uint32_t target, LaneMask lanes) {
  const std::size_t callee = function_of(program, target);
  LaneMask result = 0;
  for (const auto& entry : stack.entries()) {
    // An entry that only waits for returns (kNoPc) is in no function.
    if (entry.pc != isa::kNoPc && (entry.mask & lanes) != 0 && function_of(program, entry.pc) == callee)
      result |= entry.mask & lanes;
  }
  return result;
}

}  // namespace

std::optional<ExecutionFault> branch_indirect(const isa::Program& program, const isa::Record& record,
                                              const isa::RegisterView& view, LaneMask mask, isa::SimtStack& stack) {
  std::uint32_t targets[isa::kMaxLanes] = {};
  const auto& table = program.branch_tables[record.imm];
  for (LaneMask left = mask; left != 0; left &= left - 1) {
    const unsigned lane = first_lane(left);
    const auto index = lane_value<std::uint32_t>(view, record.src[0], lane);
    if (index >= table.size()) {
      return ExecutionFault{
          FaultKind::kIllegalInstruction, lane,
          "index " + std::to_string(index) + " into a branch table of " + std::to_string(table.size()) + " labels", 0};
    }
    targets[lane] = table[index];
  }
  stack.branch_indirect(targets, mask, record.branch.reconvergence);
  return std::nullopt;
}

std::optional<ExecutionFault> call(const isa::Program& program, const isa::Record& record,
                                   const isa::RegisterView& view, LaneMask mask, isa::SimtStack& stack) {
  std::uint32_t targets[isa::kMaxLanes] = {};
  for (LaneMask left = mask; left != 0; left &= left - 1) {
    const unsigned lane = first_lane(left);
    if (record.kind == isa::Kind::kCall) {
      targets[lane] = record.branch.target;
      continue;
    }
    const auto value = lane_value<std::uint64_t>(view, record.src[0], lane);
    const auto found = program.functions_by_value.find(value);
    if (found == program.functions_by_value.end()) {
      char text[120];
      std::snprintf(text, sizeof text, "indirect call to 0x%" PRIx64 ", which is no function of a fitting prototype",
                    value);
      return ExecutionFault{FaultKind::kIllegalInstruction, lane, text, 0};
    }
    targets[lane] = found->second;
  }
  for (LaneMask left = mask; left != 0;) {
    const std::uint32_t target = targets[first_lane(left)];
    LaneMask same = 0;
    for (LaneMask rest = left; rest != 0; rest &= rest - 1) {
      if (targets[first_lane(rest)] == target) same |= rest & -rest;
    }
    const isa::ProgramFunction& callee = program.functions[function_of(program, target)];
    if (callee.frame_bytes != 0) {
      if (auto fault = overflowing(program, record, view, callee, same, stack)) return fault;
    } else if (const LaneMask again = recursing(program, stack, target, same); again != 0) {
      return ExecutionFault{
          FaultKind::kStackOverflow, first_lane(again),
          "recursion: " + callee.name +
              " is called through a pointer while it is running, and has one stack frame; "
              "cudaDeviceSetLimit(cudaLimitStackSize, bytes) before the launch gives functions called "
              "through pointers a stack",
          0};
    }
    left &= ~same;
  }
  if (record.kind == isa::Kind::kCall) {
    stack.call(record.branch.target, mask);
  } else {
    stack.call_indirect(targets, mask);
  }
  return std::nullopt;
}

}  // namespace castor::gpu
