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

/// The images of the program, and what its host stubs of kernels and host shadows of variables stand for.
///
/// Images come from module constructors, before anything else is there, and from the driver API. Nothing is parsed
/// before it is asked for.
class LoadedModules {
 public:
  explicit LoadedModules(DeviceSource device) : device_(std::move(device)) {}

  /// Without a name it gets the program's, with a number from the second on.
  Module* add(std::string text, std::string name = {});
  /// `open`: the device, if there is one yet.
  void remove(const Module* module, gpu::Device* open);
  [[nodiscard]] bool has(const Module* module) const;
  /// Whether a loaded module has this kernel.
  [[nodiscard]] bool has_kernel(const LoadedKernel* kernel) const;
  /// Frees what all modules have on the device; they stay known.
  void unload(gpu::Device& device);

  void register_function(Module* module, const void* host, std::string name);
  void register_variable(Module* module, const void* host, std::string name);
  [[nodiscard]] LoadedKernel& kernel_of(const void* host);  ///< ApiError: invalid device function, invalid PTX
  /// Host stub of a kernel; null for one that only the driver API knows.
  [[nodiscard]] const void* host_stub_of(const LoadedKernel& kernel) const;
  [[nodiscard]] DeviceSymbol symbol_of(const void* host);  ///< ApiError: invalid symbol, invalid PTX
  /// Runs `use` and turns a loader's InputError into a message on stderr, once, and cudaErrorInvalidPtx.
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
