#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "castor/isa/instruction_table.h"
#include "castor/isa/types.h"
#include "castor/isa/warp_context.h"

namespace castor::isa {

/// Place of an item in the PTX text (1-based), and the CUDA source line that `.loc` gives for it.
struct SourceLine {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::uint32_t source_file = 0;  ///< index into Module::source_files + 1; 0: unknown
  std::uint32_t source_line = 0;
};

/// An address in initialised data: `width` bytes at `offset` hold the address of `symbol` + `addend`. The address is
/// generic if `generic` is set, else an address in the symbol's space; for a function it is the function's value.
struct Relocation {
  std::uint64_t offset = 0;
  unsigned width = 8;
  std::string symbol;
  std::int64_t addend = 0;
  bool generic = false;
  unsigned shift = 0;  ///< the address is shifted right by this many bits first (byte-wise initialisers `mask()
                       ///< symbol`)
};

enum class Linkage : std::uint8_t { kStatic, kVisible, kWeak, kCommon, kExtern };

/// A variable of a module or function.
struct Variable {
  std::string name;
  Space space = Space::kGlobal;  ///< kGlobal, kConst, kShared, kLocal, kParam
  Type type = Type::kB8;         ///< element type
  Linkage linkage = Linkage::kStatic;
  std::uint64_t align = 1;  ///< alignment in bytes
  std::uint64_t size = 0;   ///< size in bytes; 0 with `unsized` for `extern .shared x[]`
  bool unsized = false;
  std::vector<std::uint8_t> data;  ///< initial bytes; may be shorter than `size` (the rest is zero)
  std::vector<Relocation> relocations;
  SourceLine where;
};

/// One operand of an instruction, over virtual registers.
struct Operand {
  enum class Kind : std::uint8_t {
    kNone,       ///< absent optional operand
    kSink,       ///< `_`
    kRegister,   ///< index into Function::registers
    kImmediate,  ///< immediate value in `bits`, already converted to the operand's type
    kSpecial,    ///< special register
    kVariable,   ///< address of Function::variables[index] (+offset); may be a parameter variable of the function
    kSymbol,     ///< address of a module-level variable or function, Module::names[index] (+offset)
    kLabel,      ///< index into Function::labels
    kTable,      ///< index into Function::tables
    kList,       ///< braced list
    kAddress,    ///< [elements[0] + offset]
  };
  Kind kind = Kind::kNone;
  bool negated = false;        ///< `!p`
  std::uint8_t part_bits = 0;  ///< kRegister: uses only this many bits of the register, from `part_first` on (`a.b1`,
                               ///< `a.h0`); 0: all bits
  std::uint8_t part_first = 0;
  std::uint32_t index = 0;
  std::uint64_t bits = 0;   ///< value of an immediate
  std::int64_t offset = 0;  ///< bytes added to a symbol or base
  SpecialRegister special = SpecialRegister::kTidX;
  std::vector<Operand> elements;
};

struct VirtualRegister {
  std::string name;
  Type type = Type::kB32;
};

/// A call. Results and arguments are .param variables of the caller (or registers, which PTX also allows).
struct Call {
  Operand target;                          ///< kSymbol (direct) or kRegister (indirect)
  std::vector<Operand> results;            ///< kVariable or kRegister
  std::vector<Operand> arguments;          ///< kVariable, kRegister or kImmediate
  std::optional<std::uint32_t> prototype;  ///< index into Function::prototypes (indirect calls)
  std::vector<std::string> candidates;     ///< function names of a .calltargets list; empty: any function that
                                           ///< fits the prototype
};

/// One PTX instruction. `operands` follow `match.row().specs` (absent optional ones are kNone). The optional second
/// predicate of a destination `d|p` directly follows the first operand if the row allows it (kNone when absent).
struct Instruction {
  Match match;
  std::vector<Operand> operands;
  std::optional<std::uint32_t> guard;  ///< virtual predicate register that guards the instruction
  bool guard_negated = false;
  std::optional<std::uint32_t> call;  ///< index into Function::calls for Kind::kCall / kCallIndirect
  SourceLine where;
};

/// Signature of a call target: types, sizes and alignments only.
struct Prototype {
  std::string name;
  std::vector<Variable> results;
  std::vector<Variable> parameters;
  bool noreturn = false;
};

struct Label {
  std::string name;
  std::uint32_t position = 0;  ///< index of the instruction that follows the label (may be one past the end)
};

struct BranchTable {
  std::string name;
  std::vector<std::uint32_t> labels;
};

/// A kernel (`.entry`) or device function (`.func`).
struct Function {
  std::string name;
  bool entry = false;
  bool defined = false;  ///< the function has a body
  Linkage linkage = Linkage::kStatic;
  bool noreturn = false;
  std::vector<Variable> results;                   ///< .func only; each in space kParam or kReg
  std::vector<Variable> parameters;                ///< in order; each in space kParam (or kReg: PTX allows `.reg`
                                                   ///< parameters)
  std::vector<std::uint32_t> result_registers;     ///< virtual register of each result in space kReg
  std::vector<std::uint32_t> parameter_registers;  ///< virtual register of each parameter in space kReg
  std::vector<VirtualRegister> registers;
  /// Variables of the body in local, shared, global, const and param space; repeated names in nested scopes are
  /// renamed. The first parameters.size() entries are the parameters, the next results.size() the results.
  std::vector<Variable> variables;
  std::vector<Instruction> body;
  std::vector<Label> labels;
  std::vector<BranchTable> tables;
  std::vector<Prototype> prototypes;
  std::vector<Call> calls;
  // Performance directives, in threads, blocks or registers; 0: not given.
  std::uint32_t max_threads[3] = {0, 0, 0};       ///< .maxntid
  std::uint32_t required_threads[3] = {0, 0, 0};  ///< .reqntid
  std::uint32_t min_blocks = 0;                   ///< .minnctapersm
  std::uint32_t max_registers = 0;                ///< .maxnreg
  SourceLine where;
};

/// Contents of a PTX file, over virtual registers.
struct Module {
  std::string file;  ///< file name for messages
  unsigned version_major = 0;
  unsigned version_minor = 0;
  std::string target;  ///< "sm_60"
  unsigned address_size = 64;
  std::vector<Variable> variables;
  std::vector<Function> functions;  ///< definitions and declarations, merged by name
  std::vector<std::string> names;   ///< module-level names that operands refer to
  std::vector<std::string> source_files;

  [[nodiscard]] const Function* find_function(std::string_view name) const;
  [[nodiscard]] const Variable* find_variable(std::string_view name) const;
};

}  // namespace castor::isa
