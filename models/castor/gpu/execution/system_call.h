#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "castor/gpu/execution/fault.h"
#include "castor/gpu/job.h"
#include "castor/gpu/store.h"
#include "castor/isa/memory_access.h"

namespace castor::gpu {

/// Returns the accesses to registers of blocks that the lanes of `mask` make by a call of SystemCall::kRegister, in
/// ascending order of lanes.
[[nodiscard]] std::vector<RegisterAccess> register_accesses(const isa::Record& record, const isa::RegisterView& view,
                                                            isa::LaneMask mask);

/// Services of the runtime for device code.
struct DeviceServices {
  Store* store = nullptr;
  std::function<void(std::string_view)> print;        ///< output of device printf
  std::uint64_t heap_bytes = std::uint64_t{8} << 20;  ///< limit of device-side malloc
  /// Replies to the accesses of the next SystemCall::kRegister, in the order of register_accesses(). Null: the machine
  /// has no registers of blocks, and the call returns cudaErrorNotSupported.
  const std::vector<RegisterReply>* register_replies = nullptr;
};

/// Copies bytes at a generic address, as seen by a lane of the calling warp, to the host. Returns false if a byte is
/// inaccessible.
using ReadBytes = std::function<bool(std::uint64_t generic, void* to, std::size_t size, unsigned lane)>;

/// Executes a runtime call (printf, malloc, free, assert, register access) for the lanes of `mask`, in ascending order,
/// and writes the results. `warp`, `block`: identity of the caller, for the message of a failed assertion.
[[nodiscard]] std::optional<ExecutionFault> system_call(const isa::Record& record, const isa::RegisterView& view,
                                                        isa::LaneMask mask, const isa::WarpContext& warp,
                                                        const Dim3& block, const ReadBytes& read,
                                                        DeviceServices& services);

}  // namespace castor::gpu
