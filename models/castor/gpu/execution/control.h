#pragma once

#include <cstdint>
#include <optional>

#include "castor/gpu/execution/fault.h"
#include "castor/isa/memory_access.h"
#include "castor/isa/program.h"
#include "castor/isa/simt_stack.h"

namespace castor::gpu {

/// Executes a `brx.idx` for the lanes of `mask`, which is not empty. The stack's PC is at the branch. On a fault (index
/// outside the table) the stack is unchanged.
[[nodiscard]] std::optional<ExecutionFault> branch_indirect(const isa::Program& program, const isa::Record& record,
                                                            const isa::RegisterView& view, isa::LaneMask mask,
                                                            isa::SimtStack& stack);

/// Executes a direct or indirect call for the lanes of `mask`, which is not empty. The stack's PC is at the call.
/// Faults: the value is not a function; a thread's call stack has no room for the frame; a function with a single
/// static frame is called recursively.
[[nodiscard]] std::optional<ExecutionFault> call(const isa::Program& program, const isa::Record& record,
                                                 const isa::RegisterView& view, isa::LaneMask mask,
                                                 isa::SimtStack& stack);

}  // namespace castor::gpu
