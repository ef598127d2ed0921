#include "runtime/loaded_modules.h"

#include <errno.h>

#include <algorithm>
#include <utility>

namespace castor::runtime {

Module* LoadedModules::add(std::string text, std::string name) {
  if (name.empty()) {
    name = program_invocation_short_name;
    name += ".ptx";
    if (!modules_.empty()) name += "#" + std::to_string(modules_.size() + 1);
  }
  modules_.push_back(std::make_unique<Module>(std::move(name), std::move(text)));
  return modules_.back().get();
}

void LoadedModules::remove(const Module* module, gpu::Device* open) {
  for (auto& owned : modules_) {
    if (owned.get() != module) continue;
    if (open != nullptr) owned->unload(*open);
    owned.reset();
  }
  modules_.erase(std::remove(modules_.begin(), modules_.end(), nullptr), modules_.end());
}

bool LoadedModules::has(const Module* module) const {
  return std::any_of(modules_.begin(), modules_.end(), [&](const auto& owned) { return owned.get() == module; });
}

bool LoadedModules::has_kernel(const LoadedKernel* kernel) const {
  return std::any_of(modules_.begin(), modules_.end(), [&](const auto& owned) { return owned->owns(kernel); });
}

void LoadedModules::unload(gpu::Device& device) {
  for (auto& module : modules_) module->unload(device);
}

void LoadedModules::register_function(Module* module, const void* host, std::string name) {
  functions_.insert_or_assign(host, Registered{module, std::move(name)});
}

void LoadedModules::register_variable(Module* module, const void* host, std::string name) {
  variables_.insert_or_assign(host, Registered{module, std::move(name)});
}

LoadedKernel& LoadedModules::kernel_of(const void* host) {
  const auto found = functions_.find(host);
  if (found == functions_.end()) throw ApiError{cudaErrorInvalidDeviceFunction};
  LoadedKernel* const kernel = loading([&] { return found->second.module->kernel(device_(), found->second.name); });
  if (kernel == nullptr) throw ApiError{cudaErrorInvalidDeviceFunction};
  return *kernel;
}

const void* LoadedModules::host_stub_of(const LoadedKernel& kernel) const {
  for (const auto& [host, registered] : functions_) {
    if (registered.module == kernel.module && registered.name == kernel.program->kernel) return host;
  }
  return nullptr;
}

DeviceSymbol LoadedModules::symbol_of(const void* host) {
  const auto found = variables_.find(host);
  if (found == variables_.end()) throw ApiError{cudaErrorInvalidSymbol};
  const DeviceSymbol* const symbol =
      loading([&] { return found->second.module->symbol(device_(), found->second.name); });
  if (symbol == nullptr) throw ApiError{cudaErrorInvalidSymbol};
  return *symbol;
}

}  // namespace castor::runtime
