#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "castor/gpu/device.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/trace/recording.h"

namespace castor::runtime {

/// Device options of the user, from the environment (see docs/guides/running.md).
struct DeviceOptions {
  std::string platform;                ///< shipped name or path of a machine file or report; empty: pascal_titanx
  std::vector<std::string> overrides;  ///< "key=value"
  std::string replay;                  ///< path of a replay file; empty: instructions are executed
  gpu::Recording recording;
};

/// Opens the process's device. The directory that defines the machines (platforms) implements this function; tests have
/// their own implementation. Errors: base::InputError.
[[nodiscard]] std::unique_ptr<gpu::Device> open_device(const DeviceOptions& options);

/// Returns the machine that `open_device` would open, after all checks that are possible without creating it. Errors:
/// base::InputError.
[[nodiscard]] gpu::Machine check_device(const DeviceOptions& options);

/// Returns the process's device; opens it at the first call.
using DeviceSource = std::function<gpu::Device&()>;

}  // namespace castor::runtime
