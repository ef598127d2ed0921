#pragma once

#include <cstdint>
#include <string>

#include "castor/gpu/device.h"
#include "castor/gpu/launch_record.h"
#include "castor/isa/record.h"
#include "castor/isa/warp_context.h"

namespace castor::gpu {

/// Reason for which an instruction stops its kernel: the error of one lane.
struct ExecutionFault {
  FaultKind kind = FaultKind::kNone;
  unsigned lane = 0;
  std::string what;           ///< message
  std::uint64_t address = 0;  ///< only for memory accesses
};

/// Returns "(x,y,z)", the form in which messages name thread blocks and threads.
[[nodiscard]] std::string index_text(const Dim3& index);

/// Returns the fault with the complete message: error, kernel, line, block, thread and instruction. `warp` is the
/// identity of the warp, `block` the index of its thread block.
[[nodiscard]] Fault make_fault(const Launch& launch, const Dim3& block, const isa::WarpContext& warp, std::uint32_t pc,
                               const ExecutionFault& fault);

/// Returns the message for an error of a lane operation.
[[nodiscard]] const char* text_of(isa::LaneFault fault);

}  // namespace castor::gpu
