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

/// Where a module-level variable lies.
struct DeviceSymbol {
  std::uint64_t address = 0;  ///< device address
  std::uint64_t size = 0;     ///< bytes
};

class Module;

/// A program on the device.
struct LoadedProgram {
  gpu::ProgramHandle handle = 0;
  std::shared_ptr<const isa::Program> program;
};

/// A kernel that has been compiled and loaded: the program that its next launch runs, unless that launch asks for
/// blocks that do not fit (Module::program_for).
struct LoadedKernel : LoadedProgram {
  std::uint32_t dynamic_shared_limit = 0;    ///< cudaFuncAttributeMaxDynamicSharedMemorySize; 0: not set
  Module* module = nullptr;                  ///< whose kernel it is
  bool bounded = false;                      ///< source or user limit threads or registers: it runs as compiled, or not
  std::map<unsigned, LoadedProgram> narrow;  ///< compiled again, by registers per thread allowed
};

/// One PTX image on a device: kept as text, parsed when it is first needed; its variables are then placed and
/// initialised, and kernels are compiled one by one when first used.
/// Errors: base::InputError from the parser or compiler; the same one again at every later use.
class Module {
 public:
  /// `name`: what messages call the image.
  Module(std::string name, std::string text) : name_(std::move(name)), text_(std::move(text)) {}

  [[nodiscard]] const std::string& name() const { return name_; }
  /// The kernel called `kernel`, compiled for `device` with `max_registers` as an extra cap (0: none).
  /// So are all kernels that it could launch. Null if the module has no such kernel.
  [[nodiscard]] LoadedKernel* kernel(gpu::Device& device, const std::string& kernel);
  /// What blocks of `threads` threads run: the kernel's program, or, if not even one such block fits into the register
  /// file of an SM and nothing bounds the kernel, one that is compiled under the cap with which a block fits.
  [[nodiscard]] LoadedProgram program_for(gpu::Device& device, LoadedKernel& kernel, std::uint64_t threads) const;
  /// Makes `kernel` that program, for this launch and those to come. A line on stderr says so if it is another one.
  void fit(gpu::Device& device, LoadedKernel& kernel, std::uint64_t threads) const;
  /// Compiles `kernel` again if it needs a call stack, or may, and its program has another than set_stack_limit says.
  /// Those that it could launch too.
  void restack(gpu::Device& device, LoadedKernel& kernel);
  /// Whether `kernel` is one that `kernel()` has returned since the module was loaded.
  [[nodiscard]] bool owns(const LoadedKernel* kernel) const;
  /// Null if the module has no such variable.
  [[nodiscard]] const DeviceSymbol* symbol(gpu::Device& device, const std::string& variable);
  /// Names of all kernels.
  [[nodiscard]] std::vector<std::string> kernels(gpu::Device& device);
  /// The parsed image; only after `load`.
  [[nodiscard]] const isa::Module& parsed() const { return *module_; }
  /// Parses and places the variables now. Code for a newer architecture than the machine's runs, and a line on stderr,
  /// once, says that a GPU would refuse it.
  void load(gpu::Device& device);
  /// Frees what the module has on the device.
  void unload(gpu::Device& device);

  /// Registers per thread that the user allows for every kernel of the process; 0: the machine's limit.
  static void set_register_cap(unsigned registers) { register_cap_ = registers; }
  /// Bytes per thread for functions that call themselves, of kernels that are compiled or launched from now on; more
  /// than a thread may have of local memory is that much. Functions that could call themselves through pointers have a
  /// stack from then on too.
  static void set_stack_limit(std::size_t bytes);
  /// Kernels that are compiled from now on get the marks of the list in file `path`, those that it names. Empty: the
  /// compiler's. Errors: base::InputError if the file cannot be read or is no list, or `machine` compiles without marks
  /// (compile.marks).
  static void read_marks(const std::string& path, const gpu::Machine& machine);

 private:
  void check_target(const gpu::Machine& machine);
  void place_variables(gpu::Device& device);
  /// Fills what device code asks for attributes of the device, if the module has it.
  void write_attributes(gpu::Device& device);
  void write_initial_data(gpu::Device& device, const isa::Variable& variable, std::uint64_t address);
  [[nodiscard]] LoadedProgram compile(gpu::Device& device, const std::string& kernel,
                                      const isa::LinkOptions& options) const;
  [[nodiscard]] isa::LinkOptions link_options(const gpu::Device& device) const;
  /// Launches of `kernel`, by the host and by device code, run `program` from now on.
  void become(gpu::Device& device, LoadedKernel& kernel, const LoadedProgram& program) const;

  static inline unsigned register_cap_ = 0;
  static inline compiler::MarkList marks_;
  static inline std::optional<std::uint32_t> stack_limit_;

  std::string name_;
  std::string text_;
  std::optional<isa::Module> module_;
  std::exception_ptr failure_;
  bool target_told_ = false;
  std::unordered_map<std::string, DeviceSymbol> symbols_;
  std::unordered_map<std::string, std::uint64_t> addresses_;  // variables and function values, for linking
  std::uint64_t code_values_ = 0;                             // where those of functions begin
  std::vector<std::uint64_t> allocations_;
  std::map<std::string, LoadedKernel> kernels_;
};

}  // namespace castor::runtime
