// The provider of devices for the CUDA runtime.

#include "runtime/open_device.h"

#include "castor/base/error.h"
#include "castor/gpu/functional/functional_device.h"
#include "castor/gpu/timing_device.h"
#include "platforms/machines.h"

namespace castor::runtime {

std::unique_ptr<gpu::Device> open_device(const DeviceOptions& options) {
  const std::string name = options.platform.empty() ? std::string(platforms::kDefaultMachine) : options.platform;
  const platforms::LoadedMachine loaded = platforms::load_machine(name, options.overrides);
  if (loaded.machine.run.functional) {
    gpu::functional::FunctionalDevice::Options functional;
    functional.configuration_json = loaded.config.to_json();
    return std::make_unique<gpu::functional::FunctionalDevice>(loaded.machine, std::move(functional));
  }
  gpu::TimingDevice::Options timing;
  timing.configuration_json = loaded.config.to_json();
  return std::make_unique<gpu::TimingDevice>(loaded.machine, std::move(timing));
}

}  // namespace castor::runtime
