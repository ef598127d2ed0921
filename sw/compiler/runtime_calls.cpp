#include "compiler/runtime_calls.h"

#include <algorithm>
#include <array>

namespace castor::compiler {
namespace {

using isa::RuntimeCall;

// Values of cudaError_t.
constexpr int kInvalidValue = 1;
constexpr int kUnsupportedLimit = 42;

constexpr std::array kFunctions = {
    RuntimeFunction{"cudaGetParameterBuffer", RuntimeCall::kBuffer, "dd", 'd'},
    RuntimeFunction{"cudaLaunchDevice", RuntimeCall::kLaunch, "dd33wd"},
    RuntimeFunction{"cudaGetParameterBufferV2", RuntimeCall::kDescribedBuffer, "d33w", 'd'},
    RuntimeFunction{"cudaLaunchDeviceV2", RuntimeCall::kDescribedLaunch, "dd"},
    RuntimeFunction{"cudaLaunchAggGroup", RuntimeCall::kLaunchGroup, "dd33w"},
    RuntimeFunction{"cudaDeviceSynchronize", RuntimeCall::kSynchronize, ""},
    RuntimeFunction{"cudaStreamCreateWithFlags", RuntimeCall::kStreamCreate, "pw", 'w', kInvalidValue},
    RuntimeFunction{"cudaStreamDestroy", RuntimeCall::kStreamDestroy, "d"},
    RuntimeFunction{"cudaStreamWaitEvent", RuntimeCall::kStreamWait, "ddw"},
    RuntimeFunction{"cudaEventCreateWithFlags", RuntimeCall::kEventCreate, "pw", 'w', kInvalidValue},
    RuntimeFunction{"cudaEventDestroy", RuntimeCall::kEventDestroy, "d"},
    RuntimeFunction{"cudaEventRecord", RuntimeCall::kEventRecord, "dd"},
    RuntimeFunction{"cudaDeviceGetLimit", RuntimeCall::kLimit, "pw", 'w', kUnsupportedLimit},
    RuntimeFunction{"cudaGetLastError", RuntimeCall::kLastError, ""},
    RuntimeFunction{"cudaPeekAtLastError", RuntimeCall::kPeekError, ""},
    RuntimeFunction{"castorKernelFigure", RuntimeCall::kKernelFigure, "dwwd", 'd'},
};

}  // namespace

const RuntimeFunction* find_runtime_function(std::string_view name) {
  const auto found = std::find_if(kFunctions.begin(), kFunctions.end(),
                                  [&](const RuntimeFunction& function) { return function.name == name; });
  return found == kFunctions.end() ? nullptr : &*found;
}

std::string_view name_of(RuntimeCall call) {
  if (call == RuntimeCall::kDescribe) return "launch of";
  const auto found = std::find_if(kFunctions.begin(), kFunctions.end(),
                                  [&](const RuntimeFunction& function) { return function.call == call; });
  return found == kFunctions.end() ? "?" : found->name;
}

}  // namespace castor::compiler
