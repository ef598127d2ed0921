#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "castor/gpu/launch/launcher.h"
#include "castor/isa/memory_access.h"
#include "castor/isa/record.h"

namespace castor::gpu {

/// State of the device runtime for the threads of a warp.
struct RuntimeState {
  std::array<LaunchDescription, isa::kMaxLanes> described;  ///< per lane: launch described by RuntimeCall::kDescribe
  std::array<std::int32_t, isa::kMaxLanes> last_error{};
};

/// Launch made by a lane.
struct LaneLaunch {
  LaunchId launch = 0;
  unsigned lane = 0;
  bool spilled = false;
};

/// Returns whether a call uses only the RuntimeState of its threads. All other calls need the launcher.
[[nodiscard]] constexpr bool is_own(isa::RuntimeCall call) {
  return call == isa::RuntimeCall::kDescribe || call == isa::RuntimeCall::kLastError ||
         call == isa::RuntimeCall::kPeekError;
}

/// Returns whether a successful call makes its warp wait for launches of its block.
[[nodiscard]] bool awaits_children(const isa::Record& record, const Caller& caller, const Launcher& launcher);

/// Executes a record of kind kRuntimeCall for the lanes of `mask`, in ascending order, and writes their results. A
/// kSynchronize call returns whether the lanes may wait; the caller must make them wait (`awaits_children`). `launcher`
/// may be null for calls with `is_own`. New launches are appended to `launched` unless it is null.
void runtime_call(const isa::Record& record, const isa::RegisterView& view, isa::LaneMask mask, const Caller& caller,
                  RuntimeState& state, Launcher* launcher, std::vector<LaneLaunch>* launched = nullptr);

}  // namespace castor::gpu
