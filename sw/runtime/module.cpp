#include "runtime/module.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <set>
#include <sstream>

#include "castor/base/error.h"
#include "castor/base/log.h"
#include "castor/base/words.h"
#include "castor/gpu/link_options.h"
#include "castor/gpu/machine.h"
#include "castor/gpu/occupancy.h"
#include "castor/isa/types.h"
#include "compiler/compiler.h"
#include "ptx/parser.h"
#include "runtime/api_error.h"
#include "runtime/device_properties.h"
#include "runtime/run_options.h"

namespace castor::runtime {

void Module::read_marks(const std::string& path, const gpu::Machine& machine) {
  marks_ = {};
  if (path.empty()) return;
  if (!machine.compile.marks)
    throw base::InputError("marks are to be read from '" + base::printable(path, std::string::npos) +
                               "', but machine " + machine.name + " compiles without marks: compile.marks is 0",
                           "set compile.marks=1, or leave the file out");
  errno = 0;
  std::ifstream file(path);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf()))
    throw base::InputError("cannot read the marks in '" + base::printable(path, std::string::npos) +
                           "': " + (errno != 0 ? std::strerror(errno) : "the file is empty"));
  marks_ = compiler::MarkList::parse(text.str(), path);
}

void Module::load(gpu::Device& device) {
  if (module_) return;
  if (failure_) std::rethrow_exception(failure_);
  try {
    module_ = ptx::parse(text_, name_);
  } catch (...) {
    failure_ = std::current_exception();
    throw;
  }
  check_target(device.machine());
  try {
    place_variables(device);
  } catch (...) {
    unload(device);  // removes an image that was placed only in part; a device with more free memory may hold it
    throw;
  }
}

// Reports an image that is compiled for a newer architecture than the machine's. Machines execute every supported
// instruction, so such code runs, but a real GPU of that architecture would refuse it. Images for sm_61 and older are
// not reported: castor-cc prefers sm_61 among several targets, so an image for sm_61 does not show which target the
// user has chosen.
void Module::check_target(const gpu::Machine& machine) {
  constexpr unsigned kPreferred = 61;
  const unsigned own = machine.chip.capability.major_number * 10 + machine.chip.capability.minor_number;
  constexpr std::size_t kPrefix = 3;  // "sm_"
  const unsigned long wanted =
      std::strtoul(module_->target.c_str() + std::min(kPrefix, module_->target.size()), nullptr, 10);
  if (target_reported_ || wanted <= std::max(own, kPreferred)) return;
  target_reported_ = true;
  complain(
      name_ + " is compiled for " + base::printable(module_->target) + ", and " + machine.name + " is sm_" +
      std::to_string(own) +
      ": it runs in castor, but a real GPU of that architecture would refuse it (cudaErrorNoKernelImageForDevice)");
}

void Module::place_variables(gpu::Device& device) {
  gpu::Store& store = device.store();
  const auto allocate = [&](std::uint64_t size, std::uint64_t align, gpu::AllocationKind kind,
                            const std::string& label) {
    const auto address = store.allocate(size, kind, label, std::max<std::uint64_t>(align, gpu::Store::kAlignment));
    if (!address)
      throw base::InputError(base::SourceLocation{name_, 0, 0}, "no device memory left for '" + label + "'");
    allocations_.push_back(*address);
    return *address;
  };
  for (const isa::Variable& variable : module_->variables) {
    if (variable.space != isa::Space::kGlobal && variable.space != isa::Space::kConst) continue;
    if (variable.linkage == isa::Linkage::kExtern) continue;
    const auto kind =
        variable.space == isa::Space::kConst ? gpu::AllocationKind::kConstant : gpu::AllocationKind::kModule;
    const std::uint64_t address = allocate(variable.size, variable.align, kind, variable.name);
    symbols_[variable.name] = {address, variable.size};
    addresses_[variable.name] = address;
  }
  // Functions get values in code space; each kernel maps the values to its own copies of the functions.
  const std::uint64_t code = allocate(std::max<std::size_t>(module_->functions.size(), 1) * 8, 256,
                                      gpu::AllocationKind::kCode, name_ + " functions");
  code_values_ = code;
  for (std::size_t i = 0; i < module_->functions.size(); ++i) addresses_[module_->functions[i].name] = code + 8 * i;
  for (const isa::Variable& variable : module_->variables) {
    const auto found = symbols_.find(variable.name);
    if (found == symbols_.end()) continue;
    write_initial_data(device, variable, found->second.address);
    if (variable.space == isa::Space::kConst) store.set_read_only(found->second.address, true);
  }
  write_attributes(device);
}

void Module::write_attributes(gpu::Device& device) {
  // Mangled name of castor::device_detail::AttributeTable<0>::values (castor_cuda/device_queries.h).
  const auto found = symbols_.find("_ZN6castor13device_detail14AttributeTableILi0EE6valuesE");
  if (found == symbols_.end()) return;
  for (std::uint64_t i = 0; i < found->second.size / sizeof(int); ++i) {
    int value = std::numeric_limits<int>::min();
    try {
      value = attribute_of(device.machine(), static_cast<cudaDeviceAttr>(i));
    } catch (const ApiError&) {  // no attribute has this number
    }
    std::memcpy(device.store().host(found->second.address + i * sizeof(int)), &value, sizeof value);
  }
}

void Module::write_initial_data(gpu::Device& device, const isa::Variable& variable, std::uint64_t address) {
  std::byte* const to = device.store().host(address);
  const std::size_t size = std::min<std::size_t>(variable.data.size(), variable.size);
  if (size != 0) std::memcpy(to, variable.data.data(), size);
  for (const isa::Relocation& relocation : variable.relocations) {
    const auto found = addresses_.find(relocation.symbol);
    if (found == addresses_.end()) {
      throw base::InputError(
          base::SourceLocation{name_, static_cast<int>(variable.where.line), static_cast<int>(variable.where.column)},
          "initialiser of '" + variable.name + "' names '" + relocation.symbol +
              "', which is no global, constant or function of this module");
    }
    const std::uint64_t value = (found->second + static_cast<std::uint64_t>(relocation.addend)) >> relocation.shift;
    if (relocation.offset + relocation.width <= variable.size) {
      std::memcpy(to + relocation.offset, &value, std::min<std::size_t>(relocation.width, sizeof value));
    }
  }
}

void Module::unload(gpu::Device& device) {
  for (const auto& [name, kernel] : kernels_) device.name_kernel(addresses_.at(name), std::nullopt);
  for (const std::uint64_t address : allocations_) device.store().free(address);
  allocations_.clear();
  symbols_.clear();
  addresses_.clear();
  kernels_.clear();
  module_.reset();
}

void Module::set_stack_limit(std::size_t bytes) {
  constexpr std::size_t kMost = 512 * 1024;  // CUDA's limit on local memory per thread
  constexpr std::size_t kUnit = 16;
  const std::size_t within = std::clamp(bytes, kUnit, kMost);
  stack_limit_ = static_cast<std::uint32_t>((within + kUnit - 1) / kUnit * kUnit);
}

void Module::restack(gpu::Device& device, LoadedKernel& kernel) {
  const isa::LinkOptions options = link_options(device);
  std::set<const LoadedKernel*> seen;
  std::vector<LoadedKernel*> open = {&kernel};
  while (!open.empty()) {
    LoadedKernel& one = *open.back();
    open.pop_back();
    if (!seen.insert(&one).second) continue;
    const isa::Program& program = *one.program;
    for (const std::string& name : program.named_kernels) open.push_back(&kernels_.at(name));
    const bool other = program.stack_bytes != 0 && program.stack_bytes != options.stack_bytes;
    if (!other && !(program.may_recurse && options.stack_for_pointers)) continue;
    one.narrow.clear();
    become(device, one, compile(device, program.kernel, options));
  }
}

void Module::become(gpu::Device& device, LoadedKernel& kernel, const LoadedProgram& program) const {
  static_cast<LoadedProgram&>(kernel) = program;
  device.name_kernel(addresses_.at(program.program->kernel), program.handle);
}

isa::LinkOptions Module::link_options(const gpu::Device& device) const {
  isa::LinkOptions options = gpu::link_options(device.machine());
  options.symbols = addresses_;
  options.code_values = code_values_;
  if (stack_limit_) {
    options.stack_bytes = *stack_limit_;
    options.stack_for_pointers = true;
  }
  if (register_cap_ != 0) options.max_registers = std::min(options.max_registers, register_cap_);
  return options;
}

LoadedKernel* Module::kernel(gpu::Device& device, const std::string& kernel) {
  load(device);
  const auto found = kernels_.find(kernel);
  if (found != kernels_.end()) return &found->second;
  const isa::Function* const function = module_->find_function(kernel);
  if (function == nullptr || !function->entry || !function->defined) return nullptr;
  // Compiles the kernel and all kernels that it may launch. If the compilation of one of them fails, none is loaded.
  std::map<std::string, LoadedKernel> fresh;
  std::vector<std::string> open = {kernel};
  while (!open.empty()) {
    const std::string name = std::move(open.back());
    open.pop_back();
    if (kernels_.count(name) != 0 || fresh.count(name) != 0) continue;
    LoadedKernel loaded;
    static_cast<LoadedProgram&>(loaded) = compile(device, name, link_options(device));
    loaded.module = this;
    loaded.bounded = register_cap_ != 0 || compiler::is_bounded(*module_->find_function(name));
    const std::vector<std::string>& named = loaded.program->named_kernels;
    open.insert(open.end(), named.begin(), named.end());
    fresh.emplace(name, std::move(loaded));
  }
  for (const auto& [name, loaded] : fresh) device.name_kernel(addresses_.at(name), loaded.handle);
  kernels_.merge(fresh);
  return &kernels_.at(kernel);
}

LoadedProgram Module::compile(gpu::Device& device, const std::string& kernel, const isa::LinkOptions& options) const {
  LoadedProgram loaded;
  loaded.program = compiler::compile(*module_, kernel, options);
  if (!marks_.empty()) {
    const auto edited = std::make_shared<isa::Program>(*loaded.program);
    marks_.apply(*edited);
    loaded.program = edited;
  }
  loaded.handle = device.load(loaded.program);
  base::logger("runtime").info("{}: compiled {}: {} instructions, {} registers, {} bytes of local memory", name_,
                               kernel, loaded.program->code.size(), loaded.program->registers,
                               loaded.program->local_bytes);
  return loaded;
}

LoadedProgram Module::program_for(gpu::Device& device, LoadedKernel& kernel, std::uint64_t threads) const {
  const gpu::Machine& machine = device.machine();
  const LoadedProgram& as_compiled = kernel;
  if (kernel.bounded || threads == 0 || threads > machine.sm.max_tb_threads) return as_compiled;
  const unsigned cap = gpu::registers_for(machine, static_cast<unsigned>(threads), 1);
  if (kernel.program->registers <= cap) return as_compiled;
  const auto found = kernel.narrow.find(cap);
  if (found != kernel.narrow.end()) return found->second;
  isa::LinkOptions options = link_options(device);
  options.max_registers = std::min(options.max_registers, cap);
  return kernel.narrow.emplace(cap, compile(device, kernel.program->kernel, options)).first->second;
}

void Module::fit(gpu::Device& device, LoadedKernel& kernel, std::uint64_t threads) const {
  const LoadedProgram fitting = program_for(device, kernel, threads);
  if (fitting.program == kernel.program) return;
  complain("launch of " + base::readable_name(kernel.program->kernel) + ": " + std::to_string(threads) +
           " threads of " + std::to_string(kernel.program->registers) + " registers do not fit; compiled again with " +
           std::to_string(fitting.program->registers) + " registers, " + std::to_string(fitting.program->spill_bytes) +
           " bytes of spills");
  become(device, kernel, fitting);
}

bool Module::owns(const LoadedKernel* kernel) const {
  return std::any_of(kernels_.begin(), kernels_.end(), [&](const auto& entry) { return &entry.second == kernel; });
}

const DeviceSymbol* Module::symbol(gpu::Device& device, const std::string& variable) {
  load(device);
  const auto found = symbols_.find(variable);
  return found == symbols_.end() ? nullptr : &found->second;
}

std::vector<std::string> Module::kernels(gpu::Device& device) {
  load(device);
  std::vector<std::string> names;
  for (const isa::Function& function : module_->functions) {
    if (function.entry && function.defined) names.push_back(function.name);
  }
  return names;
}

}  // namespace castor::runtime
