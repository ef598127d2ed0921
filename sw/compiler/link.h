#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "castor/isa/module.h"
#include "castor/isa/program.h"
#include "compiler/ir.h"

namespace castor::compiler {

/// Throws base::InputError for a position in a module's text.
[[noreturn]] void fail(const isa::Module& module, const isa::SourceLine& where, const std::string& message,
                       const std::string& hint = {});

/// Location of one argument or result at the moment of a call.
struct Place {
  enum class Kind : std::uint8_t { kRegister, kArea };
  Kind kind = Kind::kArea;
  RegisterClass cls = RegisterClass::kSingle;
  unsigned reg = 0;          ///< physical register
  std::uint64_t offset = 0;  ///< offset in the argument area
  std::uint64_t size = 0;    ///< bytes
  bool scalar = false;       ///< one value of up to 64 bits
};

/// Calling convention of one function: the locations of its arguments and results.
struct Convention {
  std::vector<Place> arguments;
  std::vector<Place> results;
  /// Indirect calls can reach the function. All arguments and results pass through the area's block for its signature:
  /// arguments are copied out of the block at entry, results into the block at return.
  bool shared_area = false;
  /// The function can be called again while it runs. Arguments in the area are copied out of it at entry.
  bool reentrant = false;

  /// Returns true if no argument or result stays in the area while the function runs.
  [[nodiscard]] bool leaves_area() const { return shared_area || reentrant; }
};

/// Register that holds the end of the thread's call stack, in all functions of a program with a call stack.
inline constexpr unsigned kStackRegister = 0;

/// Function of a linked program.
struct LinkedFunction {
  const isa::Function* function = nullptr;
  Convention convention;
  std::vector<std::uint32_t> callees;  ///< functions called directly or indirectly, each once
  std::uint32_t component = 0;         ///< strongly connected component of the call graph; callees come first
  bool cyclic = false;                 ///< the component contains a cycle of calls
  bool on_stack = false;               ///< each call of the function has a frame on the call stack
};

/// Kernel with all functions and variables that it reaches.
struct Linked {
  const isa::Module* module = nullptr;
  const isa::LinkOptions* options = nullptr;
  bool addresses_known = true;            ///< false: unknown symbols have address 0
  std::vector<LinkedFunction> functions;  ///< all functions; [0] is the kernel
  std::vector<std::uint32_t> bottom_up;   ///< functions, callees before callers except inside call cycles
  std::unordered_map<std::string_view, std::uint32_t> index_by_name;
  std::unordered_map<std::string_view, const isa::Variable*> variables;  ///< variables of the module
  std::unordered_map<std::string_view, const isa::Function*> all_functions;
  std::unordered_map<const isa::Variable*, std::uint32_t> shared_offsets;
  std::vector<std::uint32_t> targets;      ///< functions that indirect calls can reach
  bool launches = false;                   ///< some function launches kernels
  std::vector<std::string> named_kernels;  ///< kernels named by the functions; if a function launches kernels, also by
                                           ///< the module's initial values
  std::uint32_t shared_bytes = 0;
  bool dynamic_shared = false;
  std::uint64_t area_bytes = 0;
  std::uint64_t area_align = 16;
  bool uses_stack = false;  ///< some function has its frames on the call stack
  std::unordered_map<const isa::Variable*, std::uint64_t> local_offsets;  ///< offsets of module-scope .local variables
                                                                          ///< in the area

  /// Returns the functions that the indirect call `call` may reach.
  [[nodiscard]] std::vector<std::uint32_t> candidates(const isa::Function& caller, const isa::Call& call) const;
  /// Returns the address or value of a module-level name; throws base::InputError for an unknown name.
  [[nodiscard]] std::uint64_t address(std::string_view name, const isa::SourceLine& where) const;
};

/// Returns the system call of that name, or nullopt.
[[nodiscard]] std::optional<isa::SystemCall> system_call(std::string_view name);

/// Links a kernel: collects the functions that it reaches, orders them, lays out shared memory and the argument area.
/// `argument_registers`: most 32-bit registers for the arguments, or the results, of one call.
[[nodiscard]] Linked link(const isa::Module& module, std::string_view kernel, const isa::LinkOptions& options,
                          bool addresses_known, unsigned argument_registers);

/// True for a parameter that is one value of at most 64 bits.
[[nodiscard]] bool is_scalar(const isa::Variable& variable);

}  // namespace castor::compiler
