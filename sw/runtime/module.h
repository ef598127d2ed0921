#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "castor/gpu/device.h"
#include "castor/isa/module.h"
#include "castor/isa/program.h"
#include "compiler/mark_list.h"

namespace castor::runtime {

/// Location of a module-level variable on the device.
struct DeviceSymbol {
  std::uint64_t address = 0;  ///< device address
  std::uint64_t size = 0;     ///< bytes
};

class Module;

/// Program loaded on the device.
struct LoadedProgram {
  gpu::ProgramHandle handle = 0;
  std::shared_ptr<const isa::Program> program;
};

/// Kernel that has been compiled and loaded. The next launch runs its LoadedProgram, unless the launch requests a block
/// size that does not fit (Module::program_for).
struct LoadedKernel : LoadedProgram {
  std::uint32_t dynamic_shared_limit = 0;        ///< cudaFuncAttributeMaxDynamicSharedMemorySize; 0: not set
  std::shared_ptr<const gpu::SyncOptions> sync;  ///< options of launches by the host; null: the defaults
  Module* module = nullptr;                      ///< module that owns the kernel
  bool bounded = false;  ///< source or user limit threads or registers: the kernel is never compiled again with fewer
                         ///< registers
  std::map<unsigned, LoadedProgram> narrow;  ///< programs compiled with fewer registers, by the limit on registers per
                                             ///< thread
};

/// PTX image on a device. The module keeps the text, and parses it when it is first needed. It then places and
/// initialises the variables. Each kernel is compiled when it is first used.
/// Errors: base::InputError from the parser or compiler; every later use repeats the same error.
class Module {
 public:
  /// `name`: name of the image in messages.
  Module(std::string name, std::string text) : name_(std::move(name)), text_(std::move(text)) {}

  [[nodiscard]] const std::string& name() const { return name_; }
  /// Returns the kernel named `kernel`, compiled for `device`. Compiles all kernels that it may launch from device code
  /// too. Returns null if the module has no such kernel.
  [[nodiscard]] LoadedKernel* kernel(gpu::Device& device, const std::string& kernel);
  /// Returns the program for blocks of `threads` threads. This is the kernel's program, unless not even one such block
  /// fits the register file of an SM. In that case a kernel without limits is compiled again, with the registers with
  /// which one block fits.
  [[nodiscard]] LoadedProgram program_for(gpu::Device& device, LoadedKernel& kernel, std::uint64_t threads) const;
  /// Makes `program_for` the kernel's program, for this launch and all later ones. A line on stderr reports a change.
  void fit(gpu::Device& device, LoadedKernel& kernel, std::uint64_t threads) const;
  /// Compiles `kernel` again if it needs or may need a call stack, and its stack size differs from set_stack_limit.
  /// Does the same for the kernels that it may launch from device code.
  void restack(gpu::Device& device, LoadedKernel& kernel);
  /// True if `kernel()` has returned this kernel since the module was loaded.
  [[nodiscard]] bool owns(const LoadedKernel* kernel) const;
  /// Returns a variable of the module; null if the module has no such variable.
  [[nodiscard]] const DeviceSymbol* symbol(gpu::Device& device, const std::string& variable);
  /// Returns the names of all kernels.
  [[nodiscard]] std::vector<std::string> kernels(gpu::Device& device);
  /// Returns the parsed image; only after `load`.
  [[nodiscard]] const isa::Module& parsed() const { return *module_; }
  /// Parses the image and places the variables now. PTX for a newer architecture than the machine's is accepted; a line
  /// on stderr, printed once, warns that a real GPU would refuse the code.
  void load(gpu::Device& device);
  /// Frees all device memory of the module.
  void unload(gpu::Device& device);

  /// Limits the registers per thread of every kernel of the process, as the user requests; 0: the machine's limit.
  static void set_register_cap(unsigned registers) { register_cap_ = registers; }
  /// Sets the stack bytes per thread for recursive functions, for kernels that are compiled or launched from now on.
  /// The value is clamped to the local memory that CUDA allows a thread. From now on, functions that can recurse
  /// through pointers have a call stack too.
  static void set_stack_limit(std::size_t bytes);
  /// Reads a list of marks from file `path`. Kernels compiled from now on get the marks of the list, if the list names
  /// them. Empty path: the compiler's marks. Errors: base::InputError if the file cannot be read or is no list, or if
  /// `machine` compiles without marks (compile.marks).
  static void read_marks(const std::string& path, const gpu::Machine& machine);

 private:
  void check_target(const gpu::Machine& machine);
  void place_variables(gpu::Device& device);
  /// Fills the table of device attributes that device code reads, if the module contains it.
  void write_attributes(gpu::Device& device);
  void write_initial_data(gpu::Device& device, const isa::Variable& variable, std::uint64_t address);
  [[nodiscard]] LoadedProgram compile(gpu::Device& device, const std::string& kernel,
                                      const isa::LinkOptions& options) const;
  [[nodiscard]] isa::LinkOptions link_options(const gpu::Device& device) const;
  /// Makes later launches of `kernel`, by the host and by device code, run `program`.
  void become(gpu::Device& device, LoadedKernel& kernel, const LoadedProgram& program) const;

  static inline unsigned register_cap_ = 0;
  static inline compiler::MarkList marks_;
  static inline std::optional<std::uint32_t> stack_limit_;

  std::string name_;
  std::string text_;
  std::optional<isa::Module> module_;
  std::exception_ptr failure_;
  bool target_reported_ = false;
  std::unordered_map<std::string, DeviceSymbol> symbols_;
  std::unordered_map<std::string, std::uint64_t> addresses_;  // variables and function values, for linking
  std::uint64_t code_values_ = 0;                             // start of the values of functions in code space
  std::vector<std::uint64_t> allocations_;
  std::map<std::string, LoadedKernel> kernels_;
};

}  // namespace castor::runtime
