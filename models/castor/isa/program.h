#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "castor/isa/module.h"
#include "castor/isa/record.h"

namespace castor::isa {

/// Registers that one record touches; for scoreboards and operand collectors. And what its result can depend on.
struct RegisterUse {
  std::uint8_t dst = 0;                   ///< 32-bit registers written from Record::dst on
  std::uint8_t src[4] = {};               ///< 32-bit registers read from Record::src[i] on; 0 for constants
  std::uint8_t predicates_read = 0;       ///< bit per predicate register, guard included
  std::uint8_t predicates_written = 0;    ///< bit per predicate register
  ResultOf result = ResultOf::kAnything;  ///< kAnything for all kinds but kLane
};

/// A value that an instruction takes as an immediate, broadcast to a row when the program is loaded.
struct Constant {
  std::uint64_t bits = 0;
  bool wide = false;  ///< 64-bit elements: takes two rows
};

/// A kernel parameter as its entry declares it.
struct Parameter {
  std::uint32_t offset = 0;  ///< bytes from the start of the parameter block
  std::uint32_t size = 0;
  std::uint32_t align = 1;
  std::string name;
};

/// A function inside a program.
struct ProgramFunction {
  std::string name;
  std::uint32_t first = 0;  ///< index of its first record
  std::uint32_t count = 0;
  std::uint32_t frame_bytes = 0;  ///< it takes so much of the call stack when it is called; 0: it has one frame only
};

/// Redundancy mark of a record (Yeh 2020, section 7.2): whether all warps of a thread block that execute it compute the
/// same row. A result never is of a higher class than what it is computed from.
enum class Mark : std::uint8_t {
  kVector = 0,       ///< V: nothing is known
  kConditional = 1,  ///< CR: the same if the block has several dimensions and its x is a power of two of at most 32
  kRedundant = 2,    ///< DR: the same
};

/// Most registers that marked records of a program may write; they are registers 0 to that - 1.
inline constexpr std::uint32_t kMostRenamed = 32;
/// Most of them that one record may read, and write.
inline constexpr unsigned kMostRenamedRead = 6;
inline constexpr unsigned kMostRenamedWritten = 2;

/// Which marks a compilation makes, if any.
enum class MarkRule : std::uint8_t {
  kOff,     ///< none; registers are numbered as the allocator left them
  kSound,   ///< with the rule for joins of paths
  kSource,  ///< without it, as the source describes the pass: for comparisons, the marks are wrong where paths differ
};

/// Options of the marking pass.
struct MarkOptions {
  MarkRule rule = MarkRule::kOff;
  std::uint32_t most_renamed = kMostRenamed;  ///< 1..kMostRenamed
  bool loads = true;                          ///< false: the value of every load is V
};

/// One kernel, linked: its own code and copies of every device function it can reach. Immutable once compiled.
struct Program {
  std::string kernel;
  std::string module;  ///< file name for messages
  std::vector<Record> code;
  // Side tables, indexed as `code`.
  std::vector<RegisterUse> uses;
  std::vector<SourceLine> lines;
  std::vector<std::string> source_files;

  std::vector<Constant> constants;          ///< operand kConstantOperand + row; `constant_rows` rows in total
  std::vector<std::uint32_t> constant_row;  ///< first row of constants[i]
  std::uint32_t constant_rows = 0;
  std::vector<std::vector<std::uint32_t>> branch_tables;                ///< brx.idx: record indices
  std::unordered_map<std::uint64_t, std::uint32_t> functions_by_value;  ///< function value -> index of first record
  std::vector<ProgramFunction> functions;  ///< ascending `first`; functions[0] is the kernel
  std::vector<std::string> spellings;      ///< disassembly, one line per record (registers physical)

  std::uint32_t registers = 0;     ///< 32-bit registers per thread, 1..256
  std::uint32_t predicates = 0;    ///< 0..8
  std::uint32_t barriers = 0;      ///< highest named barrier + 1; 16 if a barrier id is computed
  std::uint32_t shared_bytes = 0;  ///< static shared memory per thread block
  std::uint32_t local_bytes = 0;   ///< local memory per thread, spills included
  std::uint32_t spill_bytes = 0;   ///< part of local_bytes
  std::uint32_t stack_bytes = 0;  ///< part of local_bytes, at its end: the call stack of functions that call themselves
  bool may_recurse = false;       ///< calls through pointers could call a function that has one frame only again
  std::uint32_t parameter_bytes = 0;
  std::vector<Parameter> parameters;
  std::uint32_t max_threads = 0;  ///< product of .maxntid, 0 if not given
  std::uint32_t required_threads[3] = {0, 0, 0};
  std::uint32_t min_blocks = 0;
  /// Redundancy mark of each record (isa::Mark, docs/marks.md), for machines with a fetch filter. Empty: no record is
  /// marked.
  std::vector<std::uint8_t> marks;
  std::uint32_t renamed_registers = 0;  ///< registers 0 to that - 1 are those that marked records write, at most 32
  bool uses_dynamic_shared = false;     ///< refers to an unsized extern .shared variable
  bool uses_system_calls = false;
  bool launches = false;  ///< some record launches a kernel (RuntimeCall)
  /// Kernels of its module that its code names; if it launches, those that initialisers of the module name too.
  std::vector<std::string> named_kernels;
  std::uint64_t code_values = 0;  ///< LinkOptions::code_values

  /// "kernel name (file:line)" of a record, for messages.
  [[nodiscard]] std::string describe(std::uint32_t pc) const;
};

/// Everything outside a module that a program's code refers to, and limits of the machine it is compiled for.
struct LinkOptions {
  /// Device address of every module-level variable in global or const space, and the value of every function.
  std::unordered_map<std::string, std::uint64_t> symbols;
  std::uint64_t code_values = 0;      ///< device address at which the values of the module's functions begin
  std::uint32_t max_registers = 255;  ///< cap per thread after all limits known before compilation
  // For .minnctapersm: registers that a block of `max_threads` may use are derived from these.
  std::uint32_t sm_registers = 65536;
  std::uint32_t reg_alloc_unit = 256;  ///< registers per warp
  std::uint32_t lanes = 32;
  /// Bytes per thread of the call stack, if a program needs one; cudaLimitStackSize.
  std::uint32_t stack_bytes = 1024;
  /// Functions that could call themselves through pointers have frames on the stack too. They cost a few instructions
  /// per call, and most programs with such functions never do.
  bool stack_for_pointers = false;
  MarkOptions marks;
  bool barriers = false;  ///< a barrier of the block ends each basic block that all its threads reach together
};

}  // namespace castor::isa
