#pragma once

#include <bitset>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "castor/isa/module.h"
#include "castor/isa/record.h"

namespace castor::isa {

/// Registers that one record reads and writes, for scoreboards and operand collectors, and what its result can depend
/// on.
struct RegisterUse {
  std::uint8_t dst = 0;                   ///< number of 32-bit registers written, from Record::dst on
  std::uint8_t src[4] = {};               ///< number of 32-bit registers read, from Record::src[i] on; 0 for constants
  std::uint8_t predicates_read = 0;       ///< bit per predicate register that is read, guard included
  std::uint8_t predicates_written = 0;    ///< bit per predicate register that is written
  ResultOf result = ResultOf::kAnything;  ///< kAnything for all kinds but kLane
};

/// An immediate value of instructions, broadcast to a row when the program is loaded.
struct Constant {
  std::uint64_t bits = 0;
  bool wide = false;  ///< has 64-bit elements, so it takes two rows
};

/// A kernel parameter, as the kernel's `.entry` declares it.
struct Parameter {
  std::uint32_t offset = 0;  ///< bytes from the start of the parameter block
  std::uint32_t size = 0;
  std::uint32_t align = 1;
  std::string name;
};

/// A function inside a program.
struct ProgramFunction {
  std::string name;
  std::uint32_t first = 0;  ///< index of the function's first record
  std::uint32_t count = 0;
  std::uint32_t frame_bytes = 0;  ///< bytes of call stack per call; 0: the function has a single static frame
};

/// Redundancy mark of a record (Yeh 2020, section 7.2): whether all warps of a thread block that execute the record
/// compute the same row. The class of a result is at most the weakest class of its sources.
enum class Mark : std::uint8_t {
  kVector = 0,       ///< V (vector): no promise
  kConditional = 1,  ///< CR (conditionally redundant): same row in all warps if the block has several dimensions and
                     ///< its x size is a power of two of at most 32
  kRedundant = 2,    ///< DR (definitely redundant): same row in all warps
};

/// Largest number of registers that marked records of a program may write. These renamed registers have the lowest
/// numbers.
inline constexpr std::uint32_t kMostRenamed = 32;
/// Largest number of renamed registers that one record may read, and (below) write.
inline constexpr unsigned kMostRenamedRead = 6;
inline constexpr unsigned kMostRenamedWritten = 2;

/// A place in a program where a thread block may sleep (is_sync_site), with the registers that the thread block needs
/// when it resumes. All warps of the thread block stand at such places then, with all live lanes active.
struct SyncSite {
  std::uint32_t record = 0;    ///< index of the record
  std::bitset<256> registers;  ///< registers that may be read before they are written again
  bool predicates = false;     ///< some predicate may be read before it is written again
};

/// Most sites of a program with a register set of their own. Further sites need all registers and predicates.
inline constexpr std::size_t kMostSites = 16;

/// Device-wide synchronisation of a program.
struct SyncUse {
  SyncSet ops = 0;              ///< operations that the program can reach
  std::vector<SyncSite> sites;  ///< in ascending order of `record`; the index is the number of the site
};

/// Rule by which a compilation makes marks.
enum class MarkRule : std::uint8_t {
  kOff,     ///< no marks; registers keep the numbers that the allocator gave
  kSound,   ///< sound marks, with the rule for joins of paths (docs/marks.md)
  kSource,  ///< without the rule for joins, as in Yeh 2020; for comparisons only, since marks may be wrong where paths
            ///< diverge
};

/// Options of the marking pass.
struct MarkOptions {
  MarkRule rule = MarkRule::kOff;
  std::uint32_t most_renamed = kMostRenamed;  ///< largest number of renamed registers, 1..kMostRenamed
  bool loads = true;                          ///< false: the value of every load has class V
};

/// Kinds of code that a linked kernel contains, in a function that it can reach.
struct ProgramReach {
  bool launches = false;      ///< a record launches a kernel (RuntimeCall)
  bool grid_barrier = false;  ///< a record reads the address of the launch's grid barrier: the kernel can wait for all
                              ///< thread blocks of its grid
};

/// One linked kernel: its own code and copies of every device function that it can reach. Immutable once compiled.
struct Program {
  std::string kernel;
  std::string module;  ///< file name for messages
  std::vector<Record> code;
  // Side tables with one element per record of `code`.
  std::vector<RegisterUse> uses;
  std::vector<SourceLine> lines;
  std::vector<std::string> source_files;

  std::vector<Constant> constants;          ///< values of operands from kConstantOperand on; `constant_rows` rows in
                                            ///< total
  std::vector<std::uint32_t> constant_row;  ///< first row of constants[i]
  std::uint32_t constant_rows = 0;
  /// Targets of each brx.idx table, as record indices.
  std::vector<std::vector<std::uint32_t>> branch_tables;
  /// Index of the first record of the function with this value.
  std::unordered_map<std::uint64_t, std::uint32_t> functions_by_value;
  std::vector<ProgramFunction> functions;  ///< in ascending order of `first`; functions[0] is the kernel
  std::vector<std::string> spellings;      ///< disassembly, one line per record (physical registers)

  std::uint32_t registers = 0;     ///< 32-bit registers per thread, 1..256
  std::uint32_t predicates = 0;    ///< predicate registers per thread, 0..8
  std::uint32_t barriers = 0;      ///< highest named barrier + 1; 16 if a barrier id is computed at run time
  std::uint32_t shared_bytes = 0;  ///< static shared memory per thread block
  std::uint32_t local_bytes = 0;   ///< local memory per thread, spills included
  std::uint32_t spill_bytes = 0;   ///< spill area, part of local_bytes
  std::uint32_t stack_bytes = 0;   ///< call stack of recursive functions, part of local_bytes, at its end
  bool may_recurse = false;        ///< calls through pointers could re-enter a function that has a single static frame
  std::uint32_t parameter_bytes = 0;
  std::vector<Parameter> parameters;
  std::uint32_t max_threads = 0;  ///< product of .maxntid; 0 if not given
  std::uint32_t required_threads[3] = {0, 0, 0};
  std::uint32_t min_blocks = 0;
  /// Redundancy mark of each record (isa::Mark, docs/marks.md), for machines with a fetch filter. Empty: no record is
  /// marked.
  std::vector<std::uint8_t> marks;
  std::uint32_t renamed_registers = 0;  ///< number of renamed registers, at most 32: marked records write registers 0
                                        ///< to renamed_registers - 1 only
  bool uses_dynamic_shared = false;     ///< the code refers to an unsized extern .shared variable
  ProgramReach reach;
  SyncUse sync;  ///< device-wide synchronisation that the program uses
  /// Kernels of its module that the code refers to. If the program launches kernels, also kernels that initialisers of
  /// the module refer to.
  std::vector<std::string> named_kernels;
  std::uint64_t code_values = 0;  ///< see LinkOptions::code_values

  /// Returns "kernel name (file:line)" of a record, for messages.
  [[nodiscard]] std::string describe(std::uint32_t pc) const;
};

/// Addresses of all symbols outside a module to which a program's code refers, and limits of the machine for which it
/// is compiled.
struct LinkOptions {
  /// Device address of every module-level variable in global or const space, and value of every function.
  std::unordered_map<std::string, std::uint64_t> symbols;
  std::uint64_t code_values = 0;      ///< device address at which the function values of the module begin
  std::uint32_t max_registers = 255;  ///< limit per thread, after all limits that are known before compilation
  // With .minnctapersm, the number of registers that a block of `max_threads` may use is derived from the next three
  // values.
  std::uint32_t sm_registers = 65536;
  std::uint32_t reg_alloc_unit = 256;  ///< registers are allocated to a warp in multiples of this number
  std::uint32_t lanes = 32;
  /// Bytes of call stack per thread, if a program needs a call stack; cudaLimitStackSize.
  std::uint32_t stack_bytes = 1024;
  /// Functions that could recurse through pointers also get frames on the call stack. Such frames cost a few
  /// instructions per call, and most programs never recurse in this way.
  bool stack_for_pointers = false;
  MarkOptions marks;
  bool barriers = false;  ///< adds a barrier of the block at the end of each basic block that all threads of the block
                          ///< reach together
};

}  // namespace castor::isa
