#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "castor/gpu/launch/launcher.h"
#include "castor/isa/memory_access.h"
#include "castor/isa/record.h"

namespace castor::gpu {

/// What the device runtime keeps for the threads of a warp.
struct RuntimeState {
  std::array<LaunchDescription, isa::kMaxLanes> described;  ///< RuntimeCall::kDescribe
  std::array<std::int32_t, isa::kMaxLanes> last_error{};
};

/// A launch that a lane has made.
struct LaneLaunch {
  LaunchId launch = 0;
  unsigned lane = 0;
  bool spilled = false;
};

/// A call that only concerns what is kept for its threads; the launcher is asked for all others.
[[nodiscard]] constexpr bool is_own(isa::RuntimeCall call) {
  return call == isa::RuntimeCall::kDescribe || call == isa::RuntimeCall::kLastError ||
         call == isa::RuntimeCall::kPeekError;
}

/// A call that has succeeded has its warp wait for launches of its block.
[[nodiscard]] bool awaits_children(const isa::Record& record, const Caller& caller, const Launcher& launcher);

/// Executes a record of kind kRuntimeCall for the lanes of `mask`, in ascending order, and writes its results; those of
/// kSynchronize say whether the lanes may wait, which is the caller's to do (`awaits_children`). `launcher` may be null
/// for calls that are their own; launches are appended to `launched`, if it is there.
void runtime_call(const isa::Record& record, const isa::RegisterView& view, isa::LaneMask mask, const Caller& caller,
                  RuntimeState& state, Launcher* launcher, std::vector<LaneLaunch>* launched = nullptr);

}  // namespace castor::gpu
