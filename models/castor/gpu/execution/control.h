#pragma once

#include <cstdint>
#include <optional>

#include "castor/gpu/execution/fault.h"
#include "castor/isa/memory_access.h"
#include "castor/isa/program.h"
#include "castor/isa/simt_stack.h"

namespace castor::gpu {

/// Executes a `brx.idx` for the lanes of `mask`, not empty; the stack stands at the branch. On a fault (index outside
/// the table) the stack is unchanged.
[[nodiscard]] std::optional<ExecutionFault> branch_indirect(const isa::Program& program, const isa::Record& record,
                                                            const isa::RegisterView& view, isa::LaneMask mask,
                                                            isa::SimtStack& stack);

/// Executes a direct or indirect call for the lanes of `mask`, not empty; the stack stands at the call. Faults: the
/// value is no function; the call stack of a thread has no room for the frame; a function that has one frame is called
/// while it is running.
[[nodiscard]] std::optional<ExecutionFault> call(const isa::Program& program, const isa::Record& record,
                                                 const isa::RegisterView& view, isa::LaneMask mask,
                                                 isa::SimtStack& stack);

}  // namespace castor::gpu
