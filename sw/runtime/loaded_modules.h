#pragma once

#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "castor/base/error.h"
#include "castor/gpu/device.h"
#include "runtime/api_error.h"
#include "runtime/module.h"
#include "runtime/open_device.h"
#include "runtime/run_options.h"

namespace castor::runtime {

/// Registry of the program's PTX images, and of the kernels and variables that host stubs and host shadow variables
/// refer to. Owned by the Session.
///
/// Images come from module constructors, before any other code runs, and from the driver API. An image is parsed only
/// when it is needed.
class LoadedModules {
 public:
  explicit LoadedModules(DeviceSource device) : device_(std::move(device)) {}

  /// Adds an image. Without a name, it gets the program's name, with a number from the second image on.
  Module* add(std::string text, std::string name = {});
  /// Removes an image. `open`: the device, or null if it is not open.
  void remove(const Module* module, gpu::Device* open);
  [[nodiscard]] bool has(const Module* module) const;
  /// True if a loaded module has this kernel.
  [[nodiscard]] bool has_kernel(const LoadedKernel* kernel) const;
  /// Frees all device memory of the modules; the modules stay registered.
  void unload(gpu::Device& device);

  void register_function(Module* module, const void* host, std::string name);
  void register_variable(Module* module, const void* host, std::string name);
  /// Returns the kernel of a host stub. ApiError: invalid device function, invalid PTX.
  [[nodiscard]] LoadedKernel& kernel_of(const void* host);
  /// Returns the host stub of a kernel; null for a kernel that only the driver API has loaded.
  [[nodiscard]] const void* host_stub_of(const LoadedKernel& kernel) const;
  /// Returns the device variable of a host shadow variable. ApiError: invalid symbol, invalid PTX.
  [[nodiscard]] DeviceSymbol symbol_of(const void* host);
  /// Runs `use`. Turns an InputError of the loader into a message on stderr, printed once, and ApiError (invalid PTX).
  template <class F>
  auto loading(F use) -> decltype(use()) {
    try {
      return use();
    } catch (const base::InputError& error) {
      if (seen_messages_.insert(error.what()).second) complain(error.what());
      throw ApiError{cudaErrorInvalidPtx};
    }
  }

 private:
  /// Kernel or variable registered for a host address.
  struct Registered {
    Module* module = nullptr;
    std::string name;
  };

  DeviceSource device_;
  std::vector<std::unique_ptr<Module>> modules_;
  std::unordered_map<const void*, Registered> functions_;
  std::unordered_map<const void*, Registered> variables_;
  std::set<std::string> seen_messages_;
};

}  // namespace castor::runtime
