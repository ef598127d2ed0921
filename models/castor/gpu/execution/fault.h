#pragma once

#include <cstdint>
#include <string>

#include "castor/gpu/device.h"
#include "castor/gpu/launch_record.h"
#include "castor/isa/record.h"
#include "castor/isa/warp_context.h"

namespace castor::gpu {

/// Why an instruction stops its kernel: what one lane did.
struct ExecutionFault {
  FaultKind kind = FaultKind::kNone;
  unsigned lane = 0;
  std::string what;
  std::uint64_t address = 0;  ///< memory accesses
};

/// "(x,y,z)", as messages name thread blocks and threads.
[[nodiscard]] std::string index_text(const Dim3& index);

/// The complete message of a fault: what, kernel, line, block and thread, instruction. `warp` is the identity of the
/// warp, `block` the index of its thread block.
[[nodiscard]] Fault make_fault(const Launch& launch, const Dim3& block, const isa::WarpContext& warp, std::uint32_t pc,
                               const ExecutionFault& fault);

/// What a lane operation did wrong.
[[nodiscard]] const char* text_of(isa::LaneFault fault);

}  // namespace castor::gpu
