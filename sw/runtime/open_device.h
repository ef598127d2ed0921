#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "castor/gpu/device.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/trace/recording.h"

namespace castor::runtime {

/// What the user asked for, from the environment (see docs/guides/running.md).
struct DeviceOptions {
  std::string platform;                ///< shipped name or path of a machine file or report; empty: pascal_titanx
  std::vector<std::string> overrides;  ///< "key=value"
  std::string replay;                  ///< path of a replay file; empty: instructions are executed
  gpu::Recording recording;
};

/// Opens the process's device. Declared here, defined by the room that knows the machines (platforms), resolved by the
/// linker; tests define their own. Errors: base::InputError.
[[nodiscard]] std::unique_ptr<gpu::Device> open_device(const DeviceOptions& options);

/// The machine that `open_device` would open, with all that can be found wrong without making it. Errors:
/// base::InputError.
[[nodiscard]] gpu::Machine check_device(const DeviceOptions& options);

/// The process's device, opened by the first who asks.
using DeviceSource = std::function<gpu::Device&()>;

}  // namespace castor::runtime
