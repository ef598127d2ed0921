#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "castor/isa/record.h"
#include "castor/isa/timing_class.h"
#include "castor/isa/types.h"

namespace castor::isa {

struct Row;

/// One dotted part of a syntax pattern, after the opcode.
struct PatternItem {
  std::string label;                      ///< name of the item in Match; may be empty
  std::vector<std::string> alternatives;  ///< legal words, without the dot
  std::vector<Type> types;                ///< type that each alternative denotes, kNone for words that are no types
  bool optional = false;
};

/// Syntax of one operand of an instruction.
enum class OperandShape : std::uint8_t {
  kRegister,   ///< register or `_` (destination); register or immediate or symbol address or special register (source)
  kPredicate,  ///< predicate register, `_` as destination, `!p` as source
  kImmediate,  ///< integer constant only
  kAddress,    ///< [register|symbol|constant (+offset)]
  kVector,     ///< {a, b} or {a, b, c, d}; the row gives the number of elements. A plain register for one element
  kPack,       ///< register, or a braced list whose widths add up to the width of the type (mov)
  kLabel,      ///< branch target
  kTable,      ///< name of a .branchtargets list
  kCall,       ///< the whole operand list of a call
};

/// One operand of a row, parsed from the row's operand text.
struct OperandSpec {
  std::string name;
  OperandShape shape = OperandShape::kRegister;
  Type type = Type::kNone;  ///< type of the operand; kNone if `type_label` gives it
  std::string type_label;   ///< label of the pattern item that gives the type
  bool widen = false;       ///< the operand has twice the width of the type at `type_label`
  bool destination = false;
  bool optional = false;          ///< may be absent; if operands are missing, the last optional ones are absent
  bool second_predicate = false;  ///< destination that may be followed by a second predicate, `|p`
};

/// Result of matching the dotted parts of one instruction with a row: the row, and the choice in each item.
class Match {
 public:
  Match() = default;
  Match(const Row& row, const std::array<std::int8_t, 16>& choices) : row_(&row), choices_(choices) {}

  [[nodiscard]] const Row& row() const { return *row_; }
  [[nodiscard]] bool valid() const { return row_ != nullptr; }
  /// Returns the chosen alternative of the item called `label`, empty if the item is absent or unknown.
  [[nodiscard]] std::string_view operator[](std::string_view label) const;
  /// Whether alternative `text` was chosen in any item.
  [[nodiscard]] bool has(std::string_view text) const;
  /// Returns the type chosen in the item called `label`; kNone if absent.
  [[nodiscard]] Type type(std::string_view label) const;
  /// Returns the type of one operand of the row under this match.
  [[nodiscard]] Type type(const OperandSpec& operand) const;
  /// Returns the full spelling, dots included.
  [[nodiscard]] std::string spelling() const;

 private:
  const Row* row_ = nullptr;
  std::array<std::int8_t, 16> choices_{};  // index of the chosen alternative per item, -1 = item absent
};

/// How an instruction uses the condition code, which its text does not name.
enum class CarryUse : std::uint8_t { kNone = 0, kReads = 1, kWrites = 2, kReadsWrites = 3 };

/// One row of the instruction table: spelling as data, operands, timing class, semantics.
///
/// `syntax`:   opcode, then dotted items. `.lit` is mandatory; `.{label:a|b}` needs one of the alternatives;
///             `.[label:a|b]` may be absent. The label may be left out. A type label is conventionally `t` (`u`
///             second). Example: "add.[rnd:rn|rz|rm|rp].[ftz].[sat].f32", "setp.{cmp:eq|ne}.{bool:and|or}.{t:u32|s32}".
/// `operands`: comma-separated `name:what`; a leading `=` marks a destination, a trailing `?` an operand that may be
///             missing. `what` is a type ("u32", "pred"), a type label ("t"), a doubled one ("2t"), or a shape:
///             "[t]" address, "<t>" vector, "%t" pack, "imm", "label", "table", "call". `=p:pred|` and `=d:t|` may
///             be followed by `|q`.
///             Example: "=p:pred|, a:t, b:t, c:pred".
/// Register destinations fill Record::dst. Register sources fill Record::src in order. Predicate destinations and
/// sources fill the nibbles in order (an optional second destination counts). Immediate operands (`imm`) fill
/// Record::imm, the first in bits 0-31, the second in bits 32-63.
struct Row {
  std::string syntax;
  std::string operands;
  TimingClass timing = TimingClass::kInt;
  Kind kind = Kind::kLane;
  /// Returns the lane handler for a match; null = this combination of modifiers does not exist. The pointer itself is
  /// null for kinds without a handler.
  LaneFn (*select)(const Match&) = nullptr;
  /// Returns the selector bits for Record::imm, which the handler reads (only rows without `imm` operands). May be
  /// null.
  std::uint64_t (*immediate)(const Match&) = nullptr;
  std::string meaning;                    ///< meaning in one line, for the coverage table
  CarryUse carry = CarryUse::kNone;       ///< condition code: read as the last predicate source, written as the last
                                          ///< predicate destination
  ResultOf result = ResultOf::kAnything;  ///< dependences of the result; set by TableBuilder

  // The table fills these members from `syntax` and `operands`.
  std::string opcode{};
  std::vector<PatternItem> items{};
  std::vector<OperandSpec> specs{};
};

/// Reason why the table has no row for a spelling.
struct LookupError {
  std::string message;  ///< expected words, and the place of the first wrong one
};

/// Reason why a legal PTX spelling is refused, e.g. textures. Refusals are searched only when no row matches.
struct Unsupported {
  /// First parts of the spelling ("tex", "cp.async.bulk"), one part with its dot (".b128"), an opcode and one of its
  /// parts ("atom .v2"), or the beginning of a register name ("%envreg").
  std::string opcode;
  std::string why;  ///< why the spelling is refused, and what to use instead
};

/// Collects rows of the table; each file in isa/instructions has one function that fills a builder.
class TableBuilder {
 public:
  void add(Row row);
  /// Adds a row of kind kLane whose result depends only on the record and the operands of the lane
  /// (ResultOf::kOperands). The result must not depend on the executing lane or warp, on other lanes, or on a clock. A
  /// test checks this property of every such row.
  void add_pure(Row row);
  void refuse(std::string opcode, std::string why);

 private:
  friend class InstructionTable;
  std::vector<Row> rows_;
  std::vector<Unsupported> refused_;
};

/// Table of all instructions that Castor executes. The parser, the disassembler, the coverage page and `castor list`
/// use it. The table is built once, at first use, with the handlers for the host processor: AVX2 or baseline, which
/// compute the same bits (CASTOR_LANES=baseline forces baseline). Thread-safe.
class InstructionTable {
 public:
  [[nodiscard]] static const InstructionTable& instance();

  /// Returns the table with one build of the handlers, "baseline" or "avx2", for comparisons. Throws InputError for
  /// other names, and for "avx2" on a processor without AVX2 and FMA.
  [[nodiscard]] static const InstructionTable& of_variant(std::string_view variant);
  /// Whether the host processor can run the handlers built for AVX2 and FMA.
  [[nodiscard]] static bool has_avx2();

  /// Adds instructions from outside the library (docs/guides/adding-an-instruction.md). Rows added later take
  /// precedence over earlier ones with the same spelling, so an instruction can also be replaced. Returns true, so that
  /// the call can initialise a global. Throws InputError once a table has been built, that is, after the first use.
  static bool extend(void (*add_rows)(TableBuilder&));

  /// Finds the row and the choices for a full spelling such as "add.rn.f32". Results are cached. If no row matches,
  /// Match::valid() is false, and `error` says what was expected or why the spelling is refused.
  [[nodiscard]] Match find(std::string_view spelling, LookupError& error) const;

  /// Whether a row or a refusal has this opcode (first part of a spelling).
  [[nodiscard]] bool is_opcode(std::string_view opcode) const;

  [[nodiscard]] const std::vector<std::unique_ptr<Row>>& rows() const;
  [[nodiscard]] const std::vector<Unsupported>& refused() const;
  /// Returns the refusal of exactly these words, or null.
  [[nodiscard]] const Unsupported* refused(std::string_view words) const;
  /// Returns the build of the handlers: "avx2" or "baseline".
  [[nodiscard]] std::string_view variant() const;

  /// Returns an internal row, which the compiler uses and PTX text cannot spell (opcode starts with '$').
  [[nodiscard]] Match internal(std::string_view spelling) const;

 private:
  explicit InstructionTable(std::string_view variant);
  ~InstructionTable();
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Decodes the match of a memory row (kind, space, type, cache, ordering). The compiler, which knows the registers,
/// sets `register_bits` and `address_bits`.
[[nodiscard]] MemoryOp memory_op(const Match& match);
/// Decodes the match of a barrier row.
[[nodiscard]] BarrierOp barrier_op(const Match& match);

}  // namespace castor::isa
