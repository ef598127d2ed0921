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

/// Throws base::InputError at a place of a module's text.
[[noreturn]] void fail(const isa::Module& module, const isa::SourceLine& where, const std::string& message,
                       const std::string& hint = {});

/// Where one argument or result lies at the moment of a call.
struct Place {
  enum class Kind : std::uint8_t { kRegister, kArea };
  Kind kind = Kind::kArea;
  RegisterClass cls = RegisterClass::kSingle;
  unsigned reg = 0;          ///< physical register
  std::uint64_t offset = 0;  ///< in the area
  std::uint64_t size = 0;    ///< bytes
  bool scalar = false;       ///< one value of up to 64 bits
};

/// How a function takes arguments and gives results.
struct Convention {
  std::vector<Place> arguments;
  std::vector<Place> results;
  /// Indirect calls can reach it: everything goes through the area's block for its shape, and is copied from there at
  /// entry and to there at return.
  bool shared_area = false;
  /// It can be called again while it runs: what comes through the area is copied from there at entry.
  bool reentrant = false;

  /// Arguments and results have no place in the area that lasts while the function runs.
  [[nodiscard]] bool leaves_area() const { return shared_area || reentrant; }
};

/// Holds the end of the call stack of each thread, in all functions of a program that has one.
inline constexpr unsigned kStackRegister = 0;

/// A function of a program.
struct LinkedFunction {
  const isa::Function* function = nullptr;
  Convention convention;
  std::vector<std::uint32_t> callees;  ///< direct and indirect, distinct
  std::uint32_t component = 0;         ///< strongly connected component of the call graph; callees come first
  bool cyclic = false;                 ///< in a component with a cycle
  bool on_stack = false;               ///< has a frame on the call stack for each of its calls
};

/// A kernel with everything it reaches.
struct Linked {
  const isa::Module* module = nullptr;
  const isa::LinkOptions* options = nullptr;
  bool addresses_known = true;            ///< false: unknown symbols read as 0
  std::vector<LinkedFunction> functions;  ///< [0] is the kernel
  std::vector<std::uint32_t> bottom_up;   ///< functions, callees before callers where no cycle forbids it
  std::unordered_map<std::string_view, std::uint32_t> index_by_name;
  std::unordered_map<std::string_view, const isa::Variable*> variables;  ///< of the module
  std::unordered_map<std::string_view, const isa::Function*> all_functions;
  std::unordered_map<const isa::Variable*, std::uint32_t> shared_offsets;
  std::vector<std::uint32_t> targets;      ///< functions that indirect calls can reach
  bool launches = false;                   ///< some function launches kernels
  std::vector<std::string> named_kernels;  ///< by the functions; if one launches, by initialisers of the module too
  std::uint32_t shared_bytes = 0;
  bool dynamic_shared = false;
  std::uint64_t area_bytes = 0;
  std::uint64_t area_align = 16;
  bool uses_stack = false;                                                ///< some function is on the stack
  std::unordered_map<const isa::Variable*, std::uint64_t> local_offsets;  ///< module-scope .local: place in the area

  /// Functions that an indirect call may reach.
  [[nodiscard]] std::vector<std::uint32_t> candidates(const isa::Function& caller, const isa::Call& call) const;
  /// Address or value of a module-level name; throws for what is not known.
  [[nodiscard]] std::uint64_t address(std::string_view name, const isa::SourceLine& where) const;
};

/// The machine's function of that name, if it is one.
[[nodiscard]] std::optional<isa::SystemCall> system_call(std::string_view name);

/// Collects the functions that a kernel reaches, orders them, lays out shared memory and the argument area.
/// `argument_registers`: most 32-bit registers that arguments, or results, of one call may take.
[[nodiscard]] Linked link(const isa::Module& module, std::string_view kernel, const isa::LinkOptions& options,
                          bool addresses_known, unsigned argument_registers);

/// True for a parameter that is one value of at most 64 bits.
[[nodiscard]] bool is_scalar(const isa::Variable& variable);

}  // namespace castor::compiler
