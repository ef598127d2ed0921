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

/// Where something stands in the PTX text (1-based), and the CUDA line it came from, if `.loc` says so.
struct SourceLine {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::uint32_t source_file = 0;  ///< index into Module::source_files + 1; 0: unknown
  std::uint32_t source_line = 0;
};

/// An address inside initialised data: `width` bytes at `offset` hold the address of `symbol` + `addend`
/// (generic address if `generic`, else the address inside the symbol's space; a function's value for functions).
struct Relocation {
  std::uint64_t offset = 0;
  unsigned width = 8;
  std::string symbol;
  std::int64_t addend = 0;
  bool generic = false;
  unsigned shift = 0;  ///< bits the address is shifted right first (byte-wise initialisers `mask() symbol`)
};

enum class Linkage : std::uint8_t { kStatic, kVisible, kWeak, kCommon, kExtern };

/// A variable of a module or function.
struct Variable {
  std::string name;
  Space space = Space::kGlobal;  ///< kGlobal, kConst, kShared, kLocal, kParam
  Type type = Type::kB8;         ///< element type
  Linkage linkage = Linkage::kStatic;
  std::uint64_t align = 1;  ///< bytes
  std::uint64_t size = 0;   ///< bytes; 0 with `unsized` for `extern .shared x[]`
  bool unsized = false;
  std::vector<std::uint8_t> data;  ///< initial bytes, may be shorter than size (rest zero)
  std::vector<Relocation> relocations;
  SourceLine where;
};

/// One operand of an instruction, over virtual registers.
struct Operand {
  enum class Kind : std::uint8_t {
    kNone,       ///< absent optional operand
    kSink,       ///< `_`
    kRegister,   ///< index into Function::registers
    kImmediate,  ///< bits, already in the operand's type
    kSpecial,    ///< special register
    kVariable,   ///< address of Function::variables[index] (+offset); also a parameter variable of the function
    kSymbol,     ///< address of a module-level variable or function, Module::names[index] (+offset)
    kLabel,      ///< index into Function::labels
    kTable,      ///< index into Function::tables
    kList,       ///< braced list
    kAddress,    ///< [elements[0] + offset]
  };
  Kind kind = Kind::kNone;
  bool negated = false;        ///< `!p`
  std::uint8_t part_bits = 0;  ///< kRegister: only so many bits of it, from `part_first` on (`a.b1`, `a.h0`); 0: all
  std::uint8_t part_first = 0;
  std::uint32_t index = 0;
  std::uint64_t bits = 0;   ///< immediate
  std::int64_t offset = 0;  ///< added to a symbol or base
  SpecialRegister special = SpecialRegister::kTidX;
  std::vector<Operand> elements;
};

struct VirtualRegister {
  std::string name;
  Type type = Type::kB32;
};

/// A call: results and arguments are .param variables of the caller (or registers, which PTX also allows).
struct Call {
  Operand target;                          ///< kSymbol (direct) or kRegister (indirect)
  std::vector<Operand> results;            ///< kVariable or kRegister
  std::vector<Operand> arguments;          ///< kVariable, kRegister or kImmediate
  std::optional<std::uint32_t> prototype;  ///< index into Function::prototypes (indirect calls)
  std::vector<std::string> candidates;     ///< function names of a .calltargets list; empty: any that fits
};

/// One PTX instruction. `operands` follow `match.row().specs` (absent optional ones are kNone); an optional second
/// predicate destination `d|p` follows its first at once if the row allows it (kNone when absent).
struct Instruction {
  Match match;
  std::vector<Operand> operands;
  std::optional<std::uint32_t> guard;  ///< virtual register of type pred
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
  std::uint32_t position = 0;  ///< index of the instruction it stands before (may be one past the end)
};

struct BranchTable {
  std::string name;
  std::vector<std::uint32_t> labels;
};

/// A kernel (`.entry`) or device function (`.func`).
struct Function {
  std::string name;
  bool entry = false;
  bool defined = false;  ///< has a body
  Linkage linkage = Linkage::kStatic;
  bool noreturn = false;
  std::vector<Variable> results;                ///< .func only; of space kParam or kReg
  std::vector<Variable> parameters;             ///< in order; of space kParam (or kReg: PTX allows `.reg` parameters)
  std::vector<std::uint32_t> result_registers;  ///< for kReg results: virtual register per result
  std::vector<std::uint32_t> parameter_registers;  ///< for kReg parameters, likewise
  std::vector<VirtualRegister> registers;
  /// Local, shared, global, const and param-space variables of the body, renamed apart if scopes repeat a name. The
  /// first parameters.size() entries are the parameters themselves, the next results.size() the results.
  std::vector<Variable> variables;
  std::vector<Instruction> body;
  std::vector<Label> labels;
  std::vector<BranchTable> tables;
  std::vector<Prototype> prototypes;
  std::vector<Call> calls;
  // Performance directives; 0: not given. Threads.
  std::uint32_t max_threads[3] = {0, 0, 0};       ///< .maxntid
  std::uint32_t required_threads[3] = {0, 0, 0};  ///< .reqntid
  std::uint32_t min_blocks = 0;                   ///< .minnctapersm
  std::uint32_t max_registers = 0;                ///< .maxnreg
  SourceLine where;
};

/// A PTX file over virtual registers.
struct Module {
  std::string file;  ///< name for messages
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
